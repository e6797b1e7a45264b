#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (volatile long i = 0; atoi(argv[1]) == 4;) i++;
    MPI_Finalize();
    return 0;
}
