/* ranks: 2 */
/* ends: status 1 on 2 ranks */
/* says: MPI_Comm_spawn failed: MPI_ERR_SPAWN: weir's number of ranks is fixed for a run, here 2 */
/* No process can be started during a run. */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Comm inter;
    MPI_Init(&argc, &argv);
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE);
    MPI_Finalize();
    return 0;
}
