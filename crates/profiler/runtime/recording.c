/* Beginning and end of a recording: communicators, clocks, MPI_Init and MPI_Finalize. */

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

/* Measures what recording a call costs between its end and the beginning of the next one, and leaves no record. */
static int64_t measure_cost(void) {
    enum { BATCHES = 10, CALLS = 200, WORDS = 5 };
    struct call at = {0, 0, 0};
    int64_t best = INT64_MAX, *first = begin_record(&at, WORDS * CALLS * 2);
    if (!first)
        return 0;
    unlock();
    first -= FIRST_WORDS;
    for (int batch = 0; batch < BATCHES; batch++) {
        int64_t within = 0, begin = now();
        for (int i = 0; i < CALLS; i++) {
            if (enters(ID_Send, &at, NULL)) {
                at.end = now();
                end_record(ID_Send, begin_record(&at, WORDS) + WORDS);
                within += at.end - at.begin;
            }
            leaves();
        }
        int64_t outside = now() - begin - within;
        best = outside < best ? outside : best;
        memset(first, 0, (char *)next - (char *)first);
        next = first;
    }
    return best * 1000 / CALLS;
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
    depth--;
    head->cost = grow(1) ? measure_cost() : 0;
    depth++;
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

/* A function that stands before one of the library. It has names of its own in C: headers differ in the constness of parameters. */
#define BOTH_NAMES(name, arguments)                                                                        \
    int weir_##name arguments __asm__("PMPI_" #name);                                                      \
    int weir_first_##name arguments __asm__("MPI_" #name) __attribute__((alias("PMPI_" #name)));           \
    int weir_##name arguments

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
