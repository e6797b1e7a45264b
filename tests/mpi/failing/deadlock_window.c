/* ranks: 3 */
/* ends: status 3 on 3 ranks */
/* says: 3 of 3 ranks wait for ever */
/* says: 0 MPI_Win_start rank 1 MPI_Win_post tank */
/* says: 1 MPI_Win_wait rank 2 MPI_Win_complete tank */
/* says: 2 MPI_Win_sync any rank a change of its memory tank */
/* Deadlock: rank 0 starts with rank 1, which does not post; rank 1 waits for rank 2, which does not complete; rank 2
   looks into its own memory for something that nobody puts there. */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Win win;
    MPI_Group world, group;
    int rank, other, memory = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    other = rank + 1;
    if (rank < 2)
        MPI_Group_incl(world, 1, &other, &group);
    MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_name(win, "tank");
    if (rank == 0)
        MPI_Win_start(group, 0, win);
    if (rank == 1) {
        MPI_Win_post(group, 0, win);
        MPI_Win_wait(win);
    }
    while (*(volatile int *)&memory == 0)
        MPI_Win_sync(win);
    MPI_Finalize();
    return 0;
}
