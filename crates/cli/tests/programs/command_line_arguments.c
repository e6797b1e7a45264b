#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 1; i < argc; i++)
        printf("%d: %s\n", rank, argv[i]);
    fprintf(stderr, "%d: to standard error\n", rank);
    MPI_Finalize();
    return 0;
}
