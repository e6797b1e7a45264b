! ranks: 2
! Handles are integers in Fortran, whatever their age: of every kind one is made, used and ended again and again.
subroutine with_integers(rank)
  use mpi
  implicit none
  integer, intent(in) :: rank
  integer :: age, ierr, n, wrong, datatype, group, info, op, handler, request, comm, win
  integer(MPI_ADDRESS_KIND) :: lower, extent
  logical :: flag
  external :: no_operation, no_handler
  wrong = 0
  do age = 1, 100000
    call MPI_Type_contiguous(3, MPI_INTEGER, datatype, ierr)
    call MPI_Type_commit(datatype, ierr)
    call MPI_Type_get_extent(datatype, lower, extent, ierr)
    if (extent /= 12) wrong = wrong + 1
    call MPI_Type_free(datatype, ierr)
    call MPI_Comm_group(MPI_COMM_WORLD, group, ierr)
    call MPI_Group_rank(group, n, ierr)
    if (n /= rank) wrong = wrong + 1
    call MPI_Group_free(group, ierr)
    call MPI_Info_create(info, ierr)
    call MPI_Info_set(info, 'key', 'value', ierr)
    call MPI_Info_get_nkeys(info, n, ierr)
    if (n /= 1) wrong = wrong + 1
    call MPI_Info_free(info, ierr)
    call MPI_Op_create(no_operation, .true., op, ierr)
    call MPI_Op_commutative(op, flag, ierr)
    if (.not. flag) wrong = wrong + 1
    call MPI_Op_free(op, ierr)
    call MPI_Comm_create_errhandler(no_handler, handler, ierr)
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, handler, ierr)
    call MPI_Errhandler_free(handler, ierr)
    call MPI_Recv_init(n, 1, MPI_INTEGER, 0, 0, MPI_COMM_SELF, request, ierr)
    call MPI_Request_free(request, ierr)
    call MPI_Irecv(n, 1, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_SELF, request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    if (request /= MPI_REQUEST_NULL) wrong = wrong + 1
  end do
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL, ierr)
  do age = 1, 100
    call MPI_Comm_dup(MPI_COMM_SELF, comm, ierr)
    call MPI_Comm_size(comm, n, ierr)
    if (n /= 1) wrong = wrong + 1
    call MPI_Comm_free(comm, ierr)
    call MPI_Win_create(n, 4_MPI_ADDRESS_KIND, 1, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
    call MPI_Win_fence(0, win, ierr)
    call MPI_Win_free(win, ierr)
  end do
  print *, rank, 'integers', wrong
end subroutine

subroutine with_types(rank)
  use mpi_f08
  implicit none
  integer, intent(in) :: rank
  integer :: age, n, wrong
  integer(MPI_ADDRESS_KIND) :: lower, extent
  type(MPI_Datatype) :: datatype
  type(MPI_Group) :: group
  type(MPI_Info) :: info
  type(MPI_Request) :: request
  type(MPI_Comm) :: comm
  type(MPI_Win) :: win
  wrong = 0
  do age = 1, 100000
    call MPI_Type_contiguous(3, MPI_INTEGER, datatype)
    call MPI_Type_commit(datatype)
    call MPI_Type_get_extent(datatype, lower, extent)
    if (extent /= 12) wrong = wrong + 1
    call MPI_Type_free(datatype)
    if (datatype /= MPI_DATATYPE_NULL) wrong = wrong + 1
    call MPI_Comm_group(MPI_COMM_WORLD, group)
    call MPI_Group_rank(group, n)
    if (n /= rank) wrong = wrong + 1
    call MPI_Group_free(group)
    call MPI_Info_create(info)
    call MPI_Info_set(info, 'key', 'value')
    call MPI_Info_get_nkeys(info, n)
    if (n /= 1) wrong = wrong + 1
    call MPI_Info_free(info)
    call MPI_Recv_init(n, 1, MPI_INTEGER, 0, 0, MPI_COMM_SELF, request)
    call MPI_Request_free(request)
    if (request /= MPI_REQUEST_NULL) wrong = wrong + 1
  end do
  do age = 1, 100
    call MPI_Comm_dup(MPI_COMM_SELF, comm)
    call MPI_Comm_size(comm, n)
    if (n /= 1) wrong = wrong + 1
    call MPI_Comm_free(comm)
    call MPI_Win_create(n, 4_MPI_ADDRESS_KIND, 1, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    call MPI_Win_fence(0, win)
    call MPI_Win_free(win)
  end do
  print *, rank, 'types', wrong
end subroutine

subroutine no_operation(from, into, count, datatype)
  integer :: from(*), into(*), count, datatype
end subroutine

subroutine no_handler(comm, code)
  integer :: comm, code
end subroutine

program handles
  use mpi_f08
  implicit none
  integer :: rank
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call with_integers(rank)
  call with_types(rank)
  call MPI_Finalize()
end program
