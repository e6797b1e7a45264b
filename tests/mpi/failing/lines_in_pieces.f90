! ends: status 0 on 2 ranks
! prints: first 0, second 0
! prints: first 1, second 1
program pieces
  use mpi
  integer :: ierr, rank
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  write (*, '(a, i0)', advance='no') 'first ', rank
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  write (*, '(a, i0)') ', second ', rank
  call MPI_Finalize(ierr)
end program
