/* ranks: 1 2 3 4 */
/* The shared file pointer, accesses in rank order, nonblocking accesses, accesses in two calls. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include "../check.h"

static int rank, size;

static MPI_File open_new(const char *name)
{
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_set_size(file, 0);
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    return file;
}

static void show(MPI_File file, const char *what, int ints)
{
    int all[256];
    char text[512] = "";
    memset(all, 0, sizeof all);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(file);
    MPI_File_read_at_all(file, 0, all, ints, MPI_INT, MPI_STATUS_IGNORE);
    for (int i = 0; i < ints; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), " %d", all[i]);
    fact(rank, "%s:%s", what, text);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Everybody takes the next place: which one is open, but each is taken once. */
static void shared(void)
{
    MPI_File file = open_new("weir_files_shared.any");
    MPI_Offset place = -1;
    MPI_Request request;
    int mark = rank + 1, all[16], seen = 0;
    MPI_File_write_shared(file, &mark, 1, MPI_INT, MPI_STATUS_IGNORE);
    mark += 10;
    MPI_File_iwrite_shared(file, &mark, 1, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(file);
    MPI_File_get_position_shared(file, &place);
    MPI_File_read_at_all(file, 0, all, 2 * size, MPI_INT, MPI_STATUS_IGNORE);
    for (int i = 0; i < 2 * size; i++)
        if (all[i] % 10 >= 1 && all[i] % 10 <= size && all[i] / 10 <= 1)
            seen |= 1 << (all[i] % 10 + 8 * (all[i] / 10));
    fact(rank, "shared: %x, now at %lld", (unsigned)seen, (long long)place);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_seek_shared(file, -1, MPI_SEEK_CUR);
    MPI_File_get_position_shared(file, &place);
    fact(rank, "one back %lld", (long long)place);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    int one = -1, sum = 0;
    MPI_File_read_shared(file, &one, 1, MPI_INT, MPI_STATUS_IGNORE);
    int first = 0;
    for (int i = 0; i < size; i++)
        first += all[i];
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    check(rank, sum == first, "all read another one");
    MPI_File_close(&file);
}

/* Rank r has r + 1 ints, and they follow each other. */
static void ordered(void)
{
    MPI_File file = open_new("weir_files_shared.ordered");
    MPI_Status status;
    MPI_Offset place = -1;
    int out[8], in[8], count = -1;
    for (int i = 0; i < 8; i++)
        out[i] = 100 * (rank + 1) + i;
    MPI_File_write_ordered(file, out, rank + 1, MPI_INT, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_get_position_shared(file, &place);
    fact(rank, "ordered %d, now at %lld", count, (long long)place);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_write_ordered_begin(file, out + 1, 1, MPI_INT);
    MPI_File_write_ordered_end(file, out + 1, &status);
    show(file, "ordered", size * (size + 1) / 2 + size);
    MPI_File_seek_shared(file, 1, MPI_SEEK_SET);
    memset(in, 0, sizeof in);
    MPI_File_read_ordered(file, in, 2, MPI_INT, &status);
    fact(rank, "in order %d %d", in[0], in[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    MPI_File_read_ordered_begin(file, in, 1, MPI_INT);
    MPI_File_read_ordered_end(file, in, &status);
    fact(rank, "in two calls %d", in[0]);
    MPI_File_close(&file);
}

static void nonblocking(void)
{
    MPI_File file = open_new("weir_files_shared.nonblocking");
    MPI_Request requests[3];
    MPI_Status statuses[3];
    int out[6], in[6], count = -1, flag = 0;
    for (int i = 0; i < 6; i++)
        out[i] = 10 * (rank + 1) + i;
    MPI_File_iwrite_at(file, 6 * rank, out, 2, MPI_INT, &requests[0]);
    MPI_File_seek(file, 6 * rank + 2, MPI_SEEK_SET);
    MPI_File_iwrite(file, out + 2, 2, MPI_INT, &requests[1]);
    MPI_File_iwrite(file, out + 4, 2, MPI_INT, &requests[2]);
    MPI_Waitall(3, requests, statuses);
    MPI_Get_count(&statuses[2], MPI_INT, &count);
    check(rank, requests[0] == MPI_REQUEST_NULL, "requests are null");
    fact(rank, "nonblocking %d", count);
    show(file, "nonblocking", 6 * size);
    memset(in, -1, sizeof in);
    MPI_File_iread_at(file, 6 * (size - 1 - rank), in, 3, MPI_INT, &requests[0]);
    while (!flag)
        MPI_Test(&requests[0], &flag, &statuses[0]);
    MPI_Get_count(&statuses[0], MPI_INT, &count);
    fact(rank, "tested %d: %d %d %d %d", count, in[0], in[1], in[2], in[3]);
    MPI_File_seek(file, 6 * size - 1, MPI_SEEK_SET);
    MPI_File_iread(file, in, 5, MPI_INT, &requests[0]);
    MPI_Wait(&requests[0], &statuses[0]);
    MPI_Get_count(&statuses[0], MPI_INT, &count);
    fact(rank, "at the end %d: %d", count, in[0]);
    MPI_File_close(&file);
}

static void two_calls(void)
{
    MPI_File file = open_new("weir_files_shared.two_calls");
    MPI_Status status;
    MPI_Offset place = -1;
    int out[2] = {rank, -rank}, in[4] = {7, 7, 7, 7}, count = -1, flag = -1;
    MPI_File_write_at_all_begin(file, 2 * rank, out, 2, MPI_INT);
    MPI_File_write_at_all_end(file, out, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    fact(rank, "two calls %d", count);
    show(file, "two calls", 2 * size);
    MPI_File_read_all_begin(file, in, 1, MPI_INT);
    MPI_File_read_all_end(file, in, &status);
    MPI_File_get_position(file, &place);
    fact(rank, "read %d, now at %lld", in[0], (long long)place);
    MPI_File_read_at_all_begin(file, 2 * (size - 1), in, 2, MPI_INT);
    MPI_File_read_at_all_end(file, in, &status);
    fact(rank, "last two %d %d", in[0], in[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_write_all_begin(file, out, 1, MPI_INT);
    MPI_File_write_all_end(file, out, MPI_STATUS_IGNORE);
    MPI_File_get_atomicity(file, &flag);
    MPI_File_set_atomicity(file, 1);
    MPI_File_get_atomicity(file, in);
    fact(rank, "atomicity %d %d", flag, in[0]);
    MPI_File_close(&file);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    shared();
    ordered();
    nonblocking();
    two_calls();
    MPI_Finalize();
    return 0;
}
