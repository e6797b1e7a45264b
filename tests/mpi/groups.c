/* ranks: 1 2 3 5 */
/* Groups: made by choice, by ranges and by set operations; compared, translated, made into communicators. */
#include <mpi.h>
#include "check.h"

static const char *relation(MPI_Group a, MPI_Group b)
{
    int result;
    MPI_Group_compare(a, b, &result);
    return result == MPI_IDENT ? "identical" : result == MPI_SIMILAR ? "similar" : result == MPI_UNEQUAL ? "unequal" : "?";
}

/* Prints size, own rank, and which ranks of all the group consists of. */
static void describe(int rank, const char *name, MPI_Group group, MPI_Group all)
{
    int size, mine, here[8] = {0, 1, 2, 3, 4, 5, 6, 7}, there[8];
    char list[64] = "";
    MPI_Group_size(group, &size);
    MPI_Group_rank(group, &mine);
    MPI_Group_translate_ranks(group, size, here, all, there);
    for (int i = 0, at = 0; i < size; i++)
        at += snprintf(list + at, sizeof list - (size_t)at, " %d", there[i]);
    if (mine == MPI_UNDEFINED)
        fact(rank, "%s: %d ranks:%s; not among them", name, size, list);
    else
        fact(rank, "%s: %d ranks:%s; number %d", name, size, list, mine);
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    MPI_Group all, even, backwards, without_first, both, either, difference, range, empty;
    int chosen[8], n = 0, first[] = {0};
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    for (int i = 0; i < size; i += 2)
        chosen[n++] = i;
    MPI_Group_incl(all, n, chosen, &even);
    describe(rank, "even", even, all);
    for (int i = 0; i < size; i++)
        chosen[i] = size - 1 - i;
    MPI_Group_incl(all, size, chosen, &backwards);
    describe(rank, "backwards", backwards, all);
    MPI_Group_excl(all, 1, first, &without_first);
    describe(rank, "without the first", without_first, all);
    int ranges[2][3] = {{size - 1, size / 2, -1}, {0, size / 2 - 1, 2}};
    MPI_Group_range_incl(all, size > 1 ? 2 : 1, ranges, &range);
    describe(rank, "by ranges", range, all);
    MPI_Group_intersection(even, without_first, &both);
    describe(rank, "intersection", both, all);
    MPI_Group_union(without_first, even, &either);
    describe(rank, "union", either, all);
    MPI_Group_difference(backwards, even, &difference);
    describe(rank, "difference", difference, all);
    MPI_Group_difference(even, all, &empty);
    describe(rank, "empty", empty, all);

    fact(rank, "all and backwards are %s", relation(all, backwards));
    fact(rank, "all and all are %s", relation(all, all));
    fact(rank, "all and even are %s", relation(all, even));
    fact(rank, "nothing and nothing are %s", relation(empty, MPI_GROUP_EMPTY));

    /* A rank of one group that is not in the other has no number there. */
    int nobody = MPI_PROC_NULL, answer;
    MPI_Group_translate_ranks(all, 1, first, without_first, &answer);
    check(rank, answer == MPI_UNDEFINED, "the first is not among the others");
    MPI_Group_translate_ranks(all, 1, &nobody, backwards, &answer);
    check(rank, answer == MPI_PROC_NULL, "nobody stays nobody");

    /* A communicator of the group: ranks as in the group, none for the others. */
    MPI_Comm comm;
    MPI_Comm_create(MPI_COMM_WORLD, even, &comm);
    if (comm == MPI_COMM_NULL) {
        check(rank, rank % 2 == 1, "no communicator of the even ranks for me");
    } else {
        int sum, mine;
        MPI_Comm_rank(comm, &mine);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
        fact(rank, "communicator of the even ranks: number %d, sum %d", mine, sum);
        MPI_Comm_free(&comm);
    }
    MPI_Comm_create(MPI_COMM_WORLD, backwards, &comm);
    int mine, value = rank;
    MPI_Comm_rank(comm, &mine);
    MPI_Bcast(&value, 1, MPI_INT, 0, comm);
    fact(rank, "communicator backwards: number %d, the first is rank %d", mine, value);
    MPI_Comm_free(&comm);

    MPI_Group *groups[] = {&all, &even, &backwards, &without_first, &both, &either, &difference, &range};
    int freed = 1;
    for (int i = 0; i < 8; i++) {
        if (*groups[i] != MPI_GROUP_EMPTY)
            MPI_Group_free(groups[i]);
        else
            *groups[i] = MPI_GROUP_NULL;
        freed = freed && *groups[i] == MPI_GROUP_NULL;
    }
    check(rank, freed, "freed");
    MPI_Finalize();
    return 0;
}
