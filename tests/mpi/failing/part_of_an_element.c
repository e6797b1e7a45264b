/* ranks: 2 */
/* ends: status 1 on 2 ranks */
/* says: rank 1: MPI_Recv failed: MPI_ERR_TYPE: a message of 3 bytes ends within a basic element */
/* Three chars are no whole number of ints. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, in[8];
    char out[3] = {1, 2, 3};
    MPI_Datatype ints;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(2, 1, 3, MPI_INT, &ints);
    MPI_Type_commit(&ints);
    if (rank == 0)
        MPI_Send(out, 3, MPI_CHAR, 1, 7, MPI_COMM_WORLD);
    else
        MPI_Recv(in, 1, ints, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&ints);
    MPI_Finalize();
    return 0;
}
