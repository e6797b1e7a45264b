/* ranks: 1 2 3 4 8 */
/* Conway's game on a torus dealt out by rows: the edges travel between neighbors each generation. Rank 0 plays the
   whole game alone and compares. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"

enum { ROWS = 48, COLUMNS = 64, GENERATIONS = 60 };

typedef unsigned char Row[COLUMNS];

static int alive_at_first(int row, int column)
{
    return (row * 37 + column * 101 + row * column % 17) % 5 < 2;
}

/* One generation of rows 1 to n; rows 0 and n + 1 are the neighbors'. */
static void step(Row *now, Row *then, int n)
{
    for (int i = 1; i <= n; i++)
        for (int j = 0; j < COLUMNS; j++) {
            int left = (j + COLUMNS - 1) % COLUMNS, right = (j + 1) % COLUMNS;
            int around = now[i - 1][left] + now[i - 1][j] + now[i - 1][right] + now[i][left] + now[i][right] +
                         now[i + 1][left] + now[i + 1][j] + now[i + 1][right];
            then[i][j] = around == 3 || (around == 2 && now[i][j]);
        }
}

static long checksum(Row *rows, int n, int first)
{
    long sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < COLUMNS; j++)
            sum += rows[i][j] * (long)((first + i) * COLUMNS + j + 1);
    return sum;
}

int main(int argc, char **argv)
{
    int rank, size, counts[8], displs[8];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int first = ROWS * rank / size, n = ROWS * (rank + 1) / size - first;
    int above = (rank + size - 1) % size, below = (rank + 1) % size;
    Row *now = calloc((size_t)n + 2, sizeof *now), *then = calloc((size_t)n + 2, sizeof *then);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < COLUMNS; j++)
            now[i + 1][j] = (unsigned char)alive_at_first(first + i, j);

    for (int g = 0; g < GENERATIONS; g++) {
        if (g % 2) {
            MPI_Sendrecv(now[1], COLUMNS, MPI_UNSIGNED_CHAR, above, 1, now[n + 1], COLUMNS, MPI_UNSIGNED_CHAR, below, 1,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Sendrecv(now[n], COLUMNS, MPI_UNSIGNED_CHAR, below, 2, now[0], COLUMNS, MPI_UNSIGNED_CHAR, above, 2,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Request requests[4];
            MPI_Irecv(now[0], COLUMNS, MPI_UNSIGNED_CHAR, above, 2, MPI_COMM_WORLD, &requests[0]);
            MPI_Irecv(now[n + 1], COLUMNS, MPI_UNSIGNED_CHAR, below, 1, MPI_COMM_WORLD, &requests[1]);
            MPI_Isend(now[1], COLUMNS, MPI_UNSIGNED_CHAR, above, 1, MPI_COMM_WORLD, &requests[2]);
            MPI_Isend(now[n], COLUMNS, MPI_UNSIGNED_CHAR, below, 2, MPI_COMM_WORLD, &requests[3]);
            MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        }
        step(now, then, n);
        Row *swap = now;
        now = then;
        then = swap;
        if (g % 20 == 19) {
            long sum = checksum(now + 1, n, first), total;
            MPI_Reduce(&sum, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
            if (rank == 0)
                fact(rank, "generation %d: checksum %ld", g + 1, total);
        }
    }

    /* Gather the rows and play the game alone. */
    for (int r = 0; r < size; r++) {
        displs[r] = ROWS * r / size * COLUMNS;
        counts[r] = ROWS * (r + 1) / size * COLUMNS - displs[r];
    }
    Row *all = rank == 0 ? calloc(ROWS, sizeof *all) : NULL;
    MPI_Gatherv(now[1], n * COLUMNS, MPI_UNSIGNED_CHAR, all, counts, displs, MPI_UNSIGNED_CHAR, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        static Row a[ROWS + 2], b[ROWS + 2];
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLUMNS; j++)
                a[i + 1][j] = (unsigned char)alive_at_first(i, j);
        for (int g = 0; g < GENERATIONS; g++) {
            memcpy(a[0], a[ROWS], sizeof(Row));
            memcpy(a[ROWS + 1], a[1], sizeof(Row));
            step(a, b, ROWS);
            memcpy(a, b, sizeof a);
        }
        check(rank, memcmp(all, a + 1, ROWS * sizeof(Row)) == 0, "the same as played alone");
        free(all);
    }
    free(now);
    free(then);
    MPI_Finalize();
    return 0;
}
