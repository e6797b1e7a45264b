/* ranks: 1 2 */
/* Null handles have names (MPI 4.1), and an error handler may change the code that a call returns. */
#include <mpi.h>
#include "../check.h"

static int called;

static void forgives(MPI_Comm *comm, int *error, ...)
{
    (void)comm;
    called++;
    *error = MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int rank, length;
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Errhandler handler;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_name(MPI_COMM_NULL, name, &length);
    fact(rank, "%s, %d", name, length);
    MPI_Type_get_name(MPI_DATATYPE_NULL, name, &length);
    fact(rank, "%s, %d", name, length);
    MPI_Win_get_name(MPI_WIN_NULL, name, &length);
    fact(rank, "%s, %d", name, length);
    MPI_Comm_create_errhandler(forgives, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    int code = MPI_Send(&rank, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
    fact(rank, "error %d, the handler was called %d times", code, called);
    MPI_Errhandler_free(&handler);
    MPI_Finalize();
    return 0;
}
