/* ranks: 2 3 4 */
/* No overtaking: messages of one sender that match the same receive arrive in the order sent, whatever their
   length, and a receive with a tag takes the first message with that tag, whatever lies before it. */
#include <mpi.h>
#include <stdlib.h>
#include "check.h"

enum { MESSAGES = 60, LARGEST = 100000 };

/* Lengths of message i: a mixture of very short and long ones (eager and rendezvous). */
static int length(int i)
{
    static const int lengths[] = {1, LARGEST, 2, 3000, 1, 20000, 500};
    return lengths[i % 7];
}

/* Same tag: the n-th receive gets the n-th message. Each message begins with its number. */
static void same_tag(int rank, int size, int *buffer)
{
    if (rank == 0) {
        int next[64] = {0}, good = 1;
        for (int n = 0; n < MESSAGES * (size - 1); n++) {
            MPI_Status status;
            int count;
            MPI_Recv(buffer, LARGEST, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, MPI_INT, &count);
            int number = next[status.MPI_SOURCE]++;
            good = good && buffer[0] == number && count == length(number) && buffer[count - 1] == number;
        }
        check(rank, good, "same tag, %d messages of each sender in order", MESSAGES);
    } else {
        for (int i = 0; i < MESSAGES; i++) {
            buffer[0] = buffer[length(i) - 1] = i;
            MPI_Send(buffer, length(i), MPI_INT, 0, 1, MPI_COMM_WORLD);
        }
    }
}

/* Several tags: sent 0 1 2 0 1 2 ..., received all of tag 2, then all of tag 0, then tag 1. */
static void several_tags(int rank, int size)
{
    int next = (rank + 1) % size, previous = (rank + size - 1) % size, out[MESSAGES];
    MPI_Request requests[MESSAGES];
    for (int i = 0; i < MESSAGES; i++) {
        out[i] = i;
        MPI_Isend(&out[i], 1, MPI_INT, next, i % 3, MPI_COMM_WORLD, &requests[i]);
    }
    static const int order[] = {2, 0, 1};
    for (int t = 0; t < 3; t++) {
        int good = 1;
        for (int i = order[t]; i < MESSAGES; i += 3) {
            int in;
            MPI_Recv(&in, 1, MPI_INT, previous, order[t], MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            good = good && in == i;
        }
        check(rank, good, "several tags, all of tag %d in order", order[t]);
    }
    MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE);
}

/* Receives are matched in the order posted: the one for any tag stands before the one for tag 5. */
static void posted_order(int rank, int size)
{
    int next = (rank + 1) % size, previous = (rank + size - 1) % size, in[4] = {0};
    MPI_Request requests[4];
    MPI_Irecv(&in[0], 1, MPI_INT, previous, 6, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&in[1], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]);
    MPI_Irecv(&in[2], 1, MPI_INT, previous, 5, MPI_COMM_WORLD, &requests[2]);
    MPI_Irecv(&in[3], 1, MPI_INT, previous, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[3]);
    MPI_Barrier(MPI_COMM_WORLD);
    static const int tags[] = {5, 5, 6, 9};
    for (int i = 0; i < 4; i++) {
        int value = 10 * tags[i] + i;
        MPI_Send(&value, 1, MPI_INT, next, tags[i], MPI_COMM_WORLD);
    }
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    fact(rank, "posted order, got %d %d %d %d", in[0], in[1], in[2], in[3]);
}

/* A long message and then a short one: the short one must not overtake in the buffers posted for both. */
static void long_then_short(int rank, int size, int *buffer)
{
    int next = (rank + 1) % size, previous = (rank + size - 1) % size, small = -1, out = rank;
    int *in = malloc(LARGEST * sizeof *in);
    MPI_Request requests[4];
    MPI_Status statuses[4];
    for (int i = 0; i < LARGEST; i++)
        buffer[i] = rank + i;
    MPI_Irecv(in, LARGEST, MPI_INT, previous, 8, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&small, 1, MPI_INT, previous, 8, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(buffer, LARGEST, MPI_INT, next, 8, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&out, 1, MPI_INT, next, 8, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, statuses);
    int count, good = small == previous;
    MPI_Get_count(&statuses[0], MPI_INT, &count);
    for (int i = 0; i < LARGEST; i++)
        good = good && in[i] == previous + i;
    check(rank, good && count == LARGEST, "long then short");
    free(in);
}

int main(int argc, char **argv)
{
    int rank, size, *buffer = malloc(LARGEST * sizeof *buffer);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    same_tag(rank, size, buffer);
    MPI_Barrier(MPI_COMM_WORLD);
    several_tags(rank, size);
    MPI_Barrier(MPI_COMM_WORLD);
    posted_order(rank, size);
    long_then_short(rank, size, buffer);
    free(buffer);
    MPI_Finalize();
    return 0;
}
