#include <mpi.h>
#include <weir.h>
static char b[20000], c[20000];
int main(int argc, char **argv)
{
    volatile double x = 0;
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (;;) {
        WEIR_SAMPLE("work", 5) { for (int k = 0; k < 20000; k++) x += k; }
        MPI_Sendrecv(b, 20000, MPI_CHAR, (rank + 1) % size, 1, c, 20000, MPI_CHAR, (rank + size - 1) % size, 1,
            MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}
