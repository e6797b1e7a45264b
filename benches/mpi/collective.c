/* A collective of 8 bytes, "allreduce" or "alltoall", so many times. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int is_allreduce = argc > 1 && strcmp(argv[1], "allreduce") == 0;
    int rounds = argc > 2 ? atoi(argv[2]) : 1;
    double *from = calloc(size, sizeof *from), *to = calloc(size, sizeof *to);
    for (int i = 0; i < size; i++)
        from[i] = rank + i;
    for (int round = 0; round < rounds; round++) {
        if (is_allreduce)
            MPI_Allreduce(from, to, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        else
            MPI_Alltoall(from, 1, MPI_DOUBLE, to, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    }
    int right = is_allreduce ? to[0] == size * (size - 1) / 2.0 : to[size - 1] == rank + size - 1;
    free(from);
    free(to);
    MPI_Finalize();
    return right ? 0 : 1;
}
