#pragma GCC optimize "O0" /* or the compiler thinks about this one function for 14 seconds */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int nothing() { return 0; }
static long long zeros[4096];
static char text[4096];
static int ones[16] = {1, 1, 1, 1, 1, 1, 1, 1};
static MPI_Count long_ones[16] = {1, 1, 1, 1};
static MPI_Datatype types[8];
static MPI_Request requests[8];
static MPI_Status statuses[8];

/* Memory that holds zeros. */
static void *fresh(void) { memset(zeros, 0, sizeof zeros); return zeros; }

int main(int argc, char **argv)
{
    int from = argc > 1 ? atoi(argv[1]) : 0, code, class, zero = 0, one = 1;
    MPI_Comm world, grid, graph, adjacent, between;
    MPI_Info info;
    MPI_Group group;
    MPI_Win win;
    MPI_File file;
    MPI_Session session;
    MPI_T_cvar_handle cvar = MPI_T_CVAR_HANDLE_NULL;
    MPI_T_pvar_handle pvar = MPI_T_PVAR_HANDLE_NULL;
    MPI_T_pvar_session pvar_session = MPI_T_PVAR_SESSION_NULL;
    MPI_Init(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &code);
    MPI_T_pvar_session_create(&pvar_session);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &world);
    MPI_Cart_create(world, 1, &one, &one, 0, &grid);
    MPI_Graph_create(world, 1, &one, &zero, 0, &graph);
    MPI_Dist_graph_create_adjacent(world, 1, &zero, &one, 1, &zero, &one, MPI_INFO_NULL, 0, &adjacent);
    between = world;
    MPI_Info_create(&info);
    MPI_Info_set(info, "weir_key", "value");
    MPI_Comm_group(world, &group);
    MPI_Win_create(malloc(4096), 4096, 1, MPI_INFO_NULL, world, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_lock_all(0, win);
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
    MPI_File_open(world, "null_pointers.data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    for (int i = 0; i < 8; i++)
        types[i] = MPI_INT;
#define CASE(number, name, call)                                       \
    if (number >= from) {                                              \
        for (int i = 0; i < 8; i++)                                    \
            requests[i] = MPI_REQUEST_NULL;                            \
        memset(statuses, 0, sizeof statuses);                          \
        printf("case %d %s ", number, name);                           \
        fflush(stdout);                                                \
        code = call;                                                   \
        class = -1;                                                    \
        if (code < MPI_T_ERR_CANNOT_INIT_LIMIT)                        \
            MPI_Error_class(code, &class);                             \
        printf("gives %d\n", class < 0 ? code : class);                \
        fflush(stdout);                                                \
    }
