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

/* Maps the next window, which has room for so many words: from the page on that is being written. */
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
    return 1;
}

static inline void lock(void) {
    while (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
        ;
}

static inline void unlock(void) {
    __atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
}

/* The place for a record with so many words of arguments, of which the lock is held then; NULL where nothing more is written. */
static int64_t *begin_record(const struct call *call, long words) {
    lock();
    words += FIRST_WORDS;
    if (UNLIKELY(end - next <= words) && (head->stopped || !grow(words + 1))) {
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

static int64_t size_of(MPI_Datatype type) {
    int size = 0;
    if (type != MPI_DATATYPE_NULL)
        PMPI_Type_size(type, &size);
    return size;
}

/* The size of an element of a reduction, and the place of its name in ELEMENTS, from 1, in the bits above. */
static int64_t element_of(MPI_Datatype type) {
    int64_t name = 0;
#define IS(datatype, place) \
    if (type == datatype)   \
        name = place;
    ELEMENTS(IS)
    return size_of(type) | name << 48;
}

/* The place of an operation's name in OPERATIONS, from 1, and 256 if it commutes. */
static int64_t operation_of(MPI_Op op) {
    const MPI_Op known[] = {MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, MPI_LAND, MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_MAXLOC, MPI_MINLOC};
    int count = sizeof known / sizeof *known, place = 0, commutes = 1;
    if (op == MPI_REPLACE || op == MPI_NO_OP)
        return op == MPI_NO_OP ? 512 : 256;
    while (place < count && op != known[place])
        place++;
    if (place == count)
        PMPI_Op_commutative(op, &commutes);
    return (place + 1) | (commutes ? 256 : 0);
}

/* How many ranks blocks of a collective are for. */
static long peers(MPI_Comm comm) {
    int between = 0, size = 0;
    PMPI_Comm_test_inter(comm, &between);
    if (between)
        PMPI_Comm_remote_size(comm, &size);
    else
        PMPI_Comm_size(comm, &size);
    return size;
}

static long members(MPI_Comm comm) {
    int size = 0;
    PMPI_Comm_size(comm, &size);
    return size;
}

/* The part of a rank in a collective with a root: 1 is the root's, 2 is that of the others, 3 both. */
static int role(MPI_Comm comm, int root) {
    int between = 0, rank = 0;
    PMPI_Comm_test_inter(comm, &between);
    if (between)
        return root == MPI_ROOT ? 1 : root == MPI_PROC_NULL ? 0 : 2;
    PMPI_Comm_rank(comm, &rank);
    return rank == root ? 3 : 2;
}

/* Neighbors of this rank: how many it receives from and sends to; and who they are, unless there is no room for them. */
static void neighbors(MPI_Comm comm, int *in, int *out, int64_t *sources, int64_t *destinations) {
    int kind = MPI_UNDEFINED, rank, weighted;
    *in = *out = 0;
    PMPI_Topo_test(comm, &kind);
    if (kind == MPI_CART) {
        int sides = 0;
        PMPI_Cartdim_get(comm, &sides);
        *in = *out = 2 * sides;
        for (int side = 0; sources && side < sides; side++) {
            int low, high;
            PMPI_Cart_shift(comm, side, 1, &low, &high);
            sources[2 * side] = destinations[2 * side] = low;
            sources[2 * side + 1] = destinations[2 * side + 1] = high;
        }
    } else if (kind == MPI_GRAPH) {
        PMPI_Comm_rank(comm, &rank);
        PMPI_Graph_neighbors_count(comm, rank, in);
        *out = *in;
        if (sources) {
            int ranks[*in + 1];
            PMPI_Graph_neighbors(comm, rank, *in, ranks);
            for (int i = 0; i < *in; i++)
                sources[i] = destinations[i] = ranks[i];
        }
    } else if (kind == MPI_DIST_GRAPH) {
        PMPI_Dist_graph_neighbors_count(comm, in, out, &weighted);
        if (sources) {
            int from[*in + 1], to[*out + 1], from_weights[*in + 1], to_weights[*out + 1];
            PMPI_Dist_graph_neighbors(comm, *in, from, weighted ? from_weights : MPI_UNWEIGHTED, *out, to, weighted ? to_weights : MPI_UNWEIGHTED);
            for (int i = 0; i < *in; i++)
                sources[i] = from[i];
            for (int i = 0; i < *out; i++)
                destinations[i] = to[i];
        }
    }
}

static int64_t *write_neighbors(int64_t *to, MPI_Comm comm, int in, int out) {
    int kind = MPI_UNDEFINED;
    PMPI_Topo_test(comm, &kind);
    *to++ = in + out + 3;
    *to++ = kind == MPI_CART, *to++ = in, *to++ = out;
    neighbors(comm, &in, &out, to, to + in);
    return to + in + out;
}

/* Ranks of a group in the world; MPI_UNDEFINED for processes of other jobs. */
static int64_t *write_group(int64_t *to, MPI_Group group, int size) {
    int *ranks = malloc(2 * (size + 1) * sizeof *ranks);
    for (int i = 0; i < size; i++)
        ranks[i] = i;
    if (size > 0)
        PMPI_Group_translate_ranks(group, size, ranks, world_group, ranks + size);
    for (int i = 0; i < size; i++)
        *to++ = ranks[size + i];
    free(ranks);
    return to;
}

/* Writes who the members of a communicator are. */
static void define(MPI_Comm comm) {
    struct call at = {0, 0, 0};
    int between = 0, size = 0, others = 0;
    MPI_Group group, other = MPI_GROUP_EMPTY;
    if (comm == MPI_COMM_NULL)
        return;
    PMPI_Comm_test_inter(comm, &between);
    PMPI_Comm_group(comm, &group);
    PMPI_Group_size(group, &size);
    if (between) {
        PMPI_Comm_remote_group(comm, &other);
        PMPI_Group_size(other, &others);
    }
    /* MPICH 5.0 gives a graph that leaves ranks out the group of all: then the members tell each other who they are. */
    int in = size, *told = NULL;
    PMPI_Comm_size(comm, &in);
    if (in != size && (told = malloc(in * sizeof *told))) {
        int own_rank = (int)head->rank;
        REAL(Allgather)(&own_rank, 1, MPI_INT, told, 1, MPI_INT, comm);
        size = in;
    }
    int64_t *to = begin_record(&at, 3 + size + others);
    if (to) {
        *to++ = HANDLE(comm), *to++ = size, *to++ = others;
        for (int i = 0; told && i < size; i++)
            *to++ = told[i];
        to = told ? to : write_group(to, group, size);
        to = write_group(to, other, others);
        end_record(DEFINE, to);
    }
    free(told);
    PMPI_Group_free(&group);
    if (between)
        PMPI_Group_free(&other);
}

/* Communicators that are being made, until they are there. */
static struct {
    MPI_Comm *place;
} unfinished[64];
static int unfinished_count;

static void define_later(MPI_Comm *place) {
    if (unfinished_count < 64)
        unfinished[unfinished_count++].place = place;
    else
        head->stopped = ENOBUFS;
}

static void define_finished(void) {
    for (int i = 0; i < unfinished_count; i++) {
        if (*unfinished[i].place != MPI_COMM_NULL) {
            define(*unfinished[i].place);
            unfinished[i--] = unfinished[--unfinished_count];
        }
    }
}

/* Compares the clock with that of rank 0, by the fastest of some messages and their answers. */
static struct comparison compare_clocks(void) {
    enum { TIMES = 20, TAG = 1 };
    struct comparison best = {0, 0, INT64_MAX};
    int64_t theirs = 0;
    int rank = (int)head->rank, size = (int)head->size;
    for (int other = 1; other < size; other++) {
        for (int time = 0; rank == 0 && time < TIMES; time++) {
            REAL(Recv)(&theirs, 1, MPI_INT64_T, other, TAG, own, MPI_STATUS_IGNORE);
            theirs = now();
            REAL(Send)(&theirs, 1, MPI_INT64_T, other, TAG, own);
        }
        for (int time = 0; rank == other && time < TIMES; time++) {
            int64_t sent = now();
            REAL(Send)(&sent, 1, MPI_INT64_T, 0, TAG, own);
            REAL(Recv)(&theirs, 1, MPI_INT64_T, 0, TAG, own, MPI_STATUS_IGNORE);
            int64_t got = now();
            if (got - sent < best.trip)
                best = (struct comparison){sent + (got - sent) / 2, theirs - sent - (got - sent) / 2, got - sent};
        }
    }
    if (rank == 0)
        best = (struct comparison){now(), 0, 0};
    return best;
}

static void copy_file(const char *from, const char *to) {
    char buffer[4096];
    ssize_t got;
    int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    while (in >= 0 && out >= 0 && (got = read(in, buffer, sizeof buffer)) > 0 && write(out, buffer, got) == got)
        ;
    close(in);
    close(out);
}

static void note_objects(void) {
    char path[4096];
    snprintf(path, sizeof path, "%s/rank-%d.maps", getenv("WEIR_RECORD_DIR"), (int)head->rank);
    copy_file("/proc/self/maps", path);
}

/* Behind MPI_Init. */
static void begin_recording(void) {
    const char *folder = getenv("WEIR_RECORD_DIR");
    char path[4096];
    int rank, size;
    if (!folder || head)
        return;
    depth++;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(path, sizeof path, "%s/rank-%d.weir", folder, rank);
    file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0 || posix_fallocate(file, 0, HEAD_BYTES)) {
        fprintf(stderr, "weir record: rank %d cannot write %s: %s\n", rank, path, strerror(errno));
        /* The others wait for it below. */
        file = memfd_create("weir-record", 0);
        if (ftruncate(file, HEAD_BYTES))
            abort();
    }
    head = mmap(NULL, HEAD_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (head == MAP_FAILED) {
        perror("weir record");
        abort();
    }
    head->fingerprint = FINGERPRINT;
    head->rank = rank, head->size = size;
    memcpy(head->counted, counted_before, sizeof counted_before);
    const int64_t constants[] = {
        HANDLE(MPI_COMM_WORLD), HANDLE(MPI_COMM_SELF), HANDLE(MPI_REQUEST_NULL), HANDLE(MPI_MESSAGE_NO_PROC), MPI_ANY_SOURCE,
        MPI_ANY_TAG, MPI_PROC_NULL, MPI_ROOT, MPI_MODE_NOCHECK, MPI_MODE_NOSUCCEED, MPI_LOCK_EXCLUSIVE,
    };
    memcpy(head->constants, constants, sizeof constants);
    gethostname(head->host, sizeof head->host - 1);
    int boot = open("/proc/sys/kernel/random/boot_id", O_RDONLY);
    if (boot < 0 || read(boot, head->boot, sizeof head->boot - 1) < 0)
        head->boot[0] = 0;
    close(boot);
    PMPI_Comm_group(MPI_COMM_WORLD, &world_group);
    REAL(Comm_dup)(MPI_COMM_WORLD, &own);
    PMPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
    head->at_start = compare_clocks();
    note_objects();
    REAL(Barrier)(own);
    head->start = now();
    memcpy(head->mark, MARK, sizeof head->mark);
    depth--;
}

/* Before MPI_Finalize. */
static void end_recording(void) {
    if (!head)
        return;
    depth++;
    struct head *mine = head;
    mine->end = now();
    mine->at_end = compare_clocks();
    note_objects();
    REAL(Comm_free)(&own);
    PMPI_Group_free(&world_group);
    mine->calls_function = 0;
    head = NULL;
    depth--;
}

#define BOTH_NAMES(name, arguments)                                   \
    int PMPI_##name arguments;                                        \
    int MPI_##name arguments __attribute__((alias("PMPI_" #name)));   \
    int PMPI_##name arguments

BOTH_NAMES(Init, (int *argc, char ***argv)) {
    depth++;
    int result = REAL(Init)(argc, argv);
    depth--;
    if (result == MPI_SUCCESS)
        begin_recording();
    return result;
}

BOTH_NAMES(Init_thread, (int *argc, char ***argv, int required, int *provided)) {
    depth++;
    int result = REAL(Init_thread)(argc, argv, required, provided);
    depth--;
    if (result == MPI_SUCCESS)
        begin_recording();
    return result;
}

BOTH_NAMES(Finalize, (void)) {
    end_recording();
    return REAL(Finalize)();
}

/* A call that a profile does not hold. */
static void weir_count(int id) {
    if (!depth)
        __atomic_fetch_add(head ? &head->counted[id] : &counted_before[id], 1, __ATOMIC_RELAXED);
}
