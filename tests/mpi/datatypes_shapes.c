/* ranks: 1 2 */
/* Every constructor of datatypes: sizes, bounds, which elements travel and in which order, and back to where they were;
   nothing is written into the gaps. */
#include <mpi.h>
#include <string.h>
#include "check.h"

static int rank;

/* Sizes and bounds as the program is told them. */
static void tell(const char *name, MPI_Datatype type)
{
    int bytes;
    MPI_Aint lb, extent, true_lb, true_extent;
    MPI_Count big, lb_x, extent_x;
    MPI_Type_size(type, &bytes);
    MPI_Type_get_extent(type, &lb, &extent);
    MPI_Type_get_true_extent(type, &true_lb, &true_extent);
    fact(rank, "%s: size %d, from %d, extent %d, data from %d over %d", name, bytes, (int)lb, (int)extent, (int)true_lb,
         (int)true_extent);
    MPI_Type_size_x(type, &big);
    MPI_Type_get_extent_x(type, &lb_x, &extent_x);
    check(rank, big == bytes && lb_x == lb && extent_x == extent, "%s: the same as long counts", name);
    MPI_Type_get_true_extent_x(type, &lb_x, &extent_x);
    check(rank, lb_x == true_lb && extent_x == true_extent, "%s: the same true bounds", name);
}

/* A type as ints 0, 1, 2 ... of a buffer: those that travel, in their order. */
static void show(const char *name, MPI_Datatype type, int count)
{
    int out[100], in[100], got;
    char text[240] = "";
    MPI_Status status;
    for (int i = 0; i < 100; i++)
        out[i] = i, in[i] = -1;
    tell(name, type);
    MPI_Sendrecv(out + 40, count, type, rank, 1, in, 100, MPI_INT, rank, 1, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &got);
    for (int i = 0; i < got; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), " %d", in[i] - 40);
    fact(rank, "%s: %d sent as%s", name, count, text);
    /* And back into a buffer of holes. */
    for (int i = 0; i < 100; i++)
        in[i] = -1;
    MPI_Sendrecv(out + 40, count, type, rank, 2, in + 40, count, type, rank, 2, MPI_COMM_WORLD, &status);
    int moved = 0, right = 1;
    for (int i = 0; i < 100; i++)
        moved += in[i] != -1, right = right && (in[i] == -1 || in[i] == i);
    check(rank, right && moved == got, "%s: %d came back to their places", name, moved);
}

static void shapes(void)
{
    static const int lengths[] = {2, 0, 3, 1}, places[] = {5, 100, -4, 0};
    static const MPI_Aint bytes[] = {-8, 400, 20, 40};
    MPI_Datatype type, other, inner;
    MPI_Type_vector(3, 2, 5, MPI_INT, &type);
    MPI_Type_commit(&type);
    show("vector", type, 2);
    MPI_Type_create_resized(type, -8, 8, &other);
    MPI_Type_commit(&other);
    show("resized vector", other, 2);
    MPI_Type_free(&other);
    MPI_Type_contiguous(2, type, &other);
    MPI_Type_commit(&other);
    show("two vectors", other, 1);
    MPI_Type_free(&other);
    MPI_Type_create_hvector(2, 1, -92, type, &other);
    MPI_Type_commit(&other);
    show("vectors backwards", other, 1);
    MPI_Type_free(&other);
    MPI_Type_free(&type);
    MPI_Type_indexed(4, lengths, places, MPI_INT, &type);
    MPI_Type_commit(&type);
    show("indexed", type, 2);
    MPI_Type_free(&type);
    MPI_Type_create_hindexed(4, lengths, bytes, MPI_INT, &type);
    MPI_Type_commit(&type);
    show("hindexed", type, 1);
    MPI_Type_free(&type);
    MPI_Type_create_indexed_block(3, 2, (const int[]){9, 0, 4}, MPI_INT, &type);
    MPI_Type_commit(&type);
    show("blocks", type, 3);
    MPI_Type_create_hindexed_block(2, 1, (const MPI_Aint[]){48, -4}, type, &other);
    MPI_Type_commit(&other);
    show("blocks of blocks", other, 1);
    MPI_Type_free(&other);
    MPI_Type_free(&type);
    MPI_Type_create_subarray(2, (const int[]){4, 6}, (const int[]){2, 3}, (const int[]){1, 2}, MPI_ORDER_C, MPI_INT, &type);
    MPI_Type_commit(&type);
    show("box in C", type, 2);
    MPI_Type_free(&type);
    MPI_Type_create_subarray(3, (const int[]){4, 3, 4}, (const int[]){2, 2, 2}, (const int[]){1, 0, 2}, MPI_ORDER_FORTRAN,
                             MPI_INT, &type);
    MPI_Type_commit(&type);
    show("box in Fortran", type, 1);
    MPI_Type_free(&type);
    /* A box of vectors of resized ints, in a structure with plain ints: intermediate types are freed at once. */
    MPI_Type_create_resized(MPI_INT, 0, 8, &inner);
    MPI_Type_vector(2, 1, 2, inner, &other);
    MPI_Type_free(&inner);
    MPI_Type_create_struct(3, (const int[]){1, 2, 1}, (const MPI_Aint[]){4, 40, 80},
                           (const MPI_Datatype[]){other, MPI_INT, other}, &type);
    MPI_Type_free(&other);
    MPI_Type_commit(&type);
    show("structure", type, 2);
    MPI_Type_dup(type, &other);
    MPI_Type_free(&type);
    show("copy", other, 1);
    MPI_Type_free(&other);
    /* Bounds set by hand outdo the data. */
    MPI_Type_create_resized(MPI_INT, -4, 12, &inner);
    MPI_Type_create_struct(2, (const int[]){1, 1}, (const MPI_Aint[]){0, 40}, (const MPI_Datatype[]){inner, MPI_INT}, &type);
    MPI_Type_commit(&type);
    show("set bounds", type, 3);
    MPI_Type_free(&type);
    MPI_Type_free(&inner);
    MPI_Type_contiguous(0, MPI_INT, &type);
    MPI_Type_commit(&type);
    show("nothing", type, 5);
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    shapes();
    MPI_Finalize();
    return 0;
}
