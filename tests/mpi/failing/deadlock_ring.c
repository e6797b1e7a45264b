/* ranks: 3 4 */
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
