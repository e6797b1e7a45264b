/* ranks: 2 3 */
/* ends: status 1 on 2 ranks */
/* says: aborted at */
/* says: rank 1: it crashed in or after MPI_Barrier: segmentation fault */
/* says: null pointer */
/* prints: 0: before */
/* prints: 1: before */
/* Crash: rank 1 writes through a null pointer (segmentation violation) while the others wait for it. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank;
    volatile int *volatile nowhere = NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("%d: before\n", rank);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        *nowhere = 1;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
