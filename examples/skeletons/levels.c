/*
 * All levels of abstraction in one small program (the PSI-SIM paper, section 3.2): smoothing of a line of numbers that is split over
 * the ranks. With -DSKELETON=4 the blocks of levels 1 to 4 are replaced by their times; with -DSKELETON=5 also the last
 * one, which contains MPI, so that its messages are missing.
 *
 *     weir cc -O2 levels.c -o levels -lm
 *     weir cc -O2 -DSKELETON=4 levels.c -o levels-skeleton -lm
 *     weir skeleton check ./levels ./levels-skeleton -n 8
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <weir.h>

#ifndef SKELETON
#define SKELETON 0
#endif

#define OWN 20000
#define STEPS 20

static double line[OWN + 2], next[OWN + 2];

static double smooth(void)
{
    double change = 0;
    for (int k = 1; k <= OWN; k++) {
        next[k] = 0.25 * line[k - 1] + 0.5 * line[k] + 0.25 * line[k + 1];
        change += fabs(next[k] - line[k]);
    }
    return change;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    double change = 0, all = 0, weight = 1, damped = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;

    /* Level 3: a loop. Seconds of an inner iteration times iterations. */
#if SKELETON >= 3
    weir_compute_iterations(1.1e-9, OWN + 2);
#else
    for (int k = 0; k < OWN + 2; k++) line[k] = (k * 7919 + rank * 104729) % 1000 * 1e-3;
#endif

    for (int step = 0; step < STEPS; step++) {
        MPI_Sendrecv(&line[1], 1, MPI_DOUBLE, left, 0, &line[OWN + 1], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv(&line[OWN], 1, MPI_DOUBLE, right, 1, &line[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);

        /* Level 4: a call of a function. */
#if SKELETON >= 4
        weir_compute_block("smooth", 4, 24e-6);
#else
        change = smooth();
#endif

        /* Level 1: straight-line code. */
#if SKELETON >= 1
        weir_compute_block("weights", 1, 2e-9);
#else
        weight = weight * 0.98 + 0.01;
        damped = damped * 0.5 + change * weight;
#endif

        /* Level 2: with an IF. The mean of both ways. */
#if SKELETON >= 2
        weir_compute_block("clip", 2, 1e-9);
#else
        if (damped > 100) damped = 100 + 0.1 * (damped - 100);
#endif

        /* Level 3: a loop that a run measures a few times by itself. */
        WEIR_SAMPLE_LOOP("copy", 3, OWN) {
            for (int k = 1; k <= OWN; k++) line[k] = next[k];
        }

        /* Level 5: with MPI. Its time hangs on the network; here it is taken for one that does not change. */
#if SKELETON >= 5
        weir_compute_block("sum", 5, 3e-6);
#else
        MPI_Allreduce(&damped, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
#endif
    }
    if (rank == 0 && !SKELETON) printf("change %.6f\n", all);
    MPI_Finalize();
    return 0;
}
