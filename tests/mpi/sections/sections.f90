! Sections of arrays in calls of mpi_f08 that go on after they have returned: vectors of every second element, rows, columns
! backwards, blocks, parts of complex numbers, of texts and of derived types. With an argument: a call that takes none of them.
module checks
  use mpi_f08
  implicit none
  integer, parameter :: n = 12, outside = -99
  integer :: rank, ranks, left, right, mistakes = 0
contains

  subroutine expect(is_right, what, where)
    logical, intent(in) :: is_right
    character(len=*), intent(in) :: what, where
    if (.not. is_right) then
      mistakes = mistakes + 1
      print *, rank, 'wrong: ', what, ' of ', where
    end if
  end subroutine

  integer function value(of, i)
    integer, intent(in) :: of, i
    value = 100 * of + i
  end function

  ! Calls that count all elements of a section.
  subroutine whole(s, r, where)
    integer, intent(inout), asynchronous :: s(:), r(:)
    character(len=*), intent(in) :: where
    type(MPI_Request) :: requests(2)
    type(MPI_Win) :: window
    type(MPI_File) :: file
    integer, asynchronous :: memory(n)
    integer :: i
    logical :: of_left(n)
    s = [(value(rank, i), i = 1, n)]

    r = -1
    call MPI_Irecv(r, n, MPI_INTEGER, left, 0, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(s, n, MPI_INTEGER, right, 0, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    of_left = r == [(value(left, i), i = 1, n)]
    call expect(all(of_left), 'Isend and Irecv', where)

    ! Fewer elements than there are.
    r = -1
    call MPI_Irecv(r, 5, MPI_INTEGER, left, 0, MPI_COMM_WORLD, requests(1))
    call MPI_Issend(s, 5, MPI_INTEGER, right, 0, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call expect(all(r == [(merge(value(left, i), -1, i <= 5), i = 1, n)]), 'five elements', where)

    r = -1
    call MPI_Recv_init(r, n, MPI_INTEGER, left, 0, MPI_COMM_WORLD, requests(1))
    call MPI_Send_init(s, n, MPI_INTEGER, right, 0, MPI_COMM_WORLD, requests(2))
    call MPI_Startall(2, requests)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call MPI_Request_free(requests(1))
    call MPI_Request_free(requests(2))
    of_left = r == [(value(left, i), i = 1, n)]
    call expect(all(of_left), 'persistent requests', where)

    r = -1
    call MPI_Isendrecv(s, n, MPI_INTEGER, right, 0, r, n, MPI_INTEGER, left, 0, MPI_COMM_WORLD, requests(1))
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
    of_left = r == [(value(left, i), i = 1, n)]
    call expect(all(of_left), 'Isendrecv', where)

    r = -1
    if (rank == 1) r = s
    call MPI_Ibcast(r, n, MPI_INTEGER, 1, MPI_COMM_WORLD, requests(1))
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
    call expect(all(r == [(value(1, i), i = 1, n)]), 'Ibcast', where)

    memory = 0
    r = -1
    call MPI_Win_create(memory, int(4 * n, MPI_ADDRESS_KIND), 4, MPI_INFO_NULL, MPI_COMM_WORLD, window)
    call MPI_Win_fence(0, window)
    call MPI_Put(s, n, MPI_INTEGER, right, 0_MPI_ADDRESS_KIND, n, MPI_INTEGER, window)
    call MPI_Win_fence(0, window)
    call MPI_Accumulate(s, n, MPI_INTEGER, right, 0_MPI_ADDRESS_KIND, n, MPI_INTEGER, MPI_SUM, window)
    call MPI_Win_fence(0, window)
    call MPI_Get(r, n, MPI_INTEGER, rank, 0_MPI_ADDRESS_KIND, n, MPI_INTEGER, window)
    call MPI_Win_fence(0, window)
    call MPI_Win_free(window)
    call expect(all(r == [(2 * value(left, i), i = 1, n)]), 'Put, Accumulate and Get', where)

    r = -1
    call MPI_File_open(MPI_COMM_WORLD, 'sections.data', MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, &
      MPI_INFO_NULL, file)
    call MPI_File_iwrite_at(file, int(4 * n * rank, MPI_OFFSET_KIND), s, n, MPI_INTEGER, requests(1))
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_File_read_at_all_begin(file, int(4 * n * left, MPI_OFFSET_KIND), r, n, MPI_INTEGER)
    call MPI_File_read_at_all_end(file, r, MPI_STATUS_IGNORE)
    call MPI_File_close(file)
    of_left = r == [(value(left, i), i = 1, n)]
    call expect(all(of_left), 'files', where)
  end subroutine

  ! Calls that count elements for each rank.
  subroutine in_parts(s, r, where)
    integer, intent(inout), asynchronous :: s(:), r(:)
    character(len=*), intent(in) :: where
    type(MPI_Request) :: request, requests(2)
    integer :: counts(ranks), displacements(ranks), each, i
    each = n / ranks
    counts = each
    displacements = [(each * (ranks - i), i = 1, ranks)]
    s = [(value(rank, i), i = 1, n)]

    r = -1
    call MPI_Iallgather(s, each, MPI_INTEGER, r, each, MPI_INTEGER, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call expect(all(r == [(value((i - 1) / each, mod(i - 1, each) + 1), i = 1, n)]), 'Iallgather', where)

    r = -1
    call MPI_Ialltoall(s, each, MPI_INTEGER, r, each, MPI_INTEGER, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call expect(all(r == [(value((i - 1) / each, each * rank + mod(i - 1, each) + 1), i = 1, n)]), 'Ialltoall', where)

    r = -1
    call MPI_Iallgatherv(s, each, MPI_INTEGER, r, counts, displacements, MPI_INTEGER, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call expect(all(r == [(value(ranks - 1 - (i - 1) / each, mod(i - 1, each) + 1), i = 1, n)]), 'Iallgatherv', where)

    r = -1
    call MPI_Precv_init(r, 3, 4_MPI_COUNT_KIND, MPI_INTEGER, left, 1, MPI_COMM_WORLD, MPI_INFO_NULL, requests(1))
    call MPI_Psend_init(s, 3, 4_MPI_COUNT_KIND, MPI_INTEGER, right, 1, MPI_COMM_WORLD, MPI_INFO_NULL, requests(2))
    call MPI_Startall(2, requests)
    call MPI_Pready_range(0, 2, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call MPI_Request_free(requests(1))
    call MPI_Request_free(requests(2))
    call expect(all(r == [(value(left, i), i = 1, n)]), 'partitions', where)
  end subroutine

  subroutine block(s, r, where)
    integer, intent(inout), asynchronous :: s(:, :), r(:, :)
    character(len=*), intent(in) :: where
    type(MPI_Request) :: requests(2)
    integer :: i
    s = reshape([(value(rank, i), i = 1, n)], shape(s))
    r = -1
    call MPI_Irecv(r, n, MPI_INTEGER, left, 0, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(s, n, MPI_INTEGER, right, 0, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call expect(all(r == reshape([(value(left, i), i = 1, n)], shape(r))), 'Isend and Irecv', where)
    r = -1
    if (rank == 0) r = reshape(s, shape(r))
    call MPI_Ibcast(r, n, MPI_INTEGER, 0, MPI_COMM_WORLD, requests(1))
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
    call expect(all(r == reshape([(value(0, i), i = 1, n)], shape(r))), 'Ibcast', where)
  end subroutine

  ! Reductions, and blocks of their own lengths, places and datatypes.
  subroutine every_collective(s, r, where)
    integer, intent(inout), asynchronous :: s(:, :), r(:, :)
    character(len=*), intent(in) :: where
    type(MPI_Request) :: request
    type(MPI_Datatype) :: pair, before, types(ranks)
    integer :: counts(ranks), displacements(ranks), i, j, sum(n), expected(n)
    sum = [(100 * (ranks * (ranks - 1) / 2) + ranks * i, i = 1, n)]
    s = reshape([(value(rank, i), i = 1, n)], shape(s))

    r = -1
    call MPI_Iallreduce(s, r, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call expect(all(r == reshape(sum, shape(r))), 'Iallreduce', where)

    r = reshape(s, shape(r))
    call MPI_Allreduce_init(MPI_IN_PLACE, r, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, request)
    call MPI_Start(request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call expect(all(r == reshape(sum, shape(r))), 'Allreduce_init', where)
    r = reshape(s, shape(r))
    call MPI_Start(request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call MPI_Request_free(request)
    call expect(all(r == reshape(sum, shape(r))), 'Allreduce_init again', where)

    r = -1
    call MPI_Iscan(s, r, 5, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call expect(all(r == reshape([(merge(value(rank, i), -1, i <= 5), i = 1, n)], shape(r))), 'Iscan', where)

    ! Rank i sends i elements, which go to every second place, backwards.
    counts = [(i, i = 1, ranks)]
    displacements = [(n - i * (i + 1) / 2 - i + 1, i = 1, ranks)]
    expected = -1
    do i = 1, ranks
      expected(displacements(i) + 1:displacements(i) + i) = [(value(i - 1, j), j = 1, i)]
    end do
    r = -1
    call MPI_Iallgatherv(s, rank + 1, MPI_INTEGER, r, counts, displacements, MPI_INTEGER, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call expect(all(r == reshape(expected, shape(r))), 'Iallgatherv', where)

    ! The datatype lies before the place where it is; place 0 is outside of the section.
    call MPI_Type_indexed(1, [1], [-1], MPI_INTEGER, before)
    call MPI_Type_commit(before)
    counts = 1
    displacements = [(i, i = 1, ranks)]
    r = -1
    call MPI_Iallgatherv(s, 1, MPI_INTEGER, r, counts, displacements, before, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    expected = [(merge(value(i - 1, 1), -1, i <= ranks), i = 1, n)]
    call expect(all(r == reshape(expected, shape(r))), 'a datatype with a negative lower bound', where)
    call MPI_Type_free(before)

    ! Pairs of the elements 1 and 3, 2 and 4, and so on.
    call MPI_Type_vector(2, 1, 2, MPI_INTEGER, types(1))
    call MPI_Type_create_resized(types(1), 0_MPI_ADDRESS_KIND, 4_MPI_ADDRESS_KIND, pair)
    call MPI_Type_commit(pair)
    call MPI_Type_free(types(1))
    types = pair
    counts = 1
    displacements = [(4 * i, i = 1, ranks)]
    expected = -1
    do i = 1, ranks
      expected([1 + i, 3 + i]) = value(i - 1, 1 + (rank + 1)) * [1, 0] + value(i - 1, 3 + (rank + 1)) * [0, 1]
    end do
    if (ranks <= 2) then
      r = -1
      call MPI_Ialltoallw(s, counts, displacements, types, r, counts, displacements, types, MPI_COMM_WORLD, request)
      call MPI_Wait(request, MPI_STATUS_IGNORE)
      call expect(all(r == reshape(expected, shape(r))), 'Ialltoallw', where)
    end if
    r = -1
    call MPI_Isendrecv(s, 3, pair, right, 0, r, 6, MPI_INTEGER, left, 0, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    expected = -1
    expected(:6) = [value(left, 1), value(left, 3), value(left, 2), value(left, 4), value(left, 3), value(left, 5)]
    call expect(all(r == reshape(expected, shape(r))), 'a datatype with gaps', where)
    call MPI_Type_free(pair)
  end subroutine

  ! Sections by chance: what arrives is what is in a copy without gaps, and nothing else has changed.
  subroutine by_chance(rounds)
    integer, intent(in) :: rounds
    integer, asynchronous :: a(7, 6, 5), b(7, 6, 5), c(7 * 6 * 5)
    integer :: first(3), last(3), step(3), round, i, count, wanted(7, 6, 5)
    real :: x(3, 3)
    type(MPI_Request) :: requests(2)
    do round = 1, rounds
      call random_number(x)
      first = 1 + int(x(:, 1) * shape(a))
      last = 1 + int(x(:, 2) * shape(a))
      step = (1 + int(x(:, 3) * 3)) * merge(1, -1, last >= first)
      count = product((last - first) / step + 1)
      a = reshape([(value(rank, i), i = 1, size(a))], shape(a))
      c = 0
      b = outside
      wanted = outside
      c(:count) = reshape(a(first(1):last(1):step(1), first(2):last(2):step(2), first(3):last(3):step(3)), [count])
      wanted(first(1):last(1):step(1), first(2):last(2):step(2), first(3):last(3):step(3)) = reshape(c(:count), &
        (last - first) / step + 1)
      call MPI_Irecv(b(first(1):last(1):step(1), first(2):last(2):step(2), first(3):last(3):step(3)), count, MPI_INTEGER, 0, &
        0, MPI_COMM_SELF, requests(1))
      call MPI_Isend(a(first(1):last(1):step(1), first(2):last(2):step(2), first(3):last(3):step(3)), count, MPI_INTEGER, 0, &
        0, MPI_COMM_SELF, requests(2))
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
      call expect(all(b == wanted), 'Isend and Irecv', 'sections by chance')
    end do
  end subroutine

  ! An array of any type: the compiler does not say how long its elements are.
  subroutine polymorphic(s, r, count)
    class(*), intent(inout), asynchronous :: s(:), r(:)
    integer, intent(in) :: count
    type(MPI_Request) :: requests(2)
    call MPI_Irecv(r, count, MPI_INTEGER, left, 0, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(s, count, MPI_INTEGER, right, 0, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  end subroutine

  ! Elements that are more than one of the datatype.
  subroutine of_parts()
    type pair
      integer :: first, second
    end type
    complex, asynchronous :: s(2 * n), r(2 * n)
    character(len=4), asynchronous :: names(9), got(9)
    type(pair), asynchronous :: pairs(n), others(n)
    type(MPI_Request) :: requests(2)
    integer :: i
    s = [(cmplx(value(rank, i), i), i = 1, 2 * n)]
    r = 0
    call MPI_Irecv(r(2::2), 2 * n, MPI_REAL, left, 0, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(s(1::2), n, MPI_COMPLEX, right, 0, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call expect(all(r(2::2) == [(cmplx(value(left, i), i), i = 1, 2 * n, 2)]) .and. all(r(1::2) == 0), 'reals', &
      'complex numbers')

    r = 0
    call MPI_Irecv(r%im, n, MPI_REAL, left, 0, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(s(1::2)%re, n, MPI_REAL, right, 0, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call expect(all(r == [(cmplx(0, merge(value(left, 2 * i - 1), 0, i <= n)), i = 1, 2 * n)]), 'parts', 'complex numbers')

    write (names, '(i0)') [(value(rank, i), i = 1, 9)]
    got = '-'
    call MPI_Irecv(got(3:9:3), 12, MPI_CHARACTER, left, 0, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(names(1:7:3), 12, MPI_CHARACTER, right, 0, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    write (names, '(i0)') [(value(left, i), i = 1, 9)]
    call expect(all(got(3:9:3) == names(1:7:3)) .and. count(got == '-') == 6, 'characters', 'texts')

    pairs%first = outside
    others%first = outside
    others%second = outside
    pairs%second = [(value(rank, i), i = 1, n)]
    call MPI_Irecv(others%second, n, MPI_INTEGER, left, 0, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(pairs%second, n, MPI_INTEGER, right, 0, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call expect(all(others%second == [(value(left, i), i = 1, n)]) .and. all(others%first == outside), &
      'a component', 'a type')
  end subroutine

  ! Arrays without gaps, single elements, nothing, and an array of unknown size.
  subroutine plain(any)
    integer, intent(inout), asynchronous :: any(*)
    integer, asynchronous :: r(n), nothing(0), one
    integer, allocatable :: none(:, :)
    integer, pointer :: nowhere(:)
    type(MPI_Request) :: requests(2)
    integer :: i
    any(:n) = [(value(rank, i), i = 1, n)]
    r = -1
    call MPI_Irecv(r(3), n - 2, MPI_INTEGER, left, 0, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(any, n - 2, MPI_INTEGER, right, 0, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call expect(all(r == [-1, -1, (value(left, i), i = 1, n - 2)]), 'elements from one on', 'an array')
    one = -1
    call MPI_Irecv(one, 1, MPI_INTEGER, left, 0, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(any(n:1:-3), 1, MPI_INTEGER, right, 0, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call expect(one == value(left, n), 'one element', 'an array')
    call MPI_Irecv(nothing, 0, MPI_INTEGER, left, 0, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(any(5:4:2), 0, MPI_INTEGER, right, 0, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    nullify (nowhere)
    call MPI_Irecv(none, 0, MPI_INTEGER, left, 0, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(nowhere, 0, MPI_INTEGER, right, 0, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call polymorphic(any(:n), r, n)
    call expect(all(r == [(value(left, i), i = 1, n)]), 'Isend and Irecv', 'class(*)')
    r = rank
    call MPI_Iallreduce(MPI_IN_PLACE, r, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(1))
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
    call expect(all(r == ranks * (ranks - 1) / 2), 'Iallreduce', 'an array')
  end subroutine
end module

program sections
  use checks
  implicit none
  integer, asynchronous :: v(2 * n), w(2 * n), m(5, n), k(5, n), x(8, 9), y(8, 9), c(3, 2 * n, 2), d(3, 2 * n, 2)
  integer(MPI_ADDRESS_KIND) :: first, second
  type(MPI_Request) :: request
  type(MPI_Win) :: window
  character(len=20) :: which
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  left = mod(rank + ranks - 1, ranks)
  right = mod(rank + 1, ranks)
  if (command_argument_count() > 0) then
    call get_command_argument(1, which)
    if (which == 'few') call MPI_Isend(v(n:1:-3), n, MPI_INTEGER, right, 0, MPI_COMM_WORLD, request)
    if (which == 'blocks') call MPI_Igather(v(:4), 4, MPI_INTEGER, w(1::3), 4, MPI_INTEGER, rank, MPI_COMM_WORLD, request)
    if (which == 'buffer') call MPI_Buffer_attach(v(1::2), n)
    if (which == 'window') call MPI_Win_create(v(1::2), 4_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_SELF, window)
    if (which == 'class') call polymorphic(v(1::2), w(1::2), n)
  end if
  w = outside
  call whole(v(1::2), w(2::2), 'every second')
  call in_parts(v(1::2), w(2::2), 'every second')
  call expect(all(w(1::2) == outside), 'outside', 'every second')
  w = outside
  call whole(v(n:1:-1), w(2 * n:2:-2), 'backwards')
  call expect(all(w(1::2) == outside), 'outside', 'backwards')
  k = outside
  call whole(m(2, :), k(4, :), 'rows')
  call in_parts(m(2, :), k(4, :), 'rows')
  call expect(count(k == outside) == 4 * n, 'outside', 'rows')
  y = outside
  call block(x(2:4, 2:8:2), y(1:8:2, 3:5), 'blocks')
  call expect(count(y == outside) == 60, 'outside', 'blocks')
  d = outside
  call block(c(2, 1::2, 1:1), d(3, 7:12, :), 'slices')
  call expect(count(d == outside) == 11 * n, 'outside', 'slices')
  y = outside
  call every_collective(x(2:4, 2:8:2), y(8:1:-2, 3:5), 'blocks')
  call expect(count(y == outside) == 60, 'outside', 'blocks')
  k = outside
  call every_collective(m(2:2, :), k(4:5, 11:1:-2), 'rows')
  call expect(count(k == outside) == 4 * n, 'outside', 'rows')
  call by_chance(200)
  call of_parts()
  call plain(v)
  call MPI_Get_address(v(3::4), first)
  call MPI_Get_address(v(3), second)
  call expect(first == second .and. MPI_SUBARRAYS_SUPPORTED, 'addresses', 'sections')
  print *, rank, ': ', mistakes, ' mistakes'
  call MPI_Finalize()
end program
