/* ranks: 1 2 4 */
/* getopt reads the options of each rank, although the ranks take them in turn: optind, optarg, opterr and its
   place within a word belong to the rank. */
#define _GNU_SOURCE
#include <mpi.h>
#include <getopt.h>
#include <stdlib.h>
#include "check.h"

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    char number[16], name[16], *words[] = {"prog", "-vx", "-n", number, "-q", "--name", name, "rest", NULL};
    snprintf(number, sizeof number, "%d", 100 + rank);
    snprintf(name, sizeof name, "rank%d", rank);
    /* Odd ranks have no -q: their words lie one place lower. */
    int count = 8;
    if (rank % 2) {
        for (int i = 4; i < 8; i++)
            words[i] = words[i + 1];
        count = 7;
    }
    static const struct option options[] = {{"name", required_argument, NULL, 'N'}, {NULL, 0, NULL, 0}};
    check(rank, optind == 1, "starts at the first word");
    opterr = 0;
    for (int step = 0; step < 8; step++) {
        int option = getopt_long(count, words, "vxn:q", options, NULL);
        if (option == -1)
            fact(rank, "step %d: end at word %d, %s", step, optind, words[optind]);
        else
            fact(rank, "step %d: option %c, %s", step, option, option == 'n' || option == 'N' ? optarg : "alone");
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
