/* ranks: 2 3 4 */
/* Messages out of and into global arrays, small and large, while their owner waits, and of requests that are
   globals themselves. A library that swaps globals must reach those of a rank that is not running. */
#include <mpi.h>
#include "check.h"

enum { SMALL = 16, LARGE = 1 << 18 };

static int small_out[SMALL], small_in[SMALL], large_out[LARGE], large_in[LARGE], gathered[8 * SMALL];
static MPI_Request requests[4];
static MPI_Status statuses[4];
static int rank, size, flag, word_in;

static void fill(int *data, int n, int of)
{
    for (int i = 0; i < n; i++)
        data[i] = of * 1000000 + i;
}

static int holds(const int *data, int n, int of)
{
    for (int i = 0; i < n; i++)
        if (data[i] != of * 1000000 + i)
            return 0;
    return 1;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size, on_stack[SMALL];

    fill(small_out, SMALL, rank);
    fill(large_out, LARGE, rank);
    MPI_Irecv(large_in, LARGE, MPI_INT, previous, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(small_in, SMALL, MPI_INT, previous, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(large_out, LARGE, MPI_INT, next, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(small_out, SMALL, MPI_INT, next, 2, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, statuses);
    check(rank, holds(small_in, SMALL, previous) && holds(large_in, LARGE, previous), "received by Waitall");
    check(rank, statuses[0].MPI_SOURCE == previous && statuses[0].MPI_TAG == 1 && requests[0] == MPI_REQUEST_NULL,
          "global statuses");

    /* The message comes during calls that have nothing to do with it. */
    fill(small_in, SMALL, -1);
    MPI_Irecv(small_in, SMALL, MPI_INT, previous, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(small_out, SMALL, MPI_INT, next, 3, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    do
        MPI_Test(&requests[0], &flag, &statuses[0]);
    while (!flag);
    check(rank, holds(small_in, SMALL, previous), "received during a barrier");

    /* From a global to a stack, and from a stack to a global. */
    MPI_Sendrecv(small_out, SMALL, MPI_INT, next, 4, on_stack, SMALL, MPI_INT, previous, 4, MPI_COMM_WORLD, &statuses[1]);
    check(rank, holds(on_stack, SMALL, previous), "global to stack");
    MPI_Sendrecv(on_stack, SMALL, MPI_INT, next, 5, small_in, SMALL, MPI_INT, previous, 5, MPI_COMM_WORLD, &statuses[1]);
    check(rank, holds(small_in, SMALL, (rank + 2 * size - 2) % size), "stack to global");

    /* The owner of the data changes them right after a blocking send. */
    for (int i = 0; i < 20; i++) {
        MPI_Irecv(&word_in, 1, MPI_INT, previous, 6, MPI_COMM_WORLD, &requests[0]);
        small_out[0] = 100 * rank + i;
        MPI_Send(small_out, 1, MPI_INT, next, 6, MPI_COMM_WORLD);
        small_out[0] = -1;
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        if (word_in != 100 * previous + i)
            check(rank, 0, "message %d of a changing global", i);
    }
    check(rank, small_out[0] == -1, "a changing global");

    fill(small_out, SMALL, rank);
    MPI_Allgather(small_out, SMALL, MPI_INT, gathered, SMALL, MPI_INT, MPI_COMM_WORLD);
    int good = 1;
    for (int r = 0; r < size; r++)
        good = good && holds(gathered + r * SMALL, SMALL, r);
    MPI_Bcast(large_out, LARGE, MPI_INT, size - 1, MPI_COMM_WORLD);
    MPI_Allreduce(small_out, small_in, SMALL, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    check(rank, good && holds(large_out, LARGE, size - 1) && holds(small_in, SMALL, size - 1), "collectives on globals");
    MPI_Finalize();
    return 0;
}
