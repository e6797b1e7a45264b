/* ranks: 2 */
/* ends: status 3 on 2 ranks */
/* says: 2 of 2 ranks wait for ever */
/* says: 0 MPI_Barrier rank 1 */
/* says: 1 MPI_Iprobe rank 0 */
/* No progress without a deadlock: rank 1 asks with MPI_Iprobe for a message that nobody sends, rank 0 waits in a
   barrier. Ends as a deadlock after 60 simulated seconds of vain looks. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, flag = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    while (rank == 1 && !flag)
        MPI_Iprobe(0, 3, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
