/* Threads of OpenMP call MPI one at a time, in a section without a name; another rank's threads wait in theirs meanwhile. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int provided, rank, size, bad = 0, is_main = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
#pragma omp parallel num_threads(3) reduction(+ : bad)
    for (int i = 0; i < 4; i++) {
        int sent = rank, got = -1;
#pragma omp critical
        MPI_Sendrecv(&sent, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        bad += got != (rank + size - 1) % size;
    }
    MPI_Is_thread_main(&is_main);
    printf("rank %d: %d mistakes\n", rank, bad + !is_main + (provided != MPI_THREAD_SERIALIZED));
    MPI_Finalize();
    return 0;
}
