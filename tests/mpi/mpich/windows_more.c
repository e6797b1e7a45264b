/* ranks: 1 2 3 4 */
/* Dynamic windows, windows on shared memory, accesses with requests. */
#include <mpi.h>
#include <stdlib.h>
#include "../check.h"

static int rank, size;

static void dynamic(void)
{
    MPI_Win win;
    int *first = malloc(16 * sizeof(int)), *second = malloc(16 * sizeof(int)), i, value = 1000 + rank, got = -1;
    MPI_Aint own[2], *all = malloc(2 * size * sizeof *all);
    int next = (rank + 1) % size;
    for (i = 0; i < 16; i++) {
        first[i] = rank * 100 + i;
        second[i] = -first[i];
    }
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_attach(win, first, 16 * sizeof(int));
    MPI_Win_attach(win, second, 16 * sizeof(int));
    MPI_Get_address(&first[3], &own[0]);
    MPI_Get_address(second, &own[1]);
    MPI_Allgather(own, 2, MPI_AINT, all, 2, MPI_AINT, MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    MPI_Put(&value, 1, MPI_INT, next, all[2 * next], 1, MPI_INT, win);
    MPI_Get(&got, 1, MPI_INT, next, all[2 * next + 1] + 5 * (MPI_Aint)sizeof(int), 1, MPI_INT, win);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    fact(rank, "dynamic %d %d %d, got %d", first[2], first[3], first[4], got);
    MPI_Win_detach(win, first);
    MPI_Win_detach(win, second);
    MPI_Win_free(&win);
    free(first);
    free(second);
    free(all);
}

static void shared(void)
{
    MPI_Comm node;
    MPI_Win win;
    MPI_Aint length;
    int *own, *first, *other, near, ranks, unit, i, right = 1;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &near);
    MPI_Comm_size(node, &ranks);
    /* Segments of different lengths, one behind the other. */
    MPI_Win_allocate_shared((near + 1) * sizeof(int), sizeof(int), MPI_INFO_NULL, node, &own, &win);
    MPI_Win_lock_all(0, win);
    for (i = 0; i <= near; i++)
        own[i] = 10 * near + i;
    MPI_Win_sync(win);
    MPI_Barrier(node);
    MPI_Win_sync(win);
    MPI_Win_shared_query(win, 0, &length, &unit, &first);
    check(rank, length == sizeof(int) && unit == sizeof(int), "size and unit");
    for (i = 0; i < ranks; i++) {
        int j;
        MPI_Win_shared_query(win, i, &length, &unit, &other);
        right = right && length == (MPI_Aint)((i + 1) * sizeof(int)) && other == first + i * (i + 1) / 2;
        for (j = 0; j <= i; j++)
            right = right && other[j] == 10 * i + j;
    }
    check(rank, right, "what all have written");
    MPI_Win_shared_query(win, MPI_PROC_NULL, &length, &unit, &other);
    check(rank, other == first, "the first");
    MPI_Barrier(node);
    /* Accesses reach it too. */
    i = 77 + near;
    MPI_Put(&i, 1, MPI_INT, (near + 1) % ranks, 0, 1, MPI_INT, win);
    MPI_Win_unlock_all(win);
    MPI_Barrier(node);
    check(rank, own[0] == 77 + (near + ranks - 1) % ranks, "put");
    MPI_Win_free(&win);
    MPI_Comm_free(&node);
}

static void requests(void)
{
    MPI_Win win;
    MPI_Request all[4], one;
    MPI_Status status;
    int *own, i, values[4], got[4], before = -1, next = (rank + 1) % size, flag = 0, add = 5;
    double *large = malloc(5000 * sizeof(double)), *back = malloc(5000 * sizeof(double)), *area;
    MPI_Win other;
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &own, &win);
    MPI_Win_allocate(5000 * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &area, &other);
    for (i = 0; i < 4; i++)
        own[i] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    for (i = 0; i < 4; i++) {
        values[i] = rank * 10 + i;
        MPI_Rput(&values[i], 1, MPI_INT, next, i, 1, MPI_INT, win, &all[i]);
    }
    MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
    for (i = 0; i < 4; i++)
        values[i] = -1; /* they may be used again */
    MPI_Win_flush_all(win);
    for (i = 0; i < 4; i++)
        MPI_Rget(&got[i], 1, MPI_INT, next, 3 - i, 1, MPI_INT, win, &all[i]);
    for (i = 0; i < 4; i++) {
        int index;
        MPI_Waitany(4, all, &index, MPI_STATUS_IGNORE);
    }
    for (i = 0; i < 4; i++)
        fact(rank, "rget %d", got[i]);
    MPI_Raccumulate(&add, 1, MPI_INT, next, 0, 1, MPI_INT, MPI_SUM, win, &one);
    MPI_Wait(&one, &status);
    MPI_Rget_accumulate(&add, 1, MPI_INT, &before, 1, MPI_INT, next, 0, 1, MPI_INT, MPI_SUM, win, &one);
    while (!flag)
        MPI_Test(&one, &flag, &status);
    check(rank, one == MPI_REQUEST_NULL, "request is null");
    fact(rank, "before %d", before);
    MPI_Rput(&add, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win, &one);
    MPI_Wait(&one, MPI_STATUS_IGNORE);
    MPI_Rput(&add, 1, MPI_INT, next, 3, 1, MPI_INT, win, &one);
    MPI_Request_free(&one);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    fact(rank, "own %d %d %d %d", own[0], own[1], own[2], own[3]);
    MPI_Win_unlock(rank, win);

    /* Longer than what is copied at once. */
    for (i = 0; i < 5000; i++)
        large[i] = rank + i * 0.25;
    MPI_Win_lock(MPI_LOCK_SHARED, next, 0, other);
    MPI_Rput(large, 5000, MPI_DOUBLE, next, 0, 5000, MPI_DOUBLE, other, &one);
    MPI_Wait(&one, MPI_STATUS_IGNORE);
    MPI_Win_flush(next, other);
    MPI_Rget(back, 5000, MPI_DOUBLE, next, 0, 5000, MPI_DOUBLE, other, &one);
    MPI_Wait(&one, MPI_STATUS_IGNORE);
    MPI_Put(large, 5000, MPI_DOUBLE, next, 0, 5000, MPI_DOUBLE, other);
    MPI_Win_flush_local(next, other);
    MPI_Win_unlock(next, other);
    for (i = 0, flag = 1; i < 5000; i++)
        flag = flag && back[i] == large[i];
    check(rank, flag, "long data");
    MPI_Win_free(&win);
    MPI_Win_free(&other);
    free(large);
    free(back);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    dynamic();
    shared();
    requests();
    MPI_Finalize();
    return 0;
}
