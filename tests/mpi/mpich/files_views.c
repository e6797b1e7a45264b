/* ranks: 1 2 4 */
/* Views of files: derived types with holes, subarrays, offsets in elementary types, representations. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../check.h"

static int rank, size;

static MPI_File open_new(const char *name)
{
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_set_size(file, 0);
    return file;
}

/* Prints what is in a file as ints, seen from its beginning. */
static void show(MPI_File file, const char *what, int ints)
{
    int all[256];
    char text[512] = "";
    memset(all, 0, sizeof all);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_read_at_all(file, 0, all, ints, MPI_INT, MPI_STATUS_IGNORE);
    for (int i = 0; i < ints; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), " %d", all[i]);
    fact(rank, "%s:%s", what, text);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Ints in turns: rank after rank, pairs of them. */
static void turns(void)
{
    MPI_File file = open_new("weir_files_views.turns");
    MPI_Datatype pair, turn;
    MPI_Status status;
    MPI_Offset place = -1;
    int out[8], in[8], count = -1;
    for (int i = 0; i < 8; i++)
        out[i] = 10 * (rank + 1) + i;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_create_resized(pair, 0, 8 * size, &turn);
    MPI_Type_commit(&turn);
    MPI_File_set_view(file, 4 + 8 * rank, MPI_INT, turn, "native", MPI_INFO_NULL);
    MPI_File_write_all(file, out, 4, MPI_INT, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_File_get_position(file, &place);
    fact(rank, "wrote %d, at %lld", count, (long long)place);
    MPI_File_write_all(file, out + 4, 4, MPI_INT, &status);
    MPI_File_get_byte_offset(file, 5, &place);
    fact(rank, "int 5 is at byte %lld", (long long)place);
    MPI_Barrier(MPI_COMM_WORLD);
    memset(in, -1, sizeof in);
    MPI_File_read_at(file, 3, in, 4, MPI_INT, &status);
    fact(rank, "read %d %d %d %d", in[0], in[1], in[2], in[3]);
    MPI_File_seek(file, -3, MPI_SEEK_END);
    MPI_File_get_position(file, &place);
    fact(rank, "three before the end %lld", (long long)place);
    show(file, "turns", 1 + 8 * size);
    MPI_File_close(&file);
    MPI_Type_free(&pair);
    MPI_Type_free(&turn);
}

/* A matrix of 8 x 6 ints in blocks of columns, in and out of memory with a halo. */
static void matrix(void)
{
    MPI_File file = open_new("weir_files_views.matrix");
    int columns = 8 / size, sizes[2] = {6, 8}, part[2] = {6, columns}, start[2] = {0, rank * columns};
    int memory[2] = {8, columns + 2}, inner[2] = {1, 1}, *block = malloc(sizeof(int) * 8 * (columns + 2)), sum = 0;
    MPI_Datatype filetype, buffer;
    MPI_Type_create_subarray(2, sizes, part, start, MPI_ORDER_C, MPI_INT, &filetype);
    MPI_Type_create_subarray(2, memory, part, inner, MPI_ORDER_C, MPI_INT, &buffer);
    MPI_Type_commit(&filetype);
    MPI_Type_commit(&buffer);
    for (int i = 0; i < 8 * (columns + 2); i++)
        block[i] = 1000 * (rank + 1) + i;
    MPI_File_set_view(file, 0, MPI_INT, filetype, "native", MPI_INFO_NULL);
    MPI_File_write_all(file, block, 1, buffer, MPI_STATUS_IGNORE);
    for (int i = 0; i < 8 * (columns + 2); i++)
        block[i] = -1;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_read_at_all(file, 0, block, 1, buffer, MPI_STATUS_IGNORE);
    for (int i = 0; i < 8 * (columns + 2); i++)
        sum += block[i];
    fact(rank, "sum of the block %d", sum);
    show(file, "matrix", 48);
    MPI_File_close(&file);
    MPI_Type_free(&filetype);
    MPI_Type_free(&buffer);
    free(block);
}

/* What a view says of itself, and what it is reset to. */
static void questions(void)
{
    MPI_File file = open_new("weir_files_views.questions");
    MPI_Datatype vector, etype, filetype;
    MPI_Offset displacement = -1, place = -1;
    MPI_Aint extent = -1;
    char name[MPI_MAX_DATAREP_STRING];
    int integers, addresses, types, combiner;
    MPI_File_get_view(file, &displacement, &etype, &filetype, name);
    check(rank, etype == MPI_BYTE && filetype == MPI_BYTE, "the first view");
    fact(rank, "first view %lld %s", (long long)displacement, name);
    MPI_Type_vector(3, 1, 2, MPI_DOUBLE, &vector);
    MPI_Type_commit(&vector);
    MPI_File_seek(file, 5, MPI_SEEK_SET);
    MPI_File_set_view(file, 16, MPI_DOUBLE, vector, "native", MPI_INFO_NULL);
    MPI_File_get_position(file, &place);
    MPI_File_get_view(file, &displacement, &etype, &filetype, name);
    MPI_Type_get_envelope(filetype, &integers, &addresses, &types, &combiner);
    check(rank, etype == MPI_DOUBLE && filetype != MPI_DOUBLE, "the types of the view");
    fact(rank, "view %lld %s at %lld", (long long)displacement, name, (long long)place);
    MPI_File_get_type_extent(file, MPI_DOUBLE, &extent);
    fact(rank, "extent %ld", (long)extent);
    MPI_Type_free(&vector);
    MPI_File_close(&file);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    turns();
    matrix();
    questions();
    MPI_Finalize();
    return 0;
}
