/* ranks: 1 2 */
/* Kinds of memory: what sessions grant, and what communicators say. */
#include <mpi.h>
#include <string.h>
#include "../check.h"

static int rank;

static void kinds(MPI_Info info, const char *of)
{
    char value[200];
    int length = sizeof value, flag;
    MPI_Info_get_string(info, "mpi_memory_alloc_kinds", &length, value, &flag);
    check(rank, flag && strstr(value, "mpi") && strstr(value, "system") && !strstr(value, "nonsense"), "%s", of);
    MPI_Info_free(&info);
}

int main(int argc, char **argv)
{
    MPI_Info info, told;
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_info(MPI_COMM_WORLD, &told);
    kinds(told, "the world");
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_memory_alloc_kinds", "mpi,system,nonsense");
    MPI_Session_init(info, MPI_ERRORS_RETURN, &session);
    MPI_Session_get_info(session, &told);
    kinds(told, "a session");
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "kinds", info, MPI_ERRORS_RETURN, &comm);
    MPI_Comm_get_info(comm, &told);
    kinds(told, "a communicator of it");
    MPI_Info_free(&info);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
    MPI_Finalize();
    return 0;
}
