/* ranks: 1 2 3 5 8 */
/* Operations of the program's own that call functions of MPI, as far as these communicate with nobody: whether the
   collective waits or goes on, whoever has just sent the data, and whatever the rank waits for meanwhile. */
#include <mpi.h>
#include <stddef.h>
#include <string.h>
#include "check.h"

enum { N = 3 };

static int calls, world_size, wrong;

struct item {
    int value, padding, count;
};

/* Adds items, whose distance only their datatype knows. */
static void add(void *in, void *inout, int *len, MPI_Datatype *type)
{
    MPI_Aint lower, extent;
    int size, elements, rank, flag = 0;
    MPI_Type_get_extent(*type, &lower, &extent);
    MPI_Type_size(*type, &size);
    MPI_Comm_size(MPI_COMM_WORLD, &elements);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Initialized(&flag);
    wrong += extent != sizeof(struct item) || size != 2 * sizeof(int) || elements != world_size || !flag;
    wrong += MPI_Wtime() < 0;
    for (int i = 0; i < *len; i++) {
        struct item *a = (struct item *)((char *)in + i * extent), *b = (struct item *)((char *)inout + i * extent);
        b->value += a->value;
        b->count += a->count;
    }
    calls++;
}

/* Joins names: the order counts. A datatype is made on the way, as libraries do. */
static void join(void *in, void *inout, int *len, MPI_Datatype *type)
{
    MPI_Datatype pair;
    MPI_Aint lower, extent;
    MPI_Type_contiguous(2, *type, &pair);
    MPI_Type_get_extent(pair, &lower, &extent);
    MPI_Type_free(&pair);
    for (int i = 0; i < *len; i++) {
        char joined[64] = "", *a = (char *)in + i * extent / 2, *b = (char *)inout + i * extent / 2;
        strcat(strcpy(joined, a), b);
        memcpy(b, joined, 32);
    }
}

static int right(const struct item *items, int ranks)
{
    for (int i = 0; i < N; i++)
        if (items[i].value != ranks * (ranks - 1) / 2 + i * ranks || items[i].count != ranks)
            return 0;
    return 1;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    world_size = size;

    MPI_Datatype type;
    int lengths[2] = {1, 1};
    MPI_Aint places[2] = {0, offsetof(struct item, count)};
    MPI_Type_create_struct(2, lengths, places, (MPI_Datatype[]){MPI_INT, MPI_INT}, &type);
    MPI_Type_commit(&type);
    MPI_Op sum;
    MPI_Op_create(add, 1, &sum);
    struct item mine[N], all[N], later[N];
    for (int i = 0; i < N; i++)
        mine[i] = (struct item){rank + i, -1, 1};

    MPI_Allreduce(mine, all, N, type, sum, MPI_COMM_WORLD);
    check(rank, right(all, size), "Allreduce");
    MPI_Reduce(mine, all, N, type, sum, size - 1, MPI_COMM_WORLD);
    check(rank, rank != size - 1 || right(all, size), "Reduce");
    MPI_Scan(mine, all, N, type, sum, MPI_COMM_WORLD);
    check(rank, right(all, rank + 1), "Scan");

    /* Two at once, and other messages while they go on. */
    MPI_Request requests[2];
    int from, token = rank;
    MPI_Iallreduce(mine, all, N, type, sum, MPI_COMM_WORLD, &requests[0]);
    MPI_Iscan(mine, later, N, type, sum, MPI_COMM_WORLD, &requests[1]);
    MPI_Sendrecv(&token, 1, MPI_INT, (rank + 1) % size, 0, &from, 1, MPI_INT, (rank + size - 1) % size, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    check(rank, right(all, size) && right(later, rank + 1) && from == (rank + size - 1) % size, "Iallreduce and Iscan");

    /* Any of two, of which the other never comes. */
    int which;
    MPI_Iallreduce(mine, all, N, type, sum, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitany(2, requests, &which, MPI_STATUS_IGNORE);
    check(rank, which == 0 && right(all, size), "Iallreduce and Waitany");
    MPI_Cancel(&requests[1]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);

    struct item copy[N];
    memcpy(copy, mine, sizeof copy);
    MPI_Reduce_local(mine, copy, N, type, sum);
    check(rank, copy[0].value == 2 * rank && copy[0].count == 2, "Reduce_local");
    check(rank, wrong == 0 && (size == 1 || calls > 0), "what the operation was told");

    MPI_Datatype name;
    MPI_Op chain;
    char own[32], names[32];
    memset(own, 0, sizeof own);
    own[0] = (char)('a' + rank);
    MPI_Type_contiguous(32, MPI_CHAR, &name);
    MPI_Type_commit(&name);
    MPI_Op_create(join, 0, &chain);
    MPI_Allreduce(own, names, 1, name, chain, MPI_COMM_WORLD);
    fact(rank, "names %s", names);
    MPI_Iscan(own, names, 1, name, chain, MPI_COMM_WORLD, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    fact(rank, "names so far %s", names);

    MPI_Op_free(&sum);
    MPI_Op_free(&chain);
    MPI_Type_free(&type);
    MPI_Type_free(&name);
    MPI_Finalize();
    return 0;
}
