#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    double data = 0;
    int rank, messages = atoi(argv[1]), backwards = argc > 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < messages; i++)
        if (rank == 0) {
            MPI_Send(&data, 1, MPI_DOUBLE, 1, backwards ? i : 0, MPI_COMM_WORLD);
        } else {
            int tag = backwards ? messages - 1 - i : 0;
            MPI_Recv(&data, 1, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    MPI_Finalize();
    return 0;
}
