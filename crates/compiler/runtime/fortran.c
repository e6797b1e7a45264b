/*
 * Part of the runtime that `weir fort` links into every program: what the library of Fortran finds in place of parts of
 * itself and of the C library, so that its variables (units, buffers, random numbers) are globals of the program, which
 * every rank has for itself.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#undef stdin
#undef stdout
#undef stderr

/* The library is compiled for executables, which have copies of these variables. So has the program now. */
extern FILE *__real_stdin, *__real_stdout, *__real_stderr;
FILE *__wrap_stdin, *__wrap_stdout, *__wrap_stderr;

ssize_t __real_write(int file, const void *data, size_t length);

/* What the library writes to standard output goes through the stream that keeps lines whole. */
ssize_t __wrap_write(int file, const void *data, size_t length) {
    if (file != STDOUT_FILENO || !__wrap_stdout)
        return __real_write(file, data, length);
    return fwrite(data, 1, length, __wrap_stdout);
}

ssize_t __wrap_writev(int file, const struct iovec *parts, int count) {
    ssize_t sum = 0;
    for (int i = 0; i < count; i++) {
        ssize_t written = __wrap_write(file, parts[i].iov_base, parts[i].iov_len);
        if (written < 0)
            return sum ? sum : written;
        sum += written;
        if ((size_t)written < parts[i].iov_len)
            break;
    }
    return sum;
}

/* The library would handle the signals of crashes, with a trace of itself. They end the rank, as in C. */
typedef void handler(int);
handler *__real_signal(int number, handler *new);
handler *__wrap_signal(int number, handler *new) {
    switch (number) {
    case SIGSEGV:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
    case SIGABRT:
    case SIGQUIT:
    case SIGTRAP:
    case SIGSYS:
    case SIGXCPU:
    case SIGXFSZ:
        return SIG_DFL;
    default:
        return __real_signal(number, new);
    }
}

/* The library keeps the state of its random numbers by thread. Ranks are one thread, and the C library has too few
   keys for them all. */
enum { KEYS = 64 };
static const void *values[KEYS];
static unsigned keys;

int __wrap_pthread_key_create(pthread_key_t *key, void (*destroy)(void *)) {
    (void)destroy;
    if (keys == KEYS)
        return 11; /* EAGAIN */
    *key = keys++;
    return 0;
}

int __wrap___pthread_key_create(pthread_key_t *key, void (*destroy)(void *)) {
    return __wrap_pthread_key_create(key, destroy);
}

int __wrap_pthread_key_delete(pthread_key_t key) {
    if (key < KEYS)
        values[key] = NULL;
    return 0;
}

void *__wrap_pthread_getspecific(pthread_key_t key) {
    return key < KEYS ? (void *)values[key] : NULL;
}

int __wrap_pthread_setspecific(pthread_key_t key, const void *value) {
    if (key >= KEYS)
        return 22; /* EINVAL */
    values[key] = value;
    return 0;
}

/* Asynchronous input and output: the part of the library that needs threads. Without it statements wait, as the
   standard allows. Its one thread-local variable is also why it cannot be part of a shared object. */
__thread void *thread_unit __attribute__((tls_model("initial-exec")));
int _gfortrani_async_close(void *unit) { return (void)unit, 0; }
int _gfortrani_async_wait(void *common, void *unit) { return (void)common, (void)unit, 0; }
int _gfortrani_async_wait_id(void *common, void *unit, int id) { return (void)common, (void)unit, (void)id, 0; }
int _gfortrani_collect_async_errors(void *common, void *unit) { return (void)common, (void)unit, 0; }
void _gfortrani_enqueue_close(void *unit) { (void)unit; }
void _gfortrani_enqueue_data_transfer_init(void *unit, void *parameters, int read) {
    (void)unit, (void)parameters, (void)read;
}
int _gfortrani_enqueue_done(void *unit, int type) { return (void)unit, (void)type, 0; }
int _gfortrani_enqueue_done_id(void *unit, int type) { return (void)unit, (void)type, 0; }
void _gfortrani_enqueue_transfer(void *unit, void *argument, int type) { (void)unit, (void)argument, (void)type; }
void _gfortrani_init_async_unit(void *unit) { (void)unit; }

/* Called by weir_start before the library's constructor. The C library's streams are those of the run now. */
__attribute__((visibility("hidden"))) void weir_fortran_start(void) {
    __wrap_stdin = __real_stdin;
    __wrap_stdout = __real_stdout;
    __wrap_stderr = __real_stderr;
    /* Lines are collected once, by the stream. */
    if (!getenv("GFORTRAN_UNBUFFERED_PRECONNECTED"))
        setenv("GFORTRAN_UNBUFFERED_PRECONNECTED", "y", 1);
}
