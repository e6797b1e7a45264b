/* ranks: 2 */
/* ends: status 1 on 2 ranks */
/* says: rank 1: it crashed in or after MPI_Barrier */
/* says: division by zero */
/* Crash: rank 1 divides an integer by zero (arithmetic exception). */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank;
    volatile int zero = 0, quotient = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        quotient = 100 / zero;
    MPI_Barrier(MPI_COMM_WORLD);
    printf("%d: not reached, %d\n", rank, quotient);
    MPI_Finalize();
    return 0;
}
