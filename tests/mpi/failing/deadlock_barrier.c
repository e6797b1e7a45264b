/* ranks: 3 4 */
/* ends: status 3 on 3 ranks */
/* says: 3 of 3 ranks wait for ever */
/* says: 0 MPI_Barrier rank */
/* says: 1 MPI_Recv rank 0 */
/* says: 2 MPI_Barrier rank */
/* Deadlock: rank 1 skips the barrier and waits for a message of rank 0, which waits in the barrier. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 1)
        MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
