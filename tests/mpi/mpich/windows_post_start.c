/* ranks: 2 3 4 */
/* Windows between post and wait, start and complete: a ring, everybody to one, epochs one behind the other, a test
   instead of a wait, groups of nobody. */
#include <mpi.h>
#include "../check.h"

static int rank, size;

static MPI_Group only(int member)
{
    MPI_Group world, one;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &member, &one);
    MPI_Group_free(&world);
    return one;
}

static void ring(void)
{
    MPI_Win win;
    int left = (rank + size - 1) % size, right = (rank + 1) % size, i, inbox = -1, sum = 0;
    MPI_Group from = only(left), to = only(right);
    MPI_Win_create(&inbox, sizeof inbox, sizeof inbox, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (i = 0; i < 10; i++) {
        int value = rank * 100 + i;
        MPI_Win_post(from, 0, win);
        MPI_Win_start(to, 0, win);
        MPI_Put(&value, 1, MPI_INT, right, 0, 1, MPI_INT, win);
        MPI_Win_complete(win);
        MPI_Win_wait(win);
        sum = sum * 3 % 1000003 + inbox;
    }
    fact(rank, "ring %d", sum);
    MPI_Win_free(&win);
    MPI_Group_free(&from);
    MPI_Group_free(&to);
}

static void all_to_one(void)
{
    MPI_Win win;
    int i, memory[16] = {0}, flag = 0, looks = 0, got = -1;
    MPI_Group world, others, zero = only(0);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_difference(world, zero, &others);
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (rank == 0) {
        memory[0] = 4711;
        MPI_Win_post(others, 0, win);
        while (!flag) {
            MPI_Win_test(win, &flag);
            looks++;
        }
        check(rank, looks > 0, "tested");
        for (i = 1; i < size; i++)
            fact(rank, "from %d: %d", i, memory[i]);
    } else {
        int value = rank * rank, one = 1;
        MPI_Win_start(zero, 0, win);
        MPI_Put(&value, 1, MPI_INT, 0, rank, 1, MPI_INT, win);
        MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Accumulate(&one, 1, MPI_INT, 0, 15, 1, MPI_INT, MPI_SUM, win);
        MPI_Win_complete(win);
        fact(rank, "got %d", got);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        fact(rank, "counted %d", memory[15]);
    /* Nobody reaches anybody. */
    MPI_Win_post(MPI_GROUP_EMPTY, 0, win);
    MPI_Win_start(MPI_GROUP_EMPTY, 0, win);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
    /* A fence may follow, and what was posted before. */
    MPI_Win_fence(0, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    if (rank == 0)
        MPI_Win_post(others, MPI_MODE_NOPUT, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_wait(win);
    } else {
        MPI_Win_start(zero, 0, win);
        MPI_Get(&got, 1, MPI_INT, 0, rank, 1, MPI_INT, win);
        MPI_Win_complete(win);
        fact(rank, "got back %d", got);
    }
    MPI_Win_free(&win);
    MPI_Group_free(&world);
    MPI_Group_free(&others);
    MPI_Group_free(&zero);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ring();
    all_to_one();
    MPI_Finalize();
    return 0;
}
