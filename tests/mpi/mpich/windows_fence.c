/* ranks: 1 2 3 4 */
/* Windows between fences: a halo exchange by put and by get, columns by derived datatypes, sums by accumulate; memory
   in globals, on the stack, from malloc and from the library. */
#include <mpi.h>
#include <stdlib.h>
#include "../check.h"

#define N 8

static int rank, size;
static double field[N + 2];  /* a halo cell on each side */
static int large[40000];

static void halo_by_put(void)
{
    MPI_Win win;
    int left = (rank + size - 1) % size, right = (rank + 1) % size, step, i;
    double sum = 0;
    MPI_Win_create(field, sizeof field, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (i = 1; i <= N; i++)
        field[i] = rank * N + i;
    for (step = 0; step < 5; step++) {
        double next[N + 2];
        MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
        MPI_Put(&field[1], 1, MPI_DOUBLE, left, N + 1, 1, MPI_DOUBLE, win);
        MPI_Put(&field[N], 1, MPI_DOUBLE, right, 0, 1, MPI_DOUBLE, win);
        MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
        for (i = 1; i <= N; i++)
            next[i] = (field[i - 1] + field[i] + field[i + 1]) / 3;
        for (i = 1; i <= N; i++)
            field[i] = next[i];
        MPI_Barrier(MPI_COMM_WORLD);
    }
    for (i = 1; i <= N; i++)
        sum += field[i] * i;
    fact(rank, "halo by put %.6f", sum);
    MPI_Win_free(&win);
    check(rank, win == MPI_WIN_NULL, "freed");
}

static void halo_by_get(void)
{
    MPI_Win win;
    int local[4] = {0, rank * 10 + 1, rank * 10 + 2, 0};
    MPI_Win_create(local, sizeof local, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (rank > 0)
        MPI_Get(&local[0], 1, MPI_INT, rank - 1, 2, 1, MPI_INT, win);
    else
        MPI_Get(&local[0], 1, MPI_INT, MPI_PROC_NULL, 2, 1, MPI_INT, win);
    if (rank < size - 1)
        MPI_Get(&local[3], 1, MPI_INT, rank + 1, 1, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    fact(rank, "halo by get %d %d %d %d", local[0], local[1], local[2], local[3]);
    MPI_Win_free(&win);
}

static void columns(void)
{
    enum { ROWS = 5, COLUMNS = 6 };
    MPI_Win win;
    MPI_Datatype column, back;
    int *matrix, i, own[ROWS], got[2 * ROWS], lengths[2] = {2, 3}, places[2] = {12, 0};
    MPI_Win_allocate(ROWS * COLUMNS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &matrix, &win);
    for (i = 0; i < ROWS * COLUMNS; i++)
        matrix[i] = 100 * rank + i;
    for (i = 0; i < ROWS; i++)
        own[i] = -(10 * rank + i);
    MPI_Type_vector(ROWS, 1, COLUMNS, MPI_INT, &column);
    MPI_Type_commit(&column);
    MPI_Type_indexed(2, lengths, places, MPI_INT, &back);
    MPI_Type_commit(&back);
    MPI_Win_fence(0, win);
    /* Contiguous data become a column of the neighbor. */
    MPI_Put(own, ROWS, MPI_INT, (rank + 1) % size, 2, 1, column, win);
    MPI_Win_fence(0, win);
    for (i = 0; i < ROWS; i++)
        fact(rank, "row %d: %d %d %d", i, matrix[i * COLUMNS + 1], matrix[i * COLUMNS + 2], matrix[i * COLUMNS + 3]);
    /* The datatypes may be freed at once. */
    MPI_Get(got, 5, MPI_INT, (rank + size - 1) % size, 1, 1, back, win);
    MPI_Get(got + 5, ROWS, MPI_INT, (rank + size - 1) % size, 2, 1, column, win);
    MPI_Type_free(&column);
    MPI_Type_free(&back);
    MPI_Win_fence(0, win);
    for (i = 0; i < 2 * ROWS; i++)
        fact(rank, "got %d: %d", i, got[i]);
    MPI_Win_free(&win);
}

static void sums(void)
{
    MPI_Win win;
    int i, *counters = malloc(size * sizeof *counters), ones[3] = {1, 1, 1};
    for (i = 0; i < size; i++)
        counters[i] = 1000;
    /* Only rank 0 gives memory. */
    MPI_Win_create(rank == 0 ? counters : NULL, rank == 0 ? size * sizeof(int) : 0, sizeof(int), MPI_INFO_NULL,
                   MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    for (i = 0; i < size; i++) {
        int value = (rank + 1) * (i + 1);
        MPI_Accumulate(&value, 1, MPI_INT, 0, i, 1, MPI_INT, MPI_SUM, win);
    }
    MPI_Accumulate(ones, 0, MPI_INT, 0, 0, 0, MPI_INT, MPI_SUM, win);
    MPI_Win_fence(0, win);
    for (i = 0; rank == 0 && i < size; i++)
        fact(rank, "sum %d: %d", i, counters[i]);
    MPI_Win_free(&win);
    free(counters);
}

static void long_data(void)
{
    MPI_Win win;
    int i, wrong = 0, *own = malloc(sizeof large), from = (rank + size - 1) % size;
    for (i = 0; i < 40000; i++)
        own[i] = rank * 100000 + i;
    MPI_Win_create(large, sizeof large, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(own, 40000, MPI_INT, (rank + 1) % size, 0, 40000, MPI_INT, win);
    MPI_Win_fence(0, win);
    for (i = 0; i < 40000; i++)
        wrong += large[i] != from * 100000 + i;
    check(rank, wrong == 0, "long put");
    for (i = 0; i < 40000; i++)
        large[i] = rank + i;
    MPI_Win_fence(0, win);
    MPI_Get(own, 40000, MPI_INT, from, 0, 40000, MPI_INT, win);
    MPI_Win_fence(0, win);
    for (i = 0; i < 40000; i++)
        wrong += own[i] != from + i;
    check(rank, wrong == 0, "long get");
    MPI_Win_free(&win);
    free(own);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    halo_by_put();
    halo_by_get();
    columns();
    sums();
    long_data();
    MPI_Finalize();
    return 0;
}
