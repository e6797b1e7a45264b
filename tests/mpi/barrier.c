/* ranks: 1 2 3 8 */
/* No rank leaves a barrier before the last one has come; many barriers and collectives in a row keep in step. */
#include <mpi.h>
#include "check.h"

int main(int argc, char **argv)
{
    int rank, size, good = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    /* The latest rank (another one each time) has received one message of every other before it enters. So behind
       the barrier every send has its receive: a probe at the latest rank finds nothing. */
    for (int late = 0; late < size; late++) {
        int flag = 0, value = rank;
        if (rank == late)
            for (int n = 1; n < size; n++)
                MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, late, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Send(&value, 1, MPI_INT, late, late, MPI_COMM_WORLD);
        double before = MPI_Wtime();
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Iprobe(MPI_ANY_SOURCE, late, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        good = good && !flag && MPI_Wtime() >= before;
    }
    check(rank, good, "nothing left behind the barrier");

    /* A relay: in step k only rank k mod size may change the number that goes round. */
    int number = 0;
    for (int k = 0; k < 100; k++) {
        if (rank == k % size)
            number = 2 * number % 1000003 + k;
        MPI_Bcast(&number, 1, MPI_INT, k % size, MPI_COMM_WORLD);
        if (k % 3 == 0)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    fact(rank, "the relay ends with %d", number);
    MPI_Finalize();
    return 0;
}
