/* ranks: 1 2 3 4 8 */
/* Parallel sample sort: local qsort, samples gathered, splitters broadcast, buckets by Alltoallv, local qsort. */
#include <mpi.h>
#include <stdlib.h>
#include "check.h"

enum { PER_RANK = 5000 };

static int ascending(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

/* A generator of one's own, so that the numbers are the same everywhere. */
static unsigned next_number(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

int main(int argc, char **argv)
{
    int rank, size, sendcounts[8] = {0}, sdispls[8], recvcounts[8], rdispls[8];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    int n = PER_RANK + 100 * rank;
    unsigned *mine = malloc((size_t)n * sizeof *mine), state = 12345u + (unsigned)rank, sum = 0, sum_sorted = 0;
    for (int i = 0; i < n; i++) {
        mine[i] = next_number(&state);
        sum += mine[i];
    }
    qsort(mine, (size_t)n, sizeof *mine, ascending);

    /* Size samples of each rank; every size-th of all samples is a splitter. */
    unsigned samples[8], all[64], splitters[8] = {0};
    for (int i = 0; i < size; i++)
        samples[i] = mine[(2 * i + 1) * n / (2 * size)];
    MPI_Gather(samples, size, MPI_UNSIGNED, all, size, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        qsort(all, (size_t)(size * size), sizeof *all, ascending);
        for (int i = 1; i < size; i++)
            splitters[i - 1] = all[i * size];
    }
    MPI_Bcast(splitters, size - 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD);

    for (int i = 0, bucket = 0; i < n; i++) {
        while (bucket < size - 1 && mine[i] >= splitters[bucket])
            bucket++;
        sendcounts[bucket]++;
    }
    MPI_Alltoall(sendcounts, 1, MPI_INT, recvcounts, 1, MPI_INT, MPI_COMM_WORLD);
    int total = 0;
    for (int r = 0, out = 0; r < size; r++) {
        sdispls[r] = out;
        rdispls[r] = total;
        out += sendcounts[r];
        total += recvcounts[r];
    }
    unsigned *sorted = malloc(((size_t)total + 1) * sizeof *sorted);
    MPI_Alltoallv(mine, sendcounts, sdispls, MPI_UNSIGNED, sorted, recvcounts, rdispls, MPI_UNSIGNED, MPI_COMM_WORLD);
    qsort(sorted, (size_t)total, sizeof *sorted, ascending);

    int good = 1;
    for (int i = 0; i < total; i++) {
        good = good && (i == 0 || sorted[i - 1] <= sorted[i]);
        sum_sorted += sorted[i];
    }
    fact(rank, "%d numbers from %u to %u", total, sorted[0], sorted[total - 1]);

    /* My largest is not above the smallest of the next rank. */
    unsigned smallest_of_next = 0xffffffffu;
    MPI_Sendrecv(&sorted[0], 1, MPI_UNSIGNED, rank > 0 ? rank - 1 : MPI_PROC_NULL, 0, &smallest_of_next, 1, MPI_UNSIGNED,
                 rank < size - 1 ? rank + 1 : MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(rank, good && sorted[total - 1] <= smallest_of_next, "in order");

    unsigned sums[2] = {sum, sum_sorted}, totals[2];
    int numbers[2] = {n, total}, all_numbers[2];
    MPI_Allreduce(sums, totals, 2, MPI_UNSIGNED, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(numbers, all_numbers, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    check(rank, totals[0] == totals[1] && all_numbers[0] == all_numbers[1], "nothing lost of %d", all_numbers[0]);
    free(mine);
    free(sorted);
    MPI_Finalize();
    return 0;
}
