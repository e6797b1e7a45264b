! ranks: 2 3 5
! Indices of completed requests count from 1.
program completion
  use mpi
  implicit none
  integer :: ierr, rank, ranks, i, index, done, left
  integer :: status(MPI_STATUS_SIZE)
  integer, allocatable :: requests(:), values(:), indices(:), statuses(:, :)
  logical :: flag
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  if (rank == 0) then
    allocate (requests(ranks - 1), values(ranks - 1), indices(ranks - 1), statuses(MPI_STATUS_SIZE, ranks - 1))
    do i = 1, ranks - 1
      call MPI_Irecv(values(i), 1, MPI_INTEGER, i, 3, MPI_COMM_WORLD, requests(i), ierr)
    end do
    do i = 1, ranks - 1
      call MPI_Waitany(ranks - 1, requests, index, status, ierr)
      print *, 'any', index, values(index), status(MPI_SOURCE)
    end do
    call MPI_Waitany(ranks - 1, requests, index, status, ierr)
    print *, 'none left', index == MPI_UNDEFINED
    do i = 1, ranks - 1
      call MPI_Irecv(values(i), 1, MPI_INTEGER, i, 4, MPI_COMM_WORLD, requests(i), ierr)
    end do
    left = ranks - 1
    do while (left > 0)
      call MPI_Waitsome(ranks - 1, requests, done, indices, statuses, ierr)
      do i = 1, done
        print *, 'some', indices(i), values(indices(i)), statuses(MPI_SOURCE, i)
      end do
      left = left - done
    end do
    call MPI_Irecv(values(1), 1, MPI_INTEGER, 1, 5, MPI_COMM_WORLD, requests(1), ierr)
    do
      call MPI_Testany(1, requests, index, flag, status, ierr)
      if (flag) exit
    end do
    print *, 'tested', index, values(1)
  else
    call MPI_Send(100 + rank, 1, MPI_INTEGER, 0, 3, MPI_COMM_WORLD, ierr)
    call MPI_Send(200 + rank, 1, MPI_INTEGER, 0, 4, MPI_COMM_WORLD, ierr)
    if (rank == 1) call MPI_Send(301, 1, MPI_INTEGER, 0, 5, MPI_COMM_WORLD, ierr)
  end if
  call MPI_Finalize(ierr)
end program
