/* ranks: 1 2 3 4 */
/* Types with gaps in all collectives: different types on both sides, MPI_IN_PLACE, displacements in extents, operations of
   the program on structures. */
#include <mpi.h>
#include <stddef.h>
#include <string.h>
#include "check.h"

enum { MOST = 4 };

static int rank, size;
static MPI_Datatype even, column; /* every second int of six; a column of a matrix of 4 x MOST, as wide as an int */

static void fill(int *data, int count, int from)
{
    for (int i = 0; i < count; i++)
        data[i] = from + i;
}

static void rooted(void)
{
    int data[12], all[12 * MOST], right = 1;
    int root = size - 1;
    fill(data, 12, 100 * rank);
    MPI_Bcast(data, 2, even, root, MPI_COMM_WORLD);
    for (int i = 0; i < 12; i++)
        right = right && data[i] == (i % 2 == 0 ? 100 * root : 100 * rank) + i;
    check(rank, right, "broadcast of the even ones");

    /* Each rank's four ints become a column at the root. */
    memset(all, 0x55, sizeof all);
    fill(data, 4, 100 * rank);
    MPI_Gather(data, 4, MPI_INT, all, 1, column, root, MPI_COMM_WORLD);
    if (rank == root)
        for (int r = 0; r < size; r++)
            for (int i = 0; i < 4; i++)
                right = right && all[MOST * i + r] == 100 * r + i;
    check(rank, right, "gathered as columns");
    if (rank == root)
        for (int i = 0; i < 4; i++)
            all[MOST * i + root] = -i;
    MPI_Gather(rank == root ? MPI_IN_PLACE : (void *)data, 4, MPI_INT, all, 1, column, root, MPI_COMM_WORLD);
    check(rank, rank != root || (all[MOST * 3 + root] == -3 && all[MOST * 2] == (root ? 2 : -2)), "gathered in place");

    /* Columns are dealt out, into every second place. */
    memset(data, 0x55, sizeof data);
    fill(all, 4 * MOST, 0);
    MPI_Scatter(all, 1, column, data, 4, MPI_INT, root, MPI_COMM_WORLD);
    for (int i = 0; i < 4; i++)
        right = right && data[i] == MOST * i + rank;
    check(rank, right, "scattered columns");
    MPI_Scatter(all, 1, column, rank == root ? MPI_IN_PLACE : (void *)(data + 4), 4, MPI_INT, root, MPI_COMM_WORLD);
    check(rank, rank == root || data[5] == MOST + rank, "scattered in place");
}

/* Blocks of their own lengths; displacements count extents of the type. */
static void uneven(void)
{
    int counts[MOST], places[MOST], out[6 * MOST], in[6 * MOST * (MOST + 1)], right = 1, root = 0, at = 0;
    for (int r = 0; r < size; r++) {
        counts[r] = r + 1;
        places[size - 1 - r] = at;
        at += size - r + (r % 2);
    }
    fill(out, 6 * MOST, 1000 * rank);
    memset(in, 0x55, sizeof in);
    MPI_Gatherv(out, 3 * (rank + 1), MPI_INT, in, counts, places, even, root, MPI_COMM_WORLD);
    if (rank == root)
        for (int r = 0; r < size; r++)
            for (int i = 0; i < 3 * (r + 1); i++)
                right = right && in[6 * places[r] + 2 * i] == 1000 * r + i && in[6 * places[r] + 2 * i + 1] == 0x55555555;
    check(rank, right, "gatherv");
    memset(out, 0x55, sizeof out);
    MPI_Scatterv(in, counts, places, even, out, rank + 1, even, root, MPI_COMM_WORLD);
    for (int i = 0; i < 3 * (rank + 1); i++)
        right = right && out[2 * i] == 1000 * rank + i && out[2 * i + 1] == 0x55555555;
    check(rank, right, "scatterv");
    memset(in, 0x55, sizeof in);
    MPI_Allgatherv(out, rank + 1, even, in, counts, places, even, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)
        for (int i = 0; i < 3 * (r + 1); i++)
            right = right && in[6 * places[r] + 2 * i] == 1000 * r + i;
    check(rank, right, "allgatherv");
    for (int i = 0; i < 3 * (rank + 1); i++)
        in[6 * places[rank] + 2 * i] = -i;
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, counts, places, even, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)
        for (int i = 0; i < 3 * (r + 1); i++)
            right = right && in[6 * places[r] + 2 * i] == -i;
    check(rank, right, "allgatherv in place");
}

static void all_to_all(void)
{
    int matrix[4 * MOST], in[6 * MOST * MOST], right = 1, counts[MOST], places[MOST], into_counts[MOST], into_places[MOST];
    fill(matrix, 4 * MOST, 100 * rank);
    memset(in, 0x55, sizeof in);
    MPI_Alltoall(matrix, 1, column, in, 4, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)
        for (int i = 0; i < 4; i++)
            right = right && in[4 * r + i] == 100 * r + MOST * i + rank;
    check(rank, right, "alltoall of columns");
    memset(in, 0x55, sizeof in);
    MPI_Allgather(matrix, 4, MPI_INT, in, 1, column, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)
        for (int i = 0; i < 4; i++)
            right = right && in[MOST * i + r] == 100 * r + i;
    check(rank, right, "allgather of columns");
    for (int i = 0; i < 4; i++)
        in[MOST * i + rank] = 7 * rank + i;
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 1, column, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)
        right = right && in[MOST * 3 + r] == 7 * r + 3;
    check(rank, right, "allgather of columns in place");
    for (int r = 0; r < size; r++) {
        counts[r] = 1;
        places[r] = size - 1 - r;
        into_counts[r] = 4;
        into_places[r] = 6 * r;
    }
    memset(in, 0x55, sizeof in);
    MPI_Alltoallv(matrix, counts, places, column, in, into_counts, into_places, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)
        for (int i = 0; i < 4; i++)
            right = right && in[6 * r + i] == 100 * r + MOST * i + size - 1 - rank;
    check(rank, right, "alltoallv with displacements in extents");
    fill(in, 4 * MOST, 50 * rank);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 1, column, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)
        for (int i = 0; i < 4; i++)
            right = right && in[MOST * i + r] == 50 * r + MOST * i + rank;
    check(rank, right, "alltoall of columns in place");
}

/* A matrix of 2 x 2 with padding and a number that stays at home: products do not commute. */
struct factor { char home; long entries[4]; short mark; };

static int calls_with_type;
static MPI_Datatype factor_type;

static void product(void *from, void *into, int *count, MPI_Datatype *type)
{
    struct factor *left = from, *right = into;
    calls_with_type += *type == factor_type;
    for (int i = 0; i < *count; i++) {
        const long *a = left[i].entries, *b = right[i].entries;
        const long c[4] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
                           a[2] * b[1] + a[3] * b[3]};
        memcpy(right[i].entries, c, sizeof c);
        right[i].mark = (short)(right[i].mark + left[i].mark);
    }
}

static void multiply(long *into, const long *by)
{
    const long c[4] = {into[0] * by[0] + into[1] * by[2], into[0] * by[1] + into[1] * by[3],
                       into[2] * by[0] + into[3] * by[2], into[2] * by[1] + into[3] * by[3]};
    memcpy(into, c, sizeof c);
}

static void factor_of(int r, int i, struct factor *to)
{
    const long entries[4] = {r + 1, 1, i, 2};
    memcpy(to->entries, entries, sizeof entries);
    to->mark = (short)(r + i);
    to->home = (char)('A' + i);
}

/* The product of the factors of ranks 0 to `last`. */
static int is_product(const struct factor *found, int i, int last, char home)
{
    struct factor expected, next;
    factor_of(0, i, &expected);
    for (int r = 1; r <= last; r++) {
        factor_of(r, i, &next);
        multiply(expected.entries, next.entries);
        expected.mark = (short)(expected.mark + next.mark);
    }
    return !memcmp(expected.entries, found->entries, sizeof expected.entries) && expected.mark == found->mark && found->home == home;
}

static void reductions(void)
{
    struct factor own[2 * MOST], result[2 * MOST];
    MPI_Op op;
    int right = 1, counts[MOST], n = 2 * size;
    MPI_Type_create_struct(2, (const int[]){4, 1}, (const MPI_Aint[]){offsetof(struct factor, entries), offsetof(struct factor, mark)},
                           (const MPI_Datatype[]){MPI_LONG, MPI_SHORT}, &factor_type);
    MPI_Datatype narrow = factor_type;
    MPI_Type_create_resized(narrow, 0, sizeof(struct factor), &factor_type);
    MPI_Type_free(&narrow);
    MPI_Type_commit(&factor_type);
    MPI_Op_create(product, 0, &op);
    for (int i = 0; i < n; i++)
        factor_of(rank, i, &own[i]);
    memset(result, '-', sizeof result);
    MPI_Reduce(own, result, n, factor_type, op, size - 1, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++)
        right = right && (rank == size - 1 ? is_product(&result[i], i, size - 1, '-') : result[i].home == '-');
    check(rank, right, "reduce of structures");
    memset(result, '-', sizeof result);
    MPI_Allreduce(own, result, n, factor_type, op, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++)
        right = right && is_product(&result[i], i, size - 1, '-');
    check(rank, right, "allreduce of structures");
    memcpy(result, own, sizeof own);
    MPI_Allreduce(MPI_IN_PLACE, result, n, factor_type, op, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++)
        right = right && is_product(&result[i], i, size - 1, (char)('A' + i));
    check(rank, right, "allreduce of structures in place");
    memset(result, '-', sizeof result);
    MPI_Scan(own, result, n, factor_type, op, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++)
        right = right && is_product(&result[i], i, rank, '-');
    check(rank, right, "scan of structures");
    memset(result, '-', sizeof result);
    MPI_Exscan(own, result, n, factor_type, op, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++)
        right = right && (rank == 0 || is_product(&result[i], i, rank - 1, '-'));
    check(rank, right, "exscan of structures");
    for (int r = 0; r < size; r++)
        counts[r] = 2;
    memset(result, '-', sizeof result);
    MPI_Reduce_scatter(own, result, counts, factor_type, op, MPI_COMM_WORLD);
    check(rank, is_product(&result[1], 2 * rank + 1, size - 1, '-') && result[2].home == '-', "reduce_scatter of structures");
    memset(result, '-', sizeof result);
    MPI_Reduce_scatter_block(own, result, 2, factor_type, op, MPI_COMM_WORLD);
    check(rank, is_product(&result[0], 2 * rank, size - 1, '-') && result[2].home == '-', "reduce_scatter_block of structures");
    struct factor left, last;
    factor_of(0, 1, &left);
    factor_of(1, 1, &last);
    MPI_Reduce_local(&left, &last, 1, factor_type, op);
    check(rank, is_product(&last, 1, 1, 'B'), "reduce_local of structures");
    check(rank, calls_with_type > 0, "the operation is told the type");
    MPI_Op_free(&op);
    MPI_Type_free(&factor_type);
}

/* Pairs with padding: the padding is nobody's. */
static void locations(void)
{
    struct { double value; int index; } out[2] = {{(rank + 1) % size, rank}, {-rank, rank}}, in[2];
    memset(in, 0x55, sizeof in);
    MPI_Allreduce(out, in, 2, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    check(rank, in[0].value == size - 1 && in[0].index == (size > 1 ? size - 2 : 0) && in[1].index == 0, "largest of pairs");
}

int main(int argc, char **argv)
{
    MPI_Datatype wide;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_vector(3, 1, 2, MPI_INT, &wide);
    MPI_Type_create_resized(wide, 0, 6 * sizeof(int), &even);
    MPI_Type_commit(&even);
    MPI_Type_free(&wide);
    MPI_Type_vector(4, 1, MOST, MPI_INT, &wide);
    MPI_Type_create_resized(wide, 0, sizeof(int), &column);
    MPI_Type_commit(&column);
    MPI_Type_free(&wide);
    rooted();
    uneven();
    all_to_all();
    reductions();
    locations();
    MPI_Type_free(&even);
    MPI_Type_free(&column);
    MPI_Finalize();
    return 0;
}
