/* Ranks on a ring exchange what borders on their neighbors, and sum it up; each has 2 KB of globals of its own. */
#include <mpi.h>
#include <stdlib.h>

static double field[256];

int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    field[1] = field[254] = rank;
    MPI_Sendrecv(&field[254], 1, MPI_DOUBLE, right, 0, &field[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(&field[1], 1, MPI_DOUBLE, left, 1, &field[255], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    double own = field[0] + field[255], sum = 0;
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    int wrong = field[0] != left || field[255] != right || sum != (double)size * (size - 1);
    MPI_Finalize();
    return wrong;
}
