/*
 * slow.c: a gas flows down a channel, in a program that waits more than it works (docs/tutorials/why-slow.md). Each rank has some rows of
 * cells. In a step it needs the last row of the rank before it; every five steps rank 0 prints the mass of the gas. As it stands the program has
 * three mistakes; with -DMENDED=1, 2 or 3 so many of them are mended.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weir.h>

#ifndef MENDED
#define MENDED 0
#endif

enum { ROWS = 1000, CELLS = 4096, VALUES = 4, LENGTH = CELLS * VALUES, STEPS = 20 };
typedef double Row[LENGTH];

static int rank, ranks, own;
static Row *field, last, before;

/* Work of 1 ns for each cell. What it computes is not much, so that the simulation is quick. */
static void advance(void)
{
    weir_compute(1e-9 * own * CELLS);
    for (int row = own - 1; row >= 0; row--) {
        double *from = row > 0 ? field[row - 1] : before;
        for (int k = 0; k < LENGTH; k += 512) field[row][k] += 0.5 * (from[k] - field[row][k]);
    }
}

#if MENDED < 2
static void receive_row(void)
{
    if (rank > 0) MPI_Recv(before, LENGTH, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send_row(void)
{
    if (rank < ranks - 1) MPI_Send(last, LENGTH, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
}

static void step(void)
{
    receive_row();
    advance();
    send_row();
}
#else
static void step(void)
{
    int from = rank > 0 ? rank - 1 : MPI_PROC_NULL, to = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
    MPI_Sendrecv(last, LENGTH, MPI_DOUBLE, to, 0, before, LENGTH, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    advance();
}
#endif

static double sum(const double *values, long count)
{
    double all = 0;
    for (long k = 0; k < count; k += 512) all += values[k];
    return all;
}

#if MENDED < 1
static double mass(void)
{
    int mine = own * LENGTH, *counts = malloc(2 * ranks * sizeof(int)), *places = counts + ranks;
    MPI_Gather(&mine, 1, MPI_INT, counts, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0)
        for (int k = 0, place = 0; k < ranks; place += counts[k++]) places[k] = place;
    Row *whole = rank == 0 ? malloc(ROWS * sizeof(Row)) : NULL;
    MPI_Gatherv(field, mine, MPI_DOUBLE, whole, counts, places, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    double all = rank == 0 ? sum(whole[0], (long)ROWS * LENGTH) : 0;
    free(whole);
    free(counts);
    return all;
}
#else
static double mass(void)
{
    double mine = sum(field[0], (long)own * LENGTH), all = 0;
    MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return all;
}
#endif

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
#if MENDED < 3
    own = ROWS / ranks + (rank == ranks - 1 ? ROWS % ranks : 0);
#else
    own = ROWS / ranks + (rank < ROWS % ranks);
#endif
    field = calloc(own, sizeof(Row));
    if (rank == 0)
        for (int k = 0; k < LENGTH; k++) field[0][k] = 1;

    for (int k = 1; k <= STEPS; k++) {
        memcpy(last, field[own - 1], sizeof(Row));
        step();
        if (k % 5 == 0) {
            double all = mass();
            if (rank == 0) printf("step %d: mass %.3f\n", k, all);
        }
    }
    free(field);
    MPI_Finalize();
    return 0;
}
