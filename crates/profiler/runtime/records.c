/*
 * The recorder of `weir record`: stands before an MPI library (as MPI_X and PMPI_X) and writes what its process calls into a file.
 *
 * weir puts numbers of functions before this text (ID_Send, ...) and a wrapper for each function behind it, and has the mpicc of the
 * MPI compile it. The file is memory that is shared with the system: what has been written there stays when the process dies.
 *
 *   head      two pages: struct head, below; read by src/file.rs
 *   records   words of 8 bytes: function and number of words, begin, end, return address, and the arguments, as src/fields.rs
 *             says. The first word is written last: a record that is not whole begins with 0, and ends the file.
 *
 * Bindings of Fortran call PMPI_X of the library in C, and so arrive here with handles of C.
 */
#include <mpi.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define HEAD_BYTES 16384
#define WINDOW_BYTES (1L << 20)
#define FIRST_WORDS 4              /* of a record, before its arguments */
#define DEFINE 0xfffe              /* the number of records that say what a communicator is */
#define PAUSE 0xfffd               /* the number of records that say how long the next one took to write */
#define IN_VAIN 0x8000             /* set in the number of a function that has looked in vain */
#define SAME_LOOK_NS 1000          /* looks in vain that follow each other so closely are one record */
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* How the clock of this rank compares with that of rank 0: at the time `at` of this clock, rank 0's was ahead by `ahead`;
   the message and its answer took `trip`. Nanoseconds. */
struct comparison {
    int64_t at, ahead, trip;
};

struct head {
    char mark[8];
    uint64_t fingerprint; /* of the functions and their arguments */
    int64_t rank, size;
    int64_t start, end; /* on this rank's clock; end is 0 until MPI_Finalize */
    struct comparison at_start, at_end;
    int64_t calls_function, calls_since; /* the call under way: its number and 1, and when it began */
    int64_t cost;                        /* picoseconds of recording a call, outside of its time */
    int64_t stopped;                     /* the error for which no more is written */
    int64_t constants[16];               /* as src/file.rs lists them */
    char host[64], boot[64];             /* clocks of processes with the same boot are the same */
    uint64_t failed[FUNCTIONS];          /* calls that returned an error, by function */
    uint64_t counted[FUNCTIONS];         /* calls that are counted only */
};
_Static_assert(sizeof(struct head) <= HEAD_BYTES, "it fits into the head");

static uint64_t counted_before[FUNCTIONS]; /* calls that are counted only, before MPI_Init */
static struct head *head;   /* NULL: nothing is recorded */
static int64_t *next, *end; /* of the window of the file that is mapped */
static int64_t *look;       /* the last record, if it is a look in vain */
static int file = -1;
static int busy;    /* a lock: threads write one after the other */
static MPI_Comm own = MPI_COMM_NULL;
static MPI_Group world_group = MPI_GROUP_NULL;

/* Depth of calls: those that the library makes itself are not recorded. */
static __thread int depth __attribute__((tls_model("initial-exec")));

struct call {
    int64_t begin, end, site;
};

static void *real[FUNCTIONS];

/* The function of the library. The recorder needs none where it knows its sonames only (the standard's interface). */
static void *find(int id, const char *name) {
    static const char *const libraries[] = {"libmpi_abi.so.1", "libmpi_abi.so.0", "libmpi.so.40", "libmpi.so.12", "libmpich.so.12"};
    void *found = dlsym(RTLD_NEXT, name);
    for (unsigned i = 0; !found && i < sizeof libraries / sizeof *libraries; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
        found = library ? dlsym(library, name) : NULL;
    }
    if (!found) {
        fprintf(stderr, "weir record: no MPI library has %s\n", name);
        abort();
    }
    return real[id] = found;
}

#define REAL(name) ((__typeof__(&PMPI_##name))(UNLIKELY(!real[ID_##name]) ? find(ID_##name, "PMPI_" #name) : real[ID_##name]))

static inline int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

/* Maps the next window, which has room for so many words: from the page on that is being written. Its pages are there then, so
   that no call meets the first access to one. */
static int grow(long words) {
    static char *window;
    static long window_bytes, window_begin = HEAD_BYTES;
    long page = sysconf(_SC_PAGESIZE), bytes = WINDOW_BYTES;
    long from = window ? window_begin + ((char *)next - window) : window_begin;
    long begin = from / page * page;
    while (bytes < from - begin + words * 8)
        bytes *= 2;
    int error = posix_fallocate(file, begin, bytes);
    char *mapped = error ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, begin);
    if (mapped == MAP_FAILED) {
        head->stopped = error ? error : errno;
        next = end = NULL;
        return 0;
    }
    if (window)
        munmap(window, window_bytes);
    window = mapped, window_bytes = bytes, window_begin = begin;
    look = NULL;
    next = (int64_t *)(window + (from - begin));
    end = (int64_t *)(window + bytes);
    for (char *at = (char *)next; at < window + bytes; at = window + ((at - window) / page + 1) * page)
        *(volatile char *)at = 0;
    return 1;
}

static inline void lock(void) {
    while (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
        ;
}

static inline void unlock(void) {
    __atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
}

/* Makes room for so many words, and notes how long that took: it is no work of the program. */
static int make_room(long words) {
    int64_t since = now();
    if (head->stopped || !grow(words + FIRST_WORDS))
        return 0;
    next[1] = since, next[2] = now(), next[3] = 0;
    __atomic_store_n(next, (int64_t)PAUSE | (int64_t)FIRST_WORDS << 16, __ATOMIC_RELEASE);
    next += FIRST_WORDS;
    return 1;
}

/* The place for a record with so many words of arguments, of which the lock is held then; NULL where nothing more is written. */
static int64_t *begin_record(const struct call *call, long words) {
    lock();
    words += FIRST_WORDS;
    if (UNLIKELY(end - next <= words) && !make_room(words + 1)) {
        unlock();
        return NULL;
    }
    next[1] = call->begin, next[2] = call->end, next[3] = call->site;
    return next + FIRST_WORDS;
}

/* Ends a record behind its last word. */
static void end_record(int id, int64_t *last) {
    int64_t *record = next;
    next = last;
    look = id & IN_VAIN ? record : NULL;
    __atomic_store_n(record, (int64_t)id | (int64_t)(last - record) << 16, __ATOMIC_RELEASE);
    unlock();
}

/* A look in vain: often the same as the one before, which goes on then. */
static void looked_in_vain(int id, const struct call *call) {
    lock();
    int goes_on = look && (look[0] & 0xffff) == (id | IN_VAIN) && call->begin - look[2] < SAME_LOOK_NS;
    if (goes_on) {
        look[2] = call->end;
        look[FIRST_WORDS]++;
    }
    unlock();
    if (goes_on)
        return;
    int64_t *to = begin_record(call, 1);
    if (to) {
        *to++ = 1;
        end_record(id | IN_VAIN, to);
    }
}

static inline int enters(int id, struct call *call, void *site) {
    if (depth++ || !head)
        return 0;
    call->site = (int64_t)site;
    head->calls_function = id + 1;
    call->begin = head->calls_since = now();
    return 1;
}

/* Returns whether a call was carried out although it returned this: a message did not fit, or one of several. */
static int is_carried_out(int error) {
    int class = MPI_SUCCESS;
    if (error != MPI_SUCCESS)
        PMPI_Error_class(error, &class);
    return class == MPI_SUCCESS || class == MPI_ERR_TRUNCATE || class == MPI_ERR_IN_STATUS;
}

static inline void leaves(void) {
    if (--depth == 0 && head)
        head->calls_function = 0;
}

#define HANDLE(handle) ((int64_t)(intptr_t)(handle))
#define STATUS(status) ((int64_t)(status)->MPI_SOURCE << 32 | (uint32_t)(status)->MPI_TAG)

/* Room for statuses that the program does not ask for, of this thread. */
static MPI_Status *statuses_for(long count) {
    static __thread MPI_Status *room;
    static __thread long length;
    if (count > length) {
        free(room);
        length = 2 * count;
        room = malloc(length * sizeof *room);
    }
    return room;
}

/* A copy of handles of requests as they are before the call, of this thread. */
static const int64_t *before(const MPI_Request *requests, long count) {
    static __thread int64_t *room;
    static __thread long length;
    if (count > length) {
        free(room);
        length = 2 * count;
        room = malloc(length * sizeof *room);
    }
    for (long i = 0; i < count; i++)
        room[i] = HANDLE(requests[i]);
    return room;
}
