/* ranks: 1 */
/* ends: status 1 on 1 ranks */
/* says: rank 0: MPI_Bcast failed: MPI_ERR_TYPE: not a datatype */
/* A datatype is freed, and a copy of its handle is used after that, though another datatype has been made since. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int data[10] = {0};
    MPI_Datatype type, copy, other;
    MPI_Init(&argc, &argv);
    MPI_Type_vector(3, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    copy = type;
    MPI_Type_free(&type);
    MPI_Type_contiguous(3, MPI_INT, &other);
    MPI_Type_commit(&other);
    MPI_Bcast(data, 1, copy, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
