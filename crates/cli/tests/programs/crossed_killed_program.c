#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    double sent[100], received[100];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int step = 0; step < 200; step++) {
        MPI_Sendrecv(sent, 100, MPI_DOUBLE, (rank + 1) % size, 0, received, 100, MPI_DOUBLE, (rank + size - 1) % size, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(sent, received, 1 + step % 100, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
