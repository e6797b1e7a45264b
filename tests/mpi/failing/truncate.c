/* ranks: 2 */
/* ends: status 1 on 2 ranks */
/* says: rank 1: MPI_Recv failed: MPI_ERR_TRUNCATE */
/* says: 40 bytes */
/* says: 12 bytes */
/* Truncation, errors being fatal: rank 1 receives 10 integers into room for 3. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, data[10] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Send(data, 10, MPI_INT, 1, 4, MPI_COMM_WORLD);
    } else {
        MPI_Recv(data, 3, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d: not reached\n", rank);
    }
    MPI_Finalize();
    return 0;
}
