/*
 * A 3-D FFT with transposes, after what NPB FT does (the PSI-SIM paper, section 5): a field is transformed, and at each step damped
 * in wave space and transformed back. 1-D transforms by Stockham's algorithm, 16 lines at a time; planes of z per rank, and
 * planes of x behind the transpose, which is an MPI_Alltoall.
 *
 *     weir cc -O2 ft.c -o ft -lm                 the program
 *     weir cc -O2 -DMEASURE ft.c -o ft-measure -lm     the same; the run reports the time of an inner iteration of each loop
 *     weir cc -O2 -DSKELETON=3 ft.c -o ft-l3 -lm       loops are replaced by time per inner iteration x iterations
 *     weir cc -O2 -DSKELETON=1 ft.c -o ft-l1 -lm       loop bodies by instructions x node.cpi / node.clock
 *
 *     ft [-c CLASS | -n NX,NY,NZ] [-i STEPS] [-t SECONDS,...] [-s 1] [-q 1]
 *
 * Steps: 6, as in NPB for classes up to A, unless given. -t, for level 3: the time of an inner iteration of each kind of loop, in the order of `names`. -q 1:
 * prints nothing but mistakes. -s 1, for what is compiled with -DMEASURE: only rank 0 computes, on its share of the size, so that
 * a size can be measured whose other shares have no room here (run it with --set workload.data=false). Classes are those of NPB: S, W, A, B, C. Sizes are powers of two, and the number of ranks divides NX and NZ.
 */
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weir.h>

#ifndef SKELETON
#define SKELETON 0
#endif

enum { SET_UP, COPY, BUTTERFLIES, TRANSPOSE, EVOLVE, VERIFY, KINDS };

/*
 * A loop nest of a kind, with its number of inner iterations; and the straight-line code in the middle of it. What follows
 * LOOPS and LINE runs in the program, and not in the skeleton of that level.
 */
#if SKELETON == 3
static double seconds[KINDS];
#define LOOPS(kind, iterations) if (weir_compute_iterations(seconds[kind], iterations), 0)
#elif defined MEASURE
static const char *const names[KINDS] = {"set up", "copy", "butterflies", "transpose", "evolve", "verify"};
#define LOOPS(kind, iterations) if (rank == 0 || !is_sample) WEIR_MEASURE(names[kind], iterations)
#else
#define LOOPS(kind, iterations)
#endif
#if SKELETON == 1
/* Instructions of the innermost loops, its own included: counted in the disassembly of gcc -O2 -fno-tree-vectorize, x86-64. */
static const double instructions[KINDS] = {41, 9, 25, 8, 9, 12};
#define LINE(kind) if (weir_compute_instructions(instructions[kind]), 0)
#else
#define LINE(kind)
#endif

typedef double complex number;

#define LINES 16 /* transformed at a time */

static int nx, ny, nz, ranks, rank, is_quiet, is_sample;
static number *field, *start, *other; /* start: as it was, for the verification */
static number *scratch[2], *roots;
static double *damping;

/* exp(-2 pi i k / n) for the largest n. */
static int most(void)
{
    int n = nx > ny ? nx : ny;
    return n > nz ? n : nz;
}

/* Transforms LINES lines of n numbers, line after line within each place; the result is in scratch[returned]. */
static int transform(int n, int backward)
{
    int now = 0, step = most() / n;
    for (int half = n / 2, m = 1; half > 0; half /= 2, m *= 2, now = !now) {
        const number *restrict from = scratch[now];
        number *restrict to = scratch[!now];
        LOOPS(BUTTERFLIES, (double)half * m * LINES)
        for (int j = 0; j < half; j++) {
            number root = roots[j * m * step];
            double wr = creal(root), wi = backward ? -cimag(root) : cimag(root);
            for (int k = 0; k < m * LINES; k++) LINE(BUTTERFLIES) {
                number a = from[j * m * LINES + k], b = from[(j + half) * m * LINES + k], d = a - b;
                to[2 * j * m * LINES + k] = a + b;
                to[(2 * j + 1) * m * LINES + k] =
                    CMPLX(creal(d) * wr - cimag(d) * wi, creal(d) * wi + cimag(d) * wr);
            }
        }
    }
    return now;
}

/* Transforms all lines of n numbers that are `stride` apart; neighboring lines are `next` apart, `lines` of them. */
static void transform_lines(number *data, int n, long stride, int lines, long next, int backward)
{
    double scale = backward ? 1.0 / n : 1.0;
    for (int first = 0; first < lines; first += LINES) {
        number *from = data + first * next;
        LOOPS(COPY, (double)n * LINES)
        for (int k = 0; k < n; k++)
            for (int line = 0; line < LINES; line++) LINE(COPY) scratch[0][k * LINES + line] = from[k * stride + line * next];
        int now = transform(n, backward);
        LOOPS(COPY, (double)n * LINES)
        for (int k = 0; k < n; k++)
            for (int line = 0; line < LINES; line++)
                LINE(COPY) from[k * stride + line * next] = scratch[now][k * LINES + line] * scale;
    }
}

/* field[z][y][x], planes of z, becomes field[x][y][z], planes of x. `a` numbers of planes become `b`. */
static void transpose(int a, int b)
{
    int own_a = a / ranks, own_b = b / ranks;
    number *to = other;
    for (int peer = 0; peer < ranks; peer++)
        LOOPS(TRANSPOSE, (double)own_a * ny * own_b)
        for (int y = 0; y < ny; y++)
            for (int j = 0; j < own_b; j++)
                for (int k = 0; k < own_a; k++)
                    LINE(TRANSPOSE)
                    to[(((long)peer * own_b + j) * ny + y) * own_a + k] = field[((long)k * ny + y) * b + peer * own_b + j];
    int bytes = (int)((long)own_a * ny * own_b * sizeof(number));
    MPI_Alltoall(other, bytes, MPI_BYTE, field, bytes, MPI_BYTE, MPI_COMM_WORLD);
    for (int peer = 0; peer < ranks; peer++)
        LOOPS(TRANSPOSE, (double)own_a * ny * own_b)
        for (int j = 0; j < own_b; j++)
            for (int y = 0; y < ny; y++)
                for (int k = 0; k < own_a; k++)
                    LINE(TRANSPOSE)
                    to[((long)j * ny + y) * a + peer * own_a + k] =
                        field[(((long)peer * own_b + j) * ny + y) * own_a + k];
    number *swapped = field;
    field = other;
    other = swapped;
}

static void forward(void)
{
    for (int z = 0; z < nz / ranks; z++) {
        transform_lines(field + (long)z * ny * nx, nx, 1, ny, nx, 0);
        transform_lines(field + (long)z * ny * nx, ny, nx, nx, 1, 0);
    }
    transpose(nz, nx);
    for (int x = 0; x < nx / ranks; x++) transform_lines(field + (long)x * ny * nz, nz, 1, ny, nz, 0);
}

static void backward(void)
{
    for (int x = 0; x < nx / ranks; x++) transform_lines(field + (long)x * ny * nz, nz, 1, ny, nz, 1);
    transpose(nx, nz);
    for (int z = 0; z < nz / ranks; z++) {
        transform_lines(field + (long)z * ny * nx, ny, nx, nx, 1, 1);
        transform_lines(field + (long)z * ny * nx, nx, 1, ny, nx, 1);
    }
}

/* Numbers between 0 and 1 that hang on the place alone, so that the field is the same for any number of ranks. */
static double random_number(unsigned long place)
{
    place = (place ^ place >> 31) * 0x9e3779b97f4a7c15UL;
    place = (place ^ place >> 29) * 0xbf58476d1ce4e5b9UL;
    return (double)((place ^ place >> 32) >> 11) * 0x1p-53;
}

static double squared_wave(int k, int n)
{
    int wave = k < n / 2 ? k : k - n;
    return (double)wave * wave;
}

static void set_up(long own)
{
    LOOPS(SET_UP, (double)own)
    for (long k = 0; k < own; k++) LINE(SET_UP) {
        unsigned long place = (unsigned long)(rank * own + k);
        start[k] = field[k] = CMPLX(random_number(2 * place + 1), random_number(2 * place + 2));
        other[k] = 0; /* so that the first transpose takes no longer than the others */
    }
    /* Per own plane of x: all of it where there are no results, too, since it is short. */
    for (int k = 0; k < nx / ranks; k++) damping[k] = exp(-1e-4 * squared_wave(rank * (nx / ranks) + k, nx));
    for (int k = 0; k < most(); k++) roots[k] = cexp(-2.0 * acos(-1.0) * k / most() * I);
}

/* One step of time in wave space. */
static void evolve(void)
{
    for (int x = 0; x < nx / ranks; x++) {
        number *plane = field + (long)x * ny * nz;
        LOOPS(EVOLVE, (double)ny * nz)
        for (long k = 0; k < (long)ny * nz; k++) LINE(EVOLVE) plane[k] *= damping[x];
    }
}

/* How far the field is from where it started, at most. */
static double distance(long own)
{
    double most_far = 0;
    LOOPS(VERIFY, (double)own)
    for (long k = 0; k < own; k++) LINE(VERIFY) {
        double re = creal(field[k]) - creal(start[k]), im = cimag(field[k]) - cimag(start[k]);
        double squared = re * re + im * im;
        most_far = squared > most_far ? squared : most_far;
    }
    return sqrt(most_far);
}

static void read_size(int argc, char **argv, int *steps)
{
    static const struct { char name; int x, y, z; } classes[] = {
        {'S', 64, 64, 64}, {'W', 128, 128, 32}, {'A', 256, 256, 128}, {'B', 512, 256, 256}, {'C', 512, 512, 512}};
    for (int k = 1; k + 1 < argc; k += 2) {
        if (!strcmp(argv[k], "-c"))
            for (int c = 0; c < 5; c++)
                if (classes[c].name == argv[k + 1][0]) nx = classes[c].x, ny = classes[c].y, nz = classes[c].z;
        if (!strcmp(argv[k], "-n") && sscanf(argv[k + 1], "%d,%d,%d", &nx, &ny, &nz) != 3) nx = 0;
        if (!strcmp(argv[k], "-q")) is_quiet = atoi(argv[k + 1]);
#ifdef MEASURE
        if (!strcmp(argv[k], "-s")) is_sample = atoi(argv[k + 1]);
#endif
        if (!strcmp(argv[k], "-i")) *steps = atoi(argv[k + 1]);
#if SKELETON == 3
        char *rest = argv[k + 1];
        if (!strcmp(argv[k], "-t"))
            for (int kind = 0; kind < KINDS; kind++, rest += *rest == ',') seconds[kind] = strtod(rest, &rest);
#endif
    }
}

static int fits(int n) { return n >= LINES && (n & (n - 1)) == 0; }

int main(int argc, char **argv)
{
    int steps = 6;
    nx = ny = nz = 32;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    read_size(argc, argv, &steps);
    if (!fits(nx) || !fits(ny) || !fits(nz) || nx % ranks || nz % ranks || steps < 1) {
        if (rank == 0) fprintf(stderr, "sizes: powers of two, 16 or more, that the number of ranks divides; steps: 1 or more\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    long own = (long)nx * ny * nz / ranks;
    field = malloc(own * sizeof *field);
    other = malloc(own * sizeof *other);
    start = malloc(own * sizeof *start);
    damping = malloc(nx / ranks * sizeof *damping);
    for (int k = 0; k < 2; k++) scratch[k] = malloc((long)most() * LINES * sizeof **scratch);
    roots = malloc(most() * sizeof *roots);
    if (!field || !other || !start || !damping || !scratch[0] || !scratch[1] || !roots) MPI_Abort(MPI_COMM_WORLD, 1);

    set_up(own);
    double energy[2] = {0, 0}, total[2], far = 0, farthest;
    /* Step 0 transforms forth and back, and nothing else: what comes back must be what there was. */
    forward();
    for (int step = 0; step <= steps; step++) {
        if (step > 0) {
            forward();
            evolve();
        }
        backward();
        if (step == 0) far = distance(own);
        energy[0] = creal(field[own / 2]);
        energy[1] = cimag(field[own / 3]);
        MPI_Allreduce(energy, total, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (rank == 0 && !SKELETON && !is_quiet) printf("step %d: checksum %.12f %.12f\n", step, total[0], total[1]);
    }
    MPI_Reduce(&far, &farthest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    int wrong = !SKELETON && !is_sample && rank == 0 && !(farthest < 1e-12);
    if (rank == 0 && !SKELETON && !is_sample && (wrong || !is_quiet)) printf("forth and back: largest difference %.1e: %s\n", farthest, wrong ? "WRONG" : "right");
    MPI_Finalize();
    return wrong;
}
