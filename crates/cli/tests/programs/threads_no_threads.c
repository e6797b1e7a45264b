#include <mpi.h>
#include <string.h>
int main(int argc, char **argv)
{
    int provided = -1, asked = -1, flag = 0;
    char level[100] = "", same[100] = "";
    MPI_Info info, told;
    MPI_Session session, other;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Query_thread(&asked);
    MPI_Info_create(&info);
    MPI_Info_set(info, "thread_level", "MPI_THREAD_MULTIPLE");
    MPI_Session_init(info, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Session_get_info(session, &told);
    MPI_Info_get(told, "thread_level", 99, level, &flag);
    if (provided != MPI_THREAD_MULTIPLE || asked != provided || !flag || strcmp(level, "MPI_THREAD_MULTIPLE"))
        MPI_Abort(MPI_COMM_WORLD, 7);
    MPI_Info_free(&info);
    MPI_Info_free(&told);
    /* A session that asks for nothing has the level of the rank. */
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &other);
    MPI_Session_get_info(other, &told);
    MPI_Info_get(told, "thread_level", 99, same, &flag);
    if (!flag || strcmp(same, level))
        MPI_Abort(MPI_COMM_WORLD, 8);
    MPI_Info_free(&told);
    MPI_Session_finalize(&other);
    MPI_Session_finalize(&session);
    MPI_Finalize();
    return 0;
}
