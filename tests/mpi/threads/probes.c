/* Threads of OpenMP look at the same messages at once, each before it takes one: what is found is there, or the next one is waited for. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    enum { THREADS = 4, ROUNDS = 12 };
    int provided, rank, size, bad = 0;
    omp_set_num_threads(THREADS);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
#pragma omp parallel reduction(+ : bad)
    for (int round = 0; round < ROUNDS; round++) {
        int sent[2] = {rank, round}, got[2] = {-1, -1}, count;
        MPI_Request request;
        MPI_Status status;
        MPI_Isend(sent, 2, MPI_INT, right, 5, MPI_COMM_WORLD, &request);
        if (round % 2) {
            MPI_Message message;
            MPI_Mprobe(left, 5, MPI_COMM_WORLD, &message, &status);
            MPI_Get_count(&status, MPI_INT, &count);
            MPI_Mrecv(got, count, MPI_INT, &message, MPI_STATUS_IGNORE);
        } else {
            MPI_Probe(left, 5, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, MPI_INT, &count);
            MPI_Recv(got, count, MPI_INT, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        bad += count != 2 || got[0] != left || status.MPI_SOURCE != left;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    printf("rank %d: %d mistakes at %.9f s\n", rank, bad, MPI_Wtime());
    MPI_Finalize();
    return 0;
}
