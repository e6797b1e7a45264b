/* ranks: 1 2 */
/* Mistakes with files: classes, and whose error handler is called. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include "check.h"

static int rank, calls, last;
/* Open MPI 4.1 lets negative offsets pass. */
#ifdef OPEN_MPI
static const int lenient = 1;
#else
static const int lenient = 0;
#endif
static const char *name = "weir_files_errors.data";

static int class_of(int code)
{
    int class = -1;
    MPI_Error_class(code, &class);
    return class;
}

static void handler(MPI_File *file, int *code, ...)
{
    (void)file;
    calls++;
    last = class_of(*code);
}

static int open_as(int mode, MPI_File *file)
{
    return class_of(MPI_File_open(MPI_COMM_WORLD, name, mode, MPI_INFO_NULL, file));
}

static void opening(void)
{
    MPI_File file;
    check(rank, open_as(MPI_MODE_RDONLY, &file) == MPI_ERR_NO_SUCH_FILE, "no such file");
    check(rank, open_as(MPI_MODE_RDWR | MPI_MODE_RDONLY, &file) == MPI_ERR_AMODE, "two modes");
    check(rank, open_as(MPI_MODE_CREATE, &file) == MPI_ERR_AMODE, "no mode");
    check(rank, open_as(MPI_MODE_CREATE | MPI_MODE_RDONLY, &file) == MPI_ERR_AMODE, "create to read");
    check(rank, open_as(MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL, &file) == MPI_ERR_AMODE, "sequential and both ways");
}

static void accesses(void)
{
    MPI_File file;
    int value = 0;
    open_as(MPI_MODE_CREATE | MPI_MODE_WRONLY, &file);
    check(rank, class_of(MPI_File_read_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE)) == MPI_ERR_ACCESS, "read of a file to be written");
    MPI_File_write_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    open_as(MPI_MODE_RDONLY, &file);
    int code = class_of(MPI_File_write_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    check(rank, code == MPI_ERR_READ_ONLY || code == MPI_ERR_ACCESS, "write to a file to be read");
    check(rank, lenient || class_of(MPI_File_read_at(file, -4, &value, 1, MPI_INT, MPI_STATUS_IGNORE)) == MPI_ERR_ARG, "a negative offset");
    code = class_of(MPI_File_read_at(file, 0, &value, -1, MPI_INT, MPI_STATUS_IGNORE));
    check(rank, code == MPI_ERR_COUNT || code == MPI_ERR_ARG, "a negative count");
    check(rank, class_of(MPI_File_read_at(file, 0, &value, 1, MPI_DATATYPE_NULL, MPI_STATUS_IGNORE)) == MPI_ERR_TYPE, "no datatype");
    check(rank, lenient || class_of(MPI_File_seek(file, -4, MPI_SEEK_SET)) == MPI_ERR_ARG, "before the file");
    MPI_File_close(&file);
}

static void handlers(void)
{
    MPI_File file;
    MPI_Errhandler made, known;
    int value;
    MPI_File_get_errhandler(MPI_FILE_NULL, &known);
    check(rank, known == MPI_ERRORS_RETURN, "errors of files return");
    open_as(MPI_MODE_RDONLY, &file);
    MPI_File_get_errhandler(file, &known);
    check(rank, known == MPI_ERRORS_RETURN, "so do those of an open file");
    MPI_File_create_errhandler(handler, &made);
    MPI_File_set_errhandler(file, made);
    int code = MPI_File_write_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    check(rank, calls == 1 && last == class_of(code), "the handler of the program");
    MPI_File_call_errhandler(file, MPI_ERR_IO);
    check(rank, calls == 2 && last == MPI_ERR_IO, "called by hand");
    MPI_File_close(&file);
    MPI_File_set_errhandler(MPI_FILE_NULL, made);
    check(rank, open_as(MPI_MODE_CREATE, &file) == MPI_ERR_AMODE && calls == 3, "the handler of no file");
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&made);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_File_delete(name, MPI_INFO_NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    opening();
    accesses();
    handlers();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_File_delete(name, MPI_INFO_NULL);
    MPI_Finalize();
    return 0;
}
