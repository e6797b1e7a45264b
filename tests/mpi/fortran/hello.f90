! ranks: 1 3 5
! Formatted and list-directed output.
program hello
  use mpi
  implicit none
  integer :: ierr, rank, ranks, i
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  print *, 'hello from', rank, 'of', ranks
  do i = 1, 3
    write (*, '(i3, f8.3, es12.4, l2, 1x, a)') rank, rank / 3.0, 1.0d0 * i * rank, rank == i, 'line'
  end do
  call MPI_Finalize(ierr)
end program
