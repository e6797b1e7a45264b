#include <mpi.h>
#include <stdio.h>
#include <string.h>
static int calls, table[SIZE];
int main(int argc, char **argv)
{
    int rank, ranks, of_own, *number, found, sum = 0;
    char most[16] = "";
    MPI_Comm own;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &found);
    MPI_Comm_split(MPI_COMM_WORLD, *number, rank, &own);
    MPI_Comm_size(own, &of_own);
    for (int i = 0; i < 3; i++) {
        table[rank] += rank;
        calls++;
        MPI_Allreduce(&table[rank], &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Info_get(MPI_INFO_ENV, "maxprocs", 15, most, &found);
    printf("%s %d of %d: %d with %d (%s), %d arguments, %s, sum %d, %d calls\n", NAME, rank, ranks, *number, of_own, most,
           argc - 1, argc > 1 ? argv[1] : "none", sum, calls);
    MPI_Finalize();
    return 0;
}
