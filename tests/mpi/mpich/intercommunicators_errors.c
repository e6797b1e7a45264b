/* ranks: 2 3 4 */
/* What is not possible on an intercommunicator, or on any other communicator alone. */
#include <mpi.h>
#include "../check.h"

static int class_of(int code)
{
    int class = MPI_SUCCESS;
    if (code != MPI_SUCCESS)
        MPI_Error_class(code, &class);
    return class;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int low = size / 2, is_low = rank < low, one = 1, none = 0, in = 1, out;
    MPI_Comm half, inter, part;
    MPI_Comm_split(MPI_COMM_WORLD, is_low, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, is_low ? low : 0, 12, &inter);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN);
    check(rank, class_of(MPI_Cart_create(inter, 1, &one, &none, 0, &part)) == MPI_ERR_COMM, "cart");
    check(rank, class_of(MPI_Scan(&in, &out, 1, MPI_INT, MPI_SUM, inter)) == MPI_ERR_COMM, "scan");
    check(rank, class_of(MPI_Exscan(&in, &out, 1, MPI_INT, MPI_SUM, inter)) == MPI_ERR_COMM, "exscan");
    check(rank, class_of(MPI_Bcast(&in, 1, MPI_INT, 77, inter)) == MPI_ERR_ROOT, "root");
    check(rank, class_of(MPI_Send(&in, 1, MPI_INT, 77, 0, inter)) == MPI_ERR_RANK, "rank");
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
