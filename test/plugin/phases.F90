! SPDX-License-Identifier: BSD-3-Clause
!
! phases - a Fortran program whose record is known: test/plugin/record compares it. Compiled with
! -DF08 (use mpi_f08), -DMODULE (use mpi), or neither (mpif.h).
program phases
#ifdef F08
  use mpi_f08
#elif defined(MODULE)
  use mpi
#endif
  implicit none
#if !defined(F08) && !defined(MODULE)
  include 'mpif.h'
#endif
  integer :: error, i
  call MPI_Init(error)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Pcontrol(5)
  do i = 1, 3
    call MPI_Barrier(MPI_COMM_WORLD, error)
  end do
  call MPI_Pcontrol(0)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Finalize(error)
end program phases
