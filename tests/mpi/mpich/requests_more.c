/* ranks: 2 3 */
/* Generalized requests among others, exchanges that go on, cancelled receives, inactive requests, partitions, messages of
   nobody. */
#include <mpi.h>
#include "../check.h"

static int rank, next, previous;

static int query(void *state, MPI_Status *status)
{
    MPI_Status_set_elements(status, MPI_INT, *(int *)state);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = 5;
    status->MPI_TAG = 6;
    return MPI_SUCCESS;
}

static int release(void *state)
{
    *(int *)state += 100;
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    return MPI_SUCCESS;
}

static void generalized(void)
{
    int state[2] = {7, 8}, out = rank, in = -1, count, indices[4];
    MPI_Request requests[4];
    MPI_Status statuses[4];
    for (int i = 0; i < 2; i++)
        MPI_Grequest_start(query, release, cancel, &state[i], &requests[1 + i]);
    MPI_Irecv(&in, 1, MPI_INT, previous, 1, MPI_COMM_WORLD, &requests[0]);
    requests[3] = MPI_REQUEST_NULL;
    MPI_Grequest_complete(requests[2]);
    MPI_Testsome(4, requests, &count, indices, statuses);
    check(rank, count == 1 && indices[0] == 2 && state[1] == 108, "one of three");
    MPI_Send(&out, 1, MPI_INT, next, 1, MPI_COMM_WORLD);
    MPI_Grequest_complete(requests[1]);
    MPI_Waitall(4, requests, statuses);
    MPI_Get_count(&statuses[1], MPI_INT, &count);
    check(rank, count == 7 && statuses[1].MPI_SOURCE == 5 && state[0] == 107 && in == previous, "all");
    check(rank, statuses[3].MPI_SOURCE == MPI_ANY_SOURCE && statuses[3].MPI_TAG == MPI_ANY_TAG, "of no request");
}

static void exchanges(void)
{
    int out[2] = {rank, rank + 1}, in[2] = {-1, -1};
    MPI_Request request;
    MPI_Status status;
    MPI_Isendrecv(out, 2, MPI_INT, next, 3, in, 2, MPI_INT, previous, 3, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    check(rank, in[1] == previous + 1, "Isendrecv");
    MPI_Isendrecv_replace(out, 2, MPI_INT, next, 3, previous, 3, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    check(rank, out[0] == previous, "Isendrecv_replace");
}

static void inactive(void)
{
    int in = -1, count, flag, indices[2];
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status status, statuses[2];
    MPI_Recv_init(&in, 1, MPI_INT, previous, 9, MPI_COMM_WORLD, &requests[0]);
    MPI_Testsome(2, requests, &count, indices, statuses);
    check(rank, count == MPI_UNDEFINED, "none is active");
    MPI_Waitany(2, requests, &count, &status);
    check(rank, count == MPI_UNDEFINED && status.MPI_SOURCE == MPI_ANY_SOURCE, "nothing to wait for");
    MPI_Start(&requests[0]);
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], &status);
    MPI_Test_cancelled(&status, &flag);
    check(rank, flag && requests[0] != MPI_REQUEST_NULL, "a cancelled one");
    MPI_Start(&requests[0]);
    MPI_Send(&rank, 1, MPI_INT, next, 9, MPI_COMM_WORLD);
    MPI_Waitsome(2, requests, &count, indices, statuses);
    check(rank, count == 1 && indices[0] == 0 && statuses[0].MPI_TAG == 9 && in == previous, "started anew");
    MPI_Request_free(&requests[0]);
}

static void partitions(void)
{
    int out[8], in[8], flag, third = 2;
    MPI_Request requests[2];
    for (int i = 0; i < 8; i++)
        out[i] = 10 * rank + i;
    MPI_Psend_init(out, 4, 2, MPI_INT, next, 11, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Precv_init(in, 2, 4, MPI_INT, previous, 11, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    for (int turn = 0; turn < 2; turn++) {
        in[7] = -1;
        MPI_Startall(2, requests);
        MPI_Pready(3, requests[0]);
        MPI_Pready_range(0, 1, requests[0]);
        MPI_Pready_list(1, &third, requests[0]);
        do
            MPI_Parrived(requests[1], 1, &flag);
        while (!flag);
        check(rank, in[7] == 10 * previous + 7, "the last partition");
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

static void nobody(void)
{
    int flag, value = 5, count;
    MPI_Message message;
    MPI_Request request;
    MPI_Status status;
    MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, &status);
    check(rank, message == MPI_MESSAGE_NO_PROC && status.MPI_SOURCE == MPI_PROC_NULL, "Mprobe");
    MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    check(rank, message == MPI_MESSAGE_NULL && count == 0 && value == 5, "Mrecv");
    MPI_Improbe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &flag, &message, &status);
    check(rank, flag && message == MPI_MESSAGE_NO_PROC, "Improbe");
    MPI_Imrecv(&value, 1, MPI_INT, &message, &request);
    MPI_Wait(&request, &status);
    check(rank, message == MPI_MESSAGE_NULL && status.MPI_SOURCE == MPI_PROC_NULL, "Imrecv");
}

int main(int argc, char **argv)
{
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size;
    previous = (rank + size - 1) % size;
    generalized();
    exchanges();
    inactive();
    partitions();
    nobody();
    MPI_Finalize();
    return 0;
}
