/* ranks: 2 3 4 8 */
/* MPI_ANY_SOURCE and MPI_ANY_TAG: the status names the sender, the tag and the length of what came. */
#include <mpi.h>
#include "check.h"

/* Rank 0 takes one message from every other rank, in whatever order they come. */
static void any_source(int rank, int size)
{
    if (rank != 0) {
        double data[16];
        for (int i = 0; i < rank; i++)
            data[i] = rank + 0.5 * i;
        MPI_Send(data, rank, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD);
        return;
    }
    int seen[64] = {0};
    for (int n = 1; n < size; n++) {
        double data[16];
        MPI_Status status;
        int count, elements;
        MPI_Recv(data, 16, MPI_DOUBLE, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_DOUBLE, &count);
        MPI_Get_elements(&status, MPI_DOUBLE, &elements);
        int from = status.MPI_SOURCE, good = status.MPI_TAG == 7 && count == from && elements == from;
        for (int i = 0; i < count; i++)
            good = good && data[i] == from + 0.5 * i;
        check(rank, good && !seen[from]++, "any source, %d doubles from rank %d", count, from);
    }
}

/* A receive of any tag takes the messages of one sender in the order sent. */
static void any_tag(int rank, int size)
{
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    MPI_Request requests[4];
    int out[4];
    for (int i = 0; i < 4; i++) {
        out[i] = 100 * rank + i;
        MPI_Isend(&out[i], 1, MPI_INT, next, 40 - 10 * i, MPI_COMM_WORLD, &requests[i]);
    }
    for (int i = 0; i < 4; i++) {
        int in;
        MPI_Status status;
        MPI_Recv(&in, 1, MPI_INT, previous, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        fact(rank, "any tag, message %d: value %d, tag %d, from rank %d", i, in, status.MPI_TAG, status.MPI_SOURCE);
    }
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

/* Both at once, with receives posted before anything is sent. */
static void any_of_both(int rank, int size)
{
    MPI_Request requests[64];
    MPI_Status statuses[64];
    int in[64], sum = 0, tags = 0, sources = 0;
    for (int i = 0; i < size; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int to = 0; to < size; to++) {
        int value = 10 * rank + to;
        MPI_Send(&value, 1, MPI_INT, to, rank * 3, MPI_COMM_WORLD);
    }
    MPI_Waitall(size, requests, statuses);
    for (int i = 0; i < size; i++) {
        int from = statuses[i].MPI_SOURCE;
        check(rank, in[i] == 10 * from + rank && statuses[i].MPI_TAG == 3 * from, "any of both, from rank %d", from);
        sum += in[i];
        tags += statuses[i].MPI_TAG;
        sources += from;
    }
    fact(rank, "any of both, sums %d %d %d", sum, tags, sources);
}

/* Messages to and from nobody end at once; the status says so. */
static void nobody(int rank)
{
    int value = 5, count = -1;
    MPI_Status status;
    MPI_Request request;
    MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
    MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    check(rank, status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG && count == 0 && value == 5, "nobody, Recv");
    MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    check(rank, status.MPI_SOURCE == MPI_PROC_NULL && request == MPI_REQUEST_NULL && value == 5, "nobody, Irecv");
    MPI_Sendrecv(&value, 1, MPI_INT, MPI_PROC_NULL, 2, &value, 0, MPI_INT, MPI_PROC_NULL, 2, MPI_COMM_WORLD, &status);
    check(rank, status.MPI_SOURCE == MPI_PROC_NULL, "nobody, Sendrecv");
    MPI_Probe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &status);
    check(rank, status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG, "nobody, Probe");
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    any_source(rank, size);
    MPI_Barrier(MPI_COMM_WORLD);
    any_tag(rank, size);
    MPI_Barrier(MPI_COMM_WORLD);
    any_of_both(rank, size);
    nobody(rank);
    MPI_Finalize();
    return 0;
}
