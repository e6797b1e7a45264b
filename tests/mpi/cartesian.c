/* ranks: 1 2 4 6 12 */
/* Grids of ranks: their sides, coordinates, shifts, parts, neighbors; and the mistakes. */
#include <mpi.h>
#include <string.h>
#include "check.h"

static int rank, size;

/* Everything that can be asked of a grid of up to three sides. */
static void ask(const char *name, MPI_Comm grid)
{
    int count = -1, kind = -1, lengths[4] = {-1, -1, -1, -1}, periods[4] = {-1, -1, -1, -1}, at[4] = {-1, -1, -1, -1}, all, me;
    MPI_Topo_test(grid, &kind);
    check(rank, kind == MPI_CART, "%s: kind", name);
    MPI_Cartdim_get(grid, &count);
    MPI_Cart_get(grid, 4, lengths, periods, at);
    MPI_Comm_size(grid, &all);
    MPI_Comm_rank(grid, &me);
    fact(rank, "%s: %d sides, %d x %d x %d, joined %d %d %d, at %d %d %d, rank %d of %d", name, count, lengths[0], lengths[1],
         lengths[2], periods[0] != 0, periods[1] != 0, periods[2] != 0, at[0], at[1], at[2], me, all);
    /* Few and short lines: Open MPI mixes long outputs of several ranks. */
    char text[200];
    int end = 0, good = 1;
    for (int other = 0; other < all; other++) {
        int back = -1;
        memset(at, 0, sizeof at);
        MPI_Cart_coords(grid, other, count, at);
        MPI_Cart_rank(grid, at, &back);
        good = good && back == other;
        end += snprintf(text + end, sizeof text - end, " %d,%d,%d", at[0], at[1], at[2]);
    }
    if (me == 0)
        fact(rank, "%s:%s", name, text);
    check(rank, good, "%s: there and back", name);
    for (int side = 0; side < count; side++) {
        end = 0;
        for (int distance = -2; distance <= 3; distance++) {
            int source = -9, dest = -9;
            MPI_Cart_shift(grid, side, distance, &source, &dest);
            end += snprintf(text + end, sizeof text - end, " %d>%d", source == MPI_PROC_NULL ? -1 : source,
                            dest == MPI_PROC_NULL ? -1 : dest);
        }
        fact(rank, "%s: side %d:%s", name, side, text);
    }
}

/* Values go around the grid: each rank gets its neighbors' ranks. */
static void shift_around(MPI_Comm grid, int count)
{
    for (int side = 0; side < count; side++) {
        int source, dest, me, got = -5;
        MPI_Comm_rank(grid, &me);
        MPI_Cart_shift(grid, side, 1, &source, &dest);
        MPI_Sendrecv(&me, 1, MPI_INT, dest, side, &got, 1, MPI_INT, source, side, grid, MPI_STATUS_IGNORE);
        fact(rank, "along side %d: %d", side, got);
    }
}

static void parts(MPI_Comm grid, int count)
{
    for (int pattern = 0; pattern < 1 << count; pattern++) {
        int remain[4], sum = 0, me;
        char name[32];
        MPI_Comm part;
        for (int side = 0; side < count; side++)
            remain[side] = pattern >> side & 1;
        MPI_Cart_sub(grid, remain, &part);
        MPI_Comm_rank(grid, &me);
        MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, part);
        snprintf(name, sizeof name, "part %d", pattern);
        if (pattern == 1 || pattern == 4 || pattern == 6)
            ask(name, part);
        fact(rank, "%s: sum of ranks %d", name, sum);
        MPI_Comm_free(&part);
    }
}

static void neighbors(MPI_Comm grid, int count)
{
    int out[8], in[8], me, counts[8], places[8], into_counts[8], into_places[8];
    MPI_Comm_rank(grid, &me);
    for (int i = 0; i < 8; i++)
        out[i] = 100 * me + i, in[i] = -7;
    MPI_Neighbor_allgather(&me, 1, MPI_INT, in, 1, MPI_INT, grid);
    fact(rank, "neighbors: %d %d %d %d %d %d", in[0], in[1], in[2], in[3], in[4], in[5]);
    for (int i = 0; i < 8; i++)
        in[i] = -7;
    MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, grid);
    fact(rank, "from neighbors: %d %d %d %d %d %d", in[0], in[1], in[2], in[3], in[4], in[5]);
    /* Backwards: block i of both lies where block 2 * count - 1 - i would. */
    for (int i = 0; i < 2 * count; i++) {
        counts[i] = into_counts[i] = 1;
        places[i] = into_places[i] = 2 * count - 1 - i;
    }
    for (int i = 0; i < 8; i++)
        in[i] = -7;
    MPI_Neighbor_alltoallv(out, counts, places, MPI_INT, in, into_counts, into_places, MPI_INT, grid);
    fact(rank, "backwards: %d %d %d %d %d %d", in[0], in[1], in[2], in[3], in[4], in[5]);
    for (int i = 0; i < 8; i++)
        in[i] = -7;
    MPI_Neighbor_allgatherv(&me, 1, MPI_INT, in, into_counts, into_places, MPI_INT, grid);
    fact(rank, "gathered backwards: %d %d %d %d %d %d", in[0], in[1], in[2], in[3], in[4], in[5]);
    MPI_Aint bytes[8];
    MPI_Datatype types[8];
    for (int i = 0; i < 2 * count; i++) {
        bytes[i] = (MPI_Aint)sizeof(int) * (2 * count - 1 - i);
        types[i] = i % 2 ? MPI_INT : MPI_UNSIGNED;
    }
    for (int i = 0; i < 8; i++)
        in[i] = -7;
    for (int i = 0; i < 8; i++)
        types[i] = MPI_INT;
    MPI_Neighbor_alltoallw(out, counts, bytes, types, in, into_counts, bytes, types, grid);
    fact(rank, "in bytes: %d %d %d %d %d %d", in[0], in[1], in[2], in[3], in[4], in[5]);
}

static const char *class_name(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class == MPI_SUCCESS        ? "success"
           : class == MPI_ERR_TOPOLOGY ? "topology"
           : class == MPI_ERR_DIMS     ? "sides"
           : class == MPI_ERR_ARG      ? "argument"
           : class == MPI_ERR_RANK     ? "rank"
           : class == MPI_ERR_COMM     ? "communicator"
                                       : "another";
}

static void mistakes(MPI_Comm grid)
{
    int value, other, at[3] = {0, 0, 0}, lengths[1] = {size + 1}, periods[1] = {0};
    MPI_Comm made;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(grid, MPI_ERRORS_RETURN);
    fact(rank, "sides of no grid: %s", class_name(MPI_Cartdim_get(MPI_COMM_WORLD, &value)));
    fact(rank, "shift in no grid: %s", class_name(MPI_Cart_shift(MPI_COMM_WORLD, 0, 1, &value, &other)));
#if MPI_VERSION >= 4 /* Open MPI 4.1 does not look */
    check(rank, strcmp(class_name(MPI_Cart_shift(grid, 3, 1, &value, &other)), "sides") == 0, "no such side");
    check(rank, strcmp(class_name(MPI_Cart_coords(grid, size, 3, at)), "rank") == 0, "no such rank");
#else
    check(rank, 1, "no such side");
    check(rank, 1, "no such rank");
#endif
    at[0] = size;
    fact(rank, "beyond an open end: %s", class_name(MPI_Cart_rank(grid, at, &value)));
    fact(rank, "too large: %s", class_name(MPI_Cart_create(MPI_COMM_WORLD, 1, lengths, periods, 0, &made)));
    MPI_Topo_test(MPI_COMM_WORLD, &value);
    check(rank, value == MPI_UNDEFINED, "no topology");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char **argv)
{
    int lengths[3] = {0, 0, 0}, periods[3] = {0, 1, 1}, short_lengths[1], value;
    MPI_Comm grid, copy, line;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 3, lengths);
    MPI_Cart_create(MPI_COMM_WORLD, 3, lengths, periods, 0, &grid);
    ask("grid", grid);
    shift_around(grid, 3);
    parts(grid, 3);
    neighbors(grid, 3);
    /* A duplicate is a grid, too. */
    MPI_Comm_dup(grid, &copy);
    neighbors(copy, 3);
    MPI_Comm_free(&copy);
    mistakes(grid);
    MPI_Comm_free(&grid);
    /* A grid of some of the ranks. */
    short_lengths[0] = (size + 1) / 2;
    MPI_Cart_map(MPI_COMM_WORLD, 1, short_lengths, periods, &value);
    /* Open MPI 4.1 has a place for the ranks that are left out, too. */
    check(rank, rank >= short_lengths[0] || value == rank, "where it would be");
    MPI_Cart_create(MPI_COMM_WORLD, 1, short_lengths, periods, 1, &line);
    if (line == MPI_COMM_NULL) {
        fact(rank, "not in the line");
    } else {
        ask("line", line);
        neighbors(line, 1);
        MPI_Comm_free(&line);
    }
    MPI_Finalize();
    return 0;
}
