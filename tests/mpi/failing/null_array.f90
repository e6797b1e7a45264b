! ends: status 1 on 2 ranks
! says: it crashed in or after MPI_Init: segmentation fault
program null_pointer
  use mpi
  integer :: ierr
  integer, pointer :: list(:)
  call MPI_Init(ierr)
  nullify (list)
  list(1) = ierr
  print *, list(1)
end program
