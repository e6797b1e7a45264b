/* ranks: 2 */
/* ends: status 1 on 2 ranks */
/* says: MPI_Abort with error code 7 */
/* prints: rank 1: other */
/* A collective that others do not call returns an error. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, data = 1, all[2], class = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0) {
        MPI_Iallgather(&data, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &request);
        MPI_Error_class(MPI_Wait(&request, MPI_STATUS_IGNORE), &class);
    } else {
        MPI_Error_class(MPI_Scan(&data, all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), &class);
    }
    if (class == MPI_ERR_OTHER)
        printf("rank %d: other\n", rank);
    MPI_Abort(MPI_COMM_WORLD, 7);
    return 0;
}
