/* ranks: 2 */
/* What the binary interface says of itself. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    int rank, version, subversion, length, provided;
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Get_version(&version, &subversion);
    MPI_Get_library_version(library, &length);
    printf("%d: MPI %d.%d, sizes %zu %zu %zu %zu, length %s\n", rank, version, subversion, sizeof(MPI_Comm),
           sizeof(MPI_Status), sizeof(MPI_Aint), sizeof(MPI_Count), length == (int)strlen(library) ? "right" : "wrong");
    MPI_Finalize();
    return 0;
}
