#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, size, sum;
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Get_library_version(version, &(int){0});
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("%d of %d: %d, %.4s\n", rank, size, sum, version);
    MPI_Finalize();
    return 0;
}
