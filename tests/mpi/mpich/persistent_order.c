/* ranks: 1 2 3 4 */
/* Ranks start their persistent collectives in different orders: those meet that were made at the same place. */
#include <mpi.h>
#include "../check.h"

enum { KINDS = 5, TIMES = 4, LONG = 20000 };

static int rank, size;
static int data[LONG], sum[2], mine[2], block[2], blocks[16];
static MPI_Request requests[KINDS];

static void prepare(MPI_Comm comm)
{
    MPI_Info none = MPI_INFO_NULL;
    MPI_Bcast_init(data, LONG, MPI_INT, 0, comm, none, &requests[0]);
    MPI_Barrier_init(comm, none, &requests[1]);
    MPI_Allreduce_init(mine, sum, 2, MPI_INT, MPI_SUM, comm, none, &requests[2]);
    MPI_Allgather_init(mine, 1, MPI_INT, blocks, 1, MPI_INT, comm, none, &requests[3]);
    MPI_Scan_init(mine, block, 2, MPI_INT, MPI_SUM, comm, none, &requests[4]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm comms[2] = {MPI_COMM_WORLD};
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    for (int c = 0; c < 2; c++) {
        prepare(comms[c]);
        for (int time = 0; time < TIMES; time++) {
            for (int i = 0; i < LONG; i++)
                data[i] = rank == 0 ? 7 * time + i : -1;
            mine[0] = rank + time;
            mine[1] = 100 * rank;
            int other, one = 1;
            for (int kind = 0; kind < KINDS; kind++) {
                MPI_Start(&requests[(kind * (rank % 2 ? 2 : 3) + rank + time) % KINDS]);
                if (kind == 2) /* Collectives that are not persistent keep their own order. */
                    MPI_Allreduce(&one, &other, 1, MPI_INT, MPI_SUM, comms[c]);
            }
            MPI_Waitall(KINDS, requests, MPI_STATUSES_IGNORE);
            int good = other == size;
            for (int i = 0; i < LONG; i++)
                good = good && data[i] == 7 * time + i;
            check(rank, good, "%d.%d broadcast", c, time);
            fact(rank, "%d.%d sums %d %d, so far %d %d, last %d", c, time, sum[0], sum[1], block[0], block[1],
                 blocks[size - 1]);
        }
        for (int kind = 0; kind < KINDS; kind++)
            MPI_Request_free(&requests[kind]);
    }
    MPI_Comm_free(&comms[1]);
    MPI_Finalize();
    return 0;
}
