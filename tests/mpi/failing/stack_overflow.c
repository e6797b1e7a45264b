/* ranks: 2 */
/* ends: status 1 on 2 ranks */
/* says: rank 0: it crashed */
/* says: stack overflow */
/* Crash: rank 0 recurses without end. The report should say stack, not just segmentation violation. */
#include <mpi.h>
#include <stdio.h>

static volatile int depth;
static volatile int deepest = -1; /* never reached */

static int descend(int from)
{
    volatile char frame[1024];
    frame[0] = (char)from;
    frame[1023] = (char)depth++;
    if (depth == deepest)
        return 0;
    return descend(depth) + frame[0] + frame[1023];
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("%d: not reached, %d\n", rank, descend(0));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
