#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <weir.h>
static unsigned state;
static double sums[64];
static unsigned draw(unsigned most) { state = state * 1103515245u + 12345u; return (state >> 16) % most; }
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    state = (unsigned)atoi(argv[1]);
    for (int step = 0; step < 40; step++) {
        unsigned what = draw(4), length = 1 + draw(64);
        double received[64] = {0};
        if (what == 0) {
            weir_compute(1e-6 * (1 + (rank * 7 + step) % 5));
        } else if (what == 1) {
            MPI_Request requests[2];
            MPI_Irecv(received, (int)length, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &requests[0]);
            MPI_Isend(sums, (int)length, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD, &requests[1]);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        } else if (what == 2) {
            MPI_Allreduce(sums, received, (int)length, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        } else {
            printf("rank %d ", rank);
            MPI_Barrier(MPI_COMM_WORLD);
            printf("step %d\n", step);
        }
        for (unsigned i = 0; i < length; i++) sums[i] = 0.5 * received[i] + rank;
    }
    MPI_Finalize();
    return 0;
}
