/* Two ranks send each other an int, then each a window of 64 at once (isend, irecv, waitall): prints what a call took in each part, in
 * nanoseconds, as the shortest and the median of many blocks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { WINDOW = 64, ROUNDS = 200 };

static void ping_pong(int rank, int other) {
    int token = 0;
    for (int round = 0; round < ROUNDS; round++) {
        if (rank == 0)
            MPI_Send(&token, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
        MPI_Recv(&token, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1)
            MPI_Send(&token, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
    }
}

static void windows(int rank, int other) {
    MPI_Request requests[2 * WINDOW];
    int in[WINDOW], out[WINDOW] = {rank};
    for (int round = 0; round < ROUNDS / 20; round++) {
        for (int i = 0; i < WINDOW; i++)
            MPI_Irecv(&in[i], 1, MPI_INT, other, 1, MPI_COMM_WORLD, &requests[i]);
        for (int i = 0; i < WINDOW; i++)
            MPI_Isend(&out[i], 1, MPI_INT, other, 1, MPI_COMM_WORLD, &requests[WINDOW + i]);
        MPI_Waitall(2 * WINDOW, requests, MPI_STATUSES_IGNORE);
    }
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(const char *name, void (*part)(int, int), double calls, int blocks, int rank) {
    double *times = malloc(blocks * sizeof *times);
    for (int block = 0; block < blocks; block++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = MPI_Wtime();
        part(rank, 1 - rank);
        times[block] = (MPI_Wtime() - begin) * 1e9 / calls;
    }
    qsort(times, blocks, sizeof *times, compare);
    if (rank == 0)
        printf("%s %.1f %.1f\n", name, times[0], times[blocks / 2]);
    free(times);
}

int main(int argc, char **argv) {
    int blocks = argc > 1 ? atoi(argv[1]) : 500, rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != 2)
        MPI_Abort(MPI_COMM_WORLD, 2);
    measure("ping-pong", ping_pong, 2 * ROUNDS, blocks, rank);
    measure("windows", windows, ROUNDS / 20 * (2 * WINDOW + 1), blocks, rank);
    MPI_Finalize();
    return 0;
}
