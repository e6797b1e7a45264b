/* ranks: 2 3 */
/* ends: status 3 on 3 ranks */
/* says: 3 of 3 ranks wait for ever */
/* says: 1 MPI_Win_lock rank 0 the lock window on MPI_COMM_WORLD */
/* says: 2 MPI_Win_lock rank 0 the lock window on MPI_COMM_WORLD */
/* Deadlock: rank 0 never gives its lock back, so the others wait for theirs. */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Win win;
    int rank, memory = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (rank == 0)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Win_unlock(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
