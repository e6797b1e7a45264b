/* ranks: 1 2 3 4 5 */
/* Collectives by algorithms of the program's own; other libraries than weir carry them out themselves. */
#include <mpi.h>
#include "check.h"
#if __has_include(<weir/collectives.h>)
#include <weir/collectives.h>
#else
#define weir_collective_set(collective, function) (calls += (function) ? 1 : 0)
#endif

static int rank, size, calls;

/* Everybody's data go around a ring, and each adds what comes by. */
static int ring_allreduce(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int rank, size, traveling[100], next[100];
    calls++;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Sendrecv(send == MPI_IN_PLACE ? recv : send, count, type, rank, 0, traveling, count, type, rank, 0, comm,
                 MPI_STATUS_IGNORE);
    if (send != MPI_IN_PLACE)
        MPI_Sendrecv(send, count, type, rank, 0, recv, count, type, rank, 0, comm, MPI_STATUS_IGNORE);
    for (int step = 1; step < size; step++) {
        MPI_Sendrecv(traveling, count, type, (rank + 1) % size, 0, next, count, type, (rank + size - 1) % size, 0,
                     comm, MPI_STATUS_IGNORE);
        MPI_Reduce_local(next, recv, count, type, op);
        for (int i = 0; i < count; i++)
            traveling[i] = next[i];
    }
    return MPI_SUCCESS;
}

/* The root tells everybody. Inside, collectives are the library's. */
static int flat_bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int rank, size, sum = 0;
    calls++;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (rank != root)
        return MPI_Recv(data, count, type, root, 0, comm, MPI_STATUS_IGNORE);
    for (int to = 0; to < size; to++)
        if (to != root)
            MPI_Send(data, count, type, to, 0, comm);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    return sum == rank ? MPI_SUCCESS : MPI_ERR_OTHER;
}

static void use(const char *what, MPI_Comm comm)
{
    int rank, own[2], sum[2], data;
    MPI_Request request;
    MPI_Comm_rank(comm, &rank);
    own[0] = rank + 1;
    own[1] = 10 * rank;
    data = rank;
    /* A message of the program, on the same communicator and with the same tag, waits all the while. */
    int token = rank, got = -1, size;
    MPI_Comm_size(comm, &size);
    MPI_Irecv(&got, 1, MPI_INT, (rank + size - 1) % size, MPI_ANY_TAG, comm, &request);
    MPI_Allreduce(own, sum, 2, MPI_INT, MPI_SUM, comm);
    MPI_Bcast(&data, 1, MPI_INT, size - 1, comm);
    MPI_Send(&token, 1, MPI_INT, (rank + 1) % size, 0, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    fact(rank, "%s: %d %d, %d, %d", what, sum[0], sum[1], data, got);
}

int main(int argc, char **argv)
{
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    use("library", MPI_COMM_WORLD);
    int before = calls;
    weir_collective_set("MPI_Allreduce", (void *)ring_allreduce);
    weir_collective_set("MPI_Bcast", (void *)flat_bcast);
    use("own", MPI_COMM_WORLD);
    check(rank, before == 0 && calls == 2, "called");
    weir_collective_set("MPI_Bcast", NULL);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    use("half", half);
    use("half again", half);
    MPI_Comm_free(&half);
    weir_collective_set("MPI_Allreduce", NULL);
    use("library again", MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
