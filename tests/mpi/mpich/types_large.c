/* ranks: 1 2 */
/* Datatypes with large counts: how they were made, packing, and messages of them. */
#include <mpi.h>
#include <stdlib.h>
#include "../check.h"

static int rank;

/* Prints how a type was made, and frees it. */
static void tell(const char *what, MPI_Datatype type)
{
    MPI_Count integers, addresses, counts, types, size, lb, extent, true_lb, true_extent;
    int combiner, small[3], class = -1;
    MPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types, &combiner);
    MPI_Type_size_c(type, &size);
    MPI_Type_get_extent_c(type, &lb, &extent);
    MPI_Type_get_true_extent_c(type, &true_lb, &true_extent);
    fact(rank, "%s: %lld %lld %lld %lld made by %d, %lld bytes, from %lld on %lld, data %lld %lld", what,
         (long long)integers, (long long)addresses, (long long)counts, (long long)types, combiner, (long long)size,
         (long long)lb, (long long)extent, (long long)true_lb, (long long)true_extent);
    int *given = calloc(integers + 1, sizeof *given);
    MPI_Aint *places = calloc(addresses + 1, sizeof *places);
    MPI_Count *large = calloc(counts + 1, sizeof *large);
    MPI_Datatype *olds = calloc(types + 1, sizeof *olds);
    MPI_Type_get_contents_c(type, integers, addresses, counts, types, given, places, large, olds);
    for (MPI_Count i = 0; i < integers; i++) fact(rank, "%s: integer %d is %d", what, (int)i, given[i]);
    for (MPI_Count i = 0; i < addresses; i++) fact(rank, "%s: address %d is %d", what, (int)i, (int)places[i]);
    for (MPI_Count i = 0; i < counts; i++) fact(rank, "%s: count %d is %lld", what, (int)i, (long long)large[i]);
    for (MPI_Count i = 0; i < types; i++) check(rank, olds[i] == MPI_INT, "%s: made of int", what);
    int code = MPI_Type_get_envelope(type, &small[0], &small[1], &small[2], &combiner);
    MPI_Error_class(code, &class);
    check(rank, class == (counts > 0 ? MPI_ERR_TYPE : MPI_SUCCESS), "%s: asked by the older function", what);
    free(given), free(places), free(large), free(olds);
    MPI_Type_free(&type);
}

static void constructors(void)
{
    MPI_Datatype type;
    MPI_Count lengths[] = {2, 1, 3}, places[] = {0, 4, 9}, bytes[] = {40, 0, 16};
    MPI_Datatype types[] = {MPI_INT, MPI_INT, MPI_INT};
    MPI_Type_contiguous_c(5, MPI_INT, &type), tell("contiguous", type);
    MPI_Type_contiguous_c(3000000000LL, MPI_INT, &type), tell("long", type);
    MPI_Type_vector_c(3, 2, 4, MPI_INT, &type), tell("vector", type);
    MPI_Type_create_hvector_c(3, 2, 40, MPI_INT, &type), tell("hvector", type);
    MPI_Type_indexed_c(3, lengths, places, MPI_INT, &type), tell("indexed", type);
    MPI_Type_create_hindexed_c(3, lengths, bytes, MPI_INT, &type), tell("hindexed", type);
    MPI_Type_create_indexed_block_c(3, 2, places, MPI_INT, &type), tell("indexed block", type);
    MPI_Type_create_hindexed_block_c(3, 2, bytes, MPI_INT, &type), tell("hindexed block", type);
    MPI_Type_create_struct_c(3, lengths, bytes, types, &type), tell("struct", type);
    MPI_Type_create_resized_c(MPI_INT, -8, 32, &type), tell("resized", type);
    MPI_Count sizes[] = {4, 6}, subsizes[] = {2, 3}, starts[] = {1, 2};
    MPI_Type_create_subarray_c(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &type), tell("subarray", type);
    int how[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}, blocks[] = {MPI_DISTRIBUTE_DFLT_DARG, 2}, grid[] = {2, 2};
    MPI_Type_create_darray_c(4, 1, 2, sizes, how, blocks, grid, MPI_ORDER_C, MPI_INT, &type), tell("darray", type);
    MPI_Type_vector(3, 2, 4, MPI_INT, &type), tell("small vector", type);
}

static void packing(void)
{
    int data[] = {1, 2, 3, 4, 5, 6}, back[6] = {0};
    char room[100];
    MPI_Count position = 0, size;
    MPI_Datatype type;
    MPI_Type_vector_c(3, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Pack_size_c(2, MPI_INT, MPI_COMM_WORLD, &size);
    check(rank, size >= 8, "room for two");
    MPI_Pack_c(data, 1, type, room, sizeof room, &position, MPI_COMM_WORLD);
    position = 0;
    MPI_Unpack_c(room, sizeof room, &position, back, 1, type, MPI_COMM_WORLD);
    fact(rank, "unpacked %d %d %d", back[0], back[2], back[4]);
    MPI_Pack_external_size_c("external32", 1, type, &size);
    position = 0;
    MPI_Pack_external_c("external32", data, 1, type, room, sizeof room, &position);
    fact(rank, "external: %d of %d, %d %d", (int)position, (int)size, room[3], room[7]);
    position = 0;
    MPI_Unpack_external_c("external32", room, sizeof room, &position, back, 1, type);
    fact(rank, "from external %d %d %d", back[0], back[2], back[4]);
    MPI_Type_free(&type);
}

static void mistakes(void)
{
    MPI_Datatype type;
    int class;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Error_class(MPI_Type_contiguous_c(-1, MPI_INT, &type), &class);
    check(rank, class == MPI_ERR_COUNT, "a negative count");
    MPI_Error_class(MPI_Type_contiguous_c(1, MPI_DATATYPE_NULL, &type), &class);
    check(rank, class == MPI_ERR_TYPE, "no type");
    MPI_Error_class(MPI_Type_contiguous(1, MPI_INT, NULL), &class);
    check(rank, class == MPI_ERR_ARG, "nowhere to put the type");
    MPI_Error_class(MPI_Type_size(MPI_INT, NULL), &class);
    check(rank, class == MPI_ERR_ARG, "nowhere to put the size");
    MPI_Error_class(MPI_Comm_size(MPI_COMM_WORLD, NULL), &class);
    check(rank, class == MPI_ERR_ARG, "nowhere to put the number of ranks");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    constructors();
    packing();
    mistakes();
    MPI_Finalize();
    return 0;
}
