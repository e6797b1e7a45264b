#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, size, me, first;
    MPI_Comm node;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -rank, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &size);
    MPI_Comm_rank(node, &me);
    MPI_Allreduce(&rank, &first, 1, MPI_INT, MPI_MIN, node);
    printf("%d: %d of %d, with %d\n", rank, me, size, first);
    MPI_Finalize();
    return 0;
}
