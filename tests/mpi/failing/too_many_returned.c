/* ranks: 4 */
/* ends: status 0 on 4 ranks */
/* prints: way 0: together */
/* prints: way 1: together */
/* prints: way 2: together */
/* prints: way 3: together */
/* prints: way 4: together */
/* When communicators run out, all ranks hear of it in the same call, also those that hold few; freeing some helps. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 200000 };

static int rank, size;
static MPI_Comm *made;

static int make(int way, int number, MPI_Comm *comm)
{
    MPI_Group world, group;
    MPI_Request request;
    int code, own, length = size, open = 0;
    switch (way) {
    case 0: return MPI_Comm_dup(MPI_COMM_WORLD, comm);
    case 1:
        MPI_Comm_idup(MPI_COMM_WORLD, comm, &request);
        return MPI_Wait(&request, MPI_STATUS_IGNORE);
    case 2: return MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, comm);
    case 3:
        /* Each is of one rank, and only every fourth one of this. */
        own = number % size;
        MPI_Comm_group(MPI_COMM_WORLD, &world);
        MPI_Group_incl(world, 1, &own, &group);
        code = MPI_Comm_create(MPI_COMM_WORLD, group, comm);
        MPI_Group_free(&group);
        MPI_Group_free(&world);
        return code;
    default: return MPI_Cart_create(MPI_COMM_WORLD, 1, &length, &open, 0, comm);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    made = malloc(MOST * sizeof *made);
    for (int way = 0; way < 5; way++) {
        int number = 0, class = MPI_SUCCESS, least, most;
        for (; number < MOST && class == MPI_SUCCESS; number++)
            MPI_Error_class(make(way, number, &made[number]), &class);
        MPI_Allreduce(&number, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        MPI_Allreduce(&number, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        if (rank == 0)
            printf("way %d: %s\n", way, class == MPI_ERR_OTHER && least == most ? "together" : "WRONG");
        while (--number > 0)
            if (made[number - 1] != MPI_COMM_NULL)
                MPI_Comm_free(&made[number - 1]);
    }
    free(made);
    MPI_Finalize();
    return 0;
}
