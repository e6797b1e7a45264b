/* ranks: 3 4 */
/* ends: status 3 on 4 ranks */
/* says: 4 of 4 ranks wait for ever */
/* says: 0 MPI_Ssend rank 1 5 MPI_COMM_WORLD */
/* says: 1 MPI_Ssend rank 2 5 MPI_COMM_WORLD */
/* says: 2 MPI_Ssend rank 3 5 MPI_COMM_WORLD */
/* says: 3 MPI_Ssend rank 0 5 MPI_COMM_WORLD */
/* says: in a circle: 0 waits for 1, 1 waits for 2, 2 waits for 3, 3 waits for 0 */
/* Deadlock: all ranks of a ring send synchronously to the next one, nobody receives; a cycle of all ranks. A plain
   MPI_Send of a message above the eager limit waits in the same way. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Ssend(&rank, 1, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD);
    MPI_Recv(&value, 1, MPI_INT, (rank + size - 1) % size, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
