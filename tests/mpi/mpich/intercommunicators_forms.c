/* ranks: 3 4 */
/* Collectives between two groups in all forms: waiting, going on, with large counts, and prepared. */
#include <mpi.h>
#include "../check.h"

enum { COUNT = 3, ROOM = 64 };

static int rank, out[ROOM], in[ROOM];
static MPI_Comm between;
static MPI_Request request;

static void fresh(void)
{
    for (int i = 0; i < ROOM; i++) {
        out[i] = 100 * rank + i;
        in[i] = 0;
    }
}

static void sum(const char *name, int form)
{
    int sum = 0;
    for (int i = 0; i < ROOM; i++)
        sum += (i + 1) * in[i];
    fact(rank, "%s, form %d: %d", name, form, sum);
}

static void twice(void)
{
    for (int turn = 0; turn < 2; turn++) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
}

#define FORMS(name, iname, ...)                                  \
    for (int form = 0; form < 4; form++) {                       \
        fresh();                                                 \
        if (form == 0)                                           \
            MPI_##name(__VA_ARGS__);                             \
        else if (form == 1) {                                    \
            MPI_##iname(__VA_ARGS__, &request);                  \
            MPI_Wait(&request, MPI_STATUS_IGNORE);               \
        } else if (form == 2)                                    \
            MPI_##name##_c(__VA_ARGS__);                         \
        else {                                                   \
            MPI_##name##_init(__VA_ARGS__, MPI_INFO_NULL, &request); \
            twice();                                             \
        }                                                        \
        sum(#name, form);                                        \
    }

static void collectives(int root, int theirs)
{
    MPI_Count counts[4] = {2, 2, 2, 2};
    MPI_Aint places[4] = {0, 3, 6, 9};
    FORMS(Allreduce, Iallreduce, out, in, COUNT, MPI_INT, MPI_SUM, between)
    FORMS(Reduce, Ireduce, out, in, COUNT, MPI_INT, MPI_SUM, root, between)
    FORMS(Bcast, Ibcast, root == MPI_ROOT ? out : in, COUNT, MPI_INT, root, between)
    FORMS(Gather, Igather, out, COUNT, MPI_INT, in, COUNT, MPI_INT, root, between)
    FORMS(Scatter, Iscatter, out, COUNT, MPI_INT, in, COUNT, MPI_INT, root, between)
    FORMS(Allgather, Iallgather, out, COUNT, MPI_INT, in, COUNT, MPI_INT, between)
    FORMS(Alltoall, Ialltoall, out, COUNT, MPI_INT, in, COUNT, MPI_INT, between)
    fresh();
    MPI_Allgatherv_c(out, 2, MPI_INT, in, counts, places, MPI_INT, between);
    sum("Allgatherv_c", theirs);
    fresh();
    MPI_Alltoallv_c(out, counts, places, MPI_INT, in, counts, places, MPI_INT, between);
    sum("Alltoallv_c", theirs);
}

int main(int argc, char **argv)
{
    int size, own, theirs, class;
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int second = size / 2, high = rank >= second;
    MPI_Comm_split(MPI_COMM_WORLD, high, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, high ? 0 : second, 1, &between);
    MPI_Comm_set_errhandler(between, MPI_ERRORS_RETURN);
    MPI_Comm_rank(between, &own);
    MPI_Comm_remote_size(between, &theirs);
    collectives(high ? own == 0 ? MPI_ROOT : MPI_PROC_NULL : 0, theirs);
    MPI_Error_class(MPI_Scan(out, in, 1, MPI_INT, MPI_SUM, between), &class);
    check(rank, class == MPI_ERR_COMM, "no scan");
    MPI_Error_class(MPI_Bcast(out, 1, MPI_INT, 99, between), &class);
    check(rank, class == MPI_ERR_ROOT, "no such root");
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
