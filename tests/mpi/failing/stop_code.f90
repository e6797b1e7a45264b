! ends: status 1 on 2 ranks
! says: STOP 7
! says: rank 0 ended with exit code 7
program stop_code
  use mpi_f08
  call MPI_Init()
  call MPI_Finalize()
  stop 7
end program
