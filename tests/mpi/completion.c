/* ranks: 2 3 4 */
/* Every way to complete requests: Wait and Test, each for one, any, some and all; null requests; cancelling. */
#include <mpi.h>
#include "check.h"

enum { MESSAGES = 12 };

static MPI_Request requests[MESSAGES];
static MPI_Status statuses[MESSAGES];
static int in[MESSAGES], indices[MESSAGES];

/* Message i of the previous rank carries 1000 * sender + i under tag i. */
static int arrived(int i, const MPI_Status *status, int previous)
{
    int count;
    MPI_Get_count(status, MPI_INT, &count);
    return in[i] == 1000 * previous + i && status->MPI_SOURCE == previous && status->MPI_TAG == i && count == 1;
}

/* Posts MESSAGES receives, then sends the messages in reverse order. */
static void start(int rank, int size)
{
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    for (int i = 0; i < MESSAGES; i++) {
        in[i] = -1;
        MPI_Irecv(&in[i], 1, MPI_INT, previous, i, MPI_COMM_WORLD, &requests[i]);
    }
    for (int i = MESSAGES - 1; i >= 0; i--) {
        int value = 1000 * rank + i;
        MPI_Send(&value, 1, MPI_INT, next, i, MPI_COMM_WORLD);
    }
}

static int all_null(void)
{
    for (int i = 0; i < MESSAGES; i++)
        if (requests[i] != MPI_REQUEST_NULL)
            return 0;
    return 1;
}

static void one_by_one(int rank, int size, int previous)
{
    int good = 1, flag, index, outcount;
    MPI_Status status;

    start(rank, size);
    for (int i = 0; i < MESSAGES; i++) {
        MPI_Wait(&requests[i], &status);
        good = good && arrived(i, &status, previous);
    }
    check(rank, good && all_null(), "Wait");

    start(rank, size);
    good = 1;
    for (int i = MESSAGES - 1; i >= 0; i--) {
        do
            MPI_Request_get_status(requests[i], &flag, &status);
        while (!flag);
        good = good && requests[i] != MPI_REQUEST_NULL && arrived(i, &status, previous);
        do
            MPI_Test(&requests[i], &flag, &status);
        while (!flag);
        good = good && arrived(i, &status, previous);
    }
    check(rank, good && all_null(), "Request_get_status and Test");

    start(rank, size);
    good = 1;
    for (int n = 0; n < MESSAGES; n++) {
        MPI_Waitany(MESSAGES, requests, &index, &status);
        good = good && requests[index] == MPI_REQUEST_NULL && arrived(index, &status, previous);
    }
    MPI_Waitany(MESSAGES, requests, &index, &status);
    check(rank, good && all_null() && index == MPI_UNDEFINED, "Waitany");

    start(rank, size);
    good = 1;
    for (int n = 0; n < MESSAGES;) {
        MPI_Testany(MESSAGES, requests, &index, &flag, &status);
        if (flag) {
            good = good && requests[index] == MPI_REQUEST_NULL && arrived(index, &status, previous);
            n++;
        }
    }
    MPI_Testany(MESSAGES, requests, &index, &flag, &status);
    check(rank, good && all_null() && flag && index == MPI_UNDEFINED, "Testany");

    start(rank, size);
    good = 1;
    for (int n = 0; n < MESSAGES; n += outcount) {
        MPI_Waitsome(MESSAGES, requests, &outcount, indices, statuses);
        good = good && outcount >= 1;
        for (int k = 0; k < outcount; k++)
            good = good && arrived(indices[k], &statuses[k], previous);
    }
    MPI_Waitsome(MESSAGES, requests, &outcount, indices, statuses);
    check(rank, good && all_null() && outcount == MPI_UNDEFINED, "Waitsome");

    start(rank, size);
    good = 1;
    for (int n = 0; n < MESSAGES; n += outcount) {
        MPI_Testsome(MESSAGES, requests, &outcount, indices, statuses);
        good = good && outcount >= 0;
        for (int k = 0; k < outcount; k++)
            good = good && arrived(indices[k], &statuses[k], previous);
    }
    MPI_Testsome(MESSAGES, requests, &outcount, indices, statuses);
    check(rank, good && all_null() && outcount == MPI_UNDEFINED, "Testsome");
}

static void all_at_once(int rank, int size, int previous)
{
    int good = 1, flag;
    start(rank, size);
    MPI_Waitall(MESSAGES, requests, statuses);
    for (int i = 0; i < MESSAGES; i++)
        good = good && arrived(i, &statuses[i], previous);
    check(rank, good && all_null(), "Waitall");

    start(rank, size);
    good = 1;
    do
        MPI_Testall(MESSAGES, requests, &flag, statuses);
    while (!flag);
    for (int i = 0; i < MESSAGES; i++)
        good = good && arrived(i, &statuses[i], previous);
    check(rank, good && all_null(), "Testall");
}

/* A null request is complete, with an empty status; nothing of nothing is complete too. */
static void null_requests(int rank)
{
    MPI_Request null = MPI_REQUEST_NULL;
    MPI_Status status;
    int flag = 0, count = -1;
    MPI_Wait(&null, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    check(rank, status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG && count == 0, "Wait for a null request");
    MPI_Test(&null, &flag, &status);
    check(rank, flag && status.MPI_SOURCE == MPI_ANY_SOURCE, "Test of a null request");
    MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);
    MPI_Testall(0, NULL, &flag, MPI_STATUSES_IGNORE);
    check(rank, flag, "Testall of nothing");
}

/* A cancelled receive takes no message; a freed send still delivers. */
static void cancel_and_free(int rank, int size)
{
    int next = (rank + 1) % size, previous = (rank + size - 1) % size, value = -1, out = rank, flag = 0;
    MPI_Request request;
    MPI_Status status;
    MPI_Irecv(&value, 1, MPI_INT, previous, 50, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    check(rank, flag && value == -1, "Cancel of a receive");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Isend(&out, 1, MPI_INT, next, 50, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    MPI_Recv(&value, 1, MPI_INT, previous, 50, MPI_COMM_WORLD, &status);
    MPI_Test_cancelled(&status, &flag);
    check(rank, request == MPI_REQUEST_NULL && value == previous && !flag, "Request_free of a send");
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int previous = (rank + size - 1) % size;
    one_by_one(rank, size, previous);
    all_at_once(rank, size, previous);
    null_requests(rank);
    cancel_and_free(rank, size);
    MPI_Finalize();
    return 0;
}
