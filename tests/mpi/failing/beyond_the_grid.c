/* ranks: 2 */
/* ends: status 1 on 2 ranks */
/* says: rank 1: MPI_Cart_rank failed: MPI_ERR_ARG: coordinate 1 is 2, and the side has open ends */
/* Errors being fatal, rank 1 asks who lies beyond the open end of a grid. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, sides[2] = {1, 2}, joined[2] = {1, 0}, at[2] = {5, 2}, other;
    MPI_Comm grid;
    MPI_Init(&argc, &argv);
    MPI_Cart_create(MPI_COMM_WORLD, 2, sides, joined, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    if (rank == 1) {
        MPI_Cart_rank(grid, at, &other);
        printf("%d: not reached\n", rank);
    }
    MPI_Finalize();
    return 0;
}
