/* ranks: 1 2 3 4 5 8 */
/* Collectives without a root: allgather, all-to-all, allreduce, prefix sums, reduce-scatter; no elements, one,
   many; uneven counts; data in place. */
#include <mpi.h>
#include <stdlib.h>
#include "check.h"

enum { LARGEST = 30000 };

static int rank, size, *a, *b;

/* Element i of what one rank has for another. */
static int value(int from, int to, int i)
{
    return from * 100003 + to * 1009 + i * 7;
}

static void fill(int *data, int from, int to, int count)
{
    for (int i = 0; i < count; i++)
        data[i] = value(from, to, i);
}

static int holds(const int *data, int from, int to, int count)
{
    for (int i = 0; i < count; i++)
        if (data[i] != value(from, to, i))
            return 0;
    return 1;
}

static int allgather(int n)
{
    int good = 1;
    fill(a, rank, 0, n);
    MPI_Allgather(a, n, MPI_INT, b, n, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)
        good = good && holds(b + r * n, r, 0, n);
    for (int r = 0; r < size; r++)
        fill(b + r * n, rank, 1, n);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, n, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)
        good = good && holds(b + r * n, r, 1, n);
    return good;
}

/* Rank r has (2 r + 1) mod 3 times n elements; parts in reverse order, one element apart. */
static int allgatherv(int n)
{
    int counts[8], displs[8], good = 1;
    for (int r = size - 1, at = 0; r >= 0; r--) {
        counts[r] = (2 * r + 1) % 3 * n;
        displs[r] = at;
        at += counts[r] + 1;
        b[at - 1] = -9;
    }
    fill(a, rank, 0, counts[rank]);
    MPI_Allgatherv(a, counts[rank], MPI_INT, b, counts, displs, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)
        good = good && holds(b + displs[r], r, 0, counts[r]) && b[displs[r] + counts[r]] == -9;
    fill(b + displs[rank], rank, 1, counts[rank]);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, counts, displs, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)
        good = good && holds(b + displs[r], r, 1, counts[r]);
    return good;
}

static int alltoall(int n)
{
    int good = 1;
    for (int r = 0; r < size; r++)
        fill(a + r * n, rank, r, n);
    MPI_Alltoall(a, n, MPI_INT, b, n, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)
        good = good && holds(b + r * n, r, rank, n) && holds(a + r * n, rank, r, n);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, a, n, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)
        good = good && holds(a + r * n, r, rank, n);
    return good;
}

/* From r to s go (r + 2 s) mod 3 times n elements; the parts lie in reverse order on both sides. */
static int alltoallv(int n)
{
    int sendcounts[8], sdispls[8], recvcounts[8], rdispls[8], good = 1;
    for (int r = size - 1, out = 0, in = 0; r >= 0; r--) {
        sendcounts[r] = (rank + 2 * r) % 3 * n;
        recvcounts[r] = (r + 2 * rank) % 3 * n;
        sdispls[r] = out;
        rdispls[r] = in;
        out += sendcounts[r];
        in += recvcounts[r];
        fill(a + sdispls[r], rank, r, sendcounts[r]);
    }
    MPI_Alltoallv(a, sendcounts, sdispls, MPI_INT, b, recvcounts, rdispls, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)
        good = good && holds(b + rdispls[r], r, rank, recvcounts[r]);
    return good;
}

static int allreduce(int n)
{
    int good = 1, zero = value(0, 0, 0);
    fill(a, rank, 0, n);
    MPI_Allreduce(a, b, n, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    good = good && holds(b, size - 1, 0, n);
    for (int i = 0; i < n; i++)
        a[i] = rank + i % 100 + zero;
    MPI_Allreduce(MPI_IN_PLACE, a, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++)
        good = good && a[i] == size * (size - 1) / 2 + size * (i % 100);
    return good;
}

/* Scan: sum of ranks 0 to mine; Exscan: the same without mine, nothing on rank 0. */
static int prefix(int n)
{
    int good = 1;
    for (int in_place = 0; in_place < 2; in_place++) {
        for (int i = 0; i < n; i++)
            a[i] = b[i] = rank + i % 50;
        MPI_Scan(in_place ? MPI_IN_PLACE : a, b, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        for (int i = 0; i < n; i++)
            good = good && b[i] == rank * (rank + 1) / 2 + (rank + 1) * (i % 50);
        for (int i = 0; i < n; i++)
            a[i] = b[i] = rank + i % 50;
        MPI_Exscan(in_place ? MPI_IN_PLACE : a, b, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        for (int i = 0; i < n && rank > 0; i++)
            good = good && b[i] == rank * (rank - 1) / 2 + rank * (i % 50);
    }
    return good;
}

/* The sum over all ranks, dealt out: n elements each, then (2 - r mod 3) times n elements for rank r. */
static int reduce_scatter(int n)
{
    int counts[8], first = 0, total = 0, good = 1;
    for (int r = 0; r < size; r++) {
        counts[r] = (2 - r % 3) * n;
        first += r < rank ? counts[r] : 0;
        total += counts[r];
    }
    for (int i = 0; i < size * n; i++)
        a[i] = rank * i;
    MPI_Reduce_scatter_block(a, b, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++)
        good = good && b[i] == size * (size - 1) / 2 * (rank * n + i);
    for (int i = 0; i < total; i++)
        a[i] = rank * i;
    MPI_Reduce_scatter(a, b, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < counts[rank]; i++)
        good = good && b[i] == size * (size - 1) / 2 * (first + i);
    MPI_Reduce_scatter(MPI_IN_PLACE, a, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < counts[rank]; i++)
        good = good && a[i] == size * (size - 1) / 2 * (first + i);
    return good;
}

int main(int argc, char **argv)
{
    static const struct { const char *name; int (*run)(int n); } tests[] = {
        {"Allgather", allgather}, {"Allgatherv", allgatherv}, {"Alltoall", alltoall}, {"Alltoallv", alltoallv},
        {"Allreduce", allreduce}, {"Scan and Exscan", prefix}, {"Reduce_scatter", reduce_scatter}};
    static const int counts[] = {0, 1, 37, 3000, LARGEST};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    a = calloc((size_t)size * (2 * LARGEST + 1), sizeof *a);
    b = calloc((size_t)size * (2 * LARGEST + 1), sizeof *b);
    for (int t = 0; t < 7; t++)
        for (int c = 0; c < 5; c++) {
            int good = tests[t].run(counts[c]);
            check(rank, good, "%s, count %d", tests[t].name, counts[c]);
        }
    free(a);
    free(b);
    MPI_Finalize();
    return 0;
}
