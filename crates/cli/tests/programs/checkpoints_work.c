#include <mpi.h>
static char sent[50000], received[60 * 1000];
int main(int argc, char **argv)
{
    int rank, size, flag;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int step = 1; step < 6; step++) {
        int next = (rank + step) % size, before = (rank + size - step) % size;
        MPI_Request requests[2];
        MPI_Status status;
        MPI_Irecv(received, 50000, MPI_CHAR, step % 2 ? before : MPI_ANY_SOURCE, step, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(sent, step % 2 ? 50000 : 1000, MPI_CHAR, next, step, MPI_COMM_WORLD, &requests[1]);
        for (flag = 0; !flag && step == 3;) MPI_Test(&requests[0], &flag, &status);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Allreduce(sent, received, 300, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Alltoall(sent, 100 * step, MPI_CHAR, received, 100 * step, MPI_CHAR, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
