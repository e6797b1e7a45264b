/* ranks: 3 */
/* ends: status 1 on 3 ranks */
/* says: failed: MPI_ERR_OTHER: rank */
/* says: MPI_Allreduce */
/* says: MPI_Reduce to root 1 */
/* One rank calls another collective than the others. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, data = 1, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 2)
        MPI_Reduce(&data, &sum, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
    else
        MPI_Allreduce(&data, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
