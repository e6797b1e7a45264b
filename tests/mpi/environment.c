/* ranks: 1 2 3 */
/* Before, within and after MPI: flags, thread levels, versions, names, the clock, arguments of the program. */
#include <mpi.h>
#include <string.h>
#include "check.h"

int main(int argc, char **argv)
{
    int before = -1, within = -1, after = -1, finalized = -1, rank, size, provided = -1, queried = -2, main_thread = 0;
    MPI_Initialized(&before);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Initialized(&within);
    MPI_Finalized(&finalized);
    check(rank, before == 0 && within && finalized == 0, "initialized: no, then yes; not yet finalized");

    MPI_Query_thread(&queried);
    MPI_Is_thread_main(&main_thread);
    check(rank, provided >= MPI_THREAD_SINGLE && provided <= MPI_THREAD_MULTIPLE && queried == provided, "thread level");
    check(rank, MPI_THREAD_SINGLE < MPI_THREAD_FUNNELED && MPI_THREAD_FUNNELED < MPI_THREAD_SERIALIZED &&
                    MPI_THREAD_SERIALIZED < MPI_THREAD_MULTIPLE, "thread levels grow");
    check(rank, main_thread, "main thread");
    check(rank, argc == 1 && argv[0] && !argv[1], "arguments of the program");
    fact(rank, "one of %d ranks", size);

    int version = 0, subversion = -1, length = -1;
    static char text[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Get_version(&version, &subversion);
    check(rank, version == MPI_VERSION && subversion == MPI_SUBVERSION, "version of header and library");
    MPI_Get_library_version(text, &length);
    check(rank, length > 0 && length < MPI_MAX_LIBRARY_VERSION_STRING && text[0], "name of the library");
    MPI_Get_processor_name(text, &length);
    check(rank, length > 0 && length < MPI_MAX_PROCESSOR_NAME && length == (int)strlen(text), "name of the node");

    double start = MPI_Wtime(), last = start;
    int forward = MPI_Wtick() > 0 && MPI_Wtick() <= 1;
    for (int i = 0; i < 20; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double now = MPI_Wtime();
        forward = forward && now >= last;
        last = now;
    }
    check(rank, forward && last - start < 100, "the clock never goes back");

    /* A tool may replace MPI_Comm_size; the library's own stays under the other name. */
    int other = -1;
    PMPI_Comm_size(MPI_COMM_WORLD, &other);
    check(rank, other == size, "the name with P");

    MPI_Finalize();
    MPI_Initialized(&within);
    MPI_Finalized(&after);
    check(rank, within && after, "finalized");
    return 0;
}
