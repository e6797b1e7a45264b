/* ranks: 1 2 4 6 */
/* Arrays dealt out to a grid of ranks: blocks, blocks in turns, dimensions left whole, in both orders of memory; every
   element has one owner, and all parts together are the array. */
#include <mpi.h>
#include <string.h>
#include "check.h"

enum { MOST = 400 };

static int rank, size;

struct deal {
    const char *name;
    int dimensions, sizes[3], distributions[3], arguments[3];
    int shape[3]; /* 0: as many as are left */
    int order;
};

static MPI_Datatype part(const struct deal *deal, int of)
{
    int shape[3], left = size;
    MPI_Datatype type;
    for (int d = 0; d < deal->dimensions; d++)
        left /= deal->shape[d] ? deal->shape[d] : 1;
    for (int d = 0; d < deal->dimensions; d++)
        shape[d] = deal->shape[d] ? deal->shape[d] : left;
    MPI_Type_create_darray(size, of, deal->dimensions, deal->sizes, deal->distributions, deal->arguments, shape, deal->order,
                           MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

static void dealt(const struct deal *deal)
{
    static int whole[MOST], own[MOST], again[MOST];
    int all = 1, bytes, count, sum = 0, ordered = 1;
    MPI_Aint lb, extent, true_lb, true_extent;
    MPI_Status status;
    MPI_Datatype type = part(deal, rank);
    for (int d = 0; d < deal->dimensions; d++)
        all *= deal->sizes[d];
    MPI_Type_size(type, &bytes);
    MPI_Type_get_extent(type, &lb, &extent);
    MPI_Type_get_true_extent(type, &true_lb, &true_extent);
    fact(rank, "%s: size %d, from %d, extent %d", deal->name, bytes, (int)lb, (int)extent);
    /* The true extent of a part without data is 1 in Open MPI 4.1. */
    if (bytes > 0)
        fact(rank, "%s: data from %d over %d", deal->name, (int)true_lb, (int)true_extent);
    for (int i = 0; i < all; i++)
        whole[i] = i, again[i] = -1;
    /* My part as plain ints: a sum that depends on the order. */
    MPI_Sendrecv(whole, 1, type, rank, 1, own, MOST, MPI_INT, rank, 1, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    for (int i = 0; i < count; i++) {
        sum = (31 * sum + own[i]) % 1000003;
        ordered = ordered && (i == 0 || own[i - 1] < own[i]);
    }
    fact(rank, "%s: %d elements, sum %d, %s", deal->name, count, sum, ordered ? "in order" : "out of order");
    /* Rank 0 puts the parts together again. */
    if (rank == 0) {
        MPI_Request request;
        MPI_Isend(own, count, MPI_INT, 0, 2, MPI_COMM_WORLD, &request);
        for (int r = 0; r < size; r++) {
            MPI_Datatype theirs = part(deal, r);
            MPI_Recv(again, 1, theirs, r, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Type_free(&theirs);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        check(rank, !memcmp(whole, again, (size_t)all * sizeof(int)), "%s: the parts are the array", deal->name);
    } else {
        MPI_Send(own, count, MPI_INT, 0, 2, MPI_COMM_WORLD);
    }
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    enum { NONE = MPI_DISTRIBUTE_NONE, BLOCK = MPI_DISTRIBUTE_BLOCK, CYCLIC = MPI_DISTRIBUTE_CYCLIC,
           DEFAULT = MPI_DISTRIBUTE_DFLT_DARG, C = MPI_ORDER_C, FORTRAN = MPI_ORDER_FORTRAN };
    static const struct deal deals[] = {
        {"blocks", 1, {23}, {BLOCK}, {DEFAULT}, {0}, C},
        {"one block", 1, {23}, {BLOCK}, {23}, {0}, C},
        {"in turns", 1, {23}, {CYCLIC}, {DEFAULT}, {0}, C},
        {"twos in turns", 1, {23}, {CYCLIC}, {2}, {0}, C},
        {"fives in turns", 1, {23}, {CYCLIC}, {5}, {0}, C},
        {"thirties in turns", 1, {23}, {CYCLIC}, {30}, {0}, FORTRAN},
        {"rows", 2, {7, 9}, {BLOCK, NONE}, {DEFAULT, DEFAULT}, {0, 1}, C},
        {"columns", 2, {7, 9}, {NONE, CYCLIC}, {DEFAULT, 2}, {1, 0}, C},
        {"columns in Fortran", 2, {7, 9}, {NONE, CYCLIC}, {DEFAULT, 2}, {1, 0}, FORTRAN},
        {"both", 2, {8, 11}, {BLOCK, CYCLIC}, {DEFAULT, 3}, {1, 0}, C},
        {"both in Fortran", 2, {8, 11}, {CYCLIC, CYCLIC}, {2, 3}, {0, 1}, FORTRAN},
        {"three", 3, {4, 5, 6}, {CYCLIC, NONE, BLOCK}, {1, DEFAULT, DEFAULT}, {0, 1, 1}, C},
        {"three in Fortran", 3, {5, 4, 7}, {BLOCK, CYCLIC, CYCLIC}, {5, 2, 3}, {1, 1, 0}, FORTRAN},
    };
    static const struct deal grids[] = {
        {"grid", 2, {8, 11}, {BLOCK, CYCLIC}, {DEFAULT, 3}, {2, 0}, C},
        {"grid in Fortran", 2, {8, 11}, {CYCLIC, CYCLIC}, {2, 3}, {2, 0}, FORTRAN},
        {"grid of three", 3, {5, 6, 7}, {CYCLIC, BLOCK, CYCLIC}, {2, DEFAULT, DEFAULT}, {1, 2, 0}, C},
    };
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; i < sizeof deals / sizeof *deals; i++)
        dealt(&deals[i]);
    for (size_t i = 0; size % 2 == 0 && i < sizeof grids / sizeof *grids; i++)
        dealt(&grids[i]);
    MPI_Finalize();
    return 0;
}
