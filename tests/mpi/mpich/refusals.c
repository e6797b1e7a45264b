/* ranks: 2 3 */
/* What is refused, and what is not: one buffer for both sides of a collective, keys of other objects, hints that nobody
   knows, counts that differ, nothing of no datatype. */
#include <mpi.h>
#include <string.h>
#include "../check.h"

static int rank, size;

static int class_of(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class;
}

static void aliases(void)
{
    int both[8] = {rank};
    MPI_Request request;
    check(rank, class_of(MPI_Allreduce(both, both, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD)) == MPI_ERR_BUFFER, "Allreduce");
    check(rank, class_of(MPI_Scan(both, both, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD)) == MPI_ERR_BUFFER, "Scan");
    check(rank, class_of(MPI_Exscan(both, both, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD)) == MPI_ERR_BUFFER, "Exscan");
    check(rank, class_of(MPI_Alltoall(both, 1, MPI_INT, both, 1, MPI_INT, MPI_COMM_WORLD)) == MPI_ERR_BUFFER, "Alltoall");
    check(rank, class_of(MPI_Iallreduce(both, both, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request)) == MPI_ERR_BUFFER,
          "Iallreduce");
    if (rank == 0)
        check(rank, class_of(MPI_Gather(both, 1, MPI_INT, both, 1, MPI_INT, 0, MPI_COMM_WORLD)) == MPI_ERR_BUFFER,
              "Gather at the root");
    check(rank, MPI_Allreduce(both, both, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS, "nothing of one buffer");
}

static void keys(void)
{
    int of_comm, of_type, of_win, value = 1, flag;
    void *found;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &of_comm, NULL);
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &of_type, NULL);
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &of_win, NULL);
    check(rank, MPI_Comm_set_attr(MPI_COMM_WORLD, of_win, &value) != MPI_SUCCESS, "a key of windows");
    check(rank, MPI_Comm_set_attr(MPI_COMM_WORLD, of_type, &value) != MPI_SUCCESS, "a key of datatypes");
    check(rank, MPI_Comm_get_attr(MPI_COMM_WORLD, of_type, &found, &flag) != MPI_SUCCESS, "to ask by it");
    check(rank, MPI_Comm_set_attr(MPI_COMM_WORLD, of_comm, &value) == MPI_SUCCESS, "a key of communicators");
    MPI_Comm_delete_attr(MPI_COMM_WORLD, of_comm);
    MPI_Comm_free_keyval(&of_comm);
    MPI_Type_free_keyval(&of_type);
    MPI_Win_free_keyval(&of_win);
}

static void hints(void)
{
    MPI_Info info;
    char value[8];
    int flag = -1;
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Info_create(&info);
    MPI_Info_set(info, "no_such_hint", "true");
    MPI_Comm_set_info(copy, info);
    MPI_Info_free(&info);
    MPI_Comm_get_info(copy, &info);
    MPI_Info_get(info, "no_such_hint", 7, value, &flag);
    check(rank, !flag, "a hint that nobody knows is ignored");
    MPI_Info_free(&info);
    MPI_Comm_free(&copy);
}

int main(int argc, char **argv)
{
    int data[10] = {0}, code;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    aliases();
    keys();
    hints();
    code = MPI_Bcast(data, rank == 0 ? 1 : 10, MPI_INT, 0, MPI_COMM_WORLD);
    check(rank, rank == 0 || code != MPI_SUCCESS, "a broadcast of less than is waited for");
    check(rank, MPI_Send(NULL, 0, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, MPI_COMM_WORLD) == MPI_SUCCESS,
          "nothing of no datatype");
    MPI_Status status;
    MPI_Request none = MPI_REQUEST_NULL;
    memset(&status, 0x7f, sizeof status);
    MPI_Wait(&none, &status);
    check(rank, status.MPI_ERROR == MPI_SUCCESS && status.MPI_TAG == MPI_ANY_TAG, "the status of no request");
    MPI_Finalize();
    return 0;
}
