! ranks: 2 4
! Fixed form with mpif.h: a ring, wildcards and statuses.
      program ring
      implicit none
      include 'mpif.h'
      integer ierr, rank, ranks, next, before, i, count
      integer status(MPI_STATUS_SIZE), requests(2)
      integer statuses(MPI_STATUS_SIZE, 2)
      double precision values(10), got(10)
      logical flag
      call MPI_INIT(ierr)
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
      call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierr)
      next = mod(rank + 1, ranks)
      before = mod(rank + ranks - 1, ranks)
      do 10 i = 1, 10
         values(i) = rank * 100 + i
         got(i) = 0
   10 continue
      call MPI_ISEND(values, 7, MPI_DOUBLE_PRECISION, next, 40 + rank,
     &               MPI_COMM_WORLD, requests(1), ierr)
      call MPI_IRECV(got, 10, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE,
     &               MPI_ANY_TAG, MPI_COMM_WORLD, requests(2), ierr)
      call MPI_WAITALL(2, requests, statuses, ierr)
      call MPI_GET_COUNT(statuses(1, 2), MPI_DOUBLE_PRECISION, count,
     &                   ierr)
      print *, rank, statuses(MPI_SOURCE, 2) .eq. before,
     &         statuses(MPI_TAG, 2) - 40, count, got(7), got(8)
      print *, rank, requests(1) .eq. MPI_REQUEST_NULL,
     &         requests(2) .eq. MPI_REQUEST_NULL
!     The wildcard above takes whatever comes first.
      call MPI_BARRIER(MPI_COMM_WORLD, ierr)
      if (rank .eq. 0) then
         do 20 i = 1, ranks - 1
            call MPI_PROBE(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, status,
     &                     ierr)
            call MPI_RECV(got, 1, MPI_DOUBLE_PRECISION,
     &                    status(MPI_SOURCE), 9, MPI_COMM_WORLD,
     &                    MPI_STATUS_IGNORE, ierr)
            print *, 'from', status(MPI_SOURCE), got(1)
   20    continue
      else
         call MPI_SEND(values, 1, MPI_DOUBLE_PRECISION, 0, 9,
     &                 MPI_COMM_WORLD, ierr)
      end if
      call MPI_TEST(requests(1), flag, MPI_STATUS_IGNORE, ierr)
      print *, rank, 'flag', flag, ierr .eq. MPI_SUCCESS
      call MPI_FINALIZE(ierr)
      end
