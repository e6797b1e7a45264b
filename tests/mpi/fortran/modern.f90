! ranks: 2 4
! The module mpi_f08: handles are types, ierror may be left out, keywords.
program modern
  use mpi_f08
  implicit none
  integer :: rank, ranks, ierr, i, sum_, length
  real(8) :: x(100), y(100)
  type(MPI_Status) :: status
  type(MPI_Request) :: requests(2)
  type(MPI_Comm) :: comm
  type(MPI_Datatype) :: every_second
  type(MPI_Info) :: info
  logical :: flag
  character(len=20) :: value
  call MPI_Init()
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call MPI_Comm_rank(comm, rank)
  call MPI_Comm_size(comm, ranks, ierror=ierr)
  x = [(rank * 1000 + i, i = 1, 100)]
  y = 0
  call MPI_Type_vector(10, 1, 2, MPI_DOUBLE_PRECISION, every_second)
  call MPI_Type_commit(every_second)
  call MPI_Isend(x, 1, every_second, mod(rank + 1, ranks), 3, comm, requests(1))
  call MPI_Irecv(y, 10, MPI_REAL8, mod(rank + ranks - 1, ranks), MPI_ANY_TAG, comm, requests(2))
  call MPI_Wait(requests(2), status)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
  call MPI_Get_count(status, MPI_REAL8, length)
  print *, rank, status%MPI_TAG, length, sum(y), requests(1) == MPI_REQUEST_NULL, comm /= MPI_COMM_WORLD
  call MPI_Allreduce(rank, sum_, 1, MPI_INTEGER, MPI_SUM, comm)
  print *, rank, sum_
  call MPI_Info_create(info)
  call MPI_Info_set(info, 'color  ', 'blue ')
  call MPI_Info_get(info, 'color', 20, value, flag)
  print *, rank, trim(value), flag
  call MPI_Info_free(info)
  call MPI_Type_free(every_second)
  call MPI_Comm_free(comm)
  print *, rank, comm == MPI_COMM_NULL
  call MPI_Finalize()
end program
