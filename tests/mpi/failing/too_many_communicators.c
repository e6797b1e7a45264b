/* ranks: 2 */
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
