/* A victim beside an incast. Ranks 0 and 9 exchange 8 bytes, two hundred times. The others but 8 to 11 send messages of 1 MiB to rank 8, a
 * neighbor of 9. Argument: how many each of them sends. */
#include <mpi.h>
#include <stdlib.h>

enum { LENGTH = 1 << 20, ROUNDS = 200 };

static void exchange(int rank, char *buffer) {
    int other = 9 - rank;
    for (int round = 0; round < ROUNDS; round++) {
        if (rank == 0) MPI_Send(buffer, 8, MPI_CHAR, other, 1, MPI_COMM_WORLD);
        MPI_Recv(buffer, 8, MPI_CHAR, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank != 0) MPI_Send(buffer, 8, MPI_CHAR, other, 1, MPI_COMM_WORLD);
    }
}

static void receive(char *buffer, int count) {
    MPI_Request *requests = malloc(count * sizeof *requests);
    for (int i = 0; i < count; i++)
        MPI_Irecv(buffer, LENGTH, MPI_CHAR, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    free(requests);
}

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int messages = argc > 1 ? atoi(argv[1]) : 0;
    char *buffer = calloc(LENGTH, 1);
    if (rank == 0 || rank == 9) exchange(rank, buffer);
    if (rank == 8 && messages > 0) receive(buffer, messages * (7 + ranks - 12));
    if ((rank > 0 && rank < 8) || rank >= 12)
        for (int i = 0; i < messages; i++) MPI_Send(buffer, LENGTH, MPI_CHAR, 8, 0, MPI_COMM_WORLD);
    free(buffer);
    MPI_Finalize();
    return 0;
}
