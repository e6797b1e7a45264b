/* ranks: 1 2 4 */
/* Thread-local variables belong to one rank, as globals do. */
#include <mpi.h>
#include "check.h"

static _Thread_local int zero_at_first;
static _Thread_local int seven_at_first = 7;
_Thread_local double visible = 0.5;

int main(int argc, char **argv)
{
    int rank, size, *address = &seven_at_first;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    check(rank, zero_at_first == 0 && seven_at_first == 7 && visible == 0.5, "initial values");
    for (int i = 0; i < 10; i++) {
        zero_at_first += rank + 1;
        *address += 2 * rank;
        visible *= 1 + rank % 2;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    fact(rank, "after ten rounds %d %d %.1f", zero_at_first, seven_at_first, visible);
    MPI_Sendrecv(&zero_at_first, 1, MPI_INT, (rank + 1) % size, 0, &seven_at_first, 1, MPI_INT, (rank + size - 1) % size, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    fact(rank, "from the rank before %d", *address);
    MPI_Finalize();
    return 0;
}
