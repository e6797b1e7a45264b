! ranks: 4 6
! Grids, splits, groups, names, attributes, error codes.
module callbacks
  use mpi
  implicit none
  integer :: deleted = 0
contains
  subroutine copy_twice(comm, key, extra, in, out, flag, ierror)
    integer :: comm, key, ierror
    integer(kind=MPI_ADDRESS_KIND) :: extra, in, out
    logical :: flag
    out = 2 * in + extra
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine
  subroutine count_deleted(comm, key, value, extra, ierror)
    integer :: comm, key, ierror
    integer(kind=MPI_ADDRESS_KIND) :: value, extra
    deleted = deleted + int(value)
    ierror = MPI_SUCCESS
  end subroutine
  subroutine on_error(comm, code)
    integer :: comm, code, class, ierr
    call MPI_Error_class(code, class, ierr)
    print *, 'handler', comm == MPI_COMM_WORLD, class == MPI_ERR_RANK
  end subroutine
end module

program communicators
  use mpi
  use callbacks
  implicit none
  integer :: ierr, rank, ranks, grid, line, dims(2), coords(2), left, right, length, class, key, copied, handler
  integer :: group, half, halves, other
  integer(kind=MPI_ADDRESS_KIND) :: value, extra
  logical :: periods(2), found, remain(2)
  character(len=MPI_MAX_OBJECT_NAME) :: name
  character(len=MPI_MAX_ERROR_STRING) :: message
  character(len=5) :: short
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  dims = [2, 0]
  call MPI_Dims_create(ranks, 2, dims, ierr)
  periods = [.true., .false.]
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .false., grid, ierr)
  call MPI_Cart_shift(grid, 1, 1, left, right, ierr)
  call MPI_Cart_coords(grid, rank, 2, coords, ierr)
  print *, rank, dims, coords, left == MPI_PROC_NULL, right == MPI_PROC_NULL
  call MPI_Cart_get(grid, 2, dims, periods, coords, ierr)
  print *, rank, periods
  remain = [.false., .true.]
  call MPI_Cart_sub(grid, remain, line, ierr)
  call MPI_Comm_rank(line, other, ierr)
  print *, rank, 'in line', other
  call MPI_Comm_set_name(line, 'a line  ', ierr)
  call MPI_Comm_get_name(line, name, length, ierr)
  call MPI_Comm_get_name(line, short, length, ierr)
  print *, rank, trim(name), length, len_trim(name), short, '|'
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), -rank, halves, ierr)
  call MPI_Comm_rank(halves, half, ierr)
  call MPI_Comm_group(halves, group, ierr)
  call MPI_Group_size(group, other, ierr)
  print *, rank, half, other
  call MPI_Group_free(group, ierr)
  extra = 1000
  call MPI_Comm_create_keyval(copy_twice, count_deleted, key, extra, ierr)
  value = rank + 1
  call MPI_Comm_set_attr(halves, key, value, ierr)
  call MPI_Comm_dup(halves, copied, ierr)
  call MPI_Comm_get_attr(copied, key, value, found, ierr)
  print *, rank, 'attribute', value, found
  call MPI_Comm_free(copied, ierr)
  call MPI_Comm_free(halves, ierr)
  print *, rank, 'deleted', deleted, halves == MPI_COMM_NULL
  call MPI_Comm_free_keyval(key, ierr)
  call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, extra, ierr)
  value = 77 + rank
  call MPI_Comm_set_attr(line, key, value, ierr)
  call MPI_Comm_dup(line, copied, ierr)
  call MPI_Comm_get_attr(copied, key, value, found, ierr)
  print *, rank, value, found
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, found, ierr)
  print *, rank, 'tags', value >= 32767, found
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
  call MPI_Send(rank, 1, MPI_INTEGER, ranks + 5, 0, MPI_COMM_WORLD, ierr)
  call MPI_Error_class(ierr, class, ierr)
  print *, rank, class == MPI_ERR_RANK
  call MPI_Error_string(MPI_ERR_RANK, message, length, ierr)
  print *, rank, length == len_trim(message), message(1:12)
  call MPI_Comm_create_errhandler(on_error, handler, ierr)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler, ierr)
  call MPI_Send(rank, 1, MPI_INTEGER, -55, 0, MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
end program
