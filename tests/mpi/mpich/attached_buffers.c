/* ranks: 2 3 4 */
/* Buffers of the process and of communicators, of fixed length and of any; flushing them. */
#include <mpi.h>
#include "../check.h"

enum { LENGTH = 9000 };

static int out[LENGTH], in[LENGTH];
static char own[LENGTH * sizeof(int) + 2 * MPI_BSEND_OVERHEAD], world[sizeof own];

static void exchange(int rank, int size, MPI_Comm comm, const char *name)
{
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    for (int i = 0; i < LENGTH; i++)
        out[i] = rank + i;
    MPI_Bsend(out, LENGTH, MPI_INT, next, 1, comm);
    for (int i = 0; i < LENGTH; i++)
        out[i] = -1;
    MPI_Recv(in, LENGTH, MPI_INT, previous, 1, comm, MPI_STATUS_IGNORE);
    check(rank, in[0] == previous && in[LENGTH - 1] == previous + LENGTH - 1, "%s", name);
}

int main(int argc, char **argv)
{
    int rank, size, bytes = -1;
    void *back = NULL;
    MPI_Comm comm;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Buffer_attach(own, sizeof own);
    MPI_Comm_attach_buffer(comm, world, sizeof world);
    exchange(rank, size, MPI_COMM_WORLD, "through the buffer of the process");
    exchange(rank, size, comm, "through that of the communicator");
    MPI_Buffer_flush();
    exchange(rank, size, MPI_COMM_WORLD, "after Buffer_flush");
    MPI_Buffer_iflush(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    exchange(rank, size, MPI_COMM_WORLD, "after Buffer_iflush");
    MPI_Comm_flush_buffer(comm);
    exchange(rank, size, comm, "after Comm_flush_buffer");
    MPI_Comm_iflush_buffer(comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    exchange(rank, size, comm, "after Comm_iflush_buffer");
    MPI_Comm_detach_buffer(comm, &back, &bytes);
    check(rank, back == world && bytes == (int)sizeof world, "Comm_detach_buffer");
    MPI_Buffer_detach(&back, &bytes);
    check(rank, back == own && bytes == (int)sizeof own, "Buffer_detach");
    MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
    exchange(rank, size, MPI_COMM_WORLD, "as long as needed");
    MPI_Buffer_detach(&back, &bytes);
    check(rank, back == MPI_BUFFER_AUTOMATIC, "Buffer_detach of an automatic one");
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
