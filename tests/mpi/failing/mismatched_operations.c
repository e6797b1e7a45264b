/* ranks: 2 */
/* ends: status 1 on 2 ranks */
/* says: MPI_Reduce failed: MPI_ERR_OP: the ranks do not agree: rank 1 calls MPI_Reduce to root 0 with MPI_SUM, and rank 0 with MPI_PROD */
/* Ranks of one reduction combine by different operations: the one that only sends finds out, too. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 2, result;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Reduce(&value, &result, 1, MPI_INT, rank ? MPI_SUM : MPI_PROD, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
