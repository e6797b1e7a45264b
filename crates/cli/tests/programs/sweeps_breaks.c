#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, what = atoi(argv[1]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 2) printf("what is %d\n", what), fflush(stdout);
    if (rank == 2 && what == 3) *(volatile int *)0 = 1;
    if (rank == 2 && what == 4) raise(SIGKILL);
    MPI_Finalize();
    return 0;
}
