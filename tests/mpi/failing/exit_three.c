/* ranks: 3 4 */
/* ends: status 1 on 3 ranks */
/* says: rank 2: it called exit(3) before MPI_Finalize */
/* Rank 2 leaves the program by exit(3), with MPI not finalized, while the others wait for it. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 2)
        exit(3);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
