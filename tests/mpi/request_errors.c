/* ranks: 2 */
/* Mistakes with requests and messages: the classes of errors, and which request has failed. */
#include <mpi.h>
#include "check.h"

static int class_of(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class;
}

int main(int argc, char **argv)
{
    int rank, size, data[4] = {1, 2, 3, 4}, in[3][4] = {{0}}, done = 0, indices[3];
    MPI_Request requests[3], request;
    MPI_Status statuses[3], status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int other = 1 - rank;

    for (int i = 0; i < 3; i++)
        MPI_Irecv(in[i], i == 1 ? 2 : 4, MPI_INT, other, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++)
        MPI_Send(data, 3, MPI_INT, other, i, MPI_COMM_WORLD);
    check(rank, class_of(MPI_Waitall(3, requests, statuses)) == MPI_ERR_IN_STATUS, "Waitall");
    for (int i = 0; i < 3; i++)
        check(rank, class_of(statuses[i].MPI_ERROR) == (i == 1 ? MPI_ERR_TRUNCATE : MPI_SUCCESS), "status %d", i);
    check(rank, in[0][2] == 3 && in[2][2] == 3 && in[1][2] == 0, "what came");
    check(rank, requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL, "all over");

    MPI_Irecv(in[0], 1, MPI_INT, other, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Send(data, 2, MPI_INT, other, 5, MPI_COMM_WORLD);
    check(rank, class_of(MPI_Waitsome(1, requests, &done, indices, statuses)) == MPI_ERR_IN_STATUS, "Waitsome");
    check(rank, done == 1 && class_of(statuses[0].MPI_ERROR) == MPI_ERR_TRUNCATE, "Waitsome's status");

    MPI_Send(data, 2, MPI_INT, other, 6, MPI_COMM_WORLD);
    check(rank, class_of(MPI_Recv(in[0], 1, MPI_INT, other, 6, MPI_COMM_WORLD, &status)) == MPI_ERR_TRUNCATE, "Recv");

    request = MPI_REQUEST_NULL;
    check(rank, class_of(MPI_Start(&request)) == MPI_ERR_REQUEST, "Start of null");
    check(rank, class_of(MPI_Request_free(&request)) == MPI_ERR_REQUEST, "Request_free of null");
    check(rank, class_of(MPI_Cancel(&request)) == MPI_ERR_REQUEST, "Cancel of null");
    check(rank, class_of(MPI_Send_init(data, -1, MPI_INT, other, 1, MPI_COMM_WORLD, &request)) == MPI_ERR_COUNT, "count");
    check(rank, class_of(MPI_Send_init(data, 1, MPI_INT, 7, 1, MPI_COMM_WORLD, &request)) == MPI_ERR_RANK, "rank");
    check(rank, class_of(MPI_Send_init(data, 1, MPI_INT, other, -5, MPI_COMM_WORLD, &request)) == MPI_ERR_TAG, "tag");
    check(rank, class_of(MPI_Recv_init(data, 1, MPI_INT, 7, 1, MPI_COMM_WORLD, &request)) == MPI_ERR_RANK, "source");
    check(rank, class_of(MPI_Irecv(data, 1, MPI_DATATYPE_NULL, other, 1, MPI_COMM_WORLD, &request)) == MPI_ERR_TYPE, "type");
    check(rank, class_of(MPI_Isend(data, 1, MPI_INT, other, 1, MPI_COMM_NULL, &request)) == MPI_ERR_COMM, "communicator");
    MPI_Finalize();
    return 0;
}
