/* ranks: 2 */
/* ends: status 1 on 2 ranks */
/* says: rank 1: it called MPI_Comm_call_errhandler with error code 11 */
/* Errors being fatal, rank 1 calls its error handler itself. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_TOPOLOGY);
        printf("%d: not reached\n", rank);
    }
    MPI_Finalize();
    return 0;
}
