/* ranks: 1 2 3 4 */
/* Files: opening, offsets, the rank's own pointer, sizes, the end of the file, closing. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include "../check.h"

static int rank, size;
static const char *name = "weir_files_basic.data";

static int class_of(int code)
{
    int class = -1;
    MPI_Error_class(code, &class);
    return class;
}

/* Each rank writes a row of ten ints; every rank reads all rows. */
static void offsets(void)
{
    MPI_File file;
    MPI_Status status;
    MPI_Offset bytes = -1, place = -1;
    int row[10], all[40], count = -1, sum = 0, right = 0, mode = 0, members = 0;
    for (int i = 0; i < 10; i++)
        row[i] = 100 * rank + i;
    int code = MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    fact(rank, "open %d", code == MPI_SUCCESS);
    MPI_File_get_amode(file, &mode);
    check(rank, mode == (MPI_MODE_CREATE | MPI_MODE_RDWR), "the mode");
    MPI_Group group;
    MPI_File_get_group(file, &group);
    MPI_Group_size(group, &members);
    MPI_Group_free(&group);
    check(rank, members == size, "the group");
    MPI_File_set_size(file, 0);
    MPI_File_write_at(file, rank * 40, row, 10, MPI_INT, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    fact(rank, "wrote %d", count);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(file);
    MPI_File_get_size(file, &bytes);
    fact(rank, "size %lld", (long long)bytes);
    memset(all, -1, sizeof all);
    MPI_File_read_at_all(file, 0, all, 10 * size, MPI_INT, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    for (int i = 0; i < 10 * size; i++) {
        sum += all[i];
        right += all[i] == 100 * (i / 10) + i % 10;
    }
    fact(rank, "read %d: sum %d, right %d", count, sum, right);
    /* The rank's own pointer counts bytes here. */
    MPI_File_seek(file, 40 * rank + 8, MPI_SEEK_SET);
    int pair[2] = {-1, -1};
    MPI_File_read(file, pair, 2, MPI_INT, &status);
    MPI_File_get_position(file, &place);
    fact(rank, "pair %d %d, now at %lld", pair[0], pair[1], (long long)place);
    MPI_File_seek(file, -4, MPI_SEEK_CUR);
    MPI_File_read(file, pair, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_seek(file, -4, MPI_SEEK_END);
    MPI_File_read(file, pair + 1, 1, MPI_INT, MPI_STATUS_IGNORE);
    fact(rank, "again %d, last %d", pair[0], pair[1]);
    MPI_File_get_byte_offset(file, 17, &place);
    fact(rank, "byte %lld", (long long)place);
    /* Beyond the end there is nothing. */
    memset(all, -1, sizeof all);
    MPI_File_read_at(file, 40 * size - 8, all, 10, MPI_INT, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    fact(rank, "at the end %d: %d %d %d", count, all[0], all[1], all[2]);
    MPI_File_read_at(file, 400 * size, all, 10, MPI_INT, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    fact(rank, "behind the end %d", count);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_set_size(file, 12);
    MPI_File_get_size(file, &bytes);
    fact(rank, "cut to %lld", (long long)bytes);
    MPI_File_preallocate(file, 64);
    MPI_File_get_size(file, &bytes);
    fact(rank, "made to %lld", (long long)bytes);
    MPI_File_close(&file);
    check(rank, file == MPI_FILE_NULL, "closed");
}

/* Modes: append, exclusive, gone when closed. */
static void modes(void)
{
    MPI_File file;
    MPI_Offset bytes = -1, place = -1;
    char text[4] = "abc";
    int code = MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_WRONLY | MPI_MODE_APPEND, MPI_INFO_NULL, &file);
    MPI_File_get_position(file, &place);
    fact(rank, "append %d at %lld", code == MPI_SUCCESS, (long long)place);
    MPI_File_seek(file, 3 * rank, MPI_SEEK_CUR);
    MPI_File_write(file, text, 3, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    MPI_File_get_size(file, &bytes);
    fact(rank, "now %lld", (long long)bytes);
    MPI_File_close(&file);
    code = MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    check(rank, class_of(code) == MPI_ERR_FILE_EXISTS, "it is there");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_close(&file);
    MPI_Barrier(MPI_COMM_WORLD);
    code = MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    check(rank, class_of(code) == MPI_ERR_NO_SUCH_FILE, "it is gone");
    MPI_Barrier(MPI_COMM_WORLD);
    code = MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    fact(rank, "exclusive %d", code == MPI_SUCCESS);
    MPI_File_close(&file);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        fact(rank, "delete %d", MPI_File_delete(name, MPI_INFO_NULL) == MPI_SUCCESS);
        check(rank, class_of(MPI_File_delete(name, MPI_INFO_NULL)) == MPI_ERR_NO_SUCH_FILE, "nothing to delete");
    }
}

/* Every rank has a file of its own. */
static void alone(void)
{
    MPI_File file;
    char own[64];
    double out[3] = {rank, rank + 0.5, -rank}, in[3] = {0, 0, 0};
    snprintf(own, sizeof own, "weir_files_basic.%d", rank);
    MPI_File_open(MPI_COMM_SELF, own, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_write(file, out, 3, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_read(file, in, 3, MPI_DOUBLE, MPI_STATUS_IGNORE);
    fact(rank, "alone %g %g %g", in[0], in[1], in[2]);
    MPI_File_close(&file);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    offsets();
    modes();
    alone();
    MPI_Finalize();
    return 0;
}
