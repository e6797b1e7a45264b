/* ranks: 1 2 4 7 */
/* Communicators split by color and key, split again, duplicated, compared, named and freed; messages and
   collectives of one are not seen by another. */
#include <mpi.h>
#include <string.h>
#include "check.h"

static int sum_over(MPI_Comm comm, int value)
{
    int sum;
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
    return sum;
}

/* Color: odd or even; key: backwards, so that the order of ranks turns round. */
static void split_by_key(int rank)
{
    MPI_Comm half;
    int new_rank, new_size, relation;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm_rank(half, &new_rank);
    MPI_Comm_size(half, &new_size);
    fact(rank, "parity, backwards: rank %d of %d, sum of old ranks %d", new_rank, new_size, sum_over(half, rank));
    MPI_Comm_compare(half, MPI_COMM_WORLD, &relation);
    fact(rank, "parity, compared with all: %s",
         relation == MPI_CONGRUENT ? "congruent" : relation == MPI_SIMILAR ? "similar" : "unequal");

    /* Within the half: the rank before and the rank after exchange their old ranks. */
    int from_previous;
    MPI_Sendrecv(&rank, 1, MPI_INT, (new_rank + 1) % new_size, 0, &from_previous, 1, MPI_INT,
                 (new_rank + new_size - 1) % new_size, 0, half, MPI_STATUS_IGNORE);
    fact(rank, "parity, backwards: before me comes old rank %d", from_previous);
    MPI_Comm_free(&half);
    check(rank, half == MPI_COMM_NULL, "freed");
}

/* Equal keys keep the old order; a rank without color gets no communicator. */
static void split_with_undefined(int rank, int size)
{
    MPI_Comm some;
    int chosen = rank % 3 != 1, new_rank, new_size;
    MPI_Comm_split(MPI_COMM_WORLD, chosen ? 5 : MPI_UNDEFINED, 0, &some);
    if (chosen) {
        MPI_Comm_rank(some, &new_rank);
        MPI_Comm_size(some, &new_size);
        fact(rank, "chosen: rank %d of %d", new_rank, new_size);
        check(rank, sum_over(some, 1) == size - (size + 1) / 3, "chosen, counted");
        MPI_Comm_free(&some);
    } else {
        check(rank, some == MPI_COMM_NULL, "not chosen");
    }
}

/* A split of a split of a split, down to one rank. */
static void nested(int rank)
{
    MPI_Comm comm, smaller;
    int level = 0, size, me;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_size(comm, &size);
    while (size > 1) {
        MPI_Comm_rank(comm, &me);
        MPI_Comm_split(comm, me < (size + 1) / 2, me, &smaller);
        MPI_Comm_free(&comm);
        comm = smaller;
        MPI_Comm_size(comm, &size);
        fact(rank, "nested, level %d: %d ranks, their sum %d", ++level, size, sum_over(comm, rank));
    }
    MPI_Comm_free(&comm);
}

/* The same tag in two communicators: each receive takes the message of its own. */
static void isolated(int rank, int size)
{
    MPI_Comm copy;
    MPI_Request requests[2];
    int next = (rank + 1) % size, previous = (rank + size - 1) % size, relation, out[2] = {1, 2}, in[2] = {0, 0};
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_compare(copy, MPI_COMM_WORLD, &relation);
    check(rank, relation == MPI_CONGRUENT, "a duplicate is congruent");
    MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, &relation);
    check(rank, relation == MPI_IDENT, "a communicator is identical to itself");
    MPI_Isend(&out[0], 1, MPI_INT, next, 9, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&out[1], 1, MPI_INT, next, 9, copy, &requests[1]);
    MPI_Recv(&in[1], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, copy, MPI_STATUS_IGNORE);
    MPI_Recv(&in[0], 1, MPI_INT, previous, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    check(rank, in[0] == 1 && in[1] == 2, "a duplicate keeps its messages apart");
    /* A receive of anything, open during a collective, takes none of its messages. */
    int anything = -1, inter = -1;
    MPI_Irecv(&anything, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, copy, &requests[0]);
    int sum = sum_over(copy, rank);
    check(rank, sum == size * (size - 1) / 2 && anything == -1, "a collective keeps its messages apart");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&sum, 1, MPI_INT, next, 1, copy);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    check(rank, anything == sum, "the receive of anything");
    MPI_Comm_test_inter(copy, &inter);
    check(rank, inter == 0, "not between two groups");
    MPI_Comm_free(&copy);
}

static void names(int rank)
{
    MPI_Comm copy;
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
    fact(rank, "name %s, %d letters", name, length);
    MPI_Comm_get_name(MPI_COMM_SELF, name, &length);
    fact(rank, "name %s, %d letters", name, length);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_set_name(copy, "river");
    MPI_Comm_get_name(copy, name, &length);
    check(rank, strcmp(name, "river") == 0 && length == 5, "a name of one's own");
    MPI_Comm_free(&copy);
}

/* Many short lives: neither contexts nor memory run out. */
static void many(int rank, int size)
{
    int good = 1;
    for (int i = 0; i < 300; i++) {
        MPI_Comm comm;
        MPI_Comm_split(MPI_COMM_WORLD, 0, i % 2 ? rank : -rank, &comm);
        if (i % 50 == 0)
            good = good && sum_over(comm, 1) == size;
        MPI_Comm_free(&comm);
    }
    check(rank, good, "three hundred splits");
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    split_by_key(rank);
    split_with_undefined(rank, size);
    nested(rank);
    isolated(rank, size);
    names(rank);
    many(rank, size);
    MPI_Finalize();
    return 0;
}
