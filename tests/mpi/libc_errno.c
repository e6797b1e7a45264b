/* ranks: 1 2 4 */
/* errno tells of the caller's own failure. Between a failure and the look at errno there is no MPI call: MPI may
   change it. Each rank fails in another way, in turns. */
#include <mpi.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"

int main(int argc, char **argv)
{
    int rank, size, good = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < 12; round++) {
        int way = (rank + round) % 4, seen, want;
        errno = 0;
        if (way == 0) {
            FILE *file = fopen("/no/such/file", "r");
            seen = errno, want = ENOENT;
            good = good && file == NULL;
        } else if (way == 1) {
            long number = strtol("99999999999999999999999", NULL, 10);
            seen = errno, want = ERANGE;
            good = good && number == LONG_MAX;
        } else if (way == 2) {
            volatile double minus_one = -1;
            volatile double root = sqrt(minus_one);
            seen = errno, want = EDOM;
            good = good && isnan(root);
        } else {
            seen = errno, want = 0;
        }
        good = good && seen == want;
        if (round < 4)
            fact(rank, "round %d: %s", round, strerror(seen));
        MPI_Barrier(MPI_COMM_WORLD);
    }
    check(rank, good, "errno of twelve rounds");
    MPI_Finalize();
    return 0;
}
