/* ranks: 2 */
/* ends: status 1 on 2 ranks */
/* says: the collectives of rank */
/* says: a message of MPI_Bcast from root */
/* Each rank broadcasts, and nobody listens. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, data = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Bcast(&data, 1, MPI_INT, rank, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
