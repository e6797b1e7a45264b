/* ranks: 1 2 4 6 */
/* Communicators of the ranks on a node, of the members of a group alone, duplicated while the rank goes on; what only
   two groups have. */
#include <mpi.h>
#include <string.h>
#include "check.h"

static int rank, size;

static int sum_over(MPI_Comm comm, int value)
{
    int sum;
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
    return sum;
}

/* On how many nodes the ranks are depends on the machine: the names of the nodes say who belongs together. */
static void by_node(void)
{
    static char names[16][MPI_MAX_PROCESSOR_NAME];
    char own[MPI_MAX_PROCESSOR_NAME] = "";
    int length, together = 0, sum = 0, all, me, before = 0;
    MPI_Comm node;
    MPI_Get_processor_name(own, &length);
    MPI_Allgather(own, sizeof own, MPI_CHAR, names, sizeof own, MPI_CHAR, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        if (strcmp(names[i], own) == 0) {
            together++;
            sum += i;
            before += i > rank; /* the key turns the order round */
        }
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -rank, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &all);
    MPI_Comm_rank(node, &me);
    check(rank, all == together && me == before, "size and rank on the node");
    check(rank, sum_over(node, rank) == sum, "the ranks on the node");
    MPI_Comm_free(&node);
    MPI_Comm_split_type(MPI_COMM_WORLD, rank % 2 ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    check(rank, (node == MPI_COMM_NULL) == (rank % 2), "who does not want to");
    if (node != MPI_COMM_NULL)
        MPI_Comm_free(&node);
}

/* Only the members take part; the others do something else meanwhile. */
static void of_a_group(void)
{
    MPI_Group all, even;
    int ranges[1][3] = {{0, (size - 1) / 2 * 2, 2}}, me, count;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_range_incl(all, 1, ranges, &even);
    if (rank % 2 == 0) {
        MPI_Comm first, second;
        MPI_Comm_create_group(MPI_COMM_WORLD, even, 3, &first);
        MPI_Comm_create_group(MPI_COMM_WORLD, even, 3, &second);
        MPI_Comm_rank(first, &me);
        MPI_Comm_size(first, &count);
        fact(rank, "even: rank %d of %d, sum %d", me, count, sum_over(first, rank));
        /* Messages of the one are not seen by the other. */
        int one = 1, two = 2, got[2] = {0, 0};
        MPI_Request requests[2];
        MPI_Isend(&one, 1, MPI_INT, (me + 1) % count, 0, first, &requests[0]);
        MPI_Isend(&two, 1, MPI_INT, (me + 1) % count, 0, second, &requests[1]);
        MPI_Recv(&got[1], 1, MPI_INT, MPI_ANY_SOURCE, 0, second, MPI_STATUS_IGNORE);
        MPI_Recv(&got[0], 1, MPI_INT, MPI_ANY_SOURCE, 0, first, MPI_STATUS_IGNORE);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        check(rank, got[0] == 1 && got[1] == 2, "two of the same group are two");
        MPI_Comm_free(&first);
        MPI_Comm_free(&second);
    }
    fact(rank, "all: %d", sum_over(MPI_COMM_WORLD, 1));
    /* Without a range: the odd ones, and the ones behind the first. */
    MPI_Group odd, behind;
    MPI_Group_range_excl(all, 1, ranges, &odd);
    MPI_Group_size(odd, &count);
    MPI_Group_rank(odd, &me);
    fact(rank, "odd: %d, mine %d", count, me == MPI_UNDEFINED ? -1 : me);
    ranges[0][0] = ranges[0][1] = 0;
    ranges[0][2] = 1;
    MPI_Group_range_excl(all, 1, ranges, &behind);
    MPI_Group_size(behind, &count);
    fact(rank, "behind the first: %d", count);
    MPI_Group_free(&all);
    MPI_Group_free(&even);
    if (odd != MPI_GROUP_EMPTY)
        MPI_Group_free(&odd);
    if (behind != MPI_GROUP_EMPTY)
        MPI_Group_free(&behind);
}

static void going_on(void)
{
    MPI_Comm copies[2];
    MPI_Request requests[2];
    int relation, flag = 0;
    MPI_Comm_idup(MPI_COMM_WORLD, &copies[0], &requests[0]);
    MPI_Comm_idup(MPI_COMM_WORLD, &copies[1], &requests[1]);
    int sum = sum_over(MPI_COMM_WORLD, rank);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    while (!flag)
        MPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE);
    check(rank, requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL, "requests are over");
    for (int i = 0; i < 2; i++) {
        MPI_Comm_compare(copies[i], MPI_COMM_WORLD, &relation);
        check(rank, relation == MPI_CONGRUENT && sum_over(copies[i], rank) == sum, "a duplicate");
    }
    MPI_Comm_compare(copies[0], copies[1], &relation);
    check(rank, relation == MPI_CONGRUENT, "two duplicates");
    MPI_Comm_free(&copies[0]);
    MPI_Comm_free(&copies[1]);
}

static void nobody_is_remote(void)
{
    int value = 0, class = MPI_ERR_COMM;
    MPI_Group group;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
#if MPI_VERSION >= 4 /* Open MPI 4.1 says 0 */
    MPI_Error_class(MPI_Comm_remote_size(MPI_COMM_WORLD, &value), &class);
#endif
    check(rank, class == MPI_ERR_COMM && value == 0, "no remote size");
    MPI_Error_class(MPI_Comm_remote_group(MPI_COMM_WORLD, &group), &class);
    check(rank, class == MPI_ERR_COMM, "no remote group");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    by_node();
    of_a_group();
    going_on();
    nobody_is_remote();
    MPI_Finalize();
    return 0;
}
