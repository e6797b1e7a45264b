/* A little of everything that ranks say to each other; nothing depends on what they are told. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
#include <weir.h>

static double sent[4096], received[16 * 4096];

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Request requests[2];
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int step = 0; step < 3; step++) {
        int count = step == 0 ? 1 : step == 1 ? 300 : 4096;
        weir_compute(1e-6 * (1 + (3 * rank + step) % 4));
        MPI_Irecv(received, count, MPI_DOUBLE, before, step, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(sent, count, MPI_DOUBLE, next, step, MPI_COMM_WORLD, &requests[1]);
        weir_compute(1e-6 * (5 + (rank + 2 * step) % 3));
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Allreduce(sent, received, count / 2 + 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        MPI_Bcast(received, count, MPI_DOUBLE, step, MPI_COMM_WORLD);
    }
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Alltoall(sent, 200, MPI_DOUBLE, received, 200, MPI_DOUBLE, half);
    MPI_Gather(sent, 100, MPI_DOUBLE, received, 100, MPI_DOUBLE, 1, half);
    MPI_Comm_free(&half);
    if (rank == 2)
        for (int i = 1; i < size; i++) MPI_Recv(received, 2000, MPI_DOUBLE, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(sent, 100 * rank, MPI_DOUBLE, 2, 9, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Sendrecv(sent, 50, MPI_DOUBLE, before, 4, received, 50, MPI_DOUBLE, next, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    /* A file of this run's own: all together, then each rank its neighbor's part. */
    char name[4096];
    MPI_File file;
    snprintf(name, sizeof name, "%s/shared-%d", argv[1], (int)getpid());
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, 4000 * rank, sent, 500, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_read_at(file, 4000 * next, received, 250 + rank, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
