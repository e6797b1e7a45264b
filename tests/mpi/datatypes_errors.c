/* ranks: 1 2 */
/* Wrong uses of datatypes return the right class under MPI_ERRORS_RETURN, and the run goes on. */
#include <mpi.h>
#include "check.h"

static int rank, size;

static const char *class_name(int code)
{
    static const struct { int value; const char *name; } classes[] = {
        {MPI_SUCCESS, "success"}, {MPI_ERR_BUFFER, "buffer"}, {MPI_ERR_COUNT, "count"}, {MPI_ERR_TYPE, "type"},
        {MPI_ERR_COMM, "communicator"}, {MPI_ERR_OP, "operation"}, {MPI_ERR_ARG, "argument"},
        {MPI_ERR_TRUNCATE, "truncation"}, {MPI_ERR_OTHER, "other"}, {MPI_ERR_INTERN, "internal"}};
    int value = -1;
    MPI_Error_class(code, &value);
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (classes[i].value == value)
            return classes[i].name;
    return "unknown";
}

static void report(const char *call, int code)
{
    fact(rank, "%s: class %s", call, class_name(code));
}

static void construction(void)
{
    const int one[] = {1, 1}, negative[] = {1, -1}, big[] = {4, 4}, five[] = {5, 1};
    const MPI_Aint at[] = {0, 8};
    const int unknown[] = {4711, 4711};
    const int blocks[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_BLOCK}, defaults[] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG};
    MPI_Datatype type, int_type = MPI_INT;
    report("contiguous of -1", MPI_Type_contiguous(-1, MPI_INT, &type));
    report("contiguous of nothing", MPI_Type_contiguous(1, MPI_DATATYPE_NULL, &type));
    report("vector of -1", MPI_Type_vector(-1, 1, 1, MPI_INT, &type));
    report("vector of blocks of -1", MPI_Type_vector(1, -1, 1, MPI_INT, &type));
    report("hvector of -1", MPI_Type_create_hvector(-1, 1, 1, MPI_INT, &type));
    report("hvector of blocks of -1", MPI_Type_create_hvector(1, -1, 1, MPI_INT, &type));
    report("vector of no type", MPI_Type_vector(1, 1, 1, MPI_DATATYPE_NULL, &type));
    report("indexed of -1", MPI_Type_indexed(-1, one, one, MPI_INT, &type));
    report("indexed of a block of -1", MPI_Type_indexed(2, negative, one, MPI_INT, &type));
    report("hindexed of -1", MPI_Type_create_hindexed(-1, one, at, MPI_INT, &type));
    report("hindexed of a block of -1", MPI_Type_create_hindexed(2, negative, at, MPI_INT, &type));
    report("indexed_block of -1", MPI_Type_create_indexed_block(-1, 1, one, MPI_INT, &type));
    report("indexed_block of blocks of -1", MPI_Type_create_indexed_block(2, -1, one, MPI_INT, &type));
    report("struct of -1", MPI_Type_create_struct(-1, one, at, &int_type, &type));
    report("struct of a block of -1",
           MPI_Type_create_struct(2, negative, at, (const MPI_Datatype[]){MPI_INT, MPI_INT}, &type));
    report("struct of no type",
           MPI_Type_create_struct(2, one, at, (const MPI_Datatype[]){MPI_INT, MPI_DATATYPE_NULL}, &type));
    report("resized of no type", MPI_Type_create_resized(MPI_DATATYPE_NULL, 0, 4, &type));
    report("dup of no type", MPI_Type_dup(MPI_DATATYPE_NULL, &type));
    report("a right box", MPI_Type_create_subarray(2, big, one, one, MPI_ORDER_C, MPI_INT, &type));
    MPI_Type_free(&type);
    report("box with no order", MPI_Type_create_subarray(2, big, one, one, 4711, MPI_INT, &type));
    report("box of -1 dimensions", MPI_Type_create_subarray(-1, big, one, one, MPI_ORDER_C, MPI_INT, &type));
    report("box that is too long", MPI_Type_create_subarray(2, big, five, one, MPI_ORDER_C, MPI_INT, &type));
    report("box that begins outside", MPI_Type_create_subarray(2, big, one, five, MPI_ORDER_C, MPI_INT, &type));
    report("box that begins before", MPI_Type_create_subarray(2, big, one, negative, MPI_ORDER_C, MPI_INT, &type));
    report("box of no type", MPI_Type_create_subarray(2, big, one, one, MPI_ORDER_C, MPI_DATATYPE_NULL, &type));
    report("a right deal", MPI_Type_create_darray(1, 0, 2, big, blocks, defaults, one, MPI_ORDER_C, MPI_INT, &type));
    MPI_Type_free(&type);
    report("deal with no order", MPI_Type_create_darray(1, 0, 2, big, blocks, defaults, one, 4711, MPI_INT, &type));
    report("deal to nobody", MPI_Type_create_darray(1, -1, 2, big, blocks, defaults, one, MPI_ORDER_C, MPI_INT, &type));
    report("deal in no way", MPI_Type_create_darray(1, 0, 2, big, unknown, defaults, one, MPI_ORDER_C, MPI_INT, &type));
    report("deal of blocks that are too short",
           MPI_Type_create_darray(1, 0, 2, big, blocks, one, one, MPI_ORDER_C, MPI_INT, &type));
    report("a size nobody has", MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 3, &type));
    report("a class nobody has", MPI_Type_match_size(4711, 4, &type));
}

static void use(void)
{
    int data[8] = {0}, position = 0, count, length;
    char buffer[64];
    MPI_Datatype type, copy, null = MPI_DATATYPE_NULL, int_type = MPI_INT;
    MPI_Status status;
    MPI_Type_vector(2, 1, 2, MPI_INT, &type);
    report("send of a type not committed", MPI_Send(data, 1, type, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
    report("receive of a type not committed", MPI_Recv(data, 1, type, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status));
    report("broadcast of a type not committed", MPI_Bcast(data, 1, type, 0, MPI_COMM_SELF));
    report("packing of a type not committed", MPI_Pack(data, 1, type, buffer, sizeof buffer, &position, MPI_COMM_WORLD));
    MPI_Type_dup(type, &copy);
    report("send of a copy not committed", MPI_Send(data, 1, copy, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
    MPI_Type_free(&copy);
    report("commit", MPI_Type_commit(&type));
    report("commit again", MPI_Type_commit(&type));
    report("send of a type committed", MPI_Send(data, 1, type, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
    MPI_Type_dup(type, &copy);
    report("send of a copy of a type committed", MPI_Send(data, 1, copy, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
    report("sum of derived types", MPI_Allreduce(MPI_IN_PLACE, data, 1, type, MPI_SUM, MPI_COMM_SELF));
    report("packing without room", MPI_Pack(data, 1, type, buffer, 7, &position, MPI_COMM_WORLD));
    check(rank, position == 0, "the position stays");
    report("packing with room", MPI_Pack(data, 1, type, buffer, 8, &position, MPI_COMM_WORLD));
    check(rank, position == 8, "the position moves");
    report("packing of -1", MPI_Pack(data, -1, type, buffer, 8, &position, MPI_COMM_WORLD));
    report("packing of no type", MPI_Pack(data, 1, MPI_DATATYPE_NULL, buffer, 8, &position, MPI_COMM_WORLD));
    report("packing for nobody", MPI_Pack(data, 1, type, buffer, 8, &position, MPI_COMM_NULL));
    position = 4;
    report("unpacking too much", MPI_Unpack(buffer, 8, &position, data, 1, type, MPI_COMM_WORLD));
    report("size of nothing", MPI_Type_size(MPI_DATATYPE_NULL, &count));
    report("commit of nothing", MPI_Type_commit(&null));
    report("free of nothing", MPI_Type_free(&null));
    report("free of a predefined type", MPI_Type_free(&int_type));
    /* Open MPI 4.1 says that these are internal errors. */
    check(rank, MPI_Type_get_contents(MPI_INT, 0, 0, 0, &count, NULL, NULL) != MPI_SUCCESS, "no contents of a predefined type");
    check(rank, MPI_Type_get_contents(type, 1, 0, 1, data, NULL, &null) != MPI_SUCCESS, "no contents without room");
    report("name of nothing", MPI_Type_set_name(MPI_DATATYPE_NULL, "nothing"));
    report("envelope of nothing", MPI_Type_get_envelope(MPI_DATATYPE_NULL, &count, &count, &count, &length));
    report("count of nothing", MPI_Get_count(&status, MPI_DATATYPE_NULL, &count));
    MPI_Type_free(&type);
    MPI_Type_free(&copy);
}

/* Truncation is counted in bytes of data, not of extents. */
static void truncation(void)
{
    int data[16], in[16] = {0};
    MPI_Datatype sparse;
    for (int i = 0; i < 16; i++)
        data[i] = i + 1;
    MPI_Type_create_resized(MPI_INT, 0, 16, &sparse);
    MPI_Type_commit(&sparse);
    for (int count = 4; count <= 5; count++) {
        if (rank == 0 && size > 1)
            MPI_Send(data, count, MPI_INT, 1, count, MPI_COMM_WORLD);
        if (rank != 1)
            continue;
        report(count == 4 ? "four into four with gaps" : "five into four with gaps",
               MPI_Recv(in, 4, sparse, 0, count, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        check(rank, in[0] == 1 && in[4] == 2 && in[12] == 4 && in[1] == 0 && in[13] == 0, "the first four came");
    }
    MPI_Type_free(&sparse);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    construction();
    use();
    truncation();
    MPI_Finalize();
    return 0;
}
