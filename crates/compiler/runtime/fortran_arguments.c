/*
 * The Fortran bindings that do not follow from C's declarations by rule. fortran_bindings.c, which is made by weir,
 * begins with this text, but leaves out each BINDING that calls what weir does not offer.
 *
 * Arguments come by address. Handles are INTEGERs, since their values are below 2^31. LOGICAL is 0 or 1, a status is 8
 * INTEGERs as in C. Lengths of CHARACTER arguments stand at the end.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int integer;

/* The special arguments of Fortran are known by their addresses: common blocks that mpif.h and the modules name. */
#define COMMON __attribute__((aligned(32))) /* as commons are */
COMMON integer mpi_fbottom_, mpi_fin_place_, mpi_fbuffer_automatic_, mpi_fstatus_ignore_[8], mpi_fstatuses_ignore_[8];
COMMON integer mpi_ferrcodes_ignore_, mpi_funweighted_, mpi_fweights_empty_;
COMMON char mpi_fargv_null_, mpi_fargvs_null_;

void weir_not_offered(const char *name);

static inline void *weir_handle(integer number) {
    return (void *)(intptr_t)number;
}

static inline integer weir_number(const void *handle) {
    return (integer)(intptr_t)handle;
}

static inline void *weir_address(void *buffer) {
    return buffer == &mpi_fbottom_             ? MPI_BOTTOM
           : buffer == &mpi_fin_place_         ? MPI_IN_PLACE
           : buffer == &mpi_fbuffer_automatic_ ? MPI_BUFFER_AUTOMATIC
                                               : buffer;
}

static inline MPI_Status *weir_status_or_none(integer *status) {
    return status == mpi_fstatus_ignore_ || status == mpi_fstatuses_ignore_ ? MPI_STATUS_IGNORE : (MPI_Status *)status;
}

static inline int *weir_weights_or_none(integer *weights) {
    return weights == &mpi_funweighted_      ? MPI_UNWEIGHTED
           : weights == &mpi_fweights_empty_ ? MPI_WEIGHTS_EMPTY
                                             : weights;
}

static inline int *weir_codes_or_none(integer *codes) {
    return codes == &mpi_ferrcodes_ignore_ ? MPI_ERRCODES_IGNORE : codes;
}

/* So many handles, to be freed. */
static void **weir_handles(integer *numbers, long count) {
    void **list = malloc((count > 0 ? count : 1) * sizeof *list);
    for (long i = 0; i < count; i++)
        list[i] = weir_handle(numbers[i]);
    return list;
}

static void weir_give_numbers(integer *numbers, void **list, long count) {
    for (long i = 0; i < count; i++)
        numbers[i] = weir_number(list[i]);
}

/* A text of C, to be freed, without the blanks behind Fortran's; without those before it, if they do not count. */
static char *weir_text(const char *fortran, size_t length, int counts) {
    char *copy;
    while (length > 0 && fortran[length - 1] == ' ')
        length--;
    while (!counts && length > 0 && *fortran == ' ')
        fortran++, length--;
    copy = malloc(length + 1);
    memcpy(copy, fortran, length);
    copy[length] = 0;
    return copy;
}

/* Room for a text that C writes; how give_text knows that it has not. */
enum { UNWRITTEN = 1 };
static char *weir_room(long length) {
    char *text = malloc(length < 1 ? 2 : length + 2);
    text[0] = UNWRITTEN;
    return text;
}

static void weir_give_text(char *fortran, size_t length, char *text) {
    if (text[0] != UNWRITTEN) {
        size_t own = strlen(text);
        memcpy(fortran, text, own < length ? own : length);
        if (own < length)
            memset(fortran + own, ' ', length - own);
    }
    free(text);
}

static int weir_on_all(MPI_Comm comm) {
    int size = 0, inter = 0;
    PMPI_Comm_test_inter(comm, &inter);
    if (inter)
        PMPI_Comm_remote_size(comm, &size);
    else
        PMPI_Comm_size(comm, &size);
    return size;
}

/* How many neighbors send to this rank (outward: receive from it). */
static int weir_neighbors(MPI_Comm comm, int outward) {
    int kind = MPI_UNDEFINED, in = 0, out = 0, rank = 0;
    PMPI_Topo_test(comm, &kind);
    if (kind == MPI_CART) {
        PMPI_Cartdim_get(comm, &in);
        return 2 * in;
    }
    if (kind == MPI_GRAPH) {
        PMPI_Comm_rank(comm, &rank);
        PMPI_Graph_neighbors_count(comm, rank, &in);
        return in;
    }
    if (kind == MPI_DIST_GRAPH)
        PMPI_Dist_graph_neighbors_count(comm, &in, &out, &rank);
    return outward ? out : in;
}

#define GIVE(result)     \
    do {                 \
        int r_ = result; \
        if (ierror)      \
            *ierror = r_; \
    } while (0)

/* A binding under both names. */
#define BINDING(name, args)                                                            \
    void pmpi_##name##_ args;                                                          \
    void mpi_##name##_ args __attribute__((weak, alias("pmpi_" #name "_")));           \
    void pmpi_##name##_ args

#define FUNCTION(result, name, args)                                                   \
    result pmpi_##name##_ args;                                                        \
    result mpi_##name##_ args __attribute__((weak, alias("pmpi_" #name "_")));         \
    result pmpi_##name##_ args

/* A function of the standard that weir does not offer: the linker says so where it is used, and a run ends there. */
#define REFUSED(name, upper)                                                           \
    __asm__(".pushsection .gnu.warning.mpi_" #name "_,\"\",@progbits\n"                \
            ".string \"" upper " is not offered by this version of weir: a run that calls it ends there\"\n" \
            ".popsection");                                                            \
    BINDING(name, (void)) { weir_not_offered(upper); }

