#include <mpi.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    int rank, size, messages = atoi(argv[1]), batch = atoi(argv[3]), wrong = 0;
    const char *way = argv[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Request *requests = malloc(batch * sizeof *requests);
    int *sent = malloc(batch * sizeof *sent);
    for (int first = 0; first < messages; first += batch) {
        int in = -1;
        for (int i = 0; i < batch; i++) {
            sent[i] = rank + first + i;
            if (!strcmp(way, "send"))
                MPI_Send(&sent[i], 1, MPI_INT, right, 0, MPI_COMM_WORLD);
            else if (!strcmp(way, "isend"))
                MPI_Isend(&sent[i], 1, MPI_INT, right, 0, MPI_COMM_WORLD, &requests[i]);
            else {
                MPI_Sendrecv(&sent[i], 1, MPI_INT, right, 0, &in, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                wrong |= in != left + first + i;
            }
            /* The buffer of a send that is complete may be used again. */
            if (strcmp(way, "isend"))
                sent[i] = -1;
        }
        for (int i = 0; i < batch && strcmp(way, "sendrecv"); i++) {
            MPI_Recv(&in, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            wrong |= in != left + first + i;
        }
        if (!strcmp(way, "isend"))
            MPI_Waitall(batch, requests, MPI_STATUSES_IGNORE);
    }
    if (wrong)
        MPI_Abort(MPI_COMM_WORLD, 7);
    MPI_Finalize();
    return 0;
}
