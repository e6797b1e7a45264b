/* ranks: 2 3 */
/* With MPI_ERRORS_RETURN a wrong call returns a code of the right class, with a text, and the run goes on. */
#include <mpi.h>
#include <string.h>
#include "check.h"

static int rank, size;

static const char *class_name(int code)
{
    static const struct { int value; const char *name; } classes[] = {
        {MPI_SUCCESS, "success"}, {MPI_ERR_BUFFER, "buffer"}, {MPI_ERR_COUNT, "count"}, {MPI_ERR_TYPE, "type"},
        {MPI_ERR_TAG, "tag"}, {MPI_ERR_COMM, "communicator"}, {MPI_ERR_RANK, "rank"}, {MPI_ERR_REQUEST, "request"},
        {MPI_ERR_ROOT, "root"}, {MPI_ERR_GROUP, "group"}, {MPI_ERR_OP, "operation"}, {MPI_ERR_ARG, "argument"},
        {MPI_ERR_TRUNCATE, "truncation"}, {MPI_ERR_IN_STATUS, "in status"}, {MPI_ERR_PENDING, "pending"},
        {MPI_ERR_OTHER, "other"}, {MPI_ERR_INTERN, "internal"}};
    int value = -1;
    MPI_Error_class(code, &value);
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (classes[i].value == value)
            return classes[i].name;
    return "unknown";
}

static void report(const char *call, int code)
{
    char text[MPI_MAX_ERROR_STRING];
    int length = -1;
    MPI_Error_string(code, text, &length);
    fact(rank, "%s: class %s, %s", call, class_name(code), length > 0 && length == (int)strlen(text) ? "with a text" : "no text");
}

static void wrong_arguments(void)
{
    int value = 0, next = (rank + 1) % size;
    report("send to a rank that is not there", MPI_Send(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD));
    report("send to rank -17", MPI_Send(&value, 1, MPI_INT, -17, 0, MPI_COMM_WORLD));
    report("send to any source", MPI_Send(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD));
    report("receive from a rank that is not there", MPI_Recv(&value, 1, MPI_INT, size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    report("send of -1 elements", MPI_Send(&value, -1, MPI_INT, next, 0, MPI_COMM_WORLD));
    report("send with tag -5", MPI_Send(&value, 1, MPI_INT, next, -5, MPI_COMM_WORLD));
    report("send with any tag", MPI_Send(&value, 1, MPI_INT, next, MPI_ANY_TAG, MPI_COMM_WORLD));
    report("send of no type", MPI_Send(&value, 1, MPI_DATATYPE_NULL, next, 0, MPI_COMM_WORLD));
    report("send in no communicator", MPI_Send(&value, 1, MPI_INT, next, 0, MPI_COMM_NULL));
    report("broadcast from a rank that is not there", MPI_Bcast(&value, 1, MPI_INT, size, MPI_COMM_WORLD));
    report("bits of doubles", MPI_Allreduce(&(double){1}, &(double){0}, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_WORLD));
    report("no operation", MPI_Allreduce(&(int){1}, &value, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD));
    report("size of no communicator", MPI_Comm_size(MPI_COMM_NULL, &value));
}

/* A message longer than the buffer, received waiting and not; the next message is not harmed. No longer than 4000
   bytes: of a longer one Open MPI 4.1 writes all of it, behind the end of the buffer. */
static void truncation(void)
{
    static int data[1000];
    static const int lengths[] = {4, 10, 900};
    for (int l = 0; l < 3; l++) {
        int n = lengths[l], in[4] = {-1, -1, -1, -1}, last = 0;
        if (rank == 0) {
            for (int i = 0; i < n; i++)
                data[i] = i;
            for (int tag = 1; tag <= 2; tag++)
                MPI_Send(data, n, MPI_INT, 1, tag, MPI_COMM_WORLD);
            last = 77;
            MPI_Send(&last, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        } else if (rank == 1) {
            MPI_Request requests[2];
            MPI_Status statuses[2];
            char call[64];
            snprintf(call, sizeof call, "Recv of 3 from %d", n);
            report(call, MPI_Recv(in, 3, MPI_INT, 0, 1, MPI_COMM_WORLD, &statuses[0]));
            check(rank, in[3] == -1, "nothing written behind the buffer");
            MPI_Irecv(in, 3, MPI_INT, 0, 2, MPI_COMM_WORLD, &requests[0]);
            MPI_Irecv(&last, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &requests[1]);
            snprintf(call, sizeof call, "Waitall of 3 from %d", n);
            report(call, MPI_Waitall(2, requests, statuses));
            fact(rank, "the status of the long one: %s", class_name(statuses[0].MPI_ERROR));
            /* Waitall may return while the other one is pending. */
            MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
            check(rank, last == 77 && in[3] == -1, "the next message is whole");
        }
    }
}

int main(int argc, char **argv)
{
    MPI_Errhandler handler;
    MPI_Comm copy;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
    check(rank, handler == MPI_ERRORS_ARE_FATAL, "errors are fatal at first");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
    check(rank, handler == MPI_ERRORS_RETURN, "errors return");
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_get_errhandler(copy, &handler);
    check(rank, handler == MPI_ERRORS_RETURN, "a duplicate inherits this");
    MPI_Comm_free(&copy);
    wrong_arguments();
    truncation();
    report("a right call", MPI_Barrier(MPI_COMM_WORLD));
    MPI_Finalize();
    return 0;
}
