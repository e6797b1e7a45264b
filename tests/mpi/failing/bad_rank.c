/* ranks: 2 */
/* ends: status 1 on 2 ranks */
/* says: rank 0: MPI_Send failed: MPI_ERR_RANK */
/* says: rank 5 */
/* A send to a rank that is not there, errors being fatal: class MPI_ERR_RANK. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, value = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        MPI_Send(&value, 1, MPI_INT, size + 3, 0, MPI_COMM_WORLD);
        printf("%d: not reached\n", rank);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
