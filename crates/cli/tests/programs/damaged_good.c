#include <mpi.h>
#include <stdio.h>
static const char *const names[] = {"even", "odd"};
static int numbers[64] = {1, 2, 3};
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("%s %d\n", names[rank % 2], numbers[rank]++);
    MPI_Finalize();
    return 0;
}
