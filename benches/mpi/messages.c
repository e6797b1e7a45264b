/*
 * Prints what messages between two ranks cost, as a table for `weir calibrate`: there and back, both ways at once (which is an allgather of two),
 * and 64 in a row one way (a broadcast in segments). The median of blocks counts.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCKS = 41, MOST = 1 << 20, IN_A_ROW = 64 };

static char *out, *in;
static int rank, other;

static void send(int bytes) {
    MPI_Send(out, bytes, MPI_CHAR, other, 0, MPI_COMM_WORLD);
}

static void receive(int bytes) {
    MPI_Recv(in, bytes, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void there_and_back(int bytes) {
    if (rank == 0) {
        send(bytes);
        receive(bytes);
    } else {
        receive(bytes);
        send(bytes);
    }
}

static void both_ways(int bytes) {
    MPI_Sendrecv(out, bytes, MPI_CHAR, other, 0, in, bytes, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The last one is answered. */
static void in_a_row(int bytes) {
    for (int i = 0; i < IN_A_ROW; i++)
        rank == 0 ? send(bytes) : receive(bytes);
    rank == 0 ? receive(0) : send(0);
}

static int ascending(const void *one, const void *another) {
    double a = *(const double *)one, b = *(const double *)another;
    return (a > b) - (a < b);
}

/* Nanoseconds. */
static double median(void (*part)(int), int bytes, int times) {
    double blocks[BLOCKS];
    for (int block = 0; block < BLOCKS; block++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        for (int i = 0; i < times; i++)
            part(bytes);
        blocks[block] = (MPI_Wtime() - start) / times * 1e9;
    }
    qsort(blocks, BLOCKS, sizeof *blocks, ascending);
    return blocks[BLOCKS / 2];
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    out = calloc(MOST, 1);
    in = calloc(MOST, 1);
    double answer = median(there_and_back, 0, 400) / 2;
    if (rank == 0)
        puts("operation,algorithm,bytes,collectives.bcast_segment_size,ranks,ranks_per_node,time_ns");
    for (int bytes = 1; bytes <= MOST; bytes *= 4) {
        int times = bytes < 65536 ? 200 : 20;
        double one = median(there_and_back, bytes, times) / 2, both = median(both_ways, bytes, times),
               row = median(in_a_row, bytes, times / 10) - answer;
        if (rank == 0)
            printf("pingpong,,%d,,2,2,%.1f\nallgather,recursive-doubling,%d,,2,2,%.1f\nbcast,pipeline,%d,%d B,2,2,%.1f\n", bytes, one, 2 * bytes,
                   both, IN_A_ROW * bytes, bytes, row);
    }
    MPI_Finalize();
    return 0;
}
