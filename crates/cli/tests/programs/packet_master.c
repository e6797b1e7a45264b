#include <mpi.h>
#include <stdio.h>

enum { TASKS = 12, BYTES = 65536 };
static char task[BYTES];

int main(int argc, char **argv) {
    int rank, sent = 0, done[3] = {0, 0, 0};
    MPI_Request requests[TASKS + 2];
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int worker = 1; worker < 3; worker++, sent++)
            MPI_Isend(task, BYTES, MPI_BYTE, worker, 1, MPI_COMM_WORLD, &requests[sent]);
        for (int answers = 0; answers < TASKS; answers++, sent++) {
            MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
            done[status.MPI_SOURCE]++;
            MPI_Isend(task, BYTES, MPI_BYTE, status.MPI_SOURCE, sent < TASKS, MPI_COMM_WORLD, &requests[sent]);
        }
        MPI_Waitall(TASKS + 2, requests, MPI_STATUSES_IGNORE);
        printf("%d %d\n", done[1], done[2]);
    } else {
        for (;;) {
            MPI_Recv(task, BYTES, MPI_BYTE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            if (status.MPI_TAG == 0)
                break;
            MPI_Send(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        }
    }
    MPI_Finalize();
    return 0;
}
