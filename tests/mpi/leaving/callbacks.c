/* Rank 1 leaves, breaks or forks inside a function of its own that MPI calls. Arguments: where, and how. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *where = "", *how = "";
static int rank;

static int at(const char *place) { return strcmp(where, place) == 0; }

static int does(const char *way) { return strcmp(how, way) == 0; }

static void leave(void)
{
    char *const arguments[] = {"true", NULL};
    int status = 0;
    pid_t child;
    if (rank != 1)
        return;
    if (does("exit")) exit(3);
    if (does("_exit")) _exit(3);
    if (does("quick_exit")) quick_exit(3);
    if (does("abort")) abort();
    if (does("crash")) *(volatile int *)NULL = 1;
    if (does("pthread_exit")) pthread_exit(NULL);
    if (does("execv")) execv("/bin/true", arguments);
    if (does("mpi_abort")) MPI_Abort(MPI_COMM_WORLD, 7);
    if (strncmp(how, "fork", 4) != 0)
        return;
    child = fork();
    if (child == 0) {
        if (does("fork_exit")) exit(3);
        if (does("fork_execv")) execv("/bin/true", arguments);
        if (does("fork_crash")) abort();
        _exit(4);
    }
    waitpid(child, &status, 0);
    printf("child ended with %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

static void operation(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    leave();
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static int copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)key, (void)extra, (void)in, (void)out;
    leave();
    return *flag = 0, MPI_SUCCESS;
}

static int delete(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    leave();
    return MPI_SUCCESS;
}

static void handle(MPI_Comm *comm, int *code, ...) { (void)comm, (void)code, leave(); }

static int query(void *extra, MPI_Status *status)
{
    if (at("query")) leave();
    (void)extra;
    MPI_Status_set_elements(status, MPI_INT, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int release(void *extra) { (void)extra; if (at("free")) leave(); return MPI_SUCCESS; }

static int cancel(void *extra, int complete) { (void)extra, (void)complete; if (at("cancel")) leave(); return MPI_SUCCESS; }

int main(int argc, char **argv)
{
    int value = 1, sum = 0, key;
    where = argc > 1 ? argv[1] : "", how = argc > 2 ? argv[2] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (at("operation") || at("later")) {
        MPI_Op op;
        MPI_Request request;
        MPI_Op_create(operation, 0, &op);
        MPI_Iallreduce(&value, &sum, 1, MPI_INT, op, MPI_COMM_WORLD, &request);
        /* Of the others some are carried out in a call that has nothing to do with it. */
        if (at("later")) MPI_Barrier(MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Op_free(&op);
    }
    if (at("local")) {
        MPI_Op op;
        MPI_Op_create(operation, 1, &op);
        MPI_Reduce_local(&value, &sum, 1, MPI_INT, op);
    }
    if (at("copy") || at("delete")) {
        MPI_Comm other;
        MPI_Comm_create_keyval(at("copy") ? copy : MPI_COMM_NULL_COPY_FN, at("delete") ? delete : MPI_COMM_NULL_DELETE_FN, &key, NULL);
        MPI_Comm_set_attr(MPI_COMM_SELF, key, &value);
        MPI_Comm_dup(MPI_COMM_SELF, &other);
        MPI_Comm_delete_attr(MPI_COMM_SELF, key);
    }
    if (at("finalize")) {
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete, &key, NULL);
        MPI_Comm_set_attr(MPI_COMM_SELF, key, &value);
    }
    if (at("handler")) {
        MPI_Errhandler handler;
        MPI_Comm_create_errhandler(handle, &handler);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
        MPI_Send(NULL, 0, MPI_INT, 1000, 0, MPI_COMM_WORLD);
    }
    if (at("query") || at("free") || at("cancel")) {
        MPI_Request request;
        MPI_Grequest_start(query, release, cancel, NULL, &request);
        if (at("cancel")) MPI_Cancel(&request);
        MPI_Grequest_complete(request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 3; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    if (rank != 1)
        printf("rank %d goes on\n", rank);
    MPI_Finalize();
    return 0;
}
