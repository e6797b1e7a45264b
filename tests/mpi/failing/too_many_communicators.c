/* ranks: 2 */
/* ends: status 1 on 2 ranks */
/* says: MPI_Comm_dup failed: MPI_ERR_OTHER: a rank of this communicator holds 32768 communicators */
/* says: MPI_Comm_free */
/* A program that frees no communicators is told so. */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    for (;;)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    return 0;
}
