#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, what = atoi(argv[1]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (what == 2 && rank == 0) MPI_Recv(&what, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (what == 3 && access(argv[2], F_OK) != 0) abort();
    MPI_Finalize();
    return 0;
}
