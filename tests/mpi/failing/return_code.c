/* ranks: 2 3 */
/* ends: status 1 on 2 ranks */
/* says: rank 1 ended with exit code 5 */
/* Rank 1 returns 5 from main after MPI_Finalize, the others 0: the run ends with 5. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Finalize();
    return rank == 1 ? 5 : 0;
}
