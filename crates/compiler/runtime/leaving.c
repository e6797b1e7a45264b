/*
 * Part of the runtime that `weir cc` and its kin link into every program: functions that end or replace a process, as far as
 * they must be compiled with the program. The linker sends calls of them here; the rest is done by the simulator.
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

void weir_quick_exit(int code);
int __wrap_execv(const char *path, char *const *arguments);
int __wrap_execvp(const char *file, char *const *arguments);
int __wrap_execve(const char *path, char *const *arguments, char *const *environment);

/* A list in memory of the rank's own: what is static here is copied whenever another rank goes on. */
struct quick_handler {
    void (*function)(void);
    struct quick_handler *earlier;
};
static struct quick_handler *quick_handlers;

int __wrap_at_quick_exit(void (*function)(void)) {
    struct quick_handler *latest = malloc(sizeof *latest);
    if (!latest)
        return -1;
    *latest = (struct quick_handler){function, quick_handlers};
    quick_handlers = latest;
    return 0;
}

void __wrap_quick_exit(int code) {
    while (quick_handlers) {
        struct quick_handler *latest = quick_handlers;
        quick_handlers = latest->earlier;
        latest->function();
    }
    weir_quick_exit(code);
}

/* A child that shares its parent's memory until it is replaced would run on the rank's stack. A copy does as well. */
pid_t __wrap_vfork(void) { return fork(); }

/* Takes the arguments behind `first` up to a null pointer into an array, and carries out `call` with it. */
#define WITH_ARGUMENTS(first, call) \
    va_list list; \
    size_t count = 1; \
    va_start(list, first); \
    while (va_arg(list, char *)) \
        count++; \
    va_end(list); \
    char *arguments[count + 1]; \
    arguments[0] = (char *)first; \
    va_start(list, first); \
    for (size_t i = 1; i <= count; i++) \
        arguments[i] = va_arg(list, char *); \
    call; \
    va_end(list)

int __wrap_execl(const char *path, const char *first, ...) {
    int result;
    if (!first)
        return __wrap_execv(path, (char *[]){NULL});
    WITH_ARGUMENTS(first, result = __wrap_execv(path, arguments));
    return result;
}

int __wrap_execlp(const char *file, const char *first, ...) {
    int result;
    if (!first)
        return __wrap_execvp(file, (char *[]){NULL});
    WITH_ARGUMENTS(first, result = __wrap_execvp(file, arguments));
    return result;
}

int __wrap_execle(const char *path, const char *first, ...) {
    int result;
    WITH_ARGUMENTS(first, result = __wrap_execve(path, arguments, va_arg(list, char *const *)));
    return result;
}
