/* ranks: 1 2 4 */
/* A line that a rank prints in pieces, with other ranks printing in between, comes out whole: each rank has its own
   buffer of standard output. (The standard does not promise this: Open MPI keeps lines whole, MPICH does not.) */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int line = 0; line < 3; line++) {
        printf("%d: line %d:", rank, line);
        for (int i = 0; i < 4; i++) {
            MPI_Barrier(MPI_COMM_WORLD);
            printf(" %d", 100 * rank + i);
        }
        putchar(' ');
        MPI_Barrier(MPI_COMM_WORLD);
        fputs("end", stdout);
        MPI_Barrier(MPI_COMM_WORLD);
        puts(".");
    }
    MPI_Finalize();
    printf("%d: printed after the end of MPI\n", rank);
    return 0;
}
