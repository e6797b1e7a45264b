/* ranks: 1 2 */
/* Generalized requests: the program completes them, and its functions give the status. */
#include <mpi.h>
#include "check.h"

typedef struct {
    int rank, queried, freed, cancelled, complete;
} Work;

static int query(void *extra, MPI_Status *status)
{
    Work *work = extra;
    work->queried++;
    MPI_Status_set_elements(status, MPI_INT, 42);
    MPI_Status_set_cancelled(status, work->cancelled);
    status->MPI_SOURCE = 5;
    status->MPI_TAG = 6;
    return MPI_SUCCESS;
}

static int release(void *extra)
{
    ((Work *)extra)->freed++;
    return MPI_SUCCESS;
}

static int cancel(void *extra, int complete)
{
    Work *work = extra;
    work->cancelled = 1;
    work->complete = complete;
    return MPI_SUCCESS;
}

static void tell(int rank, const char *what, const MPI_Status *status, const Work *work)
{
    int count, cancelled;
    MPI_Get_count(status, MPI_INT, &count);
    MPI_Test_cancelled(status, &cancelled);
    fact(rank, "%s: source %d, tag %d, %d ints, cancelled %d; freed %d", what, status->MPI_SOURCE, status->MPI_TAG,
         count, cancelled, work->freed);
}

int main(int argc, char **argv)
{
    int rank, flag = -1, value = 3, got = 0, index;
    MPI_Request request, requests[2];
    MPI_Status status, statuses[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    Work work = {rank, 0, 0, 0, -1};
    MPI_Grequest_start(query, release, cancel, &work, &request);
    MPI_Test(&request, &flag, &status);
    check(rank, !flag && !work.queried, "open");
    MPI_Grequest_complete(request);
    MPI_Request_get_status(request, &flag, &status);
    check(rank, flag && work.queried && !work.freed && request != MPI_REQUEST_NULL, "complete");
    MPI_Wait(&request, &status);
    tell(rank, "Wait", &status, &work);
    check(rank, request == MPI_REQUEST_NULL, "ended");

    work = (Work){rank, 0, 0, 0, -1};
    MPI_Grequest_start(query, release, cancel, &work, &requests[0]);
    MPI_Irecv(&got, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[1]);
    MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
    MPI_Waitany(2, requests, &index, &status);
    check(rank, index == 1 && got == 3, "Waitany ends the receive");
    MPI_Cancel(&requests[0]);
    check(rank, work.cancelled && work.complete == 0, "cancelled");
    MPI_Grequest_complete(requests[0]);
    MPI_Waitall(2, requests, statuses);
    tell(rank, "Waitall", &statuses[0], &work);

    work = (Work){rank, 0, 0, 0, -1};
    MPI_Grequest_start(query, release, cancel, &work, &request);
    MPI_Request saved = request;
    MPI_Request_free(&request);
    check(rank, request == MPI_REQUEST_NULL && !work.freed, "given up");
    MPI_Grequest_complete(saved);
    check(rank, work.freed == 1, "freed when complete");
    MPI_Finalize();
    return 0;
}
