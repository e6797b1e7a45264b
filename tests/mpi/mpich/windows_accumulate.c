/* ranks: 1 2 3 4 */
/* Accumulates: every operation, derived datatypes on both sides, pairs, what was there before, order. */
#include <mpi.h>
#include "../check.h"

static int rank, size;

static void operations(void)
{
    MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_LAND, MPI_LOR, MPI_LXOR};
    enum { OPS = sizeof ops / sizeof *ops };
    MPI_Win win;
    int memory[OPS], i;
    for (i = 0; i < OPS; i++)
        memory[i] = 12 + i;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    for (i = 0; i < OPS; i++) {
        int value = 2 * rank + 3;
        MPI_Accumulate(&value, 1, MPI_INT, size - 1, i, 1, MPI_INT, ops[i], win);
    }
    MPI_Win_fence(0, win);
    for (i = 0; i < OPS; i++)
        fact(rank, "operation %d: %d", i, memory[i]);
    MPI_Win_free(&win);
}

static void pairs(void)
{
    struct { double value; int at; } memory[2] = {{5.5, 99}, {5.5, 99}}, own = {rank == 0 ? 1.5 : 7.5, rank};
    struct { float value; int at; } place = {(float)(rank % 2), rank}, top = {-1, -1};
    MPI_Win win, other;
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_create(&top, sizeof top, sizeof top, MPI_INFO_NULL, MPI_COMM_WORLD, &other);
    MPI_Win_fence(0, win);
    MPI_Win_fence(0, other);
    MPI_Accumulate(&own, 1, MPI_DOUBLE_INT, 0, 0, 1, MPI_DOUBLE_INT, MPI_MINLOC, win);
    MPI_Accumulate(&own, 1, MPI_DOUBLE_INT, 0, 1, 1, MPI_DOUBLE_INT, MPI_MAXLOC, win);
    MPI_Accumulate(&place, 1, MPI_FLOAT_INT, 0, 0, 1, MPI_FLOAT_INT, MPI_MAXLOC, other);
    MPI_Win_fence(0, win);
    MPI_Win_fence(0, other);
    fact(rank, "least %.1f at %d, most %.1f at %d, float %.0f at %d", memory[0].value, memory[0].at,
         memory[1].value, memory[1].at, top.value, top.at);
    MPI_Win_free(&win);
    MPI_Win_free(&other);
}

static void derived(void)
{
    MPI_Win win;
    MPI_Datatype every_other, column;
    double memory[12], own[6], before[12];
    int i, next = (rank + 1) % size;
    for (i = 0; i < 12; i++) {
        memory[i] = rank + i * 0.5;
        before[i] = -1;
    }
    for (i = 0; i < 6; i++)
        own[i] = 100 + rank;
    MPI_Type_vector(3, 1, 2, MPI_DOUBLE, &every_other);
    MPI_Type_commit(&every_other);
    MPI_Type_create_resized(every_other, 0, sizeof(double), &column);
    MPI_Type_commit(&column);
    MPI_Win_create(memory, sizeof memory, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    /* Three contiguous numbers to every other place. */
    MPI_Accumulate(own, 3, MPI_DOUBLE, next, 1, 1, every_other, MPI_SUM, win);
    MPI_Win_fence(0, win);
    for (i = 0; i < 12; i++)
        fact(rank, "memory %d: %.1f", i, memory[i]);
    MPI_Win_fence(0, win); /* all have looked */
    /* Two columns, one behind the other, come back to every other place twice. */
    MPI_Get_accumulate(own, 6, MPI_DOUBLE, before, 2, every_other, next, 6, 2, column, MPI_SUM, win);
    MPI_Win_fence(0, win);
    for (i = 0; i < 12; i++)
        fact(rank, "before %d: %.1f, after %.1f", i, before[i], memory[i]);
    MPI_Win_fence(0, win);
    MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, before, 12, MPI_DOUBLE, next, 0, 12, MPI_DOUBLE, MPI_NO_OP, win);
    MPI_Win_fence(0, win);
    fact(rank, "read %.1f %.1f", before[3], before[7]);
    MPI_Win_fence(0, win);
    MPI_Get_accumulate(own, 1, every_other, before, 3, MPI_DOUBLE, next, 2, 3, MPI_DOUBLE, MPI_REPLACE, win);
    MPI_Win_fence(0, win);
    fact(rank, "replaced %.1f %.1f %.1f by %.1f", before[0], before[1], before[2], memory[2]);
    MPI_Type_free(&every_other);
    MPI_Type_free(&column);
    MPI_Win_free(&win);
}

static void order(void)
{
    MPI_Win win;
    int i, memory[4] = {0, 0, 0, 0}, got[10];
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    for (i = 0; i < 10; i++) {
        int value = 10 * rank + i;
        MPI_Get_accumulate(&value, 1, MPI_INT, &got[i], 1, MPI_INT, 0, rank, 1, MPI_INT, MPI_REPLACE, win);
    }
    MPI_Win_fence(0, win);
    for (i = 0; i < 10; i++)
        check(rank, got[i] == (i == 0 ? 0 : 10 * rank + i - 1), "in order %d", i);
    for (i = 0; rank == 0 && i < size; i++)
        fact(rank, "last %d", memory[i]);
    MPI_Win_free(&win);
}

static void many_types(void)
{
    union { short s; unsigned long u; float f; long double l; signed char c; _Bool b; } memory = {0};
    MPI_Win win;
    short s = 3, old_s = -1;
    float f = 1.25f, old_f = -1;
    unsigned long u = 1ul << 40, old_u = 9;
    long double l = 2.5L, old_l = -1;
    MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    memory.s = 4;
    MPI_Win_fence(0, win);
    MPI_Fetch_and_op(&s, &old_s, MPI_SHORT, rank, 0, MPI_PROD, win);
    MPI_Win_fence(0, win);
    fact(rank, "short %d %d", old_s, memory.s);
    memory.f = 2;
    MPI_Win_fence(0, win);
    MPI_Fetch_and_op(&f, &old_f, MPI_FLOAT, rank, 0, MPI_SUM, win);
    MPI_Win_fence(0, win);
    fact(rank, "float %.2f %.2f", old_f, memory.f);
    memory.u = 7;
    MPI_Win_fence(0, win);
    MPI_Fetch_and_op(&u, &old_u, MPI_UNSIGNED_LONG, rank, 0, MPI_BOR, win);
    MPI_Win_fence(0, win);
    fact(rank, "unsigned long %lu %lu", old_u, memory.u);
    memory.l = 0.5L;
    MPI_Win_fence(0, win);
    MPI_Get_accumulate(&l, 1, MPI_LONG_DOUBLE, &old_l, 1, MPI_LONG_DOUBLE, rank, 0, 1, MPI_LONG_DOUBLE, MPI_MAX, win);
    MPI_Win_fence(0, win);
    fact(rank, "long double %.2Lf %.2Lf", old_l, memory.l);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    operations();
    pairs();
    derived();
    order();
    many_types();
    MPI_Finalize();
    return 0;
}
