! ranks: 2 3
! Rows of matrices, structures at absolute addresses, packing.
program datatypes
  use mpi
  implicit none
  type :: particle
    sequence
    double precision :: place(3)
    integer :: kind, mark
  end type
  integer :: ierr, rank, ranks, row, block, i, j, extent_ok, position, size, counts
  integer :: matrix(4, 5), status(MPI_STATUS_SIZE), types(2), lengths(2)
  integer(kind=MPI_ADDRESS_KIND) :: places(2), lb, extent
  type(particle) :: p
  character :: buffer(100)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call MPI_Type_vector(5, 1, 4, MPI_INTEGER, row, ierr)
  call MPI_Type_commit(row, ierr)
  matrix = 0
  if (rank == 0) matrix = reshape([(i, i = 1, 20)], [4, 5])
  if (rank == 0) then
    do j = 1, ranks - 1
      call MPI_Send(matrix(2, 1), 1, row, j, 0, MPI_COMM_WORLD, ierr)
    end do
  else
    call MPI_Recv(matrix(3, 1), 1, row, 0, 0, MPI_COMM_WORLD, status, ierr)
    call MPI_Get_count(status, row, counts, ierr)
    print *, rank, matrix, counts
  end if
  call MPI_Type_size(row, size, ierr)
  call MPI_Type_get_extent(row, lb, extent, ierr)
  print *, rank, size, lb, extent
  call MPI_Get_address(p%place, places(1), ierr)
  call MPI_Get_address(p%kind, places(2), ierr)
  lengths = [3, 2]
  types = [MPI_DOUBLE_PRECISION, MPI_INTEGER]
  call MPI_Type_create_struct(2, lengths, places, types, block, ierr)
  call MPI_Type_commit(block, ierr)
  p = particle([1.0d0, 2.0d0, 3.0d0] * rank, rank, -rank)
  call MPI_Bcast(MPI_BOTTOM, 1, block, 1, MPI_COMM_WORLD, ierr)
  print *, rank, p%place, p%kind, p%mark
  call MPI_Type_free(block, ierr)
  call MPI_Type_free(row, ierr)
  print *, rank, row == MPI_DATATYPE_NULL
  position = 0
  call MPI_Pack(rank + 5, 1, MPI_INTEGER, buffer, 100, position, MPI_COMM_WORLD, ierr)
  call MPI_Pack(p%place, 3, MPI_DOUBLE_PRECISION, buffer, 100, position, MPI_COMM_WORLD, ierr)
  print *, rank, position
  position = 0
  call MPI_Unpack(buffer, 100, position, i, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  print *, rank, i, position
  call MPI_Finalize(ierr)
end program
