program barriers
  use mpi
  integer :: i, ierr
  call MPI_Init(ierr)
  do i = 1, 3
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call pair
  end do
  call MPI_Finalize(ierr)
contains
  subroutine pair
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
  end subroutine
end program
