/*
 * Programs that `make compare` runs under weir and under SimGrid's SMPI:
 *
 *     kernels NAME BYTES ROUNDS
 *
 * Every rank prints its number and when it was done, in seconds from the beginning. Nothing is computed, so all time is
 * communication. Every collective is called with the same number of bytes for each pair of ranks, or in each vector.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, bytes;
static char *from, *to;

/* The first half of the ranks and the second half: one message there, one back. */
static void pingpong(void)
{
    int half = size / 2, other = rank < half ? rank + half : rank - half;
    if (rank < half)
        MPI_Send(from, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD);
    MPI_Recv(to, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank >= half)
        MPI_Send(from, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD);
}

/* One message through all ranks, one after the other. */
static void token(void)
{
    if (rank > 0)
        MPI_Recv(to, bytes, MPI_BYTE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(from, bytes, MPI_BYTE, (rank + 1) % size, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(to, bytes, MPI_BYTE, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* All ranks at once, a third of the ring further, each a different length. */
static void shift(void)
{
    int there = (rank + size / 3) % size, back = (rank + size - size / 3) % size;
    MPI_Sendrecv(from, bytes - 1000 * rank, MPI_BYTE, there, 0, to, bytes, MPI_BYTE, back, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

/* Rows and columns of the grid of ranks, as square as it can be; rank = columns * row + column. */
static int rows, columns, row, column;

static int at(int row, int column)
{
    return columns * ((row + rows) % rows) + (column + columns) % columns;
}

/* Exchanges a border with each neighbor; the neighbors of opposite ways stand in pairs. */
static void borders(int ways, const int *there)
{
    MPI_Request requests[12];
    for (int way = 0; way < ways; way++) {
        MPI_Irecv(to + way * bytes, bytes, MPI_BYTE, there[way ^ 1], way, MPI_COMM_WORLD, &requests[2 * way]);
        MPI_Isend(from + way * bytes, bytes, MPI_BYTE, there[way], way, MPI_COMM_WORLD, &requests[2 * way + 1]);
    }
    MPI_Waitall(2 * ways, requests, MPI_STATUSES_IGNORE);
}

/* The neighbors in the grid, as a stencil code exchanges its borders. */
static void halo(void)
{
    int there[4] = {at(row, column + 1), at(row, column - 1), at(row + 1, column), at(row - 1, column)};
    borders(4, there);
}

/* Six neighbors: two on each side in the row, one in the column. */
static void six(void)
{
    int there[6] = {at(row, column + 1), at(row, column - 1), at(row, column + 2),
                    at(row, column - 2), at(row + 1, column), at(row - 1, column)};
    borders(6, there);
}

/* Everybody posts to all others, in the order of ranks. */
static void posted(void)
{
    MPI_Request requests[2 * 64];
    int count = 0;
    for (int other = 0; other < size; other++) {
        if (other == rank)
            continue;
        MPI_Irecv(to + other * bytes, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, &requests[count++]);
        MPI_Isend(from + other * bytes, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, &requests[count++]);
    }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

/* Rank 0 posts to all others (outward) or they to it, each a different length. */
static void star(int outward)
{
    MPI_Request requests[64];
    int count = 0;
    for (int other = 1; other < size; other++) {
        int length = bytes - 1000 * other, is_mine = rank == 0 || rank == other;
        if (is_mine && (rank == 0) == outward)
            MPI_Isend(from + other * bytes, length, MPI_BYTE, rank ? 0 : other, 0, MPI_COMM_WORLD, &requests[count++]);
        else if (is_mine)
            MPI_Irecv(to + other * bytes, bytes, MPI_BYTE, rank ? 0 : other, 0, MPI_COMM_WORLD, &requests[count++]);
    }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

static void outcast(void)
{
    star(1);
}

static void incast(void)
{
    star(0);
}

/* A sum in which two ranks are late: they have exchanged half as much before. */
static void late(void)
{
    if (rank < 2)
        MPI_Sendrecv(from, bytes / 2, MPI_BYTE, !rank, 0, to, bytes, MPI_BYTE, !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(from, to, bytes / 8, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
}

/* A step of a conjugate gradient: borders, one after the other, then a sum. */
static void gradient(void)
{
    int there[4] = {at(row, column + 1), at(row, column - 1), at(row + 1, column), at(row - 1, column)};
    for (int way = 0; way < 4; way++)
        MPI_Sendrecv(from, bytes, MPI_BYTE, there[way], way, to, bytes, MPI_BYTE, there[way ^ 1], way, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    MPI_Allreduce(from, to, bytes / 8, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
}

/* A matrix spread over the grid is transposed: everybody with everybody in the rows, then in the columns. */
static void transposition(void)
{
    for (int step = 1; step < columns; step++)
        MPI_Sendrecv(from, bytes, MPI_BYTE, at(row, column + step), 0, to, bytes, MPI_BYTE, at(row, column - step), 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int step = 1; step < rows; step++)
        MPI_Sendrecv(from, bytes, MPI_BYTE, at(row + step, column), 1, to, bytes, MPI_BYTE, at(row - step, column), 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void collective(const char *name)
{
    if (strcmp(name, "barrier") == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    else if (strcmp(name, "bcast") == 0)
        MPI_Bcast(from, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    else if (strcmp(name, "reduce") == 0)
        MPI_Reduce(from, to, bytes / 8, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    else if (strcmp(name, "allreduce") == 0)
        MPI_Allreduce(from, to, bytes / 8, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    else if (strcmp(name, "gather") == 0)
        MPI_Gather(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    else if (strcmp(name, "scatter") == 0)
        MPI_Scatter(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    else if (strcmp(name, "allgather") == 0)
        MPI_Allgather(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, MPI_COMM_WORLD);
    else if (strcmp(name, "alltoall") == 0)
        MPI_Alltoall(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, MPI_COMM_WORLD);
    else if (strcmp(name, "reduce_scatter") == 0)
        MPI_Reduce_scatter_block(from, to, bytes / 8, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    else
        MPI_Abort(MPI_COMM_WORLD, 2);
}

static void once(const char *name)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } own[] = {{"pingpong", pingpong}, {"token", token},       {"shift", shift},
               {"halo", halo},         {"gradient", gradient}, {"transposition", transposition},
               {"six", six},           {"posted", posted},     {"outcast", outcast},
               {"incast", incast},     {"late", late}};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(name, own[i].name) == 0) {
            own[i].run();
            return;
        }
    collective(name);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc != 4)
        MPI_Abort(MPI_COMM_WORLD, 2);
    bytes = atoi(argv[2]);
    int sizes[2] = {0, 0};
    MPI_Dims_create(size, 2, sizes);
    rows = sizes[0], columns = sizes[1];
    row = rank / columns, column = rank % columns;
    size_t blocks = size < 6 ? 6 : size;
    from = calloc(blocks, bytes + 8);
    to = calloc(blocks, bytes + 8);
    for (int round = 0; round < atoi(argv[3]); round++)
        once(argv[1]);
    printf("%d %.12f\n", rank, MPI_Wtime());
    free(from);
    free(to);
    MPI_Finalize();
    return 0;
}
