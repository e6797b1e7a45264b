/* ranks: 2 3 */
/* ends: status 1 on 2 ranks */
/* says: rank 1: it called MPI_Abort with error code 7 */
/* prints: 0: before */
/* prints: 1: before */
/* Abort: rank 1 ends the run with code 7 while the others wait for a message that never comes. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    printf("%d: before\n", rank);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Abort(MPI_COMM_WORLD, 7);
    MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%d: not reached\n", rank);
    MPI_Finalize();
    return 0;
}
