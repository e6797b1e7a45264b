! ranks: 2 4
! Module variables, commons, saved variables and data statements belong to a rank; so do large ones.
module state
  implicit none
  integer :: mine = 7
  real(8) :: large(100000)
  real, allocatable :: list(:)
contains
  integer function calls()
    integer, save :: times = 0
    times = times + 1
    calls = times
  end function
end module

subroutine fill(rank)
  integer :: rank, i
  integer :: numbers(20)
  common /shared/ numbers
  do i = 1, 20
    numbers(i) = rank * i
  end do
end subroutine

program globals
  use mpi
  use state
  implicit none
  integer :: ierr, rank, ranks, i, n
  integer :: numbers(20)
  common /shared/ numbers
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  mine = mine + rank
  large = rank
  allocate (list(rank + 1))
  list = 1.5 * rank
  call fill(rank)
  do i = 0, rank
    n = calls()
  end do
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  print *, rank, mine, sum(large), size(list), sum(list), numbers(20), n
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  print *, rank, calls(), large(100000)
  call MPI_Finalize(ierr)
end program
