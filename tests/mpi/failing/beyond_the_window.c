/* ranks: 2 */
/* ends: status 1 on 2 ranks */
/* says: rank 1: MPI_Win_fence failed: MPI_ERR_RMA_RANGE: a put of 4 bytes at displacement 4 in units of 4 bytes leaves a window of 16 bytes */
/* A put that leaves the window of its target: found there, told by the fence. */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Win win;
    int rank, memory[4] = {0}, value = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (rank == 1)
        MPI_Put(&value, 1, MPI_INT, 0, 4, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
