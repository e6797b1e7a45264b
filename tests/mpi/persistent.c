/* ranks: 2 3 4 */
/* Persistent requests: made once, started often, inactive before and between. */
#include <mpi.h>
#include "check.h"

enum { SHORT = 10, LONG = 9000, TIMES = 4 };

typedef int (*Init)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

static int out[LONG], in[LONG];

/* Round the ring a few times; the receive is started before the barrier, as a ready send asks for. */
static void ring(int rank, int size, int length, Init init, const char *name)
{
    int next = (rank + 1) % size, previous = (rank + size - 1) % size, right = 1;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Recv_init(in, LONG, MPI_INT, previous, 3, MPI_COMM_WORLD, &requests[0]);
    init(out, length, MPI_INT, next, 3, MPI_COMM_WORLD, &requests[1]);
    for (int time = 0; time < TIMES; time++) {
        for (int i = 0; i < length; i++)
            out[i] = rank * 1000 + time + i;
        MPI_Start(&requests[0]);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Startall(1, &requests[1]);
        MPI_Waitall(2, requests, statuses);
        int count;
        MPI_Get_count(&statuses[0], MPI_INT, &count);
        right &= count == length && statuses[0].MPI_SOURCE == previous && statuses[0].MPI_TAG == 3;
        for (int i = 0; i < length; i++)
            right &= in[i] == previous * 1000 + time + i;
        right &= requests[0] != MPI_REQUEST_NULL && requests[1] != MPI_REQUEST_NULL;
    }
    check(rank, right, "%s of %d", name, length);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    check(rank, requests[0] == MPI_REQUEST_NULL, "%s freed", name);
}

static int is_empty(const MPI_Status *status)
{
    int count = -1, cancelled = -1;
    MPI_Get_count(status, MPI_INT, &count);
    MPI_Test_cancelled(status, &cancelled);
    return status->MPI_SOURCE == MPI_ANY_SOURCE && status->MPI_TAG == MPI_ANY_TAG && count == 0 && !cancelled;
}

/* Completing calls see inactive requests as null ones. */
static void inactive(int rank)
{
    int flag = -1, index = -1, count = -1, indices[2];
    MPI_Request requests[2];
    MPI_Status status, statuses[2];
    MPI_Recv_init(in, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &requests[0]);
    MPI_Send_init(out, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &requests[1]);
    MPI_Wait(&requests[0], &status);
    check(rank, is_empty(&status), "Wait for an inactive one");
    MPI_Test(&requests[0], &flag, &status);
    check(rank, flag && is_empty(&status), "Test of an inactive one");
    MPI_Waitall(2, requests, statuses);
    check(rank, is_empty(&statuses[0]) && is_empty(&statuses[1]), "Waitall for inactive ones");
    MPI_Waitany(2, requests, &index, &status);
    check(rank, index == MPI_UNDEFINED && is_empty(&status), "Waitany for inactive ones");
    MPI_Testany(2, requests, &index, &flag, &status);
    check(rank, flag && index == MPI_UNDEFINED && is_empty(&status), "Testany of inactive ones");
    MPI_Waitsome(2, requests, &count, indices, statuses);
    check(rank, count == MPI_UNDEFINED, "Waitsome for inactive ones");
    MPI_Testsome(2, requests, &count, indices, statuses);
    check(rank, count == MPI_UNDEFINED, "Testsome of inactive ones");
    MPI_Request_get_status(requests[0], &flag, &status);
    check(rank, flag && is_empty(&status), "Request_get_status of an inactive one");
    out[0] = 17 + rank;
    MPI_Startall(2, requests);
    for (int ended = 0; ended < 2; ended++) {
        MPI_Waitany(2, requests, &index, &status);
        check(rank, index == 0 || index == 1, "Waitany for active ones");
    }
    MPI_Waitany(2, requests, &index, &status);
    check(rank, index == MPI_UNDEFINED && in[0] == 17 + rank, "both inactive again");
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

/* Nobody: complete as soon as started. */
static void nobody(int rank)
{
    MPI_Request requests[2];
    MPI_Status status;
    MPI_Recv_init(in, 1, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(out, 1, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD, &requests[1]);
    for (int time = 0; time < 2; time++) {
        MPI_Startall(2, requests);
        MPI_Wait(&requests[0], &status);
        check(rank, status.MPI_SOURCE == MPI_PROC_NULL, "received from nobody");
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

/* An active request that is freed goes on, and one that is cancelled is inactive afterward. */
static void freed_and_cancelled(int rank)
{
    int flag = 0, done = 0;
    MPI_Request request;
    MPI_Status status;
    in[0] = -1;
    MPI_Recv_init(in, 1, MPI_INT, 0, 7, MPI_COMM_SELF, &request);
    MPI_Start(&request);
    MPI_Request_free(&request);
    out[0] = 23;
    MPI_Send(out, 1, MPI_INT, 0, 7, MPI_COMM_SELF);
    MPI_Sendrecv(&rank, 1, MPI_INT, 0, 8, &done, 1, MPI_INT, 0, 8, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    check(rank, in[0] == 23, "a freed receive has received");
    MPI_Recv_init(in, 1, MPI_INT, 0, 9, MPI_COMM_SELF, &request);
    MPI_Start(&request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    check(rank, flag && request != MPI_REQUEST_NULL, "a cancelled one is kept");
    MPI_Start(&request);
    MPI_Send(out, 1, MPI_INT, 0, 9, MPI_COMM_SELF);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    check(rank, !flag && in[0] == 23, "and can be started again");
    MPI_Request_free(&request);
}

int main(int argc, char **argv)
{
    static char room[TIMES * (LONG * sizeof(int) + MPI_BSEND_OVERHEAD)];
    int rank, size, bytes;
    void *back;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int length = SHORT; length <= LONG; length += LONG - SHORT) {
        ring(rank, size, length, MPI_Send_init, "Send_init");
        ring(rank, size, length, MPI_Ssend_init, "Ssend_init");
        ring(rank, size, length, MPI_Rsend_init, "Rsend_init");
    }
    /* Only short ones: Open MPI 4.1 sends long ones from the program's own memory, after the wait. */
    MPI_Buffer_attach(room, sizeof room);
    ring(rank, size, SHORT, MPI_Bsend_init, "Bsend_init");
    MPI_Buffer_detach(&back, &bytes);
    inactive(rank);
    nobody(rank);
    freed_and_cancelled(rank);
    MPI_Finalize();
    return 0;
}
