! The module mpi, made by weir from mpi.h.
module mpi
  implicit none
  private :: sizeof_any
      include 'mpif.h'
  interface
    subroutine MPI_Op_create( &
      function, &
      commute, &
      op, &
      ierror)
      import
      external :: function
      logical :: commute
      integer :: op
      integer, intent(out) :: ierror
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
      integer :: array_of_info(*)
      integer :: root
      integer :: comm
      integer :: intercomm
      integer :: array_of_errcodes(*)
      integer, intent(out) :: ierror
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
      integer :: comm
      integer :: ndims
      integer :: dims(*)
      logical :: periods(*)
      logical :: reorder
      integer :: newcomm
      integer, intent(out) :: ierror
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
      integer :: oldtype
      integer :: newtype
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Address( &
      location, &
      address, &
      ierror)
      import
!GCC$ ATTRIBUTES NO_ARG_CHECK :: location
      type(*), dimension(*) :: location
      integer :: address
      integer, intent(out) :: ierror
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
      integer :: types(*)
      integer :: newtype
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Init( &
      ierror)
      import
      integer, intent(out) :: ierror
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
      integer :: errhandler
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Info_create_env( &
      info, &
      ierror)
      import
      integer :: info
      integer, intent(out) :: ierror
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
      integer :: fh
      integer(MPI_OFFSET_KIND) :: offset
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*) :: buf
      integer :: count
      integer :: datatype
      integer, dimension(MPI_STATUS_SIZE) :: status
      integer, intent(out) :: ierror
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
      integer :: datatype
      integer :: dest
      integer :: tag
      integer :: comm
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Isend( &
      buf, &
      count, &
      datatype, &
      dest, &
      tag, &
      comm, &
      request, &
      ierror)
      import
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*) :: buf
      integer :: count
      integer :: datatype
      integer :: dest
      integer :: tag
      integer :: comm
      integer :: request
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Waitall( &
      count, &
      requests, &
      statuses, &
      ierror)
      import
      integer :: count
      integer :: requests(*)
      integer, dimension(MPI_STATUS_SIZE, *) :: statuses
      integer, intent(out) :: ierror
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
      integer :: request
      integer, intent(out) :: ierror
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
      integer :: info
      integer :: comm
!GCC$ ATTRIBUTES NO_ARG_CHECK :: base_address
      type(*), dimension(*) :: base_address
      integer :: win
      integer, intent(out) :: ierror
    end subroutine
    subroutine MPI_Win_get_attr( &
      win, &
      keyval, &
      attribute_val, &
      flag, &
      ierror)
      import
      integer :: win
      integer :: keyval
      integer(MPI_ADDRESS_KIND) :: attribute_val
      logical :: flag
      integer, intent(out) :: ierror
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
  subroutine sizeof_any(x, size, ierror)
    class(*), dimension(..), intent(in) :: x
    integer, intent(out) :: size
    integer, optional, intent(out) :: ierror
    size = storage_size(x) / 8
    if (present(ierror)) ierror = 0
  end subroutine
end module mpi
