! ends: status 1 on 2 ranks
! says: ERROR STOP no more
! says: rank 1: it called exit(1) before MPI_Finalize
! prints: before 0
! prints: before 1
program error_stop
  use mpi
  integer :: ierr, rank
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  print '(a, i0)', 'before ', rank
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  if (rank == 1) error stop 'no more'
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
end program
