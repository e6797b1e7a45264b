/* ranks: 3 */
/* ends: status 1 on 3 ranks */
/* says: the ranks give different counts: rank 2 calls MPI_Gather or MPI_Gatherv to root 0 with 4 bytes, and rank 0 with 8 */
/* One rank gives less to a gather than the others. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, own[2] = {1, 2}, all[6];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Gather(own, rank == 2 ? 1 : 2, MPI_INT, all, 2, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
