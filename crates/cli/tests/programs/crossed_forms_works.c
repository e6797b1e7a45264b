#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <weir.h>

static char data[16384];

int main(int argc, char **argv)
{
    int rank, owner, peer;
    long amount;
    char kind[16];
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    FILE *plan = fopen(argv[1], "r");
    while (fscanf(plan, "%d %15s %d %ld", &owner, kind, &peer, &amount) == 4) {
        if (owner != rank) continue;
        if (!strcmp(kind, "post")) {
            MPI_Isend(data, (int)amount, MPI_BYTE, peer, peer % 3, MPI_COMM_WORLD, &request);
            MPI_Request_free(&request);
        } else if (!strcmp(kind, "await"))
            MPI_Recv(data, sizeof data, MPI_BYTE, peer, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            weir_compute(1e-9 * amount);
    }
    fclose(plan);
    MPI_Finalize();
    return 0;
}
