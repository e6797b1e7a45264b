/* ranks: 2 3 */
/* Where a count is 0 its datatype does not matter: MPI_DATATYPE_NULL will do in every form of all-to-all. */
#include <mpi.h>
#include "../check.h"

enum { MOST = 8 };

static int rank, size, out[MOST], in[MOST];

static void fresh(void)
{
    for (int i = 0; i < MOST; i++) {
        out[i] = 10 * rank + i;
        in[i] = -1;
    }
}

/* Only the next rank gets something, and only from the previous one does something come. */
static void got(const char *how)
{
    int previous = (rank + size - 1) % size, right = 1;
    for (int i = 0; i < size; i++)
        right &= in[i] == (i == previous ? 10 * previous + rank : -1);
    check(rank, right, "%s", how);
    fresh();
}

int main(int argc, char **argv)
{
    int counts[2][MOST] = {{0}}, places[2][MOST], open = 1;
    MPI_Count many[2][MOST] = {{0}};
    MPI_Aint far[2][MOST];
    MPI_Datatype types[2][MOST];
    MPI_Comm ring;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int partner[2] = {(rank + 1) % size, (rank + size - 1) % size};
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < size; i++) {
            counts[side][i] = many[side][i] = i == partner[side];
            places[side][i] = far[side][i] = i * (int)sizeof(int);
            types[side][i] = i == partner[side] ? MPI_INT : MPI_DATATYPE_NULL;
        }
    fresh();
    MPI_Alltoallw(out, counts[0], places[0], types[0], in, counts[1], places[1], types[1], MPI_COMM_WORLD);
    got("Alltoallw");
    MPI_Ialltoallw(out, counts[0], places[0], types[0], in, counts[1], places[1], types[1], MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    got("Ialltoallw");
    MPI_Alltoallw_c(out, many[0], far[0], types[0], in, many[1], far[1], types[1], MPI_COMM_WORLD);
    got("Alltoallw_c");
    MPI_Alltoallw_init(out, counts[0], places[0], types[0], in, counts[1], places[1], types[1], MPI_COMM_WORLD, MPI_INFO_NULL,
                       &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    got("Alltoallw_init");

    /* Around a ring: to the rank behind only, from the one before only. */
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &open, 0, &ring);
    int sends[2] = {0, 1}, receives[2] = {1, 0}, value = 7 + rank, came = -1;
    MPI_Aint none[2] = {0, 0};
    MPI_Datatype to[2] = {MPI_DATATYPE_NULL, MPI_INT}, from[2] = {MPI_INT, MPI_DATATYPE_NULL};
    MPI_Neighbor_alltoallw(&value, sends, none, to, &came, receives, none, from, ring);
    check(rank, came == 7 + partner[1], "Neighbor_alltoallw");
    came = -1;
    MPI_Ineighbor_alltoallw(&value, sends, none, to, &came, receives, none, from, ring, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(rank, came == 7 + partner[1], "Ineighbor_alltoallw");
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
