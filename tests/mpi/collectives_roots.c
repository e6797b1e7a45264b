/* ranks: 1 2 3 4 5 8 */
/* Broadcast, reduce, gather and scatter from and to every root: no elements, one, and more than any library
   sends at once; uneven counts; data in place. */
#include <mpi.h>
#include <stdlib.h>
#include "check.h"

enum { LARGEST = 40000 };

static int rank, size, *a, *b;

/* Element i of the rank's data. */
static int value(int of, int i)
{
    return of * 100003 + i * 7 + i / 1000;
}

static void fill(int *data, int of, int count)
{
    for (int i = 0; i < count; i++)
        data[i] = value(of, i);
}

static int holds(const int *data, int of, int count)
{
    for (int i = 0; i < count; i++)
        if (data[i] != value(of, i))
            return 0;
    return 1;
}

static int broadcast(int root, int n)
{
    fill(a, rank, n);
    MPI_Bcast(a, n, MPI_INT, root, MPI_COMM_WORLD);
    return holds(a, root, n);
}

static int reduce(int root, int n)
{
    int good = 1;
    fill(a, rank, n);
    fill(b, -1, n);
    MPI_Reduce(a, b, n, MPI_INT, MPI_MAX, root, MPI_COMM_WORLD);
    good = good && holds(a, rank, n) && holds(b, rank == root ? size - 1 : -1, n);
    if (rank == root)
        MPI_Reduce(MPI_IN_PLACE, a, n, MPI_INT, MPI_MIN, root, MPI_COMM_WORLD);
    else
        MPI_Reduce(a, NULL, n, MPI_INT, MPI_MIN, root, MPI_COMM_WORLD);
    return good && holds(a, rank == root ? 0 : rank, n);
}

static int gather(int root, int n)
{
    int good = 1;
    fill(a, rank, n);
    MPI_Gather(a, n, MPI_INT, b, n, MPI_INT, root, MPI_COMM_WORLD);
    for (int r = 0; r < size && rank == root; r++)
        good = good && holds(b + r * n, r, n);
    if (rank == root) {
        for (int i = 0; i < size * n; i++)
            b[i] = -1;
        fill(b + root * n, root, n);
        MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, n, MPI_INT, root, MPI_COMM_WORLD);
        for (int r = 0; r < size; r++)
            good = good && holds(b + r * n, r, n);
    } else {
        MPI_Gather(a, n, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, root, MPI_COMM_WORLD);
    }
    return good;
}

static int scatter(int root, int n)
{
    int good;
    for (int r = 0; r < size; r++)
        fill(b + r * n, r + rank - root, n);
    fill(a, -1, n);
    MPI_Scatter(b, n, MPI_INT, a, n, MPI_INT, root, MPI_COMM_WORLD);
    good = holds(a, rank, n);
    if (rank == root)
        MPI_Scatter(b, n, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, root, MPI_COMM_WORLD);
    else
        MPI_Scatter(NULL, 0, MPI_DATATYPE_NULL, a, n, MPI_INT, root, MPI_COMM_WORLD);
    return good && holds(a, rank, n) && (rank != root || holds(b + rank * n, rank, n));
}

/* Rank r has (3 r + root) mod 4 times n elements, some have none; the parts lie in reverse order, with gaps. */
static int uneven(int root, int n)
{
    int counts[8], displs[8], good = 1;
    for (int r = size - 1, at = 3; r >= 0; r--) {
        counts[r] = (3 * r + root) % 4 * n;
        displs[r] = at;
        at += counts[r] + 2;
    }
    int mine = counts[rank], total = displs[0] + counts[0] + 2;
    for (int i = 0; i < total; i++)
        b[i] = -5;
    fill(a, rank, mine);
    MPI_Gatherv(a, mine, MPI_INT, b, counts, displs, MPI_INT, root, MPI_COMM_WORLD);
    if (rank == root)
        for (int r = 0; r < size; r++)
            good = good && holds(b + displs[r], r, counts[r]) && b[displs[r] - 1] == -5 && b[displs[r] + counts[r]] == -5;
    fill(a, -1, mine + 1);
    MPI_Scatterv(b, counts, displs, MPI_INT, a, mine, MPI_INT, root, MPI_COMM_WORLD);
    good = good && holds(a, rank, mine) && a[mine] == value(-1, mine);
    if (rank == root) {
        fill(b + displs[root], 77, mine);
        MPI_Gatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, counts, displs, MPI_INT, root, MPI_COMM_WORLD);
        for (int r = 0; r < size; r++)
            good = good && holds(b + displs[r], r == root ? 77 : r, counts[r]);
        MPI_Scatterv(b, counts, displs, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, root, MPI_COMM_WORLD);
    } else {
        MPI_Gatherv(a, mine, MPI_INT, NULL, NULL, NULL, MPI_DATATYPE_NULL, root, MPI_COMM_WORLD);
        MPI_Scatterv(NULL, NULL, NULL, MPI_DATATYPE_NULL, a, mine, MPI_INT, root, MPI_COMM_WORLD);
        good = good && holds(a, rank, mine);
    }
    return good;
}

int main(int argc, char **argv)
{
    static const struct { const char *name; int (*run)(int root, int n); } tests[] = {
        {"Bcast", broadcast}, {"Reduce", reduce}, {"Gather", gather}, {"Scatter", scatter}, {"Gatherv and Scatterv", uneven}};
    static const int counts[] = {0, 1, 37, 5000, LARGEST};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    a = calloc(3 * LARGEST + 1, sizeof *a);
    b = calloc((size_t)size * (3 * LARGEST + 2) + 5, sizeof *b);
    for (int t = 0; t < 5; t++)
        for (int c = 0; c < 5; c++) {
            int good = 1;
            for (int root = 0; root < size; root++)
                good = tests[t].run(root, counts[c]) && good;
            check(rank, good, "%s, count %d, %d roots", tests[t].name, counts[c], size);
        }
    free(a);
    free(b);
    MPI_Finalize();
    return 0;
}
