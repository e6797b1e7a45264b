! ranks: 2 3
! Files, internal files, namelists, arguments: each rank has its own units.
program files
  use mpi
  implicit none
  integer :: ierr, rank, ranks, i, unit, sum_
  character(len=40) :: name, line
  integer :: n
  real :: r(3)
  namelist /settings/ n, r
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  open (newunit=unit, status='scratch', form='formatted')
  do i = 1, 5
    write (unit, *) rank * i
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
  end do
  rewind (unit)
  sum_ = 0
  do i = 1, 5
    read (unit, *) n
    sum_ = sum_ + n
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
  end do
  close (unit)
  print *, rank, 'sum', sum_
  write (name, '(a, i0)') 'rank ', rank
  line = ' &settings n = 5, r = 1.0, 2.0, 3.0 /'
  read (line, nml=settings)
  print *, trim(name), n + rank, r, command_argument_count()
  call MPI_Finalize(ierr)
  stop
end program
