/* ranks: 2 3 4 */
/* Partitioned messages: parts that become ready one by one; both sides may cut differently. */
#include <mpi.h>
#include "../check.h"

enum { TIMES = 3, MOST = 24000 };

static int out[MOST], in[MOST], more[MOST];

/* Round the ring: `parts` out, `into` in, the same total. */
static void ring(int rank, int size, int parts, int into, int total)
{
    int next = (rank + 1) % size, previous = (rank + size - 1) % size, right = 1, flag;
    MPI_Request send, receive;
    MPI_Status status;
    MPI_Psend_init(out, parts, total / parts, MPI_INT, next, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &send);
    MPI_Precv_init(in, into, total / into, MPI_INT, previous, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &receive);
    for (int time = 0; time < TIMES; time++) {
        MPI_Start(&receive);
        MPI_Start(&send);
        /* The last part is ready first. */
        for (int part = parts - 1; part >= 0; part--) {
            for (int i = part * (total / parts); i < (part + 1) * (total / parts); i++)
                out[i] = rank * 100000 + time * 10 + i;
            MPI_Pready(part, send);
        }
        for (int part = 0; part < into; part++) {
            for (flag = 0; !flag;)
                MPI_Parrived(receive, part, &flag);
            for (int i = part * (total / into); i < (part + 1) * (total / into); i++)
                right &= in[i] == previous * 100000 + time * 10 + i;
        }
        MPI_Wait(&receive, &status);
        MPI_Wait(&send, MPI_STATUS_IGNORE);
        right &= receive != MPI_REQUEST_NULL && send != MPI_REQUEST_NULL;
    }
    check(rank, right, "%d parts to %d, %d ints", parts, into, total);
    MPI_Request_free(&send);
    MPI_Request_free(&receive);
}

/* Two operations with one tag match in the order in which they are made, whichever is ready first. */
static void two(int rank, int size)
{
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    int list[2] = {3, 0};
    MPI_Request requests[4];
    for (int i = 0; i < 40; i++) {
        out[i] = rank * 1000 + i;
        more[i] = rank * 1000 + 500 + i;
    }
    static int first[40], second[40];
    MPI_Psend_init(out, 4, 10, MPI_INT, next, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Psend_init(more, 4, 10, MPI_INT, next, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    MPI_Precv_init(first, 1, 40, MPI_INT, previous, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[2]);
    MPI_Precv_init(second, 2, 20, MPI_INT, previous, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[3]);
    MPI_Startall(4, requests);
    MPI_Pready_range(0, 3, requests[1]);
    MPI_Pready_list(2, list, requests[0]);
    MPI_Pready_range(1, 2, requests[0]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    check(rank, first[0] == previous * 1000 && first[39] == previous * 1000 + 39, "the first of two");
    check(rank, second[0] == previous * 1000 + 500 && second[39] == previous * 1000 + 539, "the second of two");
    for (int i = 0; i < 4; i++)
        MPI_Request_free(&requests[i]);
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ring(rank, size, 1, 1, 10);
    ring(rank, size, 4, 4, 40);
    ring(rank, size, 6, 4, 24);
    ring(rank, size, 4, 6, MOST);
    ring(rank, size, 3, 3, MOST);
    two(rank, size);
    MPI_Finalize();
    return 0;
}
