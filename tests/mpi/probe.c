/* ranks: 2 3 4 */
/* Probe and Iprobe tell sender, tag and length of a message that is then received, and take nothing. */
#include <mpi.h>
#include <stdlib.h>
#include "check.h"

/* The receiver learns the length from Probe and allocates just that. */
static void receive_by_count(int rank, int size)
{
    if (rank != 0) {
        for (int n = 0; n < 4; n++) {
            int length = n == 3 ? 50000 + rank : 10 * rank + n;
            int *data = malloc((size_t)length * sizeof *data);
            for (int i = 0; i < length; i++)
                data[i] = rank * 7 + i;
            MPI_Send(data, length, MPI_INT, 0, n, MPI_COMM_WORLD);
            free(data);
        }
        return;
    }
    for (int m = 0; m < 4 * (size - 1); m++) {
        MPI_Status probed, received;
        int length, count, good = 1;
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &probed);
        MPI_Get_count(&probed, MPI_INT, &length);
        int from = probed.MPI_SOURCE, tag = probed.MPI_TAG;
        int *data = malloc((size_t)length * sizeof *data);
        MPI_Recv(data, length, MPI_INT, from, tag, MPI_COMM_WORLD, &received);
        MPI_Get_count(&received, MPI_INT, &count);
        for (int i = 0; i < length; i++)
            good = good && data[i] == from * 7 + i;
        check(rank, good && count == length && received.MPI_SOURCE == from && received.MPI_TAG == tag,
              "Probe: %d ints from rank %d, tag %d", length, from, tag);
        free(data);
    }
}

/* A loop of Iprobe sees the message in the end; probing again sees the same one. */
static void polling(int rank, int size)
{
    int next = (rank + 1) % size, previous = (rank + size - 1) % size, flag = 0, count, out[3] = {rank, 1, 2};
    MPI_Status first, second;
    MPI_Request request;
    MPI_Iprobe(previous, 77, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    check(rank, !flag, "Iprobe: nothing there");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Isend(out, 3, MPI_INT, next, 70, MPI_COMM_WORLD, &request);
    while (!flag)
        MPI_Iprobe(MPI_ANY_SOURCE, 70, MPI_COMM_WORLD, &flag, &first);
    MPI_Probe(previous, MPI_ANY_TAG, MPI_COMM_WORLD, &second);
    MPI_Get_count(&second, MPI_INT, &count);
    check(rank, first.MPI_SOURCE == previous && second.MPI_TAG == 70 && count == 3, "Iprobe, then Probe: the same message");
    int in[3];
    MPI_Recv(in, 3, MPI_INT, previous, 70, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    check(rank, !flag && in[0] == previous, "Iprobe: taken");
}

/* Probing for one tag looks past the messages before it. */
static void chosen_tag(int rank, int size)
{
    int next = (rank + 1) % size, previous = (rank + size - 1) % size, in, out[3] = {1, 2, 3};
    MPI_Request requests[3];
    MPI_Status status;
    for (int i = 0; i < 3; i++)
        MPI_Isend(&out[i], 1, MPI_INT, next, 90 + i, MPI_COMM_WORLD, &requests[i]);
    MPI_Probe(previous, 92, MPI_COMM_WORLD, &status);
    MPI_Recv(&in, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    fact(rank, "chosen tag, value %d", in);
    for (int i = 0; i < 2; i++) {
        MPI_Probe(previous, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        MPI_Recv(&in, 1, MPI_INT, previous, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        fact(rank, "any tag, value %d, tag %d", in, status.MPI_TAG);
    }
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    receive_by_count(rank, size);
    MPI_Barrier(MPI_COMM_WORLD);
    polling(rank, size);
    MPI_Barrier(MPI_COMM_WORLD);
    chosen_tag(rank, size);
    MPI_Finalize();
    return 0;
}
