/* A token goes round through all ranks, each of which has 2 KB of globals of its own. */
#include <mpi.h>
#include <stdlib.h>

static int seen[512];

int main(int argc, char **argv) {
    int rank, size, token = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    if (rank == 0)
        MPI_Send(&token, 1, MPI_INT, right, 0, MPI_COMM_WORLD);
    MPI_Recv(&token, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    seen[rank % 512] += ++token;
    if (rank != 0)
        MPI_Send(&token, 1, MPI_INT, right, 0, MPI_COMM_WORLD);
    int expected = rank == 0 ? size : rank;
    MPI_Finalize();
    return seen[rank % 512] == expected ? 0 : 1;
}
