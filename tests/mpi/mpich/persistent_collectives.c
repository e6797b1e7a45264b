/* ranks: 1 2 3 4 */
/* Collectives prepared once and started often: with both types of counts, in place, several started at once, with
   datatypes, operations and communicators freed in the meantime. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include "../check.h"

enum { MOST = 8, N = 2, TIMES = 3, KINDS = 17 };

static int rank, size;

static void print(const char *what, int time, const int *data, int count)
{
    char text[200] = "";
    for (int i = 0; i < count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), " %d", data[i]);
    fact(rank, "%d %s:%s", time, what, text);
}

static int in[MOST * N], data[N], got[KINDS][MOST * N];
static int counts[MOST], places[MOST], bytes[MOST];
static MPI_Count long_counts[MOST];
static MPI_Aint long_places[MOST], long_bytes[MOST];
static MPI_Datatype types[MOST];
static MPI_Request requests[KINDS];

static void prepare(int root)
{
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Info none = MPI_INFO_NULL;
    int n = 0;
    MPI_Barrier_init(world, none, &requests[n++]);
    MPI_Bcast_init(data, N, MPI_INT, root, world, none, &requests[n++]);
    MPI_Reduce_init(in, got[2], N, MPI_INT, MPI_SUM, root, world, none, &requests[n++]);
    MPI_Allreduce_init(in, got[3], N, MPI_INT, MPI_SUM, world, none, &requests[n++]);
    MPI_Gather_init(in, N, MPI_INT, got[4], N, MPI_INT, root, world, none, &requests[n++]);
    MPI_Gatherv_init(in, N, MPI_INT, got[5], counts, places, MPI_INT, root, world, none, &requests[n++]);
    MPI_Scatter_init(in, N, MPI_INT, got[6], N, MPI_INT, root, world, none, &requests[n++]);
    MPI_Scatterv_init(in, counts, places, MPI_INT, got[7], N, MPI_INT, root, world, none, &requests[n++]);
    MPI_Allgather_init(in, N, MPI_INT, got[8], N, MPI_INT, world, none, &requests[n++]);
    MPI_Allgatherv_init(in, N, MPI_INT, got[9], counts, places, MPI_INT, world, none, &requests[n++]);
    MPI_Alltoall_init(in, N, MPI_INT, got[10], N, MPI_INT, world, none, &requests[n++]);
    MPI_Alltoallv_init(in, counts, places, MPI_INT, got[11], counts, places, MPI_INT, world, none, &requests[n++]);
    MPI_Alltoallw_init(in, counts, bytes, types, got[12], counts, bytes, types, world, none, &requests[n++]);
    MPI_Scan_init(in, got[13], N, MPI_INT, MPI_SUM, world, none, &requests[n++]);
    MPI_Exscan_init(in, got[14], N, MPI_INT, MPI_SUM, world, none, &requests[n++]);
    MPI_Reduce_scatter_init(in, got[15], counts, MPI_INT, MPI_SUM, world, none, &requests[n++]);
    MPI_Reduce_scatter_block_init(in, got[16], N, MPI_INT, MPI_SUM, world, none, &requests[n++]);
}

static void prepare_large(int root)
{
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Info none = MPI_INFO_NULL;
    int n = 0;
    MPI_Barrier_init(world, none, &requests[n++]);
    MPI_Bcast_init_c(data, N, MPI_INT, root, world, none, &requests[n++]);
    MPI_Reduce_init_c(in, got[2], N, MPI_INT, MPI_SUM, root, world, none, &requests[n++]);
    MPI_Allreduce_init_c(in, got[3], N, MPI_INT, MPI_SUM, world, none, &requests[n++]);
    MPI_Gather_init_c(in, N, MPI_INT, got[4], N, MPI_INT, root, world, none, &requests[n++]);
    MPI_Gatherv_init_c(in, N, MPI_INT, got[5], long_counts, long_places, MPI_INT, root, world, none, &requests[n++]);
    MPI_Scatter_init_c(in, N, MPI_INT, got[6], N, MPI_INT, root, world, none, &requests[n++]);
    MPI_Scatterv_init_c(in, long_counts, long_places, MPI_INT, got[7], N, MPI_INT, root, world, none, &requests[n++]);
    MPI_Allgather_init_c(in, N, MPI_INT, got[8], N, MPI_INT, world, none, &requests[n++]);
    MPI_Allgatherv_init_c(in, N, MPI_INT, got[9], long_counts, long_places, MPI_INT, world, none, &requests[n++]);
    MPI_Alltoall_init_c(in, N, MPI_INT, got[10], N, MPI_INT, world, none, &requests[n++]);
    MPI_Alltoallv_init_c(in, long_counts, long_places, MPI_INT, got[11], long_counts, long_places, MPI_INT, world, none,
                         &requests[n++]);
    MPI_Alltoallw_init_c(in, long_counts, long_bytes, types, got[12], long_counts, long_bytes, types, world, none,
                         &requests[n++]);
    MPI_Scan_init_c(in, got[13], N, MPI_INT, MPI_SUM, world, none, &requests[n++]);
    MPI_Exscan_init_c(in, got[14], N, MPI_INT, MPI_SUM, world, none, &requests[n++]);
    MPI_Reduce_scatter_init_c(in, got[15], long_counts, MPI_INT, MPI_SUM, world, none, &requests[n++]);
    MPI_Reduce_scatter_block_init_c(in, got[16], N, MPI_INT, MPI_SUM, world, none, &requests[n++]);
}

static void all_kinds(int large, int root)
{
    static const char *names[KINDS] = {"barrier",        "bcast",     "reduce",    "allreduce",  "gather", "gatherv",
                                       "scatter",        "scatterv",  "allgather", "allgatherv", "alltoall",
                                       "alltoallv",      "alltoallw", "scan",      "exscan",     "reduce_scatter",
                                       "reduce_scatter_block"};
    if (large)
        prepare_large(root);
    else
        prepare(root);
    for (int time = 0; time < TIMES; time++) {
        for (int i = 0; i < size * N; i++)
            in[i] = 1000 * time + 100 * rank + i;
        for (int i = 0; i < N; i++)
            data[i] = rank == root ? 77 * (time + 1) + i : -1;
        memset(got, 0, sizeof got);
        if (time % 2)
            for (int k = 0; k < KINDS; k++)
                MPI_Start(&requests[k]);
        else
            MPI_Startall(KINDS, requests);
        MPI_Waitall(KINDS, requests, MPI_STATUSES_IGNORE);
        print("bcast", time, data, N);
        for (int k = 2; k < KINDS; k++)
            if (!(k == 14 && rank == 0))
                print(names[k], time, got[k], size * N);
    }
    for (int k = 0; k < KINDS; k++)
        MPI_Request_free(&requests[k]);
    check(rank, requests[0] == MPI_REQUEST_NULL, "freed");
}

/* What a prepared collective needs stays, although the program has freed it. */
static void freed(void)
{
    MPI_Datatype pair;
    MPI_Comm comm;
    MPI_Request request;
    int own[4], all[4 * MOST];
    MPI_Type_vector(2, 1, 2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Allgather_init(own, 1, pair, all, 2, MPI_INT, comm, MPI_INFO_NULL, &request);
    MPI_Type_free(&pair);
    for (int time = 0; time < 2; time++) {
        for (int i = 0; i < 4; i++)
            own[i] = 10 * rank + i + 100 * time;
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        print("freed", time, all, 2 * size);
    }
    MPI_Request_free(&request);
    MPI_Comm_free(&comm);
}

/* In place. */
static void in_place(void)
{
    MPI_Request request;
    int sum[N], blocks[MOST];
    MPI_Allreduce_init(MPI_IN_PLACE, sum, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int i = 0; i < N; i++)
        sum[i] = rank + i;
    for (int time = 0; time < 2; time++) {
        MPI_Start(&request);
        int flag = 0;
        while (!flag)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        print("in place", time, sum, N);
    }
    MPI_Request_free(&request);
    MPI_Alltoall_init_c(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, blocks, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL,
                        &request);
    for (int r = 0; r < size; r++)
        blocks[r] = 10 * rank + r;
    for (int time = 0; time < 3; time++) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        print("blocks", time, blocks, size);
    }
    MPI_Request_free(&request);
}

/* Among the neighbors of a ring. */
static void ring(void)
{
    MPI_Comm comm;
    MPI_Request r[10];
    int open = 0, own = 0, two[2] = {1, 1}, swapped[2] = {1, 0}, out[2], to[10][2], n = 0;
    MPI_Count two_c[2] = {1, 1};
    MPI_Aint apart[2] = {sizeof(int), 0}, swapped_c[2] = {1, 0};
    MPI_Datatype ints[2] = {MPI_INT, MPI_INT};
    MPI_Info none = MPI_INFO_NULL;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &open, 0, &comm);
    MPI_Neighbor_allgather_init(&own, 1, MPI_INT, to[0], 1, MPI_INT, comm, none, &r[n++]);
    MPI_Neighbor_allgather_init_c(&own, 1, MPI_INT, to[1], 1, MPI_INT, comm, none, &r[n++]);
    MPI_Neighbor_allgatherv_init(&own, 1, MPI_INT, to[2], two, swapped, MPI_INT, comm, none, &r[n++]);
    MPI_Neighbor_allgatherv_init_c(&own, 1, MPI_INT, to[3], two_c, swapped_c, MPI_INT, comm, none, &r[n++]);
    MPI_Neighbor_alltoall_init(out, 1, MPI_INT, to[4], 1, MPI_INT, comm, none, &r[n++]);
    MPI_Neighbor_alltoall_init_c(out, 1, MPI_INT, to[5], 1, MPI_INT, comm, none, &r[n++]);
    MPI_Neighbor_alltoallv_init(out, two, swapped, MPI_INT, to[6], two, swapped, MPI_INT, comm, none, &r[n++]);
    MPI_Neighbor_alltoallv_init_c(out, two_c, swapped_c, MPI_INT, to[7], two_c, swapped_c, MPI_INT, comm, none,
                                  &r[n++]);
    MPI_Neighbor_alltoallw_init(out, two, apart, ints, to[8], two, apart, ints, comm, none, &r[n++]);
    MPI_Neighbor_alltoallw_init_c(out, two_c, apart, ints, to[9], two_c, apart, ints, comm, none, &r[n++]);
    memset(to, -1, sizeof to);
    for (int time = 0; time < 2; time++) {
        own = 10 * time + rank;
        out[0] = 100 * own;
        out[1] = 100 * own + 1;
        MPI_Startall(n, r);
        MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
        for (int k = 0; k < n; k++) {
            char name[20];
            snprintf(name, sizeof name, "ring %d", k);
            print(name, time, to[k], 2);
        }
    }
    for (int k = 0; k < n; k++)
        MPI_Request_free(&r[k]);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int r = 0; r < size; r++) {
        counts[r] = long_counts[r] = N;
        places[r] = long_places[r] = (size - 1 - r) * N;
        bytes[r] = long_bytes[r] = r * N * (int)sizeof(int);
        types[r] = MPI_INT;
    }
    all_kinds(0, 0);
    all_kinds(1, size - 1);
    freed();
    in_place();
    ring();
    MPI_Finalize();
    return 0;
}
