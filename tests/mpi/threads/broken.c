/* A thread of OpenMP breaks. */
#include <mpi.h>
#include <omp.h>

int main(int argc, char **argv)
{
    volatile int *nowhere = 0;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
#pragma omp parallel
    if (rank == 1 && omp_get_thread_num() == 1)
        *nowhere = 1;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
