#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    int rank, size;
    const char *operation = argv[1];
    const int bytes = atoi(argv[2]), root = atoi(argv[3]), repetitions = atoi(argv[4]), n = bytes / 4;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char *in = calloc(1, bytes + 1), *out = calloc(1, bytes + 1);
    int *counts = malloc(size * sizeof *counts);
    for (int i = 0; i < size; i++) counts[i] = n / size + (i < n % size);
    for (int i = 0; i < repetitions; i++) {
        if (i > 0) MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        if (!strcmp(operation, "barrier")) MPI_Barrier(MPI_COMM_WORLD);
        if (!strcmp(operation, "bcast")) MPI_Bcast(in, bytes, MPI_BYTE, root, MPI_COMM_WORLD);
        if (!strcmp(operation, "reduce")) MPI_Reduce(in, out, n, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
        if (!strcmp(operation, "allreduce")) MPI_Allreduce(in, out, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (!strcmp(operation, "gather"))
            MPI_Gather(in, bytes / size, MPI_BYTE, out, bytes / size, MPI_BYTE, root, MPI_COMM_WORLD);
        if (!strcmp(operation, "scatter"))
            MPI_Scatter(in, bytes / size, MPI_BYTE, out, bytes / size, MPI_BYTE, root, MPI_COMM_WORLD);
        if (!strcmp(operation, "allgather"))
            MPI_Allgather(in, bytes / size, MPI_BYTE, out, bytes / size, MPI_BYTE, MPI_COMM_WORLD);
        if (!strcmp(operation, "alltoall"))
            MPI_Alltoall(in, bytes / size, MPI_BYTE, out, bytes / size, MPI_BYTE, MPI_COMM_WORLD);
        if (!strcmp(operation, "reduce_scatter"))
            MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        printf("%d %.0f\n", i, 1e12 * (MPI_Wtime() - begin));
    }
    MPI_Finalize();
    return 0;
}
