/* Rank 0 leaves a receive open and a message lying, rank 1 a send that is complete; both leave a datatype. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, data = 0, sent = 1;
    MPI_Request request;
    MPI_Datatype type;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) MPI_Irecv(&data, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &request);
    if (rank == 1) MPI_Isend(&sent, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, &request);
    MPI_Type_contiguous(3, MPI_INT, &type);
    MPI_Finalize();
    return 0;
}
