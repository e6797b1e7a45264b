/* ranks: 1 2 3 */
/* Files: counts of 64 bits, "external32", files without individual pointers, hints, mistakes in views and in pairs of
   calls. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include "../check.h"

static int rank, size;

static int class_of(int code)
{
    int class = -1;
    MPI_Error_class(code, &class);
    return class;
}

static MPI_File open_new(const char *name)
{
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_set_size(file, 0);
    return file;
}

static void large_counts(void)
{
    MPI_File file = open_new("weir_files_more.counts");
    MPI_Request request;
    MPI_Status status;
    MPI_Count count = 3, extent = -1;
    int got = -1;
    short out[3] = {rank, 10 + rank, 20 + rank}, in[3] = {-1, -1, -1};
    MPI_File_write_at_c(file, 6 * rank, out, count, MPI_SHORT, &status);
    MPI_Get_count(&status, MPI_SHORT, &got);
    fact(rank, "wrote %d", got);
    MPI_File_iread_at_c(file, 6 * rank, in, count, MPI_SHORT, &request);
    MPI_Wait(&request, &status);
    fact(rank, "read %d %d %d", in[0], in[1], in[2]);
    MPI_File_get_type_extent_c(file, MPI_SHORT, &extent);
    fact(rank, "extent %lld", (long long)extent);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_seek(file, 6 * rank, MPI_SEEK_SET);
    MPI_File_write_all_c(file, out, 1, MPI_SHORT, MPI_STATUS_IGNORE);
    MPI_File_write_ordered_begin_c(file, out, 1, MPI_SHORT);
    MPI_File_write_ordered_end(file, out, &status);
    MPI_File_close(&file);
}

/* Numbers in the order of bytes that the standard prescribes. */
static void external(void)
{
    MPI_File file = open_new("weir_files_more.external");
    MPI_Status status;
    unsigned char bytes[24];
    char text[128] = "";
    int out[3] = {0x01020304 + rank, -2, 7}, in[3] = {0, 0, 0}, count = -1;
    double half = 0.5, back = 0;
    MPI_File_set_view(file, 20 * rank, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL);
    MPI_File_write(file, out, 3, MPI_INT, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_File_write(file, &half, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_read_at(file, 0, in, 3, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at(file, 3, &back, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
    fact(rank, "external %d: %x %d %d, %g", count, in[0], in[1], in[2], back);
    MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    MPI_File_read_at(file, 20 * rank, bytes, 20, MPI_BYTE, MPI_STATUS_IGNORE);
    for (int i = 0; i < 20; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%02x", bytes[i]);
    fact(rank, "bytes %s", text);
    MPI_File_set_view(file, 20 * (size - 1) + 16, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL);
    MPI_File_read_all(file, in, 3, MPI_INT, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    fact(rank, "at the end %d", count);
    MPI_File_close(&file);
}

/* A file opened to be written from one end to the other has the shared pointer alone. */
static void sequential(void)
{
    MPI_File file;
    MPI_Offset place = -1;
    MPI_Datatype etype, filetype;
    char text[4] = "abc", name[MPI_MAX_DATAREP_STRING];
    const char *path = "weir_files_more.sequential";
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL, MPI_INFO_NULL, &file);
    check(rank, class_of(MPI_File_write(file, text, 3, MPI_CHAR, MPI_STATUS_IGNORE)) == MPI_ERR_UNSUPPORTED_OPERATION, "no pointer");
    check(rank, class_of(MPI_File_write_at(file, 0, text, 3, MPI_CHAR, MPI_STATUS_IGNORE)) == MPI_ERR_UNSUPPORTED_OPERATION, "no offset");
    check(rank, class_of(MPI_File_seek(file, 0, MPI_SEEK_SET)) == MPI_ERR_UNSUPPORTED_OPERATION, "no seek");
    check(rank, class_of(MPI_File_get_byte_offset(file, 0, &place)) == MPI_ERR_UNSUPPORTED_OPERATION, "no place");
    MPI_File_write_ordered(file, text, 3, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_CHAR, MPI_CHAR, "native", MPI_INFO_NULL);
    MPI_File_get_view(file, &place, &etype, &filetype, name);
    fact(rank, "goes on at %lld", (long long)place);
    MPI_File_write_shared(file, text, 1, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_get_size(file, &place);
    fact(rank, "in all %lld", (long long)place);
    MPI_File_close(&file);
}

static void mistakes(void)
{
    MPI_File file = open_new("weir_files_more.mistakes");
    MPI_Info info, used;
    int value[2] = {0, 0};
    check(rank, class_of(MPI_File_set_view(file, 0, MPI_INT, MPI_BYTE, "native", MPI_INFO_NULL)) == MPI_ERR_ARG, "bytes of ints");
    check(rank, class_of(MPI_File_set_view(file, -3, MPI_INT, MPI_INT, "native", MPI_INFO_NULL)) == MPI_ERR_ARG, "a negative displacement");
    check(rank, class_of(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "wrong", MPI_INFO_NULL)) == MPI_ERR_UNSUPPORTED_DATAREP, "no such representation");
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    check(rank, class_of(MPI_File_write_at(file, 0, value, 3, MPI_CHAR, MPI_STATUS_IGNORE)) == MPI_ERR_IO, "three quarters of an int");
    check(rank, class_of(MPI_File_read_all_end(file, value, MPI_STATUS_IGNORE)) == MPI_ERR_IO, "an end without a beginning");
    MPI_File_read_all_begin(file, value, 1, MPI_INT);
    check(rank, class_of(MPI_File_read_all_begin(file, value, 1, MPI_INT)) == MPI_ERR_IO, "two beginnings");
    MPI_File_read_all_end(file, value, MPI_STATUS_IGNORE);
    check(rank, class_of(MPI_File_set_size(file, -1)) == MPI_ERR_ARG, "a negative size");
    check(rank, class_of(MPI_File_seek(file, 0, 77)) == MPI_ERR_ARG, "no way to seek");
    check(rank, MPI_File_write_at(file, 5, value, 0, MPI_INT, MPI_STATUS_IGNORE) == MPI_SUCCESS, "nothing to write");
    MPI_Info_create(&info);
    MPI_Info_set(info, "access_style", "write_once");
    check(rank, MPI_File_set_info(file, info) == MPI_SUCCESS, "hints");
    MPI_File_get_info(file, &used);
    check(rank, used != MPI_INFO_NULL, "hints in use");
    MPI_Info_free(&used);
    MPI_Info_free(&info);
    MPI_File_close(&file);
    check(rank, class_of(MPI_File_open(MPI_COMM_WORLD, "/dev/null/x", MPI_MODE_RDONLY, MPI_INFO_NULL, &file)) == MPI_ERR_BAD_FILE, "a file in a file");
    check(rank, class_of(MPI_File_delete("no such file", MPI_INFO_NULL)) == MPI_ERR_NO_SUCH_FILE, "nothing to delete");
}

static int same_extent(MPI_Datatype type, MPI_Aint *extent, void *extra)
{
    MPI_Aint lower;
    (void)extra;
    return MPI_Type_get_extent(type, &lower, extent);
}

static void representations(void)
{
    int code = MPI_Register_datarep("weir", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, same_extent, 0);
    check(rank, code == MPI_SUCCESS, "a new representation");
    code = MPI_Register_datarep("weir", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, same_extent, 0);
    check(rank, class_of(code) == MPI_ERR_DUP_DATAREP, "twice the same");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    large_counts();
    external();
    sequential();
    mistakes();
    representations();
    MPI_Finalize();
    return 0;
}
