! ranks: 1 2 4 5
! Collectives with every kind of buffer argument; a user's operation; reductions of Fortran types.
subroutine absolute_max(in, inout, length, datatype)
  implicit none
  integer :: length, datatype, i
  integer :: in(length), inout(length)
  do i = 1, length
    if (abs(in(i)) > abs(inout(i))) inout(i) = in(i)
  end do
end subroutine

program collectives
  use mpi
  implicit none
  external :: absolute_max
  integer :: ierr, rank, ranks, i, op
  integer, allocatable :: all(:), counts(:), displs(:), parts(:)
  integer :: one(3), two(3), pair(2), best(2)
  complex :: z, zsum
  logical :: truth, both, commutes
  double precision :: d, dmax, dpair(2), dbest(2)
  real :: rpair(2), rbest(2)
  character(len=8) :: word
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  allocate (all(ranks), counts(ranks), displs(ranks), parts(ranks * (ranks + 1) / 2))
  word = 'nothing'
  if (rank == 0) word = 'from 0'
  call MPI_Bcast(word, 8, MPI_CHARACTER, 0, MPI_COMM_WORLD, ierr)
  call MPI_Gather(rank * rank, 1, MPI_INTEGER, all, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print *, 'squares', all
  all = -1
  all(rank + 1) = rank + 10
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  print *, rank, word, '|', all
  do i = 1, ranks
    counts(i) = i
    displs(i) = i * (i - 1) / 2
  end do
  parts = -1
  call MPI_Allgatherv([(rank, i = 0, rank)], rank + 1, MPI_INTEGER, parts, counts, displs, MPI_INTEGER, &
                      MPI_COMM_WORLD, ierr)
  print *, rank, 'parts', parts
  one = [rank, -2 * rank, 5]
  call MPI_Op_create(absolute_max, .true., op, ierr)
  call MPI_Op_commutative(op, commutes, ierr)
  call MPI_Allreduce(one, two, 3, MPI_INTEGER, op, MPI_COMM_WORLD, ierr)
  print *, rank, two, commutes
  call MPI_Op_free(op, ierr)
  z = cmplx(rank, -rank)
  call MPI_Allreduce(z, zsum, 1, MPI_COMPLEX, MPI_SUM, MPI_COMM_WORLD, ierr)
  truth = rank /= 1
  call MPI_Allreduce(truth, both, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD, ierr)
  d = 1.0d0 / (1 + rank)
  call MPI_Reduce(d, dmax, 1, MPI_DOUBLE_PRECISION, MPI_MAX, ranks - 1, MPI_COMM_WORLD, ierr)
  if (rank == ranks - 1) print *, 'greatest', dmax
  print *, rank, zsum, both
  pair = [mod(rank * 7, 4), rank]
  call MPI_Allreduce(pair, best, 1, MPI_2INTEGER, MPI_MAXLOC, MPI_COMM_WORLD, ierr)
  print *, rank, 'best', best
  rpair = [real(mod(rank * 7, 4)), real(rank)]
  call MPI_Allreduce(rpair, rbest, 1, MPI_2REAL, MPI_MINLOC, MPI_COMM_WORLD, ierr)
  dpair = [dble(mod(rank * 7, 4)), dble(rank)]
  call MPI_Allreduce(dpair, dbest, 1, MPI_2DOUBLE_PRECISION, MPI_MAXLOC, MPI_COMM_WORLD, ierr)
  print *, rank, 'least', rbest, 'greatest', dbest
  call MPI_Finalize(ierr)
end program
