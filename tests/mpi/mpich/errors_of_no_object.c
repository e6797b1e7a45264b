/* ranks: 1 */
/* Mistakes in calls that concern no object, or one that is none, go to the handler of MPI_COMM_SELF, or of MPI_COMM_WORLD. */
#include <mpi.h>
#include "../check.h"

static int class_of(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class;
}

static void mistakes(const char *handler)
{
    int value;
    MPI_Comm none = MPI_COMM_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Group empty = MPI_GROUP_NULL;
    MPI_Request request;
    MPI_Session session = MPI_SESSION_NULL;
    MPI_Win win = MPI_WIN_NULL;
    check(0, class_of(MPI_Comm_size(none, &value)) == MPI_ERR_COMM, "%s: communicator", handler);
    check(0, class_of(MPI_Barrier(none)) == MPI_ERR_COMM, "%s: barrier", handler);
    check(0, class_of(MPI_Type_commit(&type)) == MPI_ERR_TYPE, "%s: datatype", handler);
    check(0, class_of(MPI_Group_size(empty, &value)) == MPI_ERR_GROUP, "%s: group", handler);
    check(0, class_of(MPI_Win_fence(0, win)) == MPI_ERR_WIN, "%s: window", handler);
    check(0, class_of(MPI_Session_finalize(&session)) == MPI_ERR_SESSION, "%s: session", handler);
    check(0, class_of(MPI_Session_attach_buffer(session, &value, 4)) == MPI_ERR_SESSION, "%s: its buffer", handler);
    check(0, class_of(MPI_Session_flush_buffer(session)) == MPI_ERR_SESSION, "%s: flushing it", handler);
    check(0, class_of(MPI_Group_from_session_pset(session, "mpi://WORLD", &empty)) == MPI_ERR_SESSION, "%s: its group", handler);
    check(0, class_of(MPI_Reduce_local(&value, &value + 1, 1, MPI_FLOAT, MPI_BAND)) == MPI_ERR_OP, "%s: operation", handler);
    request = MPI_REQUEST_NULL;
    check(0, class_of(MPI_Start(&request)) == MPI_ERR_REQUEST, "%s: request", handler);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    mistakes("of the world");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    mistakes("of self");
    MPI_Finalize();
    return 0;
}
