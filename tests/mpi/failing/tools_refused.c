/* ranks: 1 */
/* ends: status 0 on 1 ranks */
/* prints: 0 wrong */
/* The tools interface answers with its own errors, whatever is asked of it: it has no settings, counters, categories, events. */
#include <mpi.h>
#include <stdio.h>

static int wrong;

#define SAYS(expected, call)                                \
    do {                                                    \
        if ((call) != MPI_T_##expected) {                   \
            printf("%s is not MPI_T_%s\n", #call, #expected); \
            wrong++;                                        \
        }                                                   \
    } while (0)
#define GOES(call) wrong += (call) != MPI_SUCCESS

int main(int argc, char **argv)
{
    int number, index, count, length = 0, verbosity, binding, scope, of, readonly, continuous, atomic, provided;
    MPI_Datatype type;
    MPI_T_enum values;
    MPI_T_cvar_handle setting = MPI_T_CVAR_HANDLE_NULL;
    MPI_T_pvar_handle counter = MPI_T_PVAR_HANDLE_NULL;
    MPI_T_pvar_session session;
    MPI_Count time;
    SAYS(ERR_NOT_INITIALIZED, MPI_T_cvar_get_num(&number));
    SAYS(ERR_NOT_INITIALIZED, MPI_T_finalize());
    GOES(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    GOES(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    MPI_Init(&argc, &argv);
    GOES(MPI_T_cvar_get_num(&number));
    SAYS(ERR_INVALID_INDEX, MPI_T_cvar_get_info(number, NULL, &length, &verbosity, &type, &values, NULL, &length, &binding, &scope));
    SAYS(ERR_INVALID_NAME, MPI_T_cvar_get_index("no such thing", &index));
    SAYS(ERR_INVALID_INDEX, MPI_T_cvar_handle_alloc(number, NULL, &setting, &count));
    SAYS(ERR_INVALID_HANDLE, MPI_T_cvar_handle_free(&setting));
    SAYS(ERR_INVALID_HANDLE, MPI_T_cvar_read(setting, &index));
    SAYS(ERR_INVALID_HANDLE, MPI_T_cvar_write(setting, &index));
    GOES(MPI_T_pvar_get_num(&number));
    SAYS(ERR_INVALID_INDEX, MPI_T_pvar_get_info(number, NULL, &length, &verbosity, &of, &type, &values, NULL, &length, &binding,
                                                &readonly, &continuous, &atomic));
    SAYS(ERR_INVALID_NAME, MPI_T_pvar_get_index("no such thing", MPI_T_PVAR_CLASS_COUNTER, &index));
    GOES(MPI_T_pvar_session_create(&session));
    SAYS(ERR_INVALID_INDEX, MPI_T_pvar_handle_alloc(session, number, NULL, &counter, &count));
    GOES(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
    GOES(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES));
    SAYS(ERR_INVALID_HANDLE, MPI_T_pvar_start(session, counter));
    SAYS(ERR_INVALID_HANDLE, MPI_T_pvar_read(session, counter, &index));
    SAYS(ERR_INVALID_HANDLE, MPI_T_pvar_handle_free(session, &counter));
    GOES(MPI_T_pvar_session_free(&session));
    wrong += session != MPI_T_PVAR_SESSION_NULL;
    SAYS(ERR_INVALID_SESSION, MPI_T_pvar_session_free(&session));
    GOES(MPI_T_category_get_num(&number));
    SAYS(ERR_INVALID_INDEX, MPI_T_category_get_cvars(number, 1, &index));
    SAYS(ERR_INVALID_NAME, MPI_T_category_get_index("no such thing", &index));
    GOES(MPI_T_category_changed(&index));
    SAYS(ERR_INVALID_HANDLE, MPI_T_enum_get_info(MPI_T_ENUM_NULL, &index, NULL, &length));
    GOES(MPI_T_source_get_num(&number));
    SAYS(ERR_INVALID_INDEX, MPI_T_source_get_timestamp(number, &time));
    GOES(MPI_T_event_get_num(&number));
    SAYS(ERR_INVALID_NAME, MPI_T_event_get_index("no such thing", &index));
    MPI_Finalize();
    GOES(MPI_T_finalize());
    GOES(MPI_T_cvar_get_num(&number));
    GOES(MPI_T_finalize());
    SAYS(ERR_NOT_INITIALIZED, MPI_T_finalize());
    printf("%d wrong\n", wrong);
    return 0;
}
