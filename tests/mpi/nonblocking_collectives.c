/* ranks: 1 2 3 4 5 */
/* Collectives that go on: each alone, all at once, with messages and blocking collectives between; in place, without
   elements, with derived datatypes, with operations that do not commute. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"

enum { MOST = 8, N = 3 };

static int rank, size;

/* Element i of what one rank has for another. */
static int value(int from, int to, int i)
{
    return from * 10007 + to * 101 + i;
}

/* How many elements a rank has in collectives with uneven blocks; one rank has none. */
static int length(int r)
{
    return (r * 2 + 3) % 4;
}

/* Like 2x2 matrices modulo 1009: not commutative. */
static void multiply(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const int *a = in;
    int *b = inout;
    (void)type;
    for (int i = 0; i < *count; i++, a += 4, b += 4) {
        int c[4] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
                    a[2] * b[1] + a[3] * b[3]};
        for (int j = 0; j < 4; j++)
            b[j] = c[j] % 1009;
    }
}

static void print(const char *what, const int *data, int count)
{
    char text[200] = "";
    for (int i = 0; i < count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), " %d", data[i]);
    fact(rank, "%s:%s", what, text);
}

/* Every collective, each with its own memory; all of them are under way at once. */
static void all_at_once(int in_place)
{
    MPI_Request requests[17];
    int n = 0;
    int root = size - 1;
    int bcast[N], reduced[N], allreduced[N], scanned[N], exscanned[N], blocked[N];
    int mine[N], gathered[MOST * N], scattered[N], allgathered[MOST * N], exchanged[MOST * N], shares[MOST * N];
    int out[MOST * N], counts[MOST], places[MOST], total = 0;
    int gatheredv[MOST * 4], scatteredv[4] = {-1, -1, -1, -1}, allgatheredv[MOST * 4], source[MOST * 4], ownv[4];
    int exchangedv[MOST * N], reverse[MOST], even[MOST], bytes[MOST], part[4];
    MPI_Datatype types[MOST];

    for (int r = 0; r < size; r++) {
        counts[r] = length(r);
        places[r] = total;
        total += length(r);
        reverse[r] = (size - 1 - r) * N;
        even[r] = N;
        bytes[r] = r * N * (int)sizeof(int);
        types[r] = MPI_INT;
    }
    for (int i = 0; i < N; i++) {
        bcast[i] = rank == root ? value(root, 0, i) : -1;
        mine[i] = value(rank, 0, i);
        scattered[i] = exscanned[i] = -1;
        reduced[i] = allreduced[i] = scanned[i] = exscanned[i] = mine[i];
    }
    for (int i = 0; i < 4; i++)
        ownv[i] = value(rank, 7, i);
    for (int i = 0; i < MOST * N; i++)
        gathered[i] = allgathered[i] = exchanged[i] = exchangedv[i] = -1;
    for (int i = 0; i < MOST * 4; i++)
        gatheredv[i] = allgatheredv[i] = source[i] = -1;
    for (int r = 0; r < size; r++) {
        for (int i = 0; i < N; i++) {
            out[r * N + i] = shares[r * N + i] = exchanged[r * N + i] = value(rank, r, i);
            exchangedv[(size - 1 - r) * N + i] = value(rank, r, i);
        }
        for (int i = 0; i < length(r); i++)
            source[places[r] + i] = value(root, r, i);
    }
    memcpy(gathered + rank * N, mine, sizeof mine);
    memcpy(allgathered + rank * N, mine, sizeof mine);
    memcpy(allgatheredv + places[rank], ownv, length(rank) * sizeof(int));
    memcpy(gatheredv + places[rank], ownv, length(rank) * sizeof(int));

    void *at_root = in_place && rank == root ? MPI_IN_PLACE : mine;
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[n++]);
    MPI_Ibcast(bcast, N, MPI_INT, root, MPI_COMM_WORLD, &requests[n++]);
    MPI_Ireduce(at_root, reduced, N, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD, &requests[n++]);
    MPI_Iallreduce(in_place ? MPI_IN_PLACE : mine, allreduced, N, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &requests[n++]);
    MPI_Iscan(in_place ? MPI_IN_PLACE : mine, scanned, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[n++]);
    MPI_Iexscan(in_place ? MPI_IN_PLACE : mine, exscanned, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[n++]);
    MPI_Igather(at_root, N, MPI_INT, gathered, N, MPI_INT, root, MPI_COMM_WORLD, &requests[n++]);
    MPI_Igatherv(in_place && rank == root ? MPI_IN_PLACE : ownv, length(rank), MPI_INT, gatheredv, counts, places,
                 MPI_INT, root, MPI_COMM_WORLD, &requests[n++]);
    MPI_Iscatter(out, N, MPI_INT, in_place && rank == root ? MPI_IN_PLACE : scattered, N, MPI_INT, root,
                 MPI_COMM_WORLD, &requests[n++]);
    MPI_Iscatterv(source, counts, places, MPI_INT, in_place && rank == root ? MPI_IN_PLACE : scatteredv,
                  length(rank), MPI_INT, root, MPI_COMM_WORLD, &requests[n++]);
    MPI_Iallgather(in_place ? MPI_IN_PLACE : mine, N, MPI_INT, allgathered, N, MPI_INT, MPI_COMM_WORLD,
                   &requests[n++]);
    MPI_Iallgatherv(in_place ? MPI_IN_PLACE : ownv, length(rank), MPI_INT, allgatheredv, counts, places, MPI_INT,
                    MPI_COMM_WORLD, &requests[n++]);
    MPI_Ialltoall(in_place ? MPI_IN_PLACE : out, N, MPI_INT, exchanged, N, MPI_INT, MPI_COMM_WORLD, &requests[n++]);
    MPI_Ireduce_scatter_block(in_place ? MPI_IN_PLACE : out, in_place ? shares : blocked, N, MPI_INT, MPI_SUM,
                              MPI_COMM_WORLD, &requests[n++]);
    MPI_Ireduce_scatter(source, part, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[n++]);
    int wide[MOST * N];
    for (int i = 0; i < MOST * N; i++)
        wide[i] = -1;
    MPI_Ialltoallv(out, even, reverse, MPI_INT, wide, even, reverse, MPI_INT, MPI_COMM_WORLD, &requests[n++]);
    MPI_Ialltoallw(out, even, bytes, types, exchangedv, even, bytes, types, MPI_COMM_WORLD, &requests[n++]);

    /* A message of the program with every tag passes by. */
    int token = -1, next = (rank + 1) % size, before = (rank + size - 1) % size, number = rank;
    MPI_Sendrecv(&number, 1, MPI_INT, next, 5, &token, 1, MPI_INT, before, MPI_ANY_TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    fact(rank, "token %d", token);
    /* A collective that waits comes behind those that go on. */
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    fact(rank, "sum %d", sum);

    MPI_Status statuses[17];
    int code = MPI_Waitall(n, requests, statuses);
    fact(rank, "%d requests, code %d", n, code);
    for (int i = 0; i < n; i++)
        if (requests[i] != MPI_REQUEST_NULL)
            fact(rank, "request %d is not null", i);
    print("bcast", bcast, N);
    if (rank == root) {
        print("reduce", reduced, N);
        print("gather", gathered, size * N);
        print("gatherv", gatheredv, total);
    }
    print("allreduce", allreduced, N);
    print("scan", scanned, N);
    if (rank > 0)
        print("exscan", exscanned, N);
    if (!in_place || rank != root) {
        print("scatter", scattered, N);
        print("scatterv", scatteredv, 4);
    }
    print("allgather", allgathered, size * N);
    print("allgatherv", allgatheredv, total);
    print("alltoall", exchanged, size * N);
    print("reduce_scatter_block", in_place ? shares : blocked, N);
    print("reduce_scatter", part, length(rank));
    print("alltoallv", wide, size * N);
    print("alltoallw", exchangedv, size * N);
}

/* Several at once of one kind complete in any order. */
static void many(void)
{
    enum { MANY = 20 };
    MPI_Request requests[MANY];
    int given[MANY], got[MANY], done = 0, good = 1;
    for (int i = 0; i < MANY; i++) {
        given[i] = rank * MANY + i;
        MPI_Iallreduce(&given[i], &got[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[i]);
    }
    while (done < MANY) {
        int index;
        MPI_Waitany(MANY, requests, &index, MPI_STATUS_IGNORE);
        good = good && got[index] == MANY * size * (size - 1) / 2 + size * index;
        done++;
    }
    check(rank, good, "many");
}

/* A program that only tests gets on. */
static void testing(void)
{
    MPI_Request request;
    MPI_Status status;
    int flag = 0, data = rank == 0 ? 42 : 0, tests = 0;
    MPI_Ibcast(&data, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    while (!flag && tests++ < 10000000)
        MPI_Test(&request, &flag, &status);
    check(rank, flag && data == 42 && request == MPI_REQUEST_NULL, "testing");
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    int count = -1, cancelled = 1;
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_Test_cancelled(&status, &cancelled);
    fact(rank, "status: count %d, cancelled %d", count, cancelled);
}

/* An operation that does not commute keeps the order of ranks; it and the datatype go before the end. */
static void in_order(void)
{
    MPI_Datatype matrix;
    MPI_Op op;
    MPI_Request requests[3];
    int own[8], product[8], prefix[8], result[8];
    MPI_Type_contiguous(4, MPI_INT, &matrix);
    MPI_Type_commit(&matrix);
    MPI_Op_create(multiply, 0, &op);
    for (int i = 0; i < 8; i++)
        own[i] = (rank * 8 + i * 3 + 1) % 13;
    MPI_Iallreduce(own, product, 2, matrix, op, MPI_COMM_WORLD, &requests[0]);
    MPI_Iscan(own, prefix, 2, matrix, op, MPI_COMM_WORLD, &requests[1]);
    MPI_Ireduce(own, result, 2, matrix, op, size / 2, MPI_COMM_WORLD, &requests[2]);
    MPI_Op_free(&op);
    MPI_Type_free(&matrix);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    print("product", product, 8);
    print("prefix", prefix, 8);
    if (rank == size / 2)
        print("result", result, 8);
}

/* Columns of a matrix go through a derived datatype, and come as they are. */
static void columns(void)
{
    enum { ROWS = 4 };
    MPI_Datatype column, resized;
    MPI_Request requests[2];
    int grid[ROWS * MOST], flat[ROWS * MOST], everyone[ROWS * MOST];
    MPI_Type_vector(ROWS, 1, size, MPI_INT, &column);
    MPI_Type_create_resized(column, 0, sizeof(int), &resized);
    MPI_Type_commit(&resized);
    for (int i = 0; i < ROWS * size; i++) {
        grid[i] = rank * 1000 + i;
        everyone[i] = -1;
    }
    MPI_Ialltoall(grid, 1, resized, flat, ROWS, MPI_INT, MPI_COMM_WORLD, &requests[0]);
    MPI_Iallgather(grid, ROWS, MPI_INT, everyone, 1, resized, MPI_COMM_WORLD, &requests[1]);
    MPI_Type_free(&resized);
    MPI_Type_free(&column);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    print("columns", flat, ROWS * size);
    print("everyone", everyone, ROWS * size);
}

/* No elements at all, and a communicator of one. */
static void nothing(void)
{
    MPI_Request requests[6];
    int counts[MOST] = {0}, own = rank, got = -1;
    MPI_Ibcast(NULL, 0, MPI_INT, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Iallreduce(NULL, NULL, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
    MPI_Ialltoallv(NULL, counts, counts, MPI_INT, NULL, counts, counts, MPI_INT, MPI_COMM_WORLD, &requests[2]);
    MPI_Igather(NULL, 0, MPI_INT, NULL, 0, MPI_INT, 0, MPI_COMM_WORLD, &requests[3]);
    MPI_Iallreduce(&own, &got, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF, &requests[4]);
    MPI_Ibarrier(MPI_COMM_SELF, &requests[5]);
    MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
    fact(rank, "alone %d", got);
}

/* Several communicators at once, their collectives started in different orders. */
static void two_communicators(void)
{
    MPI_Comm other;
    MPI_Request requests[2];
    int a = rank, b = 100 * rank, sum_a = -1, sum_b = -1;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    if (rank % 2) {
        MPI_Iallreduce(&a, &sum_a, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
        MPI_Iallreduce(&b, &sum_b, 1, MPI_INT, MPI_SUM, other, &requests[1]);
    } else {
        MPI_Iallreduce(&b, &sum_b, 1, MPI_INT, MPI_SUM, other, &requests[1]);
        MPI_Iallreduce(&a, &sum_a, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Comm_free(&other);
    fact(rank, "two %d %d", sum_a, sum_b);
}

/* Among the neighbors of a ring. */
static void ring(void)
{
    MPI_Comm comm;
    MPI_Request requests[5];
    int open = 0, own = rank + 1, counts[2] = {1, 1}, places[2] = {1, 0}, out[2] = {rank * 2, rank * 2 + 1};
    int a[2] = {-1, -1}, b[2] = {-1, -1}, c[2] = {-1, -1}, d[2] = {-1, -1}, e[2] = {-1, -1};
    MPI_Aint bytes[2] = {sizeof(int), 0};
    MPI_Datatype types[2] = {MPI_INT, MPI_INT};
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &open, 0, &comm);
    MPI_Ineighbor_allgather(&own, 1, MPI_INT, a, 1, MPI_INT, comm, &requests[0]);
    MPI_Ineighbor_allgatherv(&own, 1, MPI_INT, b, counts, places, MPI_INT, comm, &requests[1]);
    MPI_Ineighbor_alltoall(out, 1, MPI_INT, c, 1, MPI_INT, comm, &requests[2]);
    MPI_Ineighbor_alltoallv(out, counts, places, MPI_INT, d, counts, places, MPI_INT, comm, &requests[3]);
    MPI_Ineighbor_alltoallw(out, counts, bytes, types, e, counts, bytes, types, comm, &requests[4]);
    MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
    print("neighbors a", a, 2);
    print("neighbors b", b, 2);
    print("neighbors c", c, 2);
    print("neighbors d", d, 2);
    print("neighbors e", e, 2);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    all_at_once(0);
    all_at_once(1);
    many();
    testing();
    in_order();
    columns();
    nothing();
    two_communicators();
    ring();
    MPI_Finalize();
    return 0;
}
