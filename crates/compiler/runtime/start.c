/*
 * Part of the runtime that `weir cc` and its kin link into every program: what each rank does before main and after it.
 *
 * Constructors of the program (global objects of C++, functions with the attribute) are run here, by each rank, not by
 * the loader: what they make belongs to one rank. constructors.ld collects them. What a rank registers to be done
 * at its end, and destructors, follow main or exit. All variables here are globals of the program, so every rank has
 * its own.
 */
#include <pthread.h>
#include <stdlib.h>

typedef void constructor(int, char **, char **);
typedef void destructor(void);

#define HIDDEN __attribute__((visibility("hidden")))
extern constructor *weir_init_start[] HIDDEN, *weir_init_end[] HIDDEN;
extern destructor *weir_fini_start[] HIDDEN, *weir_fini_end[] HIDDEN;

/* Of the Fortran runtime, if the program has it. */
extern void weir_fortran_start(void) __attribute__((weak)) HIDDEN;

int main(int argc, char **argv, char **environment);

/* Of the C library. */
int __cxa_thread_atexit_impl(void (*function)(void *), void *argument, void *object);

struct handler {
    struct handler *before;
    void (*function)(void *);
    void *argument;
};

static struct handler *handlers;       /* what to do at the end of the rank, the last one first */
static struct handler *thread_handlers; /* likewise, for objects that are thread-local: those end before all others */
static long destructors;
static int has_started;
static pthread_t own_thread; /* that of all ranks */

static int add(struct handler **list, void (*function)(void *), void *argument) {
    struct handler *new;
    if (!has_started)
        return 0; /* registered while the library of C++ was loaded: nothing that a rank need do */
    new = malloc(sizeof *new);
    if (!new)
        return -1;
    new->before = *list;
    new->function = function;
    new->argument = argument;
    *list = new;
    return 0;
}

static void run(struct handler **list) {
    while (*list) {
        struct handler last = **list;
        free(*list);
        *list = last.before;
        last.function(last.argument);
    }
}

/* The linker sends calls of __cxa_atexit here, and with them those of atexit. */
int __wrap___cxa_atexit(void (*function)(void *), void *argument, void *object) {
    (void)object;
    return add(&handlers, function, argument);
}

/* Objects of a thread that the program has made end with it, those of the rank's own with the rank. */
int __wrap___cxa_thread_atexit(void (*function)(void *), void *argument, void *object) {
    if (has_started && !pthread_equal(pthread_self(), own_thread))
        return __cxa_thread_atexit_impl(function, argument, object);
    return add(&thread_handlers, function, argument);
}

/* std::ios_base::sync_with_stdio: ranks share one standard output, so streams keep going through the C library's. */
int __wrap__ZNSt8ios_base15sync_with_stdioEb(int wanted) {
    (void)wanted;
    return 1;
}

/* What a rank has to do at its end. Called again, by a function that it calls, it does what is left. */
void weir_at_exit(void) {
    run(&thread_handlers);
    run(&handlers);
    while (destructors > 0)
        weir_fini_start[--destructors]();
}

/* A rank, from beginning to end. Compiled without tables for unwinding: an exception that nobody catches ends here. */
int weir_start(int argc, char **argv, char **environment) {
    int result;
    constructor **next;
    has_started = 1;
    own_thread = pthread_self();
    destructors = weir_fini_end - weir_fini_start;
    if (weir_fortran_start)
        weir_fortran_start();
    for (next = weir_init_start; next < weir_init_end; next++)
        (*next)(argc, argv, environment);
    result = main(argc, argv, environment);
    weir_at_exit();
    return result;
}
