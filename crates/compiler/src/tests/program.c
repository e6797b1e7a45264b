/* A program of the tests: its first argument says what each rank does. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <getopt.h>
#include <mpi.h>
#include <weir.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

static int number; /* every rank has its own */
static int rank;

static void at_the_end(void) { printf("end of %d\n", rank); }

static void at_the_quick_end(void) { printf("quick end of %d\n", rank); }

static void globals_and_lines(const char *word) {
    number += 10 * (rank + 1);
    printf("begun %d, ", rank);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("%s %d\n", word, number);
    /* What is flushed is out at once, with what stood before it. */
    printf("flushed %d", rank);
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    printf(".\n");
}

static void options(int count, char **words) {
    int option;
    /* Between two options the other rank has its turn. */
    while ((option = getopt(count, words, "abn:")) != -1) {
        printf("rank %d: %c %s\n", rank, option, option == 'n' ? optarg : "-");
        fflush(stdout);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    printf("rank %d: rest %s\n", rank, words[optind]);
}

static void long_options(int count, char **words, int only) {
    static const struct option known[] = {{"size", required_argument, NULL, 's'}, {"quiet", no_argument, NULL, 'q'}, {0}};
    int option, index = -1;
    while ((option = only ? getopt_long_only(count, words, "q", known, &index) : getopt_long(count, words, "q", known, &index)) != -1) {
        printf("rank %d: %c %s\n", rank, option, option == 's' ? optarg : "-");
        fflush(stdout);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    printf("rank %d: rest %s\n", rank, words[optind]);
}

static void long_doubles(void) {
    long double own = rank + 1.5L, sum = 0, product = 0, most = 0;
    MPI_Allreduce(&own, &sum, 1, MPI_LONG_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&own, &product, 1, MPI_LONG_DOUBLE, MPI_PROD, MPI_COMM_WORLD);
    MPI_Allreduce(&own, &most, 1, MPI_LONG_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    printf("%d: %.2Lf %.2Lf %.2Lf\n", rank, sum, product, most);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    printf("%d: %d\n", rank, MPI_Allreduce(&own, &sum, 1, MPI_LONG_DOUBLE, MPI_BAND, MPI_COMM_WORLD) == MPI_ERR_OP);
}

static void clock_calls(void) {
    double begin = MPI_Wtime();
    for (int i = 0; i < 1000; i++)
        weir_compute(1e-6);
    weir_compute_instructions(2000);
    printf("%d: %.6f ms\n", rank, 1e3 * (MPI_Wtime() - begin));
    /* Sixteen readings between two calls are free. */
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    for (int i = 0; i < 18; i++)
        MPI_Wtime();
    printf("%d: %.0f ns\n", rank, 1e9 * (MPI_Wtime() - begin));
}

static long exposed[3];

/* Puts into a variable of the other rank by its address alone; where globals are in place it is that of the own one, too. */
static void one_sided(void) {
    MPI_Win window;
    MPI_Aint place;
    MPI_Datatype there;
    long given = 100 + rank;
    MPI_Get_address(&exposed[1], &place);
    MPI_Sendrecv_replace(&place, 1, MPI_AINT, 1 - rank, 0, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_create_hindexed(1, (int[]){1}, &place, MPI_LONG, &there);
    MPI_Type_commit(&there);
    exposed[1] = rank;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_attach(window, exposed, sizeof exposed);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1 - rank, 0, window);
    MPI_Put(&given, 1, MPI_LONG, 1 - rank, 0, 1, there, window);
    MPI_Win_unlock(1 - rank, window);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("%d: %ld %ld %ld\n", rank, exposed[0], exposed[1], exposed[2]);
    MPI_Win_detach(window, exposed);
    MPI_Win_free(&window);
}

static void *adds(void *to) {
    *(int *)to += 1;
    return to;
}

static int adds_too(void *to) {
    *(int *)to += 10;
    return 5;
}

static void threads(void) {
    pthread_t thread;
    thrd_t other;
    void *result;
    int code, sum = rank;
    if (pthread_create(&thread, NULL, adds, &sum) || pthread_join(thread, &result) || result != &sum)
        abort();
    if (thrd_create(&other, adds_too, &sum) != thrd_success || thrd_join(other, &code) != thrd_success)
        abort();
    printf("%d: %d %d\n", rank, sum, code);
}

/* Without memory for its stack there is no thread. */
static void no_thread(void) {
    thrd_t thread;
    struct rlimit limit, none;
    getrlimit(RLIMIT_AS, &limit);
    none = limit;
    none.rlim_cur = 1 << 20;
    setrlimit(RLIMIT_AS, &none);
    int code = thrd_create(&thread, adds_too, &rank);
    setrlimit(RLIMIT_AS, &limit);
    printf("%d: %d\n", rank, code == thrd_nomem);
}

static void *calls_mpi(void *nothing) {
    MPI_Barrier(MPI_COMM_WORLD);
    return nothing;
}

static void *exits(void *nothing) { exit(4); return nothing; }

static void in_a_thread(void *(*function)(void *)) {
    pthread_t thread;
    pthread_create(&thread, NULL, function, NULL);
    pthread_join(thread, NULL);
}

/* What the child's process ends with. */
static int child(const char *what) {
    int status;
    printf("once %d, ", rank);
    pid_t forked = !strcmp(what, "vfork") ? vfork() : fork();
    if (forked == 0) {
        if (!strcmp(what, "calls MPI"))
            MPI_Barrier(MPI_COMM_WORLD);
        if (!strcmp(what, "crashes"))
            *(volatile int *)NULL = 1;
        if (!strcmp(what, "prints"))
            printf("by the child of %d\n", rank);
        if (!strcmp(what, "quick"))
            quick_exit(7);
        if (!strcmp(what, "at once"))
            _exit(8);
        if (!strcmp(what, "executes") || !strcmp(what, "vfork"))
            execl("/bin/sh", "sh", "-c", "exit 6", (char *)NULL);
        exit(9);
    }
    waitpid(forked, &status, 0);
    printf("%s: %d\n", what, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    return 0;
}

/* Calls exit from a library that was not compiled for weir. */
static void ends_by_library(void) {
    void *library = dlopen("./libends.so", RTLD_NOW);
    void (*ends)(int) = (void (*)(int))dlsym(library, "ends");
    ends(3 + rank);
}

static void *ends_a_thread(void *nothing) { ends_by_library(); return nothing; }

int main(int count, char **words) {
    const char *what = words[1];
    if (!strcmp(what, "no MPI"))
        return 2;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    atexit(at_the_end);
    at_quick_exit(at_the_quick_end);
    if (!strcmp(what, "globals"))
        globals_and_lines(words[2]);
    if (!strcmp(what, "options"))
        options(count - 1, words + 1);
    if (!strcmp(what, "long options") || !strcmp(what, "only long options"))
        long_options(count - 1, words + 1, what[0] == 'o');
    if (!strcmp(what, "long double"))
        long_doubles();
    if (!strcmp(what, "clock calls"))
        clock_calls();
    if (!strcmp(what, "one-sided"))
        one_sided();
    if (!strcmp(what, "threads"))
        threads();
    if (!strcmp(what, "no thread"))
        no_thread();
    if (!strcmp(what, "thread calls") && rank == 1)
        in_a_thread(calls_mpi);
    if (!strcmp(what, "thread exits") && rank == 1)
        in_a_thread(exits);
    if (!strcmp(what, "thread and library") && rank == 1)
        in_a_thread(ends_a_thread);
    if (!strcmp(what, "forks"))
        child("exits"), child("calls MPI"), child("crashes"), child("executes"), child("vfork"), child("prints"),
            child("quick"), child("at once");
    if (!strcmp(what, "closes") && rank == 0)
        printf("before\n"), fclose(stdout), fclose(stdin);
    if (!strcmp(what, "reopens") && rank == 1 && !freopen("/dev/null", "w", stdout))
        abort();
    if (!strcmp(what, "half a line") && rank == 0)
        printf("half of one");
    MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(what, "half a line")) {
        if (rank == 1)
            MPI_Abort(MPI_COMM_WORLD, 3);
        MPI_Recv(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (!strcmp(what, "crash") && rank == 1)
        *(volatile int *)NULL = 1;
    if (!strcmp(what, "mistake") && rank == 1)
        MPI_Send(&rank, 1, MPI_INT, 9, 0, MPI_COMM_WORLD); /* the mistake */
    if (!strcmp(what, "early exit") && rank == 1)
        exit(4);
    if (!strcmp(what, "executes") && rank == 1)
        execlp("true", "true", (char *)NULL);
    if (!strcmp(what, "spins") && rank == 1)
        for (;;)
            ;
    if (!strcmp(what, "calls for ever") && rank == 1)
        for (int flag;;)
            MPI_Initialized(&flag);
    if (!strcmp(what, "signals")) {
        if (rank == 1)
            raise(SIGTERM);
        for (;;)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    if (!strcmp(what, "two signals")) {
        raise(SIGTERM);
        raise(SIGTERM);
    }
    if (!strcmp(what, "early library") && rank == 1)
        ends_by_library();
    MPI_Finalize();
    if (!strcmp(what, "library"))
        ends_by_library();
    if (!strcmp(what, "exit"))
        exit(3 * rank);
    if (!strcmp(what, "quick exit"))
        quick_exit(5);
    if (!strcmp(what, "_exit"))
        _exit(6);
    if (!strcmp(what, "pthread_exit"))
        pthread_exit(NULL);
    return 0;
}
