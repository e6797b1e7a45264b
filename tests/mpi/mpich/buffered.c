/* ranks: 2 3 */
/* Buffered sends need room in the attached buffer; it is free again when they have left. */
#include <mpi.h>
#include <stdlib.h>
#include "../check.h"

enum { LENGTH = 5000 };

static int class_of(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class;
}

int main(int argc, char **argv)
{
    int rank, size, bytes = 0;
    static int out[LENGTH], in[LENGTH];
    void *back = NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    int room = 2 * (LENGTH * (int)sizeof(int) + MPI_BSEND_OVERHEAD);
    char *buffer = malloc((size_t)room);

    check(rank, class_of(MPI_Bsend(out, 1, MPI_INT, next, 1, MPI_COMM_WORLD)) == MPI_ERR_BUFFER, "no buffer");
    MPI_Buffer_attach(buffer, room);
    MPI_Request full;
    check(rank, MPI_Bsend(out, LENGTH, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD) == MPI_SUCCESS, "to nobody");
    check(rank, MPI_Bsend(out, LENGTH, MPI_INT, next, 1, MPI_COMM_WORLD) == MPI_SUCCESS, "the first fits");
    check(rank, MPI_Bsend(out, LENGTH, MPI_INT, next, 2, MPI_COMM_WORLD) == MPI_SUCCESS, "the second fits");
    MPI_Barrier(MPI_COMM_WORLD);
    check(rank, class_of(MPI_Ibsend(out, 2 * LENGTH, MPI_INT, next, 3, MPI_COMM_WORLD, &full)) == MPI_ERR_BUFFER,
          "a longer one does not");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Recv(in, LENGTH, MPI_INT, previous, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(in, LENGTH, MPI_INT, previous, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&back, &bytes);
    check(rank, back == buffer && bytes == room, "detached");
    MPI_Buffer_attach(buffer, room);
    for (int i = 0; i < LENGTH; i++)
        out[i] = rank + i;
    check(rank, MPI_Bsend(out, LENGTH, MPI_INT, next, 4, MPI_COMM_WORLD) == MPI_SUCCESS, "attached again");
    for (int i = 0; i < LENGTH; i++)
        out[i] = -1;
    MPI_Recv(in, LENGTH, MPI_INT, previous, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(rank, in[0] == previous && in[LENGTH - 1] == previous + LENGTH - 1, "the data of the time of the send");
    MPI_Buffer_detach(&back, &bytes);
    /* Libraries may take less than MPI_BSEND_OVERHEAD, and programs rely on what MPICH takes. */
    MPI_Buffer_attach(buffer, LENGTH * (int)sizeof(int) + 96);
    check(rank, MPI_Bsend(out, LENGTH, MPI_INT, next, 5, MPI_COMM_WORLD) == MPI_SUCCESS, "one fits with 96 bytes more");
    MPI_Recv(in, LENGTH, MPI_INT, previous, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&back, &bytes);
    free(buffer);
    MPI_Finalize();
    return 0;
}
