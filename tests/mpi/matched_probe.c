/* ranks: 2 3 4 */
/* A matched probe takes its message out of the queue: only its own receive gets it. */
#include <mpi.h>
#include "check.h"

enum { LONG = 20000 };

static int data[LONG];

static int intact(int length, int first)
{
    for (int i = 0; i < length; i++)
        if (data[i] != first + i)
            return 0;
    return 1;
}

static void fill(int length, int first)
{
    for (int i = 0; i < length; i++)
        data[i] = first + i;
}

static void send(int length, int first, int tag)
{
    fill(length, first);
    MPI_Send(data, length, MPI_INT, 0, tag, MPI_COMM_WORLD);
}

static int length_of(const MPI_Status *status)
{
    int count;
    MPI_Get_count(status, MPI_INT, &count);
    return count;
}

static void receiver(int size)
{
    MPI_Message message, second;
    MPI_Request request;
    MPI_Status status;
    int flag = 0;
    for (int from = 1; from < size; from++) {
        /* Two messages with one tag: the second is received first, for the first is matched. */
        MPI_Mprobe(from, 1, MPI_COMM_WORLD, &message, &status);
        fact(0, "first of %d: %d ints, tag %d", status.MPI_SOURCE, length_of(&status), status.MPI_TAG);
        MPI_Recv(data, LONG, MPI_INT, from, 1, MPI_COMM_WORLD, &status);
        check(0, length_of(&status) == 5 && intact(5, 200 + from), "second of %d", from);
        MPI_Mrecv(data, LONG, MPI_INT, &message, &status);
        check(0, intact(3, 100 + from) && length_of(&status) == 3, "first of %d at last", from);
        check(0, status.MPI_SOURCE == from && status.MPI_TAG == 1, "its status");
        check(0, message == MPI_MESSAGE_NULL, "its handle is null");
        /* Long ones, found by asking, received without waiting, in the other order. */
        while (!flag)
            MPI_Improbe(from, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, &status);
        check(0, status.MPI_TAG == 2 && length_of(&status) == LONG, "long one of %d", from);
        for (flag = 0; !flag;)
            MPI_Improbe(from, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &second, &status);
        check(0, status.MPI_TAG == 3 && length_of(&status) == LONG - 1, "another of %d", from);
        MPI_Imrecv(data, LONG, MPI_INT, &second, &request);
        MPI_Wait(&request, &status);
        check(0, intact(LONG - 1, 400 + from) && status.MPI_TAG == 3, "another of %d is here", from);
        MPI_Imrecv(data, LONG, MPI_INT, &message, &request);
        MPI_Wait(&request, &status);
        check(0, intact(LONG, 300 + from) && length_of(&status) == LONG, "long one of %d is here", from);
        flag = 0;
    }
    MPI_Improbe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &flag, &message, &status);
    check(0, !flag, "no message");
}

static void nobody(int rank)
{
    MPI_Message message;
    MPI_Request request;
    MPI_Status status;
    int flag = 0;
    MPI_Mprobe(MPI_PROC_NULL, 4, MPI_COMM_WORLD, &message, &status);
    check(rank, message == MPI_MESSAGE_NO_PROC && status.MPI_SOURCE == MPI_PROC_NULL, "Mprobe of nobody");
    MPI_Mrecv(data, 1, MPI_INT, &message, &status);
    check(rank, message == MPI_MESSAGE_NULL && status.MPI_SOURCE == MPI_PROC_NULL, "Mrecv from nobody");
    check(rank, length_of(&status) == 0 && status.MPI_TAG == MPI_ANY_TAG, "which is empty");
    MPI_Improbe(MPI_PROC_NULL, 4, MPI_COMM_WORLD, &flag, &message, &status);
    check(rank, flag && message == MPI_MESSAGE_NO_PROC, "Improbe of nobody");
    MPI_Imrecv(data, 1, MPI_INT, &message, &request);
    MPI_Wait(&request, &status);
    check(rank, message == MPI_MESSAGE_NULL && status.MPI_SOURCE == MPI_PROC_NULL, "Imrecv from nobody");
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        receiver(size);
    } else {
        MPI_Request request;
        send(3, 100 + rank, 1);
        send(5, 200 + rank, 1);
        static int more[LONG];
        fill(LONG, 300 + rank);
        for (int i = 0; i < LONG; i++)
            more[i] = 400 + rank + i;
        MPI_Isend(data, LONG, MPI_INT, 0, 2, MPI_COMM_WORLD, &request);
        MPI_Send(more, LONG - 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    nobody(rank);
    MPI_Finalize();
    return 0;
}
