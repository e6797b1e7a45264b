/* One rank leaves, or breaks, or does what only a process of its own could do, in the way that the argument names. */
#define _GNU_SOURCE
#include <err.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

static int rank;
static const char *how;
static int returns; /* whether this is a process that shall return from main */

static int is(const char *name) { return strcmp(how, name) == 0; }

static int compare(const void *a, const void *b) { return (void)a, (void)b, exit(4), 0; }

static int copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    return (void)comm, (void)key, (void)extra, (void)in, (void)out, (void)flag, exit(5), 0;
}

static void handle(MPI_Comm *comm, int *code, ...) { (void)comm, (void)code, exit(6); }

static void at_exit(void) { exit(7); }

static void at_quick_exit_(void) { printf("quick handler\n"), fflush(stdout); }

static int deep(int depth)
{
    volatile char space[4096];
    space[0] = depth;
    return deep(depth + 1) + space[0];
}

static void *thread(void *argument)
{
    if (is("thread_crash"))
        *(volatile int *)argument = 1;
    if (is("thread_overflow"))
        deep(0);
    if (is("thread_abort"))
        abort();
    if (is("thread_exit"))
        exit(9);
    if (is("thread_execv"))
        execv("/bin/true", (char *[]){"true", NULL});
    if (is("thread_mpi"))
        MPI_Barrier(MPI_COMM_SELF);
    if (is("thread_pthread_exit"))
        pthread_exit(&rank);
    return NULL;
}

static void with_a_thread(void)
{
    pthread_t new;
    void *result = NULL;
    pthread_create(&new, NULL, thread, NULL);
    pthread_join(new, &result);
    if (is("thread_pthread_exit"))
        printf("joined %d\n", result == &rank);
}

static void fork_a_process(void)
{
    int status = 0;
    pid_t child;
    printf("before\nbegun ");
    child = is("vfork") ? vfork() : fork();
    if (child == 0) {
        if (is("vfork") || is("fork_execl"))
            execl("/bin/echo", "echo", "from echo", (char *)NULL);
        if (is("fork_mpi"))
            MPI_Barrier(MPI_COMM_SELF);
        if (is("fork_crash"))
            *(volatile int *)NULL = 1;
        if (is("fork_exit"))
            exit(3);
        returns = 1;
        return;
    }
    waitpid(child, &status, 0);
    printf("child ended with %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

/* Everything up to the beginning of the rank's stack, and beyond. */
static void fill(char *from)
{
    for (volatile char *at = from;; at++)
        *at = -1;
}

static void leave(void)
{
    int pair[2] = {2, 1}, key;
    MPI_Comm other;
    MPI_Errhandler handler;
    char *const arguments[] = {"true", NULL}, *const environment[] = {NULL};
    if (is("exit")) exit(3);
    if (is("_exit")) _exit(3);
    if (is("_Exit")) _Exit(3);
    if (is("quick_exit")) at_quick_exit(at_quick_exit_), quick_exit(3);
    if (is("err")) err(3, "an error");
    if (is("pthread_exit")) pthread_exit(NULL);
    if (is("thrd_exit")) thrd_exit(0);
    if (is("execv")) execv("/bin/true", arguments);
    if (is("execve")) execve("/bin/true", arguments, environment);
    if (is("execvp")) execvp("true", arguments);
    if (is("execl")) execl("/bin/true", "true", (char *)NULL);
    if (is("execlp")) execlp("true", "true", (char *)NULL);
    if (is("execle")) execle("/bin/true", "true", (char *)NULL, environment);
    if (is("daemon")) _Exit(daemon(0, 0));
    if (is("in_qsort")) qsort(pair, 2, sizeof *pair, compare);
    if (is("in_attribute")) {
        MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
        MPI_Comm_set_attr(MPI_COMM_SELF, key, pair);
        MPI_Comm_dup(MPI_COMM_SELF, &other);
    }
    if (is("in_error_handler")) {
        MPI_Comm_create_errhandler(handle, &handler);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
        MPI_Send(NULL, 0, MPI_INT, 1000, 0, MPI_COMM_WORLD);
    }
    if (is("in_atexit")) atexit(at_exit), exit(1);
    if (is("over_its_stack")) fill((char *)pair);
    if (is("freopen")) freopen("/dev/null", "w", stdout);
    if (is("fclose")) fclose(stdout);
    if (strncmp(how, "thread", 6) == 0) with_a_thread();
    if (strstr(how, "fork")) fork_a_process();
}

int main(int argc, char **argv)
{
    how = argc > 1 ? argv[1] : "";
    int after = argc > 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1 && !after)
        leave();
    if (returns)
        return 2;
    for (int i = 0; i < 3; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    if (rank != 1)
        printf("rank %d goes on\n", rank);
    MPI_Finalize();
    if (rank == 1 && after)
        leave();
    return 0;
}
