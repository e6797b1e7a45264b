/* Threads of OpenMP send, receive and look for messages beside each other, with barriers and sections between. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static int mine = 7;
#pragma omp threadprivate(mine)

int main(int argc, char **argv)
{
    int provided, rank, size, bad = 0, rounds = 10;
    omp_set_num_threads(4);
    mine = 8;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    bad += mine != 8;
    for (int round = 0; round < rounds; round++) {
#pragma omp parallel reduction(+ : bad)
        {
            int thread = omp_get_thread_num(), sent = 100 * rank + thread, got = -1;
            volatile int work = 0;
            for (int i = rand() % 3000; i > 0; i--)
                work += i;
            MPI_Sendrecv(&sent, 1, MPI_INT, right, thread, &got, 1, MPI_INT, left, thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            bad += got != 100 * left + thread;
#pragma omp barrier
            if (thread % 2) {
                MPI_Request requests[2];
                int done = 0;
                MPI_Irecv(&got, 1, MPI_INT, left, 100 + thread, MPI_COMM_WORLD, requests);
                MPI_Isend(&sent, 1, MPI_INT, right, 100 + thread, MPI_COMM_WORLD, requests + 1);
                while (!done)
                    MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
            }
#pragma omp critical
            mine++;
#pragma omp master
            MPI_Barrier(MPI_COMM_WORLD);
        }
    }
    bad += mine != 8 + rounds || omp_get_max_threads() != 4 || provided != MPI_THREAD_MULTIPLE;
    printf("rank %d: %d mistakes at %.9f s\n", rank, bad, MPI_Wtime());
    MPI_Finalize();
    return 0;
}
