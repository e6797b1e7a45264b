/* ranks: 2 */
/* ends: status 1 on 2 ranks */
/* says: MPI_Isend was called in an operation of the program (MPI_Op_create), within MPI_Allreduce: there only functions may be called that communicate with nobody */
/* An operation may call only functions that communicate with nobody. */
#include <mpi.h>
#include <stdio.h>

static void sends(void *in, void *inout, int *len, MPI_Datatype *type)
{
    MPI_Request request;
    (void)in, (void)len, (void)type;
    MPI_Isend(inout, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    printf("not reached\n");
}

int main(int argc, char **argv)
{
    int one = 1, sum;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Op_create(sends, 1, &op);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
