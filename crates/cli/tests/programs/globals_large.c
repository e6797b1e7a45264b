#include <mpi.h>
#include <stdio.h>
static char globals[40000000];
static int initial[100000] = {[99999] = 7};
int main(int argc, char **argv)
{
    int rank, size, passed = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int turn = 0; turn < 200; turn++) {
        for (int i = rank; i < 40000000; i += 4096)
            globals[i]++;
        initial[99999] += rank;
        MPI_Sendrecv_replace(&passed, 1, MPI_INT, (rank + 1) % size, 0, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
    }
    printf("rank %d: %d %d\n", rank, (unsigned char)globals[rank + 4096], initial[99999]);
    MPI_Finalize();
    return 0;
}
