! ranks: 1
! Fixed form with mpif.h: datatypes and communicators made again and again.
      program handles
      implicit none
      include 'mpif.h'
      integer ierr, age, n, wrong, datatype, comm
      call MPI_INIT(ierr)
      wrong = 0
      do 10 age = 1, 100000
         call MPI_TYPE_VECTOR(2, 1, 2, MPI_INTEGER, datatype, ierr)
         call MPI_TYPE_COMMIT(datatype, ierr)
         call MPI_TYPE_SIZE(datatype, n, ierr)
         if (n .ne. 8) wrong = wrong + 1
         call MPI_TYPE_FREE(datatype, ierr)
   10 continue
      do 20 age = 1, 1000
         call MPI_COMM_DUP(MPI_COMM_WORLD, comm, ierr)
         call MPI_COMM_SIZE(comm, n, ierr)
         if (n .ne. 1) wrong = wrong + 1
         call MPI_COMM_FREE(comm, ierr)
   20 continue
      print *, 'wrong:', wrong
      call MPI_FINALIZE(ierr)
      end
