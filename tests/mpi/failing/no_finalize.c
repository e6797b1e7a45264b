/* ranks: 2 3 */
/* ends: status 1 on 2 ranks */
/* says: rank 0 */
/* says: returned 0 before MPI_Finalize */
/* Rank 0 returns from main, with 0, without MPI_Finalize; the others finalize. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != 0)
        MPI_Finalize();
    return 0;
}
