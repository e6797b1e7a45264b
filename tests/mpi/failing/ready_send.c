/* ranks: 2 */
/* ends: status 1 on 2 ranks */
/* says: aborted at */
/* says: rank 1: rank 0 sent to it in ready mode (MPI_Rsend or the like, tag 5 in MPI_COMM_WORLD), but it had posted no receive for the message */
/* A ready send whose receive is not posted. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, value = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Rsend(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(&value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
