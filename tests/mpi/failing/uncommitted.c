/* ranks: 2 */
/* ends: status 1 on 2 ranks */
/* says: rank 0: MPI_Send failed: MPI_ERR_TYPE: the datatype is not committed */
/* A message of a datatype that was not committed, errors being fatal. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, data[10] = {0};
    MPI_Datatype type;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(3, 1, 2, MPI_INT, &type);
    if (rank == 0) {
        MPI_Send(data, 1, type, 1, 4, MPI_COMM_WORLD);
        printf("%d: not reached\n", rank);
    } else {
        MPI_Recv(data, 3, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
