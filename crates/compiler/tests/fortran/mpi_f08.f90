! The module mpi_f08, made by weir from mpi.h.
module mpi_f08
  implicit none
  private :: sizeof_any
  type, bind(C) :: MPI_Comm
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Datatype
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Errhandler
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_File
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Group
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Info
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Message
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Op
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Request
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Session
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Win
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Status
    integer :: MPI_SOURCE
    integer :: MPI_TAG
    integer :: MPI_ERROR
    integer :: MPI_internal(5)
  end type
  integer, parameter :: MPI_STATUS_SIZE = 8
  integer, parameter :: MPI_ADDRESS_KIND = 8
  integer, parameter :: MPI_OFFSET_KIND = 8
  type(MPI_Comm), parameter :: MPI_COMM_WORLD = MPI_Comm(257)
  integer, parameter :: MPI_ANY_TAG = -2
  integer(8), parameter :: MPI_DISPLACEMENT_CURRENT = -1
  logical, parameter :: MPI_SUBARRAYS_SUPPORTED = .true.
  logical, parameter :: MPI_ASYNC_PROTECTS_NONBLOCKING = .false.
      INTEGER MPI_BOTTOM
      COMMON /MPI_FBOTTOM/ MPI_BOTTOM
      INTEGER MPI_IN_PLACE
      COMMON /MPI_FIN_PLACE/ MPI_IN_PLACE
      INTEGER MPI_BUFFER_AUTOMATIC
      COMMON /MPI_FBUFFER_AUTOMATIC/ MPI_BUFFER_AUTOMATIC
      INTEGER MPI_ERRCODES_IGNORE(1)
      COMMON /MPI_FERRCODES_IGNORE/ MPI_ERRCODES_IGNORE
      INTEGER MPI_UNWEIGHTED(1)
      COMMON /MPI_FUNWEIGHTED/ MPI_UNWEIGHTED
      INTEGER MPI_WEIGHTS_EMPTY(1)
      COMMON /MPI_FWEIGHTS_EMPTY/ MPI_WEIGHTS_EMPTY
      CHARACTER*1 MPI_ARGV_NULL(1)
      COMMON /MPI_FARGV_NULL/ MPI_ARGV_NULL
      CHARACTER*1 MPI_ARGVS_NULL(1,1)
      COMMON /MPI_FARGVS_NULL/ MPI_ARGVS_NULL
      type(MPI_Status) MPI_STATUS_IGNORE
      COMMON /MPI_FSTATUS_IGNORE/ MPI_STATUS_IGNORE
      type(MPI_Status) MPI_STATUSES_IGNORE(1)
      COMMON /MPI_FSTATUSES_IGNORE/ MPI_STATUSES_IGNORE
  double precision, external :: MPI_Wtime, MPI_Wtick, PMPI_Wtime, PMPI_Wtick
  integer(8), external :: MPI_Aint_add, MPI_Aint_diff, PMPI_Aint_add, PMPI_Aint_diff
  external :: MPI_COMM_NULL_COPY_FN
  external :: MPI_COMM_DUP_FN
  external :: MPI_COMM_NULL_DELETE_FN
  external :: MPI_TYPE_NULL_COPY_FN
  external :: MPI_TYPE_DUP_FN
  external :: MPI_TYPE_NULL_DELETE_FN
  external :: MPI_WIN_NULL_COPY_FN
  external :: MPI_WIN_DUP_FN
  external :: MPI_WIN_NULL_DELETE_FN
  external :: MPI_NULL_COPY_FN
  external :: MPI_DUP_FN
  external :: MPI_NULL_DELETE_FN
  external :: MPI_CONVERSION_FN_NULL
  interface operator(==)
    module procedure equal_MPI_Comm
    module procedure equal_MPI_Datatype
    module procedure equal_MPI_Errhandler
    module procedure equal_MPI_File
    module procedure equal_MPI_Group
    module procedure equal_MPI_Info
    module procedure equal_MPI_Message
    module procedure equal_MPI_Op
    module procedure equal_MPI_Request
    module procedure equal_MPI_Session
    module procedure equal_MPI_Win
  end interface
  interface operator(/=)
    module procedure differ_MPI_Comm
    module procedure differ_MPI_Datatype
    module procedure differ_MPI_Errhandler
    module procedure differ_MPI_File
    module procedure differ_MPI_Group
    module procedure differ_MPI_Info
    module procedure differ_MPI_Message
    module procedure differ_MPI_Op
    module procedure differ_MPI_Request
    module procedure differ_MPI_Session
    module procedure differ_MPI_Win
  end interface
  interface
    subroutine MPI_Op_create( &
      function, &
      commute, &
      op, &
      ierror)
      import
      external :: function
      logical :: commute
      type(MPI_Op) :: op
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Comm_spawn_multiple( &
      count, &
      array_of_commands, &
      array_of_argv, &
      array_of_maxprocs, &
      array_of_info, &
      root, &
      comm, &
      intercomm, &
      array_of_errcodes, &
      ierror)
      import
      integer :: count
      character(len=*) :: array_of_commands(*)
      character(len=*) :: array_of_argv(count, *)
      integer :: array_of_maxprocs(*)
      type(MPI_Info) :: array_of_info(*)
      integer :: root
      type(MPI_Comm) :: comm
      type(MPI_Comm) :: intercomm
      integer :: array_of_errcodes(*)
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Cart_create( &
      comm, &
      ndims, &
      dims, &
      periods, &
      reorder, &
      newcomm, &
      ierror)
      import
      type(MPI_Comm) :: comm
      integer :: ndims
      integer :: dims(*)
      logical :: periods(*)
      logical :: reorder
      type(MPI_Comm) :: newcomm
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_create_hindexed( &
      count, &
      blocklengths, &
      displs, &
      oldtype, &
      newtype, &
      ierror)
      import
      integer :: count
      integer :: blocklengths(*)
      integer(MPI_ADDRESS_KIND) :: displs(*)
      type(MPI_Datatype) :: oldtype
      type(MPI_Datatype) :: newtype
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Address( &
      location, &
      address, &
      ierror)
      import
!GCC$ ATTRIBUTES NO_ARG_CHECK :: location
      type(*), dimension(*) :: location
      integer :: address
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Type_struct( &
      count, &
      blocklengths, &
      displs, &
      types, &
      newtype, &
      ierror)
      import
      integer :: count
      integer :: blocklengths(*)
      integer :: displs(*)
      type(MPI_Datatype) :: types(*)
      type(MPI_Datatype) :: newtype
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Init( &
      ierror)
      import
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Pcontrol( &
      level)
      import
      integer :: level
    end subroutine
    subroutine MPI_Errhandler_create( &
      function, &
      errhandler, &
      ierror)
      import
      external :: function
      type(MPI_Errhandler) :: errhandler
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Info_create_env( &
      info, &
      ierror)
      import
      type(MPI_Info) :: info
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_File_write_at( &
      fh, &
      offset, &
      buf, &
      count, &
      datatype, &
      status, &
      ierror)
      import
      type(MPI_File) :: fh
      integer(MPI_OFFSET_KIND) :: offset
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*) :: buf
      integer :: count
      type(MPI_Datatype) :: datatype
      type(MPI_Status) :: status
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Send( &
      buf, &
      count, &
      datatype, &
      dest, &
      tag, &
      comm, &
      ierror)
      import
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*) :: buf
      integer :: count
      type(MPI_Datatype) :: datatype
      integer :: dest
      integer :: tag
      type(MPI_Comm) :: comm
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Isend( &
      buf, &
      count, &
      datatype, &
      dest, &
      tag, &
      comm, &
      request, &
      ierror) &
      bind(C, name="mpi_isend_f08ts_")
      import
      type(*), dimension(..) :: buf
      integer :: count
      type(MPI_Datatype) :: datatype
      integer :: dest
      integer :: tag
      type(MPI_Comm) :: comm
      type(MPI_Request) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Waitall( &
      count, &
      requests, &
      statuses, &
      ierror)
      import
      integer :: count
      type(MPI_Request) :: requests(*)
      type(MPI_Status) :: statuses(*)
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Grequest_start( &
      query_fn, &
      free_fn, &
      cancel_fn, &
      extra_state, &
      request, &
      ierror)
      import
      external :: query_fn
      external :: free_fn
      external :: cancel_fn
      integer(MPI_ADDRESS_KIND) :: extra_state
      type(MPI_Request) :: request
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_allocate( &
      size, &
      unit, &
      info, &
      comm, &
      base_address, &
      win, &
      ierror)
      import
      integer(MPI_ADDRESS_KIND) :: size
      integer :: unit
      type(MPI_Info) :: info
      type(MPI_Comm) :: comm
!GCC$ ATTRIBUTES NO_ARG_CHECK :: base_address
      type(*), dimension(*) :: base_address
      type(MPI_Win) :: win
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_get_attr( &
      win, &
      keyval, &
      attribute_val, &
      flag, &
      ierror)
      import
      type(MPI_Win) :: win
      integer :: keyval
      integer(MPI_ADDRESS_KIND) :: attribute_val
      logical :: flag
      integer, optional, intent(out) :: ierror
    end subroutine
    subroutine MPI_F_sync_reg(buf)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*) :: buf
    end subroutine
  end interface
  interface MPI_Sizeof
    module procedure sizeof_any
  end interface
contains
  elemental logical function equal_MPI_Comm(one, other)
    type(MPI_Comm), intent(in) :: one, other
    equal_MPI_Comm = one%MPI_VAL == other%MPI_VAL
  end function
  elemental logical function equal_MPI_Datatype(one, other)
    type(MPI_Datatype), intent(in) :: one, other
    equal_MPI_Datatype = one%MPI_VAL == other%MPI_VAL
  end function
  elemental logical function equal_MPI_Errhandler(one, other)
    type(MPI_Errhandler), intent(in) :: one, other
    equal_MPI_Errhandler = one%MPI_VAL == other%MPI_VAL
  end function
  elemental logical function equal_MPI_File(one, other)
    type(MPI_File), intent(in) :: one, other
    equal_MPI_File = one%MPI_VAL == other%MPI_VAL
  end function
  elemental logical function equal_MPI_Group(one, other)
    type(MPI_Group), intent(in) :: one, other
    equal_MPI_Group = one%MPI_VAL == other%MPI_VAL
  end function
  elemental logical function equal_MPI_Info(one, other)
    type(MPI_Info), intent(in) :: one, other
    equal_MPI_Info = one%MPI_VAL == other%MPI_VAL
  end function
  elemental logical function equal_MPI_Message(one, other)
    type(MPI_Message), intent(in) :: one, other
    equal_MPI_Message = one%MPI_VAL == other%MPI_VAL
  end function
  elemental logical function equal_MPI_Op(one, other)
    type(MPI_Op), intent(in) :: one, other
    equal_MPI_Op = one%MPI_VAL == other%MPI_VAL
  end function
  elemental logical function equal_MPI_Request(one, other)
    type(MPI_Request), intent(in) :: one, other
    equal_MPI_Request = one%MPI_VAL == other%MPI_VAL
  end function
  elemental logical function equal_MPI_Session(one, other)
    type(MPI_Session), intent(in) :: one, other
    equal_MPI_Session = one%MPI_VAL == other%MPI_VAL
  end function
  elemental logical function equal_MPI_Win(one, other)
    type(MPI_Win), intent(in) :: one, other
    equal_MPI_Win = one%MPI_VAL == other%MPI_VAL
  end function
  elemental logical function differ_MPI_Comm(one, other)
    type(MPI_Comm), intent(in) :: one, other
    differ_MPI_Comm = one%MPI_VAL /= other%MPI_VAL
  end function
  elemental logical function differ_MPI_Datatype(one, other)
    type(MPI_Datatype), intent(in) :: one, other
    differ_MPI_Datatype = one%MPI_VAL /= other%MPI_VAL
  end function
  elemental logical function differ_MPI_Errhandler(one, other)
    type(MPI_Errhandler), intent(in) :: one, other
    differ_MPI_Errhandler = one%MPI_VAL /= other%MPI_VAL
  end function
  elemental logical function differ_MPI_File(one, other)
    type(MPI_File), intent(in) :: one, other
    differ_MPI_File = one%MPI_VAL /= other%MPI_VAL
  end function
  elemental logical function differ_MPI_Group(one, other)
    type(MPI_Group), intent(in) :: one, other
    differ_MPI_Group = one%MPI_VAL /= other%MPI_VAL
  end function
  elemental logical function differ_MPI_Info(one, other)
    type(MPI_Info), intent(in) :: one, other
    differ_MPI_Info = one%MPI_VAL /= other%MPI_VAL
  end function
  elemental logical function differ_MPI_Message(one, other)
    type(MPI_Message), intent(in) :: one, other
    differ_MPI_Message = one%MPI_VAL /= other%MPI_VAL
  end function
  elemental logical function differ_MPI_Op(one, other)
    type(MPI_Op), intent(in) :: one, other
    differ_MPI_Op = one%MPI_VAL /= other%MPI_VAL
  end function
  elemental logical function differ_MPI_Request(one, other)
    type(MPI_Request), intent(in) :: one, other
    differ_MPI_Request = one%MPI_VAL /= other%MPI_VAL
  end function
  elemental logical function differ_MPI_Session(one, other)
    type(MPI_Session), intent(in) :: one, other
    differ_MPI_Session = one%MPI_VAL /= other%MPI_VAL
  end function
  elemental logical function differ_MPI_Win(one, other)
    type(MPI_Win), intent(in) :: one, other
    differ_MPI_Win = one%MPI_VAL /= other%MPI_VAL
  end function
  subroutine sizeof_any(x, size, ierror)
    class(*), dimension(..), intent(in) :: x
    integer, intent(out) :: size
    integer, optional, intent(out) :: ierror
    size = storage_size(x) / 8
    if (present(ierror)) ierror = 0
  end subroutine
end module mpi_f08
