/*
 * neighbours.c: the messages of two well-known benchmarks on a cube of ranks, without their work on data.
 *
 *   hydro  one time step as in LULESH 2.0: forces from all 26 neighbors, positions and velocities from the 13 below, gradients from the
 *          6 that share a face, and a reduction that finds the next time step.
 *   cg     one iteration as in HPCG 3.1: a multigrid cycle of 4 levels with 10 exchanges with all 26 neighbors, a product of the matrix
 *          with a vector with another one, and 3 dot products.
 *
 * weir cc neighbours.c -o neighbours && weir mpirun -n 27 --machine torus ./neighbours hydro 30 10
 * Arguments: hydro or cg; cells along a side of a rank's cube; steps. The number of ranks is a cube.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weir.h>

enum { BELOW = 1, FACES = 2 };

static int rank, side, at[3];

/* Room for what goes to and comes from one neighbor; what is in it does not matter. */
static double *room[2];

/* The rank so far away, or -1 beyond the end of the cube: nothing is joined to a ring. */
static int neighbor(const int d[3])
{
    int number = 0;
    for (int axis = 2; axis >= 0; axis--) {
        int place = at[axis] + d[axis];
        if (place < 0 || place >= side)
            return -1;
        number = number * side + place;
    }
    return number;
}

static int is_below(const int d[3])
{
    int last = d[2] ? d[2] : d[1] ? d[1] : d[0];
    return last < 0;
}

/* Every rank of n x n x n cells exchanges so many numbers for each cell at its faces, edges and corners: with all neighbors, only
   with those that share a face, or it sends to those above only, and receives from those below. */
static void exchange(int n, int fields, int which)
{
    MPI_Request requests[52];
    int count = 0, place = 0;
    for (int sends = 0; sends < 2; sends++)
        for (int z = -1; z <= 1; z++)
            for (int y = -1; y <= 1; y++)
                for (int x = -1; x <= 1; x++) {
                    int d[3] = {x, y, z}, far = abs(x) + abs(y) + abs(z), other = neighbor(d);
                    if (far == 0)
                        continue;
                    int tag = sends ? 13 + x + 3 * y + 9 * z : 13 - x - 3 * y - 9 * z;
                    int length = fields * (far == 1 ? n * n : far == 2 ? n : 1);
                    double *data = room[sends] + place++ % 26 * fields * n * n;
                    if (other < 0 || (which == FACES && far > 1) || (which == BELOW && is_below(d) == sends))
                        continue;
                    if (sends)
                        MPI_Isend(data, length, MPI_DOUBLE, other, tag, MPI_COMM_WORLD, &requests[count++]);
                    else
                        MPI_Irecv(data, length, MPI_DOUBLE, other, tag, MPI_COMM_WORLD, &requests[count++]);
                }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

static void reduce(MPI_Op operation)
{
    double mine = 1, all;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, operation, MPI_COMM_WORLD);
}

/* The work of a cell takes so long; ranks differ a little. */
static void work(double cells, double seconds)
{
    weir_compute(cells * seconds * (1 + 0.01 * (rank * 7 % 5)));
}

static void hydro(int n)
{
    double cells = (double)n * n * n;
    weir_phase("forces");
    work(cells, 40e-9);
    exchange(n + 1, 3, 0);
    weir_phase("motion");
    work(cells, 10e-9);
    exchange(n + 1, 6, BELOW);
    weir_phase("gradients");
    work(cells, 15e-9);
    exchange(n, 3, FACES);
    weir_phase("time step");
    work(cells, 20e-9);
    reduce(MPI_MIN);
}

static void smooth(int n)
{
    exchange(n, 1, 0);
    work((double)n * n * n, 30e-9);
}

static void cycle(int n, int levels)
{
    smooth(n);
    if (levels == 1)
        return;
    exchange(n, 1, 0);
    work((double)n * n * n, 10e-9);
    cycle(n > 1 ? n / 2 : 1, levels - 1);
    smooth(n);
}

static void cg(int n)
{
    weir_phase("multigrid");
    cycle(n, 4);
    weir_phase("product");
    reduce(MPI_SUM);
    exchange(n, 1, 0);
    work((double)n * n * n, 10e-9);
    reduce(MPI_SUM);
    weir_phase("update");
    work((double)n * n * n, 3e-9);
    reduce(MPI_SUM);
}

int main(int argc, char **argv)
{
    int ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int is_cg = argc > 1 && !strcmp(argv[1], "cg"), is_hydro = argc > 1 && !strcmp(argv[1], "hydro");
    int n = argc > 2 ? atoi(argv[2]) : 30, steps = argc > 3 ? atoi(argv[3]) : 10;
    while (side * side * side < ranks)
        side++;
    if (is_cg == is_hydro || n < 1 || n > 63 || side * side * side != ranks) {
        if (rank == 0)
            fprintf(stderr, "usage: neighbors hydro|cg [CELLS, 1 to 63] [STEPS], on 1, 8, 27, 64, ... ranks\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (int sends = 0; sends < 2; sends++)
        room[sends] = calloc(26 * 6 * (n + 1) * (n + 1), sizeof(double));
    at[0] = rank % side, at[1] = rank / side % side, at[2] = rank / side / side;
    for (int step = 0; step < steps; step++)
        is_cg ? cg(n) : hydro(n);
    if (rank == 0)
        printf("%s: %d ranks, %d cells each, %d steps\n", argv[1], ranks, n * n * n, steps);
    MPI_Finalize();
    return 0;
}
