/* ranks: 1 2 */
/* Hints that are given when a communicator is made are kept by it. */
#include <mpi.h>
#include <string.h>
#include "../check.h"

static int rank;

static void kept(MPI_Comm *comm, const char *how)
{
    MPI_Info info;
    char value[8] = "";
    int length = sizeof value, flag = 0;
    MPI_Comm_get_info(*comm, &info);
    MPI_Info_get_string(info, "mpi_assert_no_any_tag", &length, value, &flag);
    check(rank, flag && strcmp(value, "true") == 0, "%s", how);
    MPI_Info_free(&info);
    MPI_Comm_free(comm);
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    MPI_Info info;
    MPI_Group world;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    kept(&comm, "Comm_dup_with_info");
    MPI_Comm_idup_with_info(MPI_COMM_WORLD, info, &comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    kept(&comm, "Comm_idup_with_info");
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, info, &comm);
    kept(&comm, "Comm_split_type");
    MPI_Comm_create_from_group(world, "hints", info, MPI_ERRORS_RETURN, &comm);
    kept(&comm, "Comm_create_from_group");
    MPI_Info_free(&info);
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
