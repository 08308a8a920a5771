! SPDX-License-Identifier: BSD-3-Clause
!
! outside - a collective before MPI_Init or after MPI_Finalize, which ends the program: "outside
! before blocking", "outside after nonblocking". The library's message must be the same with and
! without the plug-in.
program outside
  implicit none
  include 'mpif.h'
  character(len=20) :: time, form
  integer :: in(1), out(1), request, ierror
  call get_command_argument(1, time)
  call get_command_argument(2, form)
  if (time == 'after') then
    call MPI_Init(ierror)
    call MPI_Allreduce(in, out, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    call MPI_Finalize(ierror)
  end if
  if (form == 'blocking') then
    call MPI_Allreduce(in, out, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  else
    call MPI_Iallreduce(in, out, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, ierror)
  end if
end program outside
