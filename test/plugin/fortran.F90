! SPDX-License-Identifier: BSD-3-Clause
!
! fortran - the collectives from Fortran, checked, also in place, with an operator of the user,
! and in an intermediate communicator; compiled with -DF08 (use mpi_f08), -DMODULE (use mpi), -DABI
! (over the standard ABI, by bindings.c), or none of them (mpif.h); -DSECTIONS adds parts of
! arrays with gaps, -DDESCRIPTORS what else mpi_f08 of Open MPI 6 has. Rank 0 writes "fortran: right". The plug-in's lines tell that it ran.

#ifdef F08
#define OPERATOR type(MPI_Op)
#define KIND type(MPI_Datatype)
#define COMMUNICATOR type(MPI_Comm)
#define REQUEST_KIND type(MPI_Request)
#else
#define OPERATOR integer
#define KIND integer
#define COMMUNICATOR integer
#define REQUEST_KIND integer
#endif

! A commutative one, that is not built in.
#ifdef F08
subroutine add(from, to, n, kind)
  use, intrinsic :: iso_c_binding
  use mpi_f08
  type(c_ptr), value :: from, to
  integer :: n
  type(MPI_Datatype) :: kind
  integer, pointer :: a(:), b(:)
  call c_f_pointer(from, a, [n])
  call c_f_pointer(to, b, [n])
  b = a + b
end subroutine add
#else
subroutine add(from, to, n, kind)
  integer :: n, kind
  integer :: from(n), to(n)
  to = from + to
end subroutine add
#endif

#ifdef ABI
! Handles are the numbers that they are in C.
module mpi_numbers
  use, intrinsic :: iso_c_binding
  integer, parameter :: MPI_SUCCESS = 0, MPI_COMM_WORLD = 257, MPI_SUM = 33, MPI_MAX = 35, &
    MPI_INTEGER = 537, MPI_DOUBLE_PRECISION = 540, MPI_REAL8 = 730
  integer(c_int), bind(c, name='fortran_in_place') :: MPI_IN_PLACE
end module mpi_numbers
#endif

program fortran
#ifdef F08
  use mpi_f08
#elif defined(MODULE)
  use mpi
#elif defined(ABI)
  use mpi_numbers
#endif
  implicit none
#if !defined(F08) && !defined(MODULE) && !defined(ABI)
  include 'mpif.h'
#endif
  external add
  integer, parameter :: n = 40
  integer :: rank, p, error, wrong, i, all
  integer, allocatable :: in(:), out(:), counts(:), expected(:), places(:), moved(:), &
    mine(:), turned(:), before(:)
  double precision :: x(3), y(3)
  OPERATOR :: op
  KIND, allocatable :: kinds(:)
  COMMUNICATOR :: comm
#if !defined(ABI) && !defined(DESCRIPTORS)
  REQUEST_KIND :: request
#endif
#ifdef DESCRIPTORS
  integer(MPI_COUNT_KIND) :: large
#endif

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, p, error)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, error)
  wrong = 0
  all = n * p
  allocate(in(all), out(all), counts(p), expected(all), places(p), moved(all), mine(n), turned(all))
  counts = n
  in = [(rank + i, i = 1, all)]
  expected = [(p * i + p * (p - 1) / 2, i = 1, all)]
  before = [(rank * i + rank * (rank - 1) / 2, i = 1, all)]
  call MPI_Op_create(add, .true., op, error)

  out = 0
  call MPI_Allreduce(in, out, all, MPI_INTEGER, MPI_SUM, comm, error)
  call check(1, out, expected)
  out = in
  call MPI_Allreduce(MPI_IN_PLACE, out, all, MPI_INTEGER, MPI_SUM, comm, error)
  call check(2, out, expected)
  out = in
  call MPI_Allreduce(MPI_IN_PLACE, out, all, MPI_INTEGER, op, comm, error)
  call check(3, out, expected)

#if !defined(ABI) && !defined(DESCRIPTORS)
  out = in
  call MPI_Iallreduce(MPI_IN_PLACE, out, all, MPI_INTEGER, op, comm, request, error)
  call MPI_Op_free(op, error)
  call MPI_Op_create(add, .true., op, error)
  call MPI_Wait(request, MPI_STATUS_IGNORE, error)
  call check(3, out, expected)
#endif

  out = 0
  call MPI_Reduce(in, out, all, MPI_INTEGER, MPI_SUM, p - 1, comm, error)
  if (rank == p - 1) call check(4, out, expected)
  out = in
  if (rank == p - 1) then
    call MPI_Reduce(MPI_IN_PLACE, out, all, MPI_INTEGER, op, p - 1, comm, error)
    call check(5, out, expected)
  else
    call MPI_Reduce(in, out, all, MPI_INTEGER, op, p - 1, comm, error)
  end if

  out = 0
  call MPI_Reduce_scatter(in, out, counts, MPI_INTEGER, MPI_SUM, comm, error)
  call check(6, out(1:n), expected(rank * n + 1:(rank + 1) * n))
  out = in
  call MPI_Reduce_scatter(MPI_IN_PLACE, out, counts, MPI_INTEGER, op, comm, error)
  call check(7, out(1:n), expected(rank * n + 1:(rank + 1) * n))

  out = 0
  call MPI_Reduce_scatter_block(in, out, n, MPI_INTEGER, op, comm, error)
  call check(8, out(1:n), expected(rank * n + 1:(rank + 1) * n))
  out = in
  call MPI_Reduce_scatter_block(MPI_IN_PLACE, out, n, MPI_INTEGER, MPI_SUM, comm, error)
  call check(9, out(1:n), expected(rank * n + 1:(rank + 1) * n))

  out = 0
  call MPI_Scan(in, out, all, MPI_INTEGER, MPI_SUM, comm, error)
  call check(42, out, before + in)
  out = in
  call MPI_Scan(MPI_IN_PLACE, out, all, MPI_INTEGER, op, comm, error)
  call check(43, out, before + in)
  ! rank 0 gets nothing
  out = 0
  call MPI_Exscan(in, out, all, MPI_INTEGER, MPI_SUM, comm, error)
  call check(44, out, before)
  out = in
  call MPI_Exscan(MPI_IN_PLACE, out, all, MPI_INTEGER, op, comm, error)
  if (rank == 0) call check(45, out, in)
  if (rank > 0) call check(46, out, before)

  call MPI_Barrier(comm, error)
  if (error /= MPI_SUCCESS) call fail(49)

  ! data that are moved: rank r has the numbers from 1000 r on
  places = [(n * (i - 1), i = 1, p)]
  moved = [(1000 * ((i - 1) / n) + mod(i - 1, n), i = 1, all)]
  out = 0
  if (rank == p - 1) out = moved
  call MPI_Bcast(out, all, MPI_INTEGER, p - 1, comm, error)
  call check(22, out, moved)
  out = 0
  call MPI_Allgather(moved(rank * n + 1), n, MPI_INTEGER, out, n, MPI_INTEGER, comm, error)
  call check(23, out, moved)
  out = 0
  out(rank * n + 1:(rank + 1) * n) = moved(rank * n + 1:(rank + 1) * n)
  call MPI_Allgather(MPI_IN_PLACE, n, MPI_INTEGER, out, n, MPI_INTEGER, comm, error)
  call check(24, out, moved)
  out = 0
  call MPI_Allgatherv(moved(rank * n + 1), n, MPI_INTEGER, out, counts, places, MPI_INTEGER, comm, &
    error)
  call check(25, out, moved)
  mine = moved(rank * n + 1:(rank + 1) * n)
  out = 0
  call MPI_Gather(mine, n, MPI_INTEGER, out, n, MPI_INTEGER, p - 1, comm, error)
  if (rank == p - 1) call check(26, out, moved)
  out = 0
  if (rank == p - 1) then
    out((p - 1) * n + 1:) = mine
    call MPI_Gather(MPI_IN_PLACE, n, MPI_INTEGER, out, n, MPI_INTEGER, p - 1, comm, error)
    call check(27, out, moved)
  else
    call MPI_Gather(mine, n, MPI_INTEGER, out, n, MPI_INTEGER, p - 1, comm, error)
  end if
  out = 0
  call MPI_Scatter(moved, n, MPI_INTEGER, out, n, MPI_INTEGER, p - 1, comm, error)
  call check(28, out(1:n), mine)
  out = 0
  if (rank == 0) then
    call MPI_Scatter(moved, n, MPI_INTEGER, MPI_IN_PLACE, n, MPI_INTEGER, 0, comm, error)
  else
    call MPI_Scatter(moved, n, MPI_INTEGER, out, n, MPI_INTEGER, 0, comm, error)
    call check(29, out(1:n), mine)
  end if
  ! block b of rank r has the numbers from 1000 r + 100 b on
  in = [(1000 * rank + 100 * ((i - 1) / n) + mod(i - 1, n), i = 1, all)]
  turned = [(1000 * ((i - 1) / n) + 100 * rank + mod(i - 1, n), i = 1, all)]
  out = 0
  call MPI_Alltoall(in, n, MPI_INTEGER, out, n, MPI_INTEGER, comm, error)
  call check(30, out, turned)
  out = in
  call MPI_Alltoall(MPI_IN_PLACE, n, MPI_INTEGER, out, n, MPI_INTEGER, comm, error)
  call check(31, out, turned)
  ! the same with counts of each block
  out = 0
  call MPI_Alltoallv(in, counts, places, MPI_INTEGER, out, counts, places, MPI_INTEGER, comm, error)
  call check(50, out, turned)
  out = in
  call MPI_Alltoallv(MPI_IN_PLACE, counts, places, MPI_INTEGER, out, counts, places, MPI_INTEGER, &
    comm, error)
  call check(51, out, turned)
  allocate(kinds(p))
  kinds = MPI_INTEGER
  out = 0
  call MPI_Alltoallw(in, counts, 4 * places, kinds, out, counts, 4 * places, kinds, comm, error)
  call check(52, out, turned)
  out = in
  call MPI_Alltoallw(MPI_IN_PLACE, counts, 4 * places, kinds, out, counts, 4 * places, kinds, &
    comm, error)
  call check(53, out, turned)
  out = 0
  call MPI_Gatherv(mine, n, MPI_INTEGER, out, counts, places, MPI_INTEGER, p - 1, comm, error)
  if (rank == p - 1) call check(54, out, moved)
  out = 0
  if (rank == p - 1) then
    out((p - 1) * n + 1:) = mine
    call MPI_Gatherv(MPI_IN_PLACE, n, MPI_INTEGER, out, counts, places, MPI_INTEGER, p - 1, comm, &
      error)
    call check(55, out, moved)
  else
    call MPI_Gatherv(mine, n, MPI_INTEGER, out, counts, places, MPI_INTEGER, p - 1, comm, error)
  end if
  out = 0
  call MPI_Scatterv(moved, counts, places, MPI_INTEGER, out, n, MPI_INTEGER, p - 1, comm, error)
  call check(56, out(1:n), mine)
  out = 0
  if (rank == 0) then
    call MPI_Scatterv(moved, counts, places, MPI_INTEGER, MPI_IN_PLACE, n, MPI_INTEGER, 0, comm, &
      error)
  else
    call MPI_Scatterv(moved, counts, places, MPI_INTEGER, out, n, MPI_INTEGER, 0, comm, error)
    call check(57, out(1:n), mine)
  end if
#ifdef SECTIONS
  ! blocks with gaps
  in = -1
  in(1:2 * n:2) = mine
  out = 0
  call MPI_Gather(in(1:2 * n:2), n, MPI_INTEGER, out, n, MPI_INTEGER, p - 1, comm, error)
  if (rank == p - 1) call check(32, out, moved)
  out = 0
  call MPI_Scatter(moved, n, MPI_INTEGER, out(1:2 * n:2), n, MPI_INTEGER, p - 1, comm, error)
  call check(33, out(1:2 * n:2), mine)
  call check(34, out(2:2 * n:2), [(0, i = 1, n)])
  out = 0
  call MPI_Allgather(in(1:2 * n:2), n, MPI_INTEGER, out, n, MPI_INTEGER, comm, error)
  call check(35, out, moved)
  out = 0
  if (rank == 0) out(1:2 * n:2) = moved(1:n)
  call MPI_Bcast(out(1:2 * n:2), n, MPI_INTEGER, 0, comm, error)
  call check(36, out(1:2 * n:2), moved(1:n))
  call check(37, out(2:2 * n:2), [(0, i = 1, n)])
#endif
  in = [(rank + i, i = 1, all)]

  ! types of other sizes, by either name
  x = [1.5d0, 2.5d0, -1d0]
  y = 0
  call MPI_Allreduce(x, y, 1, MPI_REAL8, MPI_MAX, comm, error)
  if (x(1) /= y(1)) call fail(10)
  y = 0
  call MPI_Allreduce(x, y, 3, MPI_DOUBLE_PRECISION, MPI_SUM, comm, error)
  if (any(abs(y - p * x) > 1d-9)) call fail(11)
#ifdef F08
  ! the error code is optional
  out = 0
  call MPI_Allreduce(in, out, all, MPI_INTEGER, MPI_SUM, comm)
  call check(12, out, expected)
#endif
#ifdef DESCRIPTORS
  call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN)
  ! counts of the larger kind
  large = all
  out = 0
  call MPI_Allreduce(in, out, large, MPI_INTEGER, MPI_SUM, comm, error)
  call check(13, out, expected)
  out = 0
  call MPI_Reduce(in, out, large, MPI_INTEGER, MPI_SUM, p - 1, comm, error)
  if (rank == p - 1) call check(14, out, expected)
  out = 0
  call MPI_Scan(in, out, large, MPI_INTEGER, MPI_SUM, comm, error)
  call check(47, out, before + in)
  out = 0
  call MPI_Exscan(in, out, large, MPI_INTEGER, MPI_SUM, comm, error)
  call check(48, out, before)
  large = n
  out = 0
  call MPI_Reduce_scatter(in, out, [(large, i = 1, p)], MPI_INTEGER, MPI_SUM, comm, error)
  call check(15, out(1:n), expected(rank * n + 1:(rank + 1) * n))
  out = 0
  call MPI_Reduce_scatter_block(in, out, large, MPI_INTEGER, MPI_SUM, comm, error)
  call check(16, out(1:n), expected(rank * n + 1:(rank + 1) * n))
  out = 0
  call MPI_Allgather(mine, large, MPI_INTEGER, out, large, MPI_INTEGER, comm, error)
  call check(38, out, moved)
  out = 0
  call MPI_Gather(mine, large, MPI_INTEGER, out, large, MPI_INTEGER, p - 1, comm, error)
  if (rank == p - 1) call check(39, out, moved)
  out = 0
  call MPI_Scatter(moved, large, MPI_INTEGER, out, large, MPI_INTEGER, p - 1, comm, error)
  call check(40, out(1:n), mine)
  out = in
  call MPI_Alltoall(MPI_IN_PLACE, large, MPI_INTEGER, out, large, MPI_INTEGER, comm, error)
  call check(41, out, [((i - 1) / n + rank * n + mod(i - 1, n) + 1, i = 1, all)])
  ! one element; a part in one piece; one with gaps, which the library refuses
  call MPI_Allreduce(in(3), out(5), 1, MPI_INTEGER, MPI_SUM, comm, error)
  call check(17, out(5:5), expected(3:3))
  call MPI_Allreduce(rank, i, 1, MPI_INTEGER, MPI_SUM, comm, error)
  call check(18, [i], [p * (p - 1) / 2])
  call MPI_Allreduce(in(2:9), out(3:10), 8, MPI_INTEGER, MPI_SUM, comm, error)
  call check(19, out(3:10), expected(2:9))
  call MPI_Allreduce(in(1:9:2), out, 5, MPI_INTEGER, MPI_SUM, comm, error)
  if (error == MPI_SUCCESS) call fail(20)
  call MPI_Allreduce(in, out(1:9:2), 5, MPI_INTEGER, MPI_SUM, comm, error)
  if (error == MPI_SUCCESS) call fail(21)
#endif

  call MPI_Op_free(op, error)
  call MPI_Comm_free(comm, error)
  if (rank == 0 .and. wrong == 0) print '(a)', 'fortran: right'
  call MPI_Finalize(error)
  if (wrong /= 0) stop 1

contains

  subroutine check(place, got, wanted)
    integer, intent(in) :: place, got(:), wanted(:)
    if (error /= MPI_SUCCESS .or. any(got /= wanted)) call fail(place)
  end subroutine check

  subroutine fail(place)
    integer, intent(in) :: place
    wrong = wrong + 1
    print '(a, i0, a, i0)', 'fortran: rank ', rank, ': wrong: ', place
  end subroutine fail
end program fortran
