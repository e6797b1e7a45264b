/* ranks: 2 3 */
/* Fields of statuses by function, and statuses of requests that go on. */
#include <mpi.h>
#include "../check.h"

int main(int argc, char **argv)
{
    int rank, size, value = -1, flag = -1, index = -1, count = -1, got[3], indices[3];
    MPI_Request requests[3];
    MPI_Status status, statuses[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    MPI_Status_set_source(&status, 3);
    MPI_Status_set_tag(&status, 4);
    MPI_Status_set_error(&status, MPI_ERR_TRUNCATE);
    MPI_Status_set_cancelled(&status, 1);
    check(rank, status.MPI_SOURCE == 3 && status.MPI_TAG == 4 && status.MPI_ERROR == MPI_ERR_TRUNCATE, "set");
    MPI_Status_get_source(&status, &value);
    check(rank, value == 3, "source");
    MPI_Status_get_tag(&status, &value);
    check(rank, value == 4, "tag");
    MPI_Status_get_error(&status, &value);
    check(rank, value == MPI_ERR_TRUNCATE, "error");
    MPI_Test_cancelled(&status, &flag);
    check(rank, flag == 1, "cancelled");

    for (int i = 0; i < 3; i++)
        MPI_Irecv(&got[i], 1, MPI_INT, previous, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Request_get_status_any(3, requests, &index, &flag, &status);
    check(rank, !flag, "none is complete");
    MPI_Request_get_status_all(3, requests, &flag, statuses);
    check(rank, !flag, "all are not");
    MPI_Request_get_status_some(3, requests, &count, indices, statuses);
    check(rank, count == 0, "some are not");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&rank, 1, MPI_INT, next, 1, MPI_COMM_WORLD);
    for (flag = 0; !flag;)
        MPI_Request_get_status_any(3, requests, &index, &flag, &status);
    check(rank, index == 1 && status.MPI_SOURCE == previous && status.MPI_TAG == 1, "one is complete");
    check(rank, requests[1] != MPI_REQUEST_NULL && got[1] == previous, "and its data are here");
    got[1] = -7;
    MPI_Request_get_status_some(3, requests, &count, indices, statuses);
    check(rank, count == 1 && indices[0] == 1 && statuses[0].MPI_TAG == 1, "some are");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&rank, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
    MPI_Send(&rank, 1, MPI_INT, next, 2, MPI_COMM_WORLD);
    for (flag = 0; !flag;)
        MPI_Request_get_status_all(3, requests, &flag, statuses);
    for (int i = 0; i < 3; i++)
        check(rank, statuses[i].MPI_TAG == i && statuses[i].MPI_SOURCE == previous, "status %d", i);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    check(rank, got[0] == previous && got[1] == -7 && got[2] == previous, "received once");
    MPI_Request_get_status_any(3, requests, &index, &flag, &status);
    check(rank, flag && index == MPI_UNDEFINED, "any of none");
    MPI_Request_get_status_all(3, requests, &flag, statuses);
    check(rank, flag, "all of none");
    MPI_Request_get_status_some(3, requests, &count, indices, statuses);
    check(rank, count == MPI_UNDEFINED, "some of none");
    MPI_Finalize();
    return 0;
}
