/* ranks: 1 2 3 4 */
/* Windows under locks: counters by fetch-and-op, a mutex by compare-and-swap, exclusive locks around a read and a
   write, locks of everybody with flushes, a rank that waits for a flag in its own memory. */
#include <mpi.h>
#include "../check.h"

static int rank, size;
static int memory[4];

static void counter(void)
{
    MPI_Win win;
    long *value, one = 1, before = -1, last = -1, final = -1;
    int i, rising = 1;
    MPI_Win_allocate(rank == 0 ? sizeof(long) : 0, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &value, &win);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        *value = 0;
        MPI_Win_unlock(0, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    for (i = 0; i < 50; i++) {
        MPI_Fetch_and_op(&one, &before, MPI_LONG, 0, 0, MPI_SUM, win);
        MPI_Win_flush(0, win);
        rising = rising && before > last;
        last = before;
    }
    MPI_Win_unlock_all(win);
    check(rank, rising && last < 50 * size, "every number once");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Get(&final, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
    MPI_Win_unlock(0, win);
    fact(rank, "counter %ld", final);
    MPI_Win_free(&win);
}

static void mutex(void)
{
    MPI_Win win;
    int i, taken = 1, open = 0, before, value;
    memory[0] = memory[1] = 0;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    for (i = 0; i < 5; i++) {
        do {
            MPI_Compare_and_swap(&taken, &open, &before, MPI_INT, 0, 0, win);
            MPI_Win_flush(0, win);
        } while (before != open);
        /* Nobody else reads and writes now. */
        MPI_Get(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
        MPI_Win_flush(0, win);
        value = value * 2 % 10007 + 1;
        MPI_Put(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
        MPI_Win_flush(0, win);
        MPI_Fetch_and_op(&open, &before, MPI_INT, 0, 0, MPI_REPLACE, win);
        MPI_Win_flush(0, win);
        check(rank, before == taken, "given back");
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        fact(rank, "after the mutex %d", memory[1]);
        MPI_Win_unlock(0, win);
    }
    MPI_Win_free(&win);
}

static void exclusive(void)
{
    MPI_Win win;
    int i, value, target = size - 1;
    memory[2] = 0;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (i = 0; i < 10; i++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
        MPI_Get(&value, 1, MPI_INT, target, 2, 1, MPI_INT, win);
        MPI_Win_flush(target, win);
        value++;
        MPI_Put(&value, 1, MPI_INT, target, 2, 1, MPI_INT, win);
        MPI_Win_unlock(target, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == target) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
        fact(rank, "added %d", memory[2]);
        MPI_Win_unlock(target, win);
    }
    MPI_Win_free(&win);
}

static void several(void)
{
    MPI_Win win;
    int i, *own, sum = 0, got[8];
    MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &own, &win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    for (i = 0; i < 8; i++)
        own[i] = 0;
    MPI_Win_unlock(rank, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    for (i = 0; i < size; i++)
        MPI_Put(&rank, 1, MPI_INT, i, rank, 1, MPI_INT, win);
    MPI_Win_flush_local_all(win);
    MPI_Win_flush_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(win);
    for (i = 0; i < size; i++)
        sum += own[i] * (i + 1);
    MPI_Win_unlock_all(win);
    fact(rank, "from all %d", sum);
    /* Two locks at a time, shared. */
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    if (size > 1)
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    MPI_Get(got, size, MPI_INT, 0, 0, size, MPI_INT, win);
    MPI_Win_flush_local(0, win);
    if (size > 1)
        MPI_Win_unlock(1, win);
    MPI_Win_unlock(0, win);
    for (i = 0; i < size; i++)
        fact(rank, "got %d", got[i]);
    MPI_Win_free(&win);
}

static void flag(void)
{
    MPI_Win win;
    volatile int *own;
    int one = 1;
    MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &own, &win);
    own[0] = own[1] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    if (rank == 0 && size > 1)
        MPI_Accumulate(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_REPLACE, win);
    else if (rank > 0) {
        while (own[0] == 0)
            MPI_Win_sync(win);
        if (rank < size - 1)
            MPI_Accumulate(&one, 1, MPI_INT, rank + 1, 0, 1, MPI_INT, MPI_REPLACE, win);
    }
    MPI_Win_unlock_all(win);
    fact(rank, "flag %d", own[0]);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    counter();
    mutex();
    exclusive();
    several();
    flag();
    MPI_Finalize();
    return 0;
}
