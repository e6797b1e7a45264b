/* ranks: 4 */
/* ends: status 0 on 4 ranks */
/* prints: right ones refused: 0, wrong ones found: 18 of 18 */
/* Counts and operations that differ between ranks are errors that a program can go on from; equal ones never are. */
#include <mpi.h>
#include <stdio.h>

enum { FAMILIES = 9, FORMS = 3 };

static int rank, sent[64], got[64];

/* Starts a collective: for odd numbers of a family a right one, with counts and types that differ and data that do not. */
static int start(int family, int form, int wrong, MPI_Request *request)
{
    MPI_Comm all = MPI_COMM_WORLD;
    int few = rank == 0 && wrong ? 1 : 4;
    MPI_Op op = rank == 0 && wrong ? MPI_PROD : MPI_SUM;
    /* The same signature by another type. */
    MPI_Datatype four, type = MPI_INT;
    MPI_Type_contiguous(4, MPI_INT, &four);
    MPI_Type_commit(&four);
    int count = few;
    if (!wrong && rank == 1) {
        count = 1;
        type = four;
    }
    int code = MPI_SUCCESS;
#define FORM(name, iname, ...) \
    code = form == 0 ? MPI_##name(__VA_ARGS__) : form == 1 ? MPI_##iname(__VA_ARGS__, request) \
         : MPI_##name##_init(__VA_ARGS__, MPI_INFO_NULL, request)
    switch (family) {
    case 0: FORM(Bcast, Ibcast, sent, count, type, 0, all); break;
    case 1: FORM(Gather, Igather, sent, count, type, got, 4, MPI_INT, 0, all); break;
    case 2: FORM(Scatter, Iscatter, sent, few, MPI_INT, got, rank ? count : few, rank ? type : MPI_INT, 0, all); break;
    case 3: FORM(Allgather, Iallgather, sent, count, type, got, 4, MPI_INT, all); break;
    case 4: FORM(Alltoall, Ialltoall, sent, few, MPI_INT, got, count, type, all); break;
    case 5: FORM(Reduce, Ireduce, sent, got, 4, MPI_INT, op, 0, all); break;
    case 6: FORM(Allreduce, Iallreduce, sent, got, few, MPI_INT, MPI_SUM, all); break;
    case 7: FORM(Scan, Iscan, sent, got, 4, MPI_INT, op, all); break;
    case 8: FORM(Reduce_scatter_block, Ireduce_scatter_block, sent, got, few, MPI_INT, MPI_SUM, all); break;
    }
    if (code == MPI_SUCCESS && form == 2)
        code = MPI_Start(request);
    MPI_Type_free(&four);
    return code;
}

int main(int argc, char **argv)
{
    int found[2] = {0, 0}, all[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int wrong = 0; wrong < 2; wrong++)
        for (int family = 0; family < FAMILIES; family++)
            for (int form = 0; form < (wrong ? 2 : FORMS); form++) {
                int mistakes, own = 0;
                MPI_Request request = MPI_REQUEST_NULL;
                int code = start(family, form, wrong, &request);
                if (code == MPI_SUCCESS)
                    code = MPI_Wait(&request, MPI_STATUS_IGNORE);
                if (request != MPI_REQUEST_NULL)
                    MPI_Request_free(&request);
                own = code != MPI_SUCCESS;
                /* Nobody is left in the collective. */
                MPI_Allreduce(&own, &mistakes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
                found[wrong] += mistakes > 0;
            }
    MPI_Allreduce(found, all, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf("right ones refused: %d, wrong ones found: %d of %d\n", all[0], all[1], 2 * FAMILIES);
    MPI_Finalize();
    return 0;
}
