/* ranks: 2 */
/* ends: status 3 on 2 ranks */
/* says: deadlock at */
/* says: 2 of 2 ranks wait for ever */
/* says: rank waits in for tag communicator */
/* says: 0 MPI_Recv rank 1 11 MPI_COMM_WORLD */
/* says: 1 MPI_Recv rank 0 10 MPI_COMM_WORLD */
/* says: in a circle: 0 waits for 1, 1 waits for 0 */
/* Deadlock: both ranks receive before they send. Rank 0 waits for rank 1 (tag 11), rank 1 for rank 0 (tag 10). */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Recv(&value, 1, MPI_INT, 1 - rank, 11 - rank, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&value, 1, MPI_INT, 1 - rank, 10 + rank, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
