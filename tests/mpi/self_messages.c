/* ranks: 1 2 3 */
/* A rank sends to itself: in its own communicator and in the one of all, short and long. */
#include <mpi.h>
#include <stdlib.h>
#include "check.h"

static void talk_to_self(int rank, MPI_Comm comm, int me, int length, const char *where)
{
    double *out = calloc((size_t)length + 1, sizeof *out), *in = calloc((size_t)length + 1, sizeof *in);
    MPI_Request requests[2];
    MPI_Status status;
    int count, good = 1;
    for (int i = 0; i < length; i++)
        out[i] = rank + 0.25 * i;

    MPI_Isend(out, length, MPI_DOUBLE, me, 1, comm, &requests[0]);
    MPI_Recv(in, length, MPI_DOUBLE, me, 1, comm, &status);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    for (int i = 0; i < length; i++)
        good = good && in[i] == out[i];
    check(rank, good && count == length && status.MPI_SOURCE == me, "%s, %d doubles, Isend then Recv", where, length);

    for (int i = 0; i < length; i++)
        in[i] = 0, out[i] += 1000;
    MPI_Irecv(in, length, MPI_DOUBLE, MPI_ANY_SOURCE, 2, comm, &requests[0]);
    MPI_Send(out, length, MPI_DOUBLE, me, 2, comm);
    MPI_Wait(&requests[0], &status);
    good = status.MPI_SOURCE == me;
    for (int i = 0; i < length; i++)
        good = good && in[i] == out[i];
    check(rank, good, "%s, %d doubles, Irecv then Send", where, length);

    for (int i = 0; i < length; i++)
        in[i] = 0, out[i] += 1000;
    MPI_Sendrecv(out, length, MPI_DOUBLE, me, 3, in, length, MPI_DOUBLE, me, 3, comm, MPI_STATUS_IGNORE);
    good = 1;
    for (int i = 0; i < length; i++)
        good = good && in[i] == out[i];
    check(rank, good, "%s, %d doubles, Sendrecv", where, length);
    free(out);
    free(in);
}

int main(int argc, char **argv)
{
    int rank, size, self_size, self_rank, value = 3, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    static const int lengths[] = {0, 1, 100, 131072};
    for (int i = 0; i < 4; i++) {
        talk_to_self(rank, MPI_COMM_SELF, 0, lengths[i], "own communicator");
        talk_to_self(rank, MPI_COMM_WORLD, rank, lengths[i], "communicator of all");
    }
    MPI_Comm_size(MPI_COMM_SELF, &self_size);
    MPI_Comm_rank(MPI_COMM_SELF, &self_rank);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    check(rank, self_size == 1 && self_rank == 0 && sum == 3, "own communicator, a collective");
    MPI_Finalize();
    return 0;
}
