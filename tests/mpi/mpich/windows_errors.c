/* ranks: 2 3 */
/* Wrong synchronization and wrong arguments of windows: the classes of the errors. */
#include <mpi.h>
#include "../check.h"

static int rank, size;

static void expect(int code, int class, const char *what)
{
    int found;
    MPI_Error_class(code, &found);
    check(rank, found == class, "%s", what);
}

int main(int argc, char **argv)
{
    MPI_Win win, dynamic;
    MPI_Group world, group;
    MPI_Request request;
    int memory[4] = {0}, value = 1, before;
    double real = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &rank, &group);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    expect(MPI_Win_create(memory, -1, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_SIZE, "negative size");
    expect(MPI_Win_create(memory, 16, 4, MPI_INFO_NULL, MPI_COMM_NULL, &win), MPI_ERR_COMM, "no communicator");
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);

    expect(MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC, "put outside of an epoch");
    expect(MPI_Win_unlock(0, win), MPI_ERR_RMA_SYNC, "unlock without a lock");
    expect(MPI_Win_unlock_all(win), MPI_ERR_RMA_SYNC, "unlock all without a lock");
    expect(MPI_Win_complete(win), MPI_ERR_RMA_SYNC, "complete without start");
    expect(MPI_Win_wait(win), MPI_ERR_RMA_SYNC, "wait without post");
    expect(MPI_Win_flush(0, win), MPI_ERR_RMA_SYNC, "flush without a lock");
    expect(MPI_Win_lock(MPI_LOCK_SHARED, size, 0, win), MPI_ERR_RANK, "lock of nobody there");

    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    expect(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), MPI_ERR_RMA_SYNC, "lock twice");
    expect(MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC, "lock all while one is locked");
    expect(MPI_Win_start(group, 0, win), MPI_ERR_RMA_SYNC, "start while one is locked");
    expect(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC, "fence while one is locked");
    MPI_Win_unlock(0, win);

    MPI_Win_post(group, 0, win);
    expect(MPI_Win_post(group, 0, win), MPI_ERR_RMA_SYNC, "post twice");
    MPI_Win_start(group, 0, win);
    expect(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), MPI_ERR_RMA_SYNC, "lock after start");
    expect(MPI_Win_start(group, 0, win), MPI_ERR_RMA_SYNC, "start twice");
    expect(MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC,
           "put to one outside the group");
    MPI_Win_complete(win);
    MPI_Win_wait(win);

    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    expect(MPI_Put(&value, -1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_COUNT, "negative count");
    expect(MPI_Put(&value, 1, MPI_INT, 0, -1, 1, MPI_INT, win), MPI_ERR_DISP, "negative displacement");
    expect(MPI_Put(&value, 1, MPI_DATATYPE_NULL, 0, 0, 1, MPI_INT, win), MPI_ERR_TYPE, "no datatype");
    expect(MPI_Put(&value, 1, MPI_INT, size, 0, 1, MPI_INT, win), MPI_ERR_RANK, "no such rank");
    expect(MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_NO_OP, win), MPI_ERR_OP, "no operation");
    expect(MPI_Accumulate(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_OP_NULL, win), MPI_ERR_OP, "null operation");
    expect(MPI_Compare_and_swap(&real, &real, &real, MPI_DOUBLE, 0, 0, win), MPI_ERR_TYPE, "compare doubles");
    expect(MPI_Fetch_and_op(&value, &before, MPI_INT, 0, 0, MPI_SUM, win), MPI_SUCCESS, "and one that works");
    expect(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC, "fence while all are locked");
    expect(MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC, "lock all twice");
    expect(MPI_Rput(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, win, &request), MPI_SUCCESS, "put with a request");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);

    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
    MPI_Win_free(&dynamic);
    expect(MPI_Win_free(&win), MPI_ERR_WIN, "free of nothing");
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
