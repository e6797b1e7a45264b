/* ranks: 2 3 */
/* Not 4: MPICH 5.0.2 itself hangs there often, after the first communicator; on 3 now and then. */
/* MPI without MPI_COMM_WORLD: sessions, communicators of groups alone, and intercommunicators of groups. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include "../check.h"

static int errors_seen;

static void count_errors(MPI_Session *session, int *code, ...)
{
    (void)session;
    errors_seen += *code != MPI_SUCCESS;
}

static int class_of(int code)
{
    int class = MPI_SUCCESS;
    if (code != MPI_SUCCESS)
        MPI_Error_class(code, &class);
    return class;
}

int main(void)
{
    int flag, rank, size;
    MPI_Session session, second;
    if (MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) != MPI_SUCCESS)
        return 1;
    MPI_Initialized(&flag);

    /* Sets of ranks. */
    int sets, has_world = 0, has_self = 0;
    MPI_Session_get_num_psets(session, MPI_INFO_NULL, &sets);
    for (int i = 0; i < sets; i++) {
        int length = 0;
        char name[MPI_MAX_PSET_NAME_LEN];
        MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, NULL);
        MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, name);
        has_world |= strcmp(name, "mpi://WORLD") == 0 && length == (int)strlen(name) + 1;
        has_self |= strcmp(name, "mpi://SELF") == 0;
    }
    MPI_Group all, self;
    MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
    MPI_Group_from_session_pset(session, "mpi://SELF", &self);
    MPI_Comm comm;
    MPI_Comm_create_from_group(all, "all", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    check(rank, !flag, "not initialized");
    check(rank, has_world && has_self, "both sets");
    int one;
    MPI_Group_size(self, &one);
    fact(rank, "size %d, self %d", size, one);

    /* What is known of a set, and of a session. */
    MPI_Info info;
    char value[64] = "";
    int room = sizeof value;
    MPI_Session_get_pset_info(session, "mpi://WORLD", &info);
    MPI_Info_get_string(info, "mpi_size", &room, value, &flag);
    check(rank, flag && atoi(value) == size, "mpi_size");
    MPI_Info_free(&info);
    MPI_Session_get_info(session, &info);
    MPI_Info_free(&info);

    /* Messages and collectives. */
    int sum;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    fact(rank, "sum %d", sum);
    int next = (rank + 1) % size, before = (rank + size - 1) % size, got;
    MPI_Sendrecv(&rank, 1, MPI_INT, next, 3, &got, 1, MPI_INT, before, 3, comm, MPI_STATUS_IGNORE);
    fact(rank, "from %d: %d", before, got);

    /* Communicators of the same group with other names, and of parts. */
    MPI_Comm other;
    MPI_Comm_create_from_group(all, "other", MPI_INFO_NULL, MPI_ERRORS_RETURN, &other);
    int compared;
    MPI_Comm_compare(comm, other, &compared);
    check(rank, compared == MPI_CONGRUENT, "congruent");
    MPI_Request request;
    int one_way = -1, other_way = -1, first = 10 + rank, then = 20 + rank;
    MPI_Irecv(&one_way, 1, MPI_INT, before, 0, other, &request);
    MPI_Send(&first, 1, MPI_INT, next, 0, comm);
    MPI_Send(&then, 1, MPI_INT, next, 0, other);
    MPI_Recv(&other_way, 1, MPI_INT, before, 0, comm, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    fact(rank, "kept apart: %d %d", one_way, other_way);

    /* Two groups. */
    int low = size / 2, is_low = rank < low;
    int ranges[2][3] = {{low, size - 1, 1}, {0, low - 1, 1}};
    MPI_Group own, theirs;
    MPI_Group_range_incl(all, 1, &ranges[is_low], &own);
    MPI_Group_range_incl(all, 1, &ranges[!is_low], &theirs);
    MPI_Comm inter;
    MPI_Intercomm_create_from_groups(own, 0, theirs, 0, "halves", MPI_INFO_NULL, MPI_ERRORS_RETURN, &inter);
    int remote, remote_sum;
    MPI_Comm_remote_size(inter, &remote);
    MPI_Allreduce(&rank, &remote_sum, 1, MPI_INT, MPI_SUM, inter);
    fact(rank, "others %d, sum %d", remote, remote_sum);
    MPI_Comm_free(&inter);
    MPI_Group_free(&own);
    MPI_Group_free(&theirs);

    /* A second session, with an error handler of its own. */
    MPI_Errhandler handler, told;
    MPI_Session_create_errhandler(count_errors, &handler);
    MPI_Session_init(MPI_INFO_NULL, handler, &second);
    MPI_Session_get_errhandler(second, &told);
    check(rank, told == handler, "handler");
    MPI_Errhandler_free(&told);
    MPI_Session_call_errhandler(second, MPI_ERR_OTHER);
    fact(rank, "errors %d", errors_seen);
    MPI_Session_set_errhandler(second, MPI_ERRORS_RETURN);
    MPI_Group none;
    check(rank, MPI_Group_from_session_pset(second, "mpi://none", &none) != MPI_SUCCESS, "no such set");
    check(rank, class_of(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &sets)) == MPI_SUCCESS, "still there");
    MPI_Errhandler_free(&handler);
    MPI_Session_finalize(&second);
    check(rank, second == MPI_SESSION_NULL, "null");

    /* Buffered sends with the buffer of a session. */
    static char buffer[10000];
    void *address;
    int bytes;
    MPI_Session_attach_buffer(session, buffer, sizeof buffer);
    MPI_Bsend(&rank, 1, MPI_INT, next, 9, comm);
    MPI_Recv(&got, 1, MPI_INT, before, 9, comm, MPI_STATUS_IGNORE);
    MPI_Session_flush_buffer(session);
    MPI_Session_detach_buffer(session, &address, &bytes);
    check(rank, address == buffer && bytes == sizeof buffer && got == before, "buffer");

    MPI_Group_free(&all);
    MPI_Group_free(&self);
    MPI_Comm_free(&other);
    MPI_Comm_disconnect(&comm);
    MPI_Session_finalize(&session);

    /* The world afterward. */
    MPI_Init(NULL, NULL);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    fact(rank, "sum again %d", sum);
    MPI_Finalize();
    return 0;
}
