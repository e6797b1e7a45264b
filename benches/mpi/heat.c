/* The heat equation on 64 x 512 cells, which are dealt out by rows: each step exchanges rows with the neighbors, and sums up what changes. */
#include <mpi.h>
#include <stdlib.h>

enum { ROWS = 64, COLUMNS = 512, STEPS = 500 };

typedef double Row[COLUMNS];

int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int rows = ROWS / size;
    int above = rank ? rank - 1 : MPI_PROC_NULL, below = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    Row *now = calloc(rows + 2, sizeof *now), *then = calloc(rows + 2, sizeof *then);
    for (int i = 0; i < rows + 2; i++)
        for (int j = 0; j < COLUMNS; j++)
            now[i][j] = (i * 31 + j * 17 + rank) % 100;
    for (int step = 0; step < STEPS; step++) {
        MPI_Sendrecv(now[1], COLUMNS, MPI_DOUBLE, above, 0, now[rows + 1], COLUMNS, MPI_DOUBLE, below, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv(now[rows], COLUMNS, MPI_DOUBLE, below, 0, now[0], COLUMNS, MPI_DOUBLE, above, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        double change = 0, all;
        for (int i = 1; i <= rows; i++)
            for (int j = 1; j < COLUMNS - 1; j++) {
                then[i][j] = 0.25 * (now[i - 1][j] + now[i + 1][j] + now[i][j - 1] + now[i][j + 1]);
                change += then[i][j] - now[i][j];
            }
        Row *swapped = now;
        now = then;
        then = swapped;
        MPI_Allreduce(&change, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
