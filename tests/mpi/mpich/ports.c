/* ranks: 2 3 5 */
/* Two groups of a run meet at a port, whose name one tells the other. */
#include <mpi.h>
#include <string.h>
#include "../check.h"

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int low = size / 2, is_low = rank < low;
    MPI_Comm half, inter, merged;
    MPI_Comm_split(MPI_COMM_WORLD, is_low, rank, &half);
    char port[MPI_MAX_PORT_NAME] = "";
    if (rank == 0)
        MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (is_low)
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &inter);
    else
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &inter);
    int remote, sum;
    MPI_Comm_remote_size(inter, &remote);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, inter);
    fact(rank, "others %d, sum %d", remote, sum);
    MPI_Intercomm_merge(inter, !is_low, &merged);
    int merged_rank;
    MPI_Comm_rank(merged, &merged_rank);
    fact(rank, "merged %d", merged_rank);
    MPI_Comm_free(&merged);
    MPI_Comm_disconnect(&inter);
    if (rank == 0)
        MPI_Close_port(port);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
