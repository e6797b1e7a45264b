/* ranks: 2 3 */
/* Withdrawn receives, and requests that the program gives up: what they receive still comes. */
#include <mpi.h>
#include "check.h"

enum { LONG = 20000 };

static int out[LONG], in[LONG];

int main(int argc, char **argv)
{
    int rank, size, flag = -1, got[3] = {0, 0, 0}, go = 0;
    MPI_Request requests[3];
    MPI_Status status, statuses[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;

    /* Of three receives, the second is withdrawn; the messages go to the others. */
    for (int i = 0; i < 3; i++)
        MPI_Irecv(&got[i], 1, MPI_INT, previous, 1, MPI_COMM_WORLD, &requests[i]);
    MPI_Cancel(&requests[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int value = 10; value < 12; value++)
        MPI_Send(&value, 1, MPI_INT, next, 1, MPI_COMM_WORLD);
    MPI_Waitall(3, requests, statuses);
    for (int i = 0; i < 3; i++) {
        MPI_Test_cancelled(&statuses[i], &flag);
        fact(rank, "receive %d: %d, cancelled %d", i, got[i], flag);
    }

    /* A receive that has its message is not withdrawn. */
    MPI_Irecv(&got[0], 1, MPI_INT, 0, 2, MPI_COMM_SELF, &requests[0]);
    MPI_Send(&rank, 1, MPI_INT, 0, 2, MPI_COMM_SELF);
    while (!go)
        MPI_Request_get_status(requests[0], &go, MPI_STATUS_IGNORE);
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], &status);
    MPI_Test_cancelled(&status, &flag);
    check(rank, !flag && got[0] == rank, "too late");

    /* Receives under way whose requests are given up: one short, one long. */
    MPI_Irecv(&got[0], 1, MPI_INT, previous, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(in, LONG, MPI_INT, previous, 4, MPI_COMM_WORLD, &requests[1]);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    check(rank, requests[0] == MPI_REQUEST_NULL, "given up");
    for (int i = 0; i < LONG; i++)
        out[i] = rank + i;
    int value = 99 + rank;
    MPI_Isend(&value, 1, MPI_INT, next, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, LONG, MPI_INT, next, 4, MPI_COMM_WORLD, &requests[1]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    /* The neighbor says that its sends are over; by then they are here. */
    MPI_Sendrecv(&value, 1, MPI_INT, next, 5, &got[1], 1, MPI_INT, previous, 5, MPI_COMM_WORLD, &status);
    MPI_Barrier(MPI_COMM_WORLD);
    for (flag = 0; in[LONG - 1] != previous + LONG - 1 && flag < 1000000; flag++)
        MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &go, MPI_STATUS_IGNORE);
    check(rank, got[0] == 99 + previous && in[LONG - 1] == previous + LONG - 1 && in[0] == previous,
          "what was given up has come");
    MPI_Finalize();
    return 0;
}
