/* ranks: 2 */
/* ends: status 1 on 2 ranks */
/* says: rank 1: MPI_Bcast failed: MPI_ERR_OTHER: the ranks give different counts: rank 1 calls MPI_Bcast from root 0 with 8 bytes, and rank 0 with 16 */
/* Ranks do not agree on the length of a broadcast: the root sends more than the others expect. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, data[4] = {1, 2, 3, 4};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Bcast(data, rank == 0 ? 4 : 2, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
