/* ranks: 2 3 4 */
/* Synchronous, buffered and ready sends, waiting and not, carry their data; a synchronous send ends only after
   its receive began. */
#include <mpi.h>
#include <stdlib.h>
#include "check.h"

enum { LENGTH = 3000 };

typedef int (*Send)(const void *, int, MPI_Datatype, int, int, MPI_Comm);
typedef int (*Isend)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

static void fill(int *data, int sender, int tag)
{
    for (int i = 0; i < LENGTH; i++)
        data[i] = sender * 100000 + tag * 10000 + i;
}

static int intact(const int *data, int sender, int tag)
{
    for (int i = 0; i < LENGTH; i++)
        if (data[i] != sender * 100000 + tag * 10000 + i)
            return 0;
    return 1;
}

/* Once round the ring. The receive is posted before the barrier, as a ready send asks for. */
static void ring(int rank, int size, int tag, Send send, Isend isend, const char *name)
{
    static int out[LENGTH], in[LENGTH];
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    MPI_Request requests[2];
    fill(out, rank, tag);
    MPI_Irecv(in, LENGTH, MPI_INT, previous, tag, MPI_COMM_WORLD, &requests[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (send) {
        send(out, LENGTH, MPI_INT, next, tag, MPI_COMM_WORLD);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    } else {
        isend(out, LENGTH, MPI_INT, next, tag, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    check(rank, intact(in, previous, tag), "%s round the ring", name);
}

/* Rank 0 sends synchronously, not waiting; the request stays open until rank 1, told to, posts the receive. */
static void synchronous_end(int rank)
{
    int value = 42, go = 1, flag = -1;
    MPI_Request request;
    if (rank == 0) {
        MPI_Issend(&value, 1, MPI_INT, 1, 20, MPI_COMM_WORLD, &request);
        for (int i = 0; i < 50; i++)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        check(rank, flag == 0, "Issend open before its receive");
        MPI_Send(&go, 1, MPI_INT, 1, 21, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        check(rank, request == MPI_REQUEST_NULL, "Issend ends with its receive");
    } else if (rank == 1) {
        MPI_Recv(&go, 1, MPI_INT, 0, 21, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, 0, 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(rank, value == 42, "Issend received");
    }
}

/* Buffered sends end without a receive, also when everybody sends first; detaching waits for them. */
static void buffered(int rank, int size)
{
    enum { MESSAGES = 5 };
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    static int out[LENGTH], in[LENGTH];
    int bytes = MESSAGES * (LENGTH * (int)sizeof(int) + MPI_BSEND_OVERHEAD), detached_bytes = 0;
    void *buffer = malloc((size_t)bytes), *detached = NULL;
    MPI_Buffer_attach(buffer, bytes);
    for (int tag = 0; tag < MESSAGES; tag++) {
        fill(out, rank, tag);
        if (tag % 2) {
            MPI_Request request;
            MPI_Ibsend(out, LENGTH, MPI_INT, next, tag, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            MPI_Bsend(out, LENGTH, MPI_INT, next, tag, MPI_COMM_WORLD);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int tag = MESSAGES - 1; tag >= 0; tag--) {
        MPI_Recv(in, LENGTH, MPI_INT, previous, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(rank, intact(in, previous, tag), "buffered message %d", tag);
    }
    MPI_Buffer_detach(&detached, &detached_bytes);
    check(rank, detached == buffer && detached_bytes == bytes, "Buffer_detach gives the buffer back");
    free(buffer);
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ring(rank, size, 1, MPI_Send, NULL, "Send");
    ring(rank, size, 2, MPI_Ssend, NULL, "Ssend");
    ring(rank, size, 3, MPI_Rsend, NULL, "Rsend");
    ring(rank, size, 4, NULL, MPI_Isend, "Isend");
    ring(rank, size, 5, NULL, MPI_Issend, "Issend");
    ring(rank, size, 6, NULL, MPI_Irsend, "Irsend");
    synchronous_end(rank);
    MPI_Barrier(MPI_COMM_WORLD);
    buffered(rank, size);
    MPI_Finalize();
    return 0;
}
