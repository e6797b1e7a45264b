/* ranks: 1 2 4 */
/* Each rank has a stack of its own, of a size programs count on: arrays of 300 KiB, deep recursion with messages at
   the bottom, callbacks of qsort, variable arguments, long jumps. */
#include <mpi.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"

static int rank, size;

/* An array whose length is known at run time only; ranks meet while it is in use. */
static int large_array(int kib)
{
    int n = kib * 1024 / (int)sizeof(int), good = 1;
    int array[n];
    for (int i = 0; i < n; i++)
        array[i] = rank * 1000000 + i;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Sendrecv_replace(array, n, MPI_INT, (rank + 1) % size, 0, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
        good = good && array[i] == (rank + size - 1) % size * 1000000 + i;
    return good;
}

/* Sums the depths down and up again; at the bottom, and at each hundredth level, all ranks meet. */
static long descend(int depth)
{
    volatile int here[8] = {depth, rank};
    if (depth % 100 == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    long below = depth == 0 ? 0 : descend(depth - 1);
    return here[1] == rank ? below + here[0] : -1000000;
}

static int comparisons;

static int descending(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    comparisons++;
    return (x < y) - (x > y);
}

static jmp_buf back;

static void jump(int value)
{
    char filler[1000];
    memset(filler, value, sizeof filler);
    if (filler[999] == value)
        longjmp(back, value);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    check(rank, large_array(10), "10 KiB on the stack");
    check(rank, large_array(100), "100 KiB on the stack");
    check(rank, large_array(300), "300 KiB on the stack");
    check(rank, descend(500) == 500 * 501 / 2, "recursion of 500 levels");

    int numbers[1000], good = 1;
    for (int i = 0; i < 1000; i++)
        numbers[i] = (i * 7919 + rank * 31) % 1000;
    qsort(numbers, 1000, sizeof *numbers, descending);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 1000; i++)
        good = good && numbers[i] == 999 - i;
    check(rank, good && comparisons > 999, "callbacks of qsort");

    int came = setjmp(back);
    if (came == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        jump(rank + 1);
    }
    check(rank, came == rank + 1, "long jump");

    /* Floating point state and vector registers survive a switch of ranks. */
    double x = 1;
    for (int i = 0; i < 50; i++) {
        x = x * 1.5 + rank;
        if (x > 1000)
            x /= 1024;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    fact(rank, "fifty steps: %.12g", x);
    MPI_Finalize();
    return 0;
}
