/* ranks: 2 */
/* Handles as numbers, of every kind: each comes back as it was, is of use, and ends, 100,000 times. */
#include <mpi.h>
#include "check.h"

/* The standard's interface has conversions for Fortran beside those for numbers, but not every library both. */
#if MPI_VERSION >= 5
#define BACK(name, handle) MPI_##name##_fromint(MPI_##name##_toint(handle))
#else
#define BACK(name, handle) MPI_##name##_f2c(MPI_##name##_c2f(handle))
#endif

static int rank;

static void no_operation(void *from, void *into, int *count, MPI_Datatype *type)
{
    (void)from, (void)into, (void)count, (void)type;
}

static void no_handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
}

/* MAKE sets `handle`, USE returns 0 when `back` is of use, FREE ends it. */
#define KIND(type, name, times, make, use, free)                                                                      \
    do {                                                                                                             \
        int wrong = 0;                                                                                               \
        for (int age = 0; age < times; age++) {                                                                      \
            type handle, back;                                                                                       \
            make;                                                                                                    \
            back = BACK(name, handle);                                                                                \
            wrong += back != handle || (use) != MPI_SUCCESS;                                                         \
            free;                                                                                                    \
        }                                                                                                            \
        check(rank, wrong == 0, "%s", #name);                                                                        \
    } while (0)

int main(int argc, char **argv)
{
    int n, flag;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    KIND(MPI_Datatype, Type, 100000, MPI_Type_contiguous(3, MPI_INT, &handle), MPI_Type_size(back, &n),
         MPI_Type_free(&handle));
    KIND(MPI_Group, Group, 100000, MPI_Comm_group(MPI_COMM_WORLD, &handle), MPI_Group_size(back, &n),
         MPI_Group_free(&handle));
    KIND(MPI_Info, Info, 100000, MPI_Info_create(&handle), MPI_Info_get_nkeys(back, &n), MPI_Info_free(&handle));
    KIND(MPI_Op, Op, 100000, MPI_Op_create(no_operation, 1, &handle), MPI_Op_commutative(back, &n),
         MPI_Op_free(&handle));
    KIND(MPI_Errhandler, Errhandler, 100000, MPI_Comm_create_errhandler(no_handler, &handle),
         MPI_Comm_set_errhandler(MPI_COMM_SELF, back), MPI_Errhandler_free(&handle));
    KIND(MPI_Request, Request, 100000, MPI_Recv_init(&n, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &handle),
         MPI_Request_get_status(back, &flag, MPI_STATUS_IGNORE), MPI_Request_free(&handle));
    KIND(MPI_Request, Request, 100000, MPI_Irecv(&n, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF, &handle),
         MPI_Request_get_status(back, &flag, MPI_STATUS_IGNORE), MPI_Wait(&handle, MPI_STATUS_IGNORE));
    /* These cost a real MPI more. */
    KIND(MPI_Comm, Comm, 1000, MPI_Comm_dup(MPI_COMM_SELF, &handle), MPI_Comm_size(back, &n), MPI_Comm_free(&handle));
    KIND(MPI_Win, Win, 100, MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &handle), MPI_Win_fence(0, back),
         MPI_Win_free(&handle));
    MPI_Finalize();
    return 0;
}
