#include <mpi.h>
#include <stdio.h>
#include <string.h>
#define N 20000
static char out[N], into[N];
int main(int argc, char **argv)
{
    int rank, size, number = 7, sum = -1, all[64];
    MPI_Request request;
    MPI_Status status;
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    memset(out, 'o', N);
    memset(into, 'i', N);
    for (int bytes = 100; bytes <= N; bytes *= 200) {
        MPI_Irecv(into, N, MPI_CHAR, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
        MPI_Send(out, bytes, MPI_CHAR, (rank + 1) % size, 0, MPI_COMM_WORLD);
        MPI_Wait(&request, &status);
        int count;
        MPI_Get_count(&status, MPI_CHAR, &count);
        printf("%d: %d of %d\n", rank, count, status.MPI_SOURCE);
    }
    MPI_Sendrecv(out, 50, MPI_CHAR, rank ^ 1, 1, into, 50, MPI_CHAR, rank ^ 1, 1, MPI_COMM_WORLD, &status);
    MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Alltoall(out, 64, MPI_CHAR, into, 64, MPI_CHAR, MPI_COMM_WORLD);
    MPI_Gather(&number, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(into, 9000, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    /* What the library itself has to know still travels. */
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    MPI_Comm_size(half, &number);
    printf("%d: half %d\n", rank, number);
    printf("%d: into %c sum %d\n", rank, into[0], sum);
    MPI_Finalize();
    return 0;
}
