/* ranks: 1 2 4 */
/* The forms with large counts. */
#include <mpi.h>
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Win win, allocated, shared;
    MPI_Request request[4];
    MPI_Comm node;
    MPI_Aint unit = 0, length = 0;
    int rank, size, next, i, memory[8] = {0}, own[4], got[4], *area, *segment, *found, add = 3;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size;
    MPI_Win_create_c(memory, sizeof memory, (MPI_Aint)sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_allocate_c(8 * sizeof(int), (MPI_Aint)sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &area, &allocated);
    for (i = 0; i < 4; i++)
        own[i] = 10 * rank + i;
    MPI_Win_fence(0, win);
    MPI_Put_c(own, (MPI_Count)4, MPI_INT, next, 0, (MPI_Count)4, MPI_INT, win);
    MPI_Accumulate_c(own, (MPI_Count)2, MPI_INT, next, 4, (MPI_Count)2, MPI_INT, MPI_SUM, win);
    MPI_Win_fence(0, win);
    for (i = 0; i < 6; i++)
        fact(rank, "memory %d", memory[i]);
    MPI_Get_c(got, (MPI_Count)4, MPI_INT, next, 1, (MPI_Count)4, MPI_INT, win);
    MPI_Win_fence(0, win);
    fact(rank, "got %d %d", got[0], got[3]);
    MPI_Get_accumulate_c(&add, (MPI_Count)1, MPI_INT, got, (MPI_Count)1, MPI_INT, next, 5, (MPI_Count)1, MPI_INT,
                         MPI_SUM, win);
    MPI_Win_fence(0, win);
    fact(rank, "got %d, memory %d", got[0], memory[5]);
    MPI_Win_free(&win);

    for (i = 0; i < 8; i++)
        area[i] = -i;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, allocated);
    MPI_Rput_c(own, (MPI_Count)2, MPI_INT, next, 0, (MPI_Count)2, MPI_INT, allocated, &request[0]);
    MPI_Rget_c(got, (MPI_Count)2, MPI_INT, next, 2, (MPI_Count)2, MPI_INT, allocated, &request[1]);
    MPI_Raccumulate_c(own, (MPI_Count)1, MPI_INT, next, 4, (MPI_Count)1, MPI_INT, MPI_SUM, allocated, &request[2]);
    MPI_Rget_accumulate_c(own, (MPI_Count)1, MPI_INT, &got[2], (MPI_Count)1, MPI_INT, next, 5, (MPI_Count)1, MPI_INT,
                          MPI_MAX, allocated, &request[3]);
    MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
    MPI_Win_unlock_all(allocated);
    MPI_Barrier(MPI_COMM_WORLD);
    fact(rank, "requests %d %d %d, %d %d %d %d", got[0], got[1], got[2], area[0], area[1], area[4], area[5]);
    MPI_Win_free(&allocated);

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Win_allocate_shared_c(sizeof(int), (MPI_Aint)sizeof(int), MPI_INFO_NULL, node, &segment, &shared);
    *segment = 5;
    MPI_Win_fence(0, shared);
    MPI_Win_shared_query_c(shared, 0, &length, &unit, &found);
    check(rank, length == sizeof(int) && unit == sizeof(int) && *found == 5, "shared");
    MPI_Win_free(&shared);
    MPI_Comm_free(&node);
    MPI_Finalize();
    return 0;
}
