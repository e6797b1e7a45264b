/* ranks: 3 */
/* ends: status 1 on 3 ranks */
/* says: it called exit(4) before MPI_Finalize */
/* A rank that leaves within an operation has left before MPI_Finalize. */
#include <mpi.h>
#include <stdlib.h>

static void leaves(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)len, (void)type;
    exit(4);
}

int main(int argc, char **argv)
{
    int one = 1, sum;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Op_create(leaves, 1, &op);
    MPI_Reduce(&one, &sum, 1, MPI_INT, op, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
