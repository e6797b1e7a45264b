/* ranks: 1 2 3 4 */
/* A send and a receive under one request. */
#include <mpi.h>
#include "../check.h"

enum { LONG = 20000 };

static int out[LONG], in[LONG];

int main(int argc, char **argv)
{
    int rank, size, count;
    MPI_Request request;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    for (int length = 10; length <= LONG; length += LONG - 10) {
        for (int i = 0; i < length; i++)
            out[i] = rank + i;
        MPI_Isendrecv(out, length, MPI_INT, next, rank, in, LONG, MPI_INT, previous, previous, MPI_COMM_WORLD,
                      &request);
        MPI_Wait(&request, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        check(rank, in[0] == previous && in[length - 1] == previous + length - 1, "Isendrecv of %d", length);
        check(rank, request == MPI_REQUEST_NULL, "over");
        MPI_Isendrecv_replace(out, length, MPI_INT, next, 5, previous, 5, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, &status);
        check(rank, out[0] == previous && out[length - 1] == previous + length - 1, "Isendrecv_replace of %d", length);
        for (int i = 0; i < length; i++)
            out[i] = rank + i;
        MPI_Isendrecv_c(out, length, MPI_INT, next, 1, in, LONG, MPI_INT, previous, 1, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        check(rank, in[length - 1] == previous + length - 1, "Isendrecv_c of %d", length);
        MPI_Isendrecv_replace_c(out, length, MPI_INT, next, 5, previous, 5, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        check(rank, out[length - 1] == previous + length - 1, "Isendrecv_replace_c of %d", length);
    }
    in[0] = 77;
    MPI_Isendrecv(out, 1, MPI_INT, MPI_PROC_NULL, 1, in, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(rank, in[0] == 77, "with nobody");
    MPI_Finalize();
    return 0;
}
