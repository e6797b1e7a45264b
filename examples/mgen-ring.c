/*
 * mgen-ring.c: the bidirectional ring of the NSIM paper, figure 3, as a program for NSIM and as a program for MPI.
 *
 * The two programs of the figure differ in the include line and in the name of the communicator. This is both of them:
 *
 *     weir cc mgen-ring.c -o mgen-ring                the MGEN program
 *     weir cc -DUSE_MPI_H mgen-ring.c -o mpi-ring     the MPI program
 *     weir mpirun --no-data -n 8 --machine torus ./mgen-ring
 *
 * It ends where all ranks keep pace, as on 8 of the machine above. Where some do not (16 ranks there, where the ring has
 * longer steps), a rank may have taken all it needs while another still waits: a deadlock, under any MPI. ring.c does the
 * same so that it ends on every machine.
 */
#include <stdio.h>
#ifdef USE_MPI_H
#include "mpi.h"
#define COM MPI_COMM_WORLD
#else
#include "mgen-mpi.h"
#define COM MGEN_COMM_WORLD
#endif
#define TAG0 0
#define MSIZE 1

int main(int argc, char **argv)
{
    int myrank, mysize, left_rank, right_rank, dest = 0;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(COM, &myrank);
    MPI_Comm_size(COM, &mysize);
    int sendbuf[MSIZE] = {0}, recvbuf[MSIZE];
    left_rank = (myrank - 1 + mysize) % mysize;
    right_rank = (myrank + 1) % mysize;

    MPI_Send(&sendbuf, MSIZE, MPI_BYTE, left_rank, TAG0, COM);
    MPI_Send(&sendbuf, MSIZE, MPI_BYTE, right_rank, TAG0, COM);

    int i;
    for (i = 0; i < mysize * MSIZE; i++) {
        MPI_Recv(&recvbuf, MSIZE, MPI_BYTE, MPI_ANY_SOURCE, TAG0, COM, &status);
        if (status.MPI_SOURCE == left_rank) dest = right_rank;
        if (status.MPI_SOURCE == right_rank) dest = left_rank;
        MPI_Send(&sendbuf, MSIZE, MPI_BYTE, dest, TAG0, COM);
    }
    MPI_Recv(&recvbuf, MSIZE, MPI_BYTE, MPI_ANY_SOURCE, TAG0, COM, &status);
    MPI_Recv(&recvbuf, MSIZE, MPI_BYTE, MPI_ANY_SOURCE, TAG0, COM, &status);
    MPI_Finalize();
    return 0;
}
