/* ranks: 1 2 3 4 */
/* Collectives with large counts, waiting and going on, and operations with them. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include "../check.h"

enum { MOST = 8, N = 2, KINDS = 21 };

static int rank, size;
static int in[MOST * N], got[KINDS][MOST * N], data[2][N];
static MPI_Count counts[MOST];
static MPI_Aint places[MOST], bytes[MOST];
static MPI_Datatype types[MOST];

static void print(const char *what, const int *values, int count)
{
    char text[200] = "";
    for (int i = 0; i < count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), " %d", values[i]);
    fact(rank, "%s:%s", what, text);
}

/* The left one of two: associative, but not commutative. */
static void left(void *from, void *into, MPI_Count *count, MPI_Datatype *type)
{
    const int *a = from;
    int *b = into;
    (void)type;
    for (MPI_Count i = 0; i < *count; i++)
        b[i] = a[i];
}

static void reset(int root)
{
    for (int i = 0; i < size * N; i++)
        in[i] = 100 * rank + i;
    for (int i = 0; i < N; i++)
        data[0][i] = data[1][i] = rank == root ? 77 + i : -1;
    memset(got, 0, sizeof got);
}

static void show(const char *how, MPI_Comm ring)
{
    print(how, data[0], N);
    for (int k = 1; k < KINDS; k++)
        if (!(k == 13 && rank == 0) && (k < 16 || ring != MPI_COMM_NULL)) {
            char name[30];
            snprintf(name, sizeof name, "%s %d", how, k);
            print(name, got[k], size * N);
        }
}

static void waiting(int root, MPI_Comm ring)
{
    MPI_Comm w = MPI_COMM_WORLD;
    reset(root);
    MPI_Bcast_c(data[0], N, MPI_INT, root, w);
    MPI_Reduce_c(in, got[1], N, MPI_INT, MPI_SUM, root, w);
    MPI_Allreduce_c(in, got[2], N, MPI_INT, MPI_SUM, w);
    MPI_Gather_c(in, N, MPI_INT, got[3], N, MPI_INT, root, w);
    MPI_Gatherv_c(in, N, MPI_INT, got[4], counts, places, MPI_INT, root, w);
    MPI_Scatter_c(in, N, MPI_INT, got[5], N, MPI_INT, root, w);
    MPI_Scatterv_c(in, counts, places, MPI_INT, got[6], N, MPI_INT, root, w);
    MPI_Allgather_c(in, N, MPI_INT, got[7], N, MPI_INT, w);
    MPI_Allgatherv_c(in, N, MPI_INT, got[8], counts, places, MPI_INT, w);
    MPI_Alltoall_c(in, N, MPI_INT, got[9], N, MPI_INT, w);
    MPI_Alltoallv_c(in, counts, places, MPI_INT, got[10], counts, places, MPI_INT, w);
    MPI_Alltoallw_c(in, counts, bytes, types, got[11], counts, bytes, types, w);
    MPI_Scan_c(in, got[12], N, MPI_INT, MPI_SUM, w);
    MPI_Exscan_c(in, got[13], N, MPI_INT, MPI_SUM, w);
    MPI_Reduce_scatter_c(in, got[14], counts, MPI_INT, MPI_SUM, w);
    MPI_Reduce_scatter_block_c(in, got[15], N, MPI_INT, MPI_SUM, w);
    MPI_Neighbor_allgather_c(in, 1, MPI_INT, got[16], 1, MPI_INT, ring);
    MPI_Neighbor_allgatherv_c(in, 1, MPI_INT, got[17], (MPI_Count[]){1, 1}, (MPI_Aint[]){1, 0}, MPI_INT, ring);
    MPI_Neighbor_alltoall_c(in, 1, MPI_INT, got[18], 1, MPI_INT, ring);
    MPI_Neighbor_alltoallv_c(in, (MPI_Count[]){1, 1}, (MPI_Aint[]){1, 0}, MPI_INT, got[19], (MPI_Count[]){1, 1},
                             (MPI_Aint[]){1, 0}, MPI_INT, ring);
    MPI_Neighbor_alltoallw_c(in, (MPI_Count[]){1, 1}, (MPI_Aint[]){4, 0}, types, got[20], (MPI_Count[]){1, 1},
                             (MPI_Aint[]){0, 4}, types, ring);
    show("waiting", ring);
}

static void going_on(int root, MPI_Comm ring)
{
    MPI_Comm w = MPI_COMM_WORLD;
    MPI_Request r[KINDS];
    MPI_Count ones[2] = {1, 1};
    MPI_Aint swapped[2] = {1, 0}, apart[2] = {4, 0}, behind[2] = {0, 4};
    reset(root);
    MPI_Ibcast_c(data[0], N, MPI_INT, root, w, &r[0]);
    MPI_Ireduce_c(in, got[1], N, MPI_INT, MPI_SUM, root, w, &r[1]);
    MPI_Iallreduce_c(in, got[2], N, MPI_INT, MPI_SUM, w, &r[2]);
    MPI_Igather_c(in, N, MPI_INT, got[3], N, MPI_INT, root, w, &r[3]);
    MPI_Igatherv_c(in, N, MPI_INT, got[4], counts, places, MPI_INT, root, w, &r[4]);
    MPI_Iscatter_c(in, N, MPI_INT, got[5], N, MPI_INT, root, w, &r[5]);
    MPI_Iscatterv_c(in, counts, places, MPI_INT, got[6], N, MPI_INT, root, w, &r[6]);
    MPI_Iallgather_c(in, N, MPI_INT, got[7], N, MPI_INT, w, &r[7]);
    MPI_Iallgatherv_c(in, N, MPI_INT, got[8], counts, places, MPI_INT, w, &r[8]);
    MPI_Ialltoall_c(in, N, MPI_INT, got[9], N, MPI_INT, w, &r[9]);
    MPI_Ialltoallv_c(in, counts, places, MPI_INT, got[10], counts, places, MPI_INT, w, &r[10]);
    MPI_Ialltoallw_c(in, counts, bytes, types, got[11], counts, bytes, types, w, &r[11]);
    MPI_Iscan_c(in, got[12], N, MPI_INT, MPI_SUM, w, &r[12]);
    MPI_Iexscan_c(in, got[13], N, MPI_INT, MPI_SUM, w, &r[13]);
    MPI_Ireduce_scatter_c(in, got[14], counts, MPI_INT, MPI_SUM, w, &r[14]);
    MPI_Ireduce_scatter_block_c(in, got[15], N, MPI_INT, MPI_SUM, w, &r[15]);
    MPI_Ineighbor_allgather_c(in, 1, MPI_INT, got[16], 1, MPI_INT, ring, &r[16]);
    MPI_Ineighbor_allgatherv_c(in, 1, MPI_INT, got[17], ones, swapped, MPI_INT, ring, &r[17]);
    MPI_Ineighbor_alltoall_c(in, 1, MPI_INT, got[18], 1, MPI_INT, ring, &r[18]);
    MPI_Ineighbor_alltoallv_c(in, ones, swapped, MPI_INT, got[19], ones, swapped, MPI_INT, ring, &r[19]);
    MPI_Ineighbor_alltoallw_c(in, ones, apart, types, got[20], ones, behind, types, ring, &r[20]);
    MPI_Waitall(KINDS, r, MPI_STATUSES_IGNORE);
    show("going on", ring);
}

static void operations(void)
{
    MPI_Op op;
    int a[N], b[N], commutes = -1;
    for (int i = 0; i < N; i++) {
        a[i] = rank + i;
        b[i] = 10 * rank + i;
    }
    MPI_Op_create_c(left, 0, &op);
    MPI_Op_commutative(op, &commutes);
    MPI_Reduce_local_c(a, b, N, MPI_INT, op);
    fact(rank, "commutes %d", commutes);
    print("local", b, N);
    MPI_Allreduce(a, b, N, MPI_INT, op, MPI_COMM_WORLD);
    print("allreduce", b, N);
    MPI_Scan_c(a, b, N, MPI_INT, op, MPI_COMM_WORLD);
    print("scan", b, N);
    MPI_Op_free(&op);
    check(rank, op == MPI_OP_NULL, "freed");
    MPI_Reduce_local_c(a, b, 0, MPI_INT, MPI_SUM);
}

/* Counts that no memory holds are refused. */
static void refused(void)
{
    int class = -1;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Error_class(MPI_Bcast_c(data, -1, MPI_INT, 0, MPI_COMM_WORLD), &class);
    check(rank, class == MPI_ERR_COUNT, "negative");
    MPI_Error_class(MPI_Reduce_c(in, data, 1, MPI_INT, MPI_SUM, size, MPI_COMM_WORLD), &class);
    check(rank, class == MPI_ERR_ROOT, "root");
}

int main(int argc, char **argv)
{
    MPI_Comm ring;
    int open = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &open, 0, &ring);
    for (int r = 0; r < MOST; r++) {
        counts[r] = N;
        places[r] = (size - 1 - r) * N;
        bytes[r] = r * N * (int)sizeof(int);
        types[r] = MPI_INT;
    }
    waiting(0, ring);
    going_on(size - 1, ring);
    operations();
    refused();
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
