/*
 * Two-electron repulsion integrals and their addition to a Fock matrix (the PSI-SIM paper, section 4), as in molecular orbital
 * methods. A double loop over pairs of contracted shells with a cut-off, whose outer loop is split statically over the ranks.
 * All shells are of s type, on a made-up chain of atoms.
 *
 *     weir cc -O2 eri.c -o eri -lm                    the program
 *     weir cc -O2 -DMEASURE eri.c -o eri-measure -lm        the same; the run reports the mean time of an integral and of a pair
 *     weir cc -O2 -DSKELETON=4 eri.c -o eri-skeleton -lm    integral and addition are replaced by their mean time
 *     weir cc -O2 -DSAMPLE=200 eri.c -o eri-sample -lm      ... which is found out from the first 200 of each rank
 *
 *     eri [-n FUNCTIONS] [-s EVERY] [-t SECONDS,SECONDS] [-q 1]
 *
 * -n: number of basis functions; those of the paper are 394, 679 and 1009. -s: of the outer loop only one pair of so many,
 * for an estimate. -t, for the skeleton: seconds per integral, its addition included, and seconds to make a pair. -q 1:
 * prints nothing but mistakes.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weir.h>

#define PRIMITIVES 3 /* as in STO-3G */
#define TERMS (PRIMITIVES * PRIMITIVES)
#define MOST_FUNCTIONS 4000
#define PAIR_CUTOFF 1e-3 /* of the overlap of two shells */
#define CUTOFF 2e-1      /* of the bound of an integral */

struct shell {
    double place[3];
    double exponent[PRIMITIVES], coefficient[PRIMITIVES];
};

/* The product of two contracted shells: a sum of Gaussians. */
struct pair {
    double exponent[TERMS], factor[TERMS];
    double place[TERMS][3];
};

static int functions = 64, pairs, every = 1, is_quiet;
static struct shell *shells;
static int (*members)[2]; /* by pair: its shells */
#ifndef SKELETON
static struct pair *pair; /* the same with what integrals need */
#endif
static double *bound; /* by pair: the square root of (ij|ij) */
static double *density, *fock;
#ifdef SKELETON
static double seconds, pair_seconds; /* per integral, and to make a pair */
#endif

static double pi(void) { return acos(-1.0); }

/* Boys function of order 0: the integral of exp(-t u^2) over u from 0 to 1. */
static double boys(double t)
{
    if (t < 1e-7) return 1.0 - t / 3.0;
    double root = sqrt(t);
    return 0.88622692545275801365 * erf(root) / root;
}

/* (ij|kl) */
static double integral(const struct pair *ij, const struct pair *kl)
{
    double sum = 0;
    for (int a = 0; a < TERMS; a++)
        for (int b = 0; b < TERMS; b++) {
            double p = ij->exponent[a], q = kl->exponent[b], square = 0;
            for (int k = 0; k < 3; k++) {
                double way = ij->place[a][k] - kl->place[b][k];
                square += way * way;
            }
            sum += ij->factor[a] * kl->factor[b] / (p * q * sqrt(p + q)) * boys(p * q / (p + q) * square);
        }
    return 34.986836655249725693 * sum; /* 2 pi^(5/2) */
}

/* The lower triangle of a symmetric matrix. */
static long at(int i, int j) { return i >= j ? (long)i * (i + 1) / 2 + j : (long)j * (j + 1) / 2 + i; }

#ifndef SKELETON
/* Coulomb and exchange parts of one integral and of those that are equal to it. */
static void add_to_fock(int i, int j, int k, int l, double value)
{
    if (i == j) value *= 0.5;
    if (k == l) value *= 0.5;
    if (i == k && j == l) value *= 0.5;
    fock[at(i, j)] += 4 * density[at(k, l)] * value;
    fock[at(k, l)] += 4 * density[at(i, j)] * value;
    fock[at(i, k)] -= density[at(j, l)] * value;
    fock[at(i, l)] -= density[at(j, k)] * value;
    fock[at(j, k)] -= density[at(i, l)] * value;
    fock[at(j, l)] -= density[at(i, k)] * value;
}
#endif

/* A chain of atoms that winds. */
static void make_shells(void)
{
    for (int n = 0; n < functions; n++) {
        struct shell *shell = &shells[n];
        double angle = 0.6 * n;
        shell->place[0] = 3.0 * cos(angle) + 0.3 * sin(2.7 * n);
        shell->place[1] = 3.0 * sin(angle) + 0.3 * cos(1.9 * n);
        shell->place[2] = 0.55 * n;
        for (int k = 0; k < PRIMITIVES; k++) {
            shell->exponent[k] = 0.11 * pow(3.4, k) * (1 + 0.2 * (n % 5));
            shell->coefficient[k] = pow(2 * shell->exponent[k] / pi(), 0.75) / (1 + k);
        }
    }
}

static double squared_distance(const double *a, const double *b)
{
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sum;
}

static void make_pair(struct pair *made, int i, int j)
{
    const struct shell *a = &shells[i], *b = &shells[j];
    double square = squared_distance(a->place, b->place);
    for (int m = 0; m < PRIMITIVES; m++)
        for (int n = 0; n < PRIMITIVES; n++) {
            double sum = a->exponent[m] + b->exponent[n], product = a->exponent[m] * b->exponent[n];
            int term = m * PRIMITIVES + n;
            made->exponent[term] = sum;
            made->factor[term] = a->coefficient[m] * b->coefficient[n] * exp(-product / sum * square);
            for (int k = 0; k < 3; k++)
                made->place[term][k] = (a->exponent[m] * a->place[k] + b->exponent[n] * b->place[k]) / sum;
        }
}

/* All pairs whose most diffuse primitives overlap: exp(-way) is above the cut-off. */
static void make_pairs(void)
{
    double longest = -log(PAIR_CUTOFF);
    for (int round = 0; round < 2; round++) {
        pairs = 0;
        for (int i = 0; i < functions; i++)
            for (int j = 0; j <= i; j++) {
                double a = shells[i].exponent[0], b = shells[j].exponent[0];
                double square = squared_distance(shells[i].place, shells[j].place);
                if (a * b / (a + b) * square > longest) continue;
                if (round == 1) members[pairs][0] = i, members[pairs][1] = j;
                pairs++;
            }
        if (round == 0) members = malloc(pairs * sizeof *members);
        if (!members) MPI_Abort(MPI_COMM_WORLD, 1);
    }
#ifndef SKELETON
    pair = malloc(pairs * sizeof *pair);
    if (!pair) MPI_Abort(MPI_COMM_WORLD, 1);
#ifdef MEASURE
    WEIR_MEASURE("pair", pairs)
#endif
    for (int ij = 0; ij < pairs; ij++) make_pair(&pair[ij], members[ij][0], members[ij][1]);
#else
    weir_compute_iterations(pair_seconds, pairs);
#endif
}

/* Each rank a part, and all of them to all. */
static void find_bounds(int rank, int ranks)
{
    int *counts = malloc(ranks * sizeof *counts), *places = malloc(ranks * sizeof *places);
    bound = malloc(pairs * sizeof *bound);
    if (!counts || !places || !bound) MPI_Abort(MPI_COMM_WORLD, 1);
    for (int k = 0; k < ranks; k++) {
        places[k] = (int)((long)pairs * k / ranks);
        counts[k] = (int)((long)pairs * (k + 1) / ranks) - places[k];
    }
    for (int ij = places[rank]; ij < places[rank] + counts[rank]; ij++) {
        struct pair own;
        make_pair(&own, members[ij][0], members[ij][1]);
        bound[ij] = sqrt(integral(&own, &own));
    }
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DOUBLE, bound, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
    free(counts);
    free(places);
}

#ifndef SKELETON
static void add_integral(int ij, int kl)
{
    double value = integral(&pair[ij], &pair[kl]);
    add_to_fock(members[ij][0], members[ij][1], members[kl][0], members[kl][1], value);
}
#endif

#ifdef MEASURE
/* The same, with all integrals of a row in one block: one alone is too short for a clock. */
static long compute_row(int ij)
{
    static int *left; /* those that the cut-off leaves */
    int count = 0;
    if (!left) left = malloc(pairs * sizeof *left);
    if (!left) MPI_Abort(MPI_COMM_WORLD, 1);
    double least = CUTOFF / bound[ij];
    for (int kl = 0; kl <= ij; kl++)
        if (!(bound[kl] < least)) left[count++] = kl;
    WEIR_MEASURE("integral", count)
    for (int k = 0; k < count; k++) add_integral(ij, left[k]);
    return count;
}
#else
static long compute_row(int ij)
{
    long integrals = 0;
    double least = CUTOFF / bound[ij];
    for (int kl = 0; kl <= ij; kl++) {
        if (bound[kl] < least) continue;
        integrals++;
#ifdef SKELETON
        BSIM_ADD_TIME(seconds);
#else
#ifdef SAMPLE
        WEIR_SAMPLE("integral", SAMPLE)
#endif
        add_integral(ij, kl);
#endif
    }
    return integrals;
}
#endif

/* The loops of the PSI-SIM paper, figure 3. */
static long compute_fock(int rank, int ranks)
{
    long integrals = 0;
    for (int ij = rank; ij < pairs; ij += ranks * every) integrals += compute_row(ij);
    return integrals;
}

#if !defined(SKELETON) && !defined(SAMPLE)
/* Whether the trace of the Fock matrix is what it was for this size when the program was written. */
static int verify(long integrals, double trace)
{
    static const struct { int functions; long integrals; double trace; } known[] = {
        {64, 24937, 5.463144219e+03},
        {394, 981557, 6.339047608e+04},
        {679, 2922998, 1.251310469e+05},
        {1009, 6428830, 2.032154683e+05}};
    for (int k = 0; k < 4; k++)
        if (known[k].functions == functions) {
            /* Another library's exp may put an integral on the other side of the cut-off. */
            int right = labs(known[k].integrals - integrals) < 10 && fabs(trace / known[k].trace - 1) < 1e-5;
            if (!right || !is_quiet) printf("trace %.9e: %s\n", trace, right ? "right" : "WRONG");
            return !right;
        }
    if (!is_quiet) printf("trace %.9e: not known\n", trace);
    return 0;
}
#endif

int main(int argc, char **argv)
{
    int rank, ranks, wrong = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int k = 1; k + 1 < argc; k += 2) {
        if (!strcmp(argv[k], "-n")) functions = atoi(argv[k + 1]);
        if (!strcmp(argv[k], "-q")) is_quiet = atoi(argv[k + 1]);
        if (!strcmp(argv[k], "-s")) every = atoi(argv[k + 1]);
#ifdef SKELETON
        if (!strcmp(argv[k], "-t")) sscanf(argv[k + 1], "%lf,%lf", &seconds, &pair_seconds);
#endif
    }
    if (functions < 1 || functions > MOST_FUNCTIONS || every < 1) {
        if (rank == 0) fprintf(stderr, "functions: 1 to %d; one pair of 1 or more\n", MOST_FUNCTIONS);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    long entries = at(functions - 1, functions - 1) + 1;
    shells = malloc(functions * sizeof *shells);
    density = malloc(entries * sizeof *density);
    fock = malloc(entries * sizeof *fock);
    if (!shells || !density || !fock) MPI_Abort(MPI_COMM_WORLD, 1);
    make_shells();
    make_pairs();
    for (int i = 0; i < functions; i++)
        for (int j = 0; j <= i; j++) {
            density[at(i, j)] = 1.0 / (1 + (i - j) * (i - j));
            fock[at(i, j)] = 0;
        }
    find_bounds(rank, ranks);

    long integrals = compute_fock(rank, ranks), all = 0;
    MPI_Allreduce(MPI_IN_PLACE, fock, (int)entries, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce(&integrals, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0 && !is_quiet) printf("%d functions, %d pairs, %ld integrals\n", functions, pairs, all);
#if !defined(SKELETON) && !defined(SAMPLE)
    double trace = 0;
    for (int i = 0; i < functions; i++) trace += fock[at(i, i)];
    if (rank == 0 && every == 1) wrong = verify(all, trace);
#endif
    MPI_Finalize();
    return wrong;
}
