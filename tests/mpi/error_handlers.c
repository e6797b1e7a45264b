/* ranks: 1 2 */
/* Error handlers of the program: called with the communicator and the code; inherited, replaced, freed. Error classes
   and codes of its own, with texts. */
#include <mpi.h>
#include <string.h>
#include "check.h"

static int rank, size, calls, last_class;
static MPI_Comm last_comm;

static void note(MPI_Comm *comm, int *code, ...)
{
    int known;
    calls++;
    last_comm = *comm;
    MPI_Error_class(*code, &last_class);
    MPI_Comm_size(*comm, &known); /* a handler may call MPI */
}

static void note_other(MPI_Comm *comm, int *code, ...)
{
    calls += 100;
    last_comm = *comm;
    MPI_Error_class(*code, &last_class);
}

static void handlers(void)
{
    MPI_Errhandler first, second, known;
    MPI_Comm copy, third;
    int value = 0, code, class;
    MPI_Comm_create_errhandler(note, &first);
    MPI_Comm_create_errhandler(note_other, &second);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_set_errhandler(copy, first);
    MPI_Comm_get_errhandler(copy, &known);
    check(rank, known == first, "the handler that was set");
    MPI_Errhandler_free(&known);
    code = MPI_Send(&value, 1, MPI_INT, size + 3, 0, copy);
    MPI_Error_class(code, &class);
    check(rank, class == MPI_ERR_RANK && last_class == class, "class of the code");
    fact(rank, "calls %d, on the communicator %d", calls, last_comm == copy);
    code = MPI_Send(&value, -1, MPI_INT, 0, 0, copy);
    MPI_Error_class(code, &class);
    check(rank, class == MPI_ERR_COUNT && last_class == class, "class of another code");
    fact(rank, "calls %d", calls);

    /* A duplicate inherits it, and keeps it when the handle is freed and the original has another one. */
    MPI_Comm_dup(copy, &third);
    MPI_Errhandler_free(&first);
    check(rank, first == MPI_ERRHANDLER_NULL, "freed");
    MPI_Comm_set_errhandler(copy, second);
    MPI_Errhandler_free(&second);
    MPI_Send(&value, 1, MPI_INT, size, 0, third);
    fact(rank, "calls %d, on the communicator %d", calls, last_comm == third);
    MPI_Send(&value, 1, MPI_INT, size, 0, copy);
    fact(rank, "calls %d, on the communicator %d", calls, last_comm == copy);

    check(rank, MPI_Comm_call_errhandler(third, MPI_ERR_TOPOLOGY) == MPI_SUCCESS, "called by hand");
    fact(rank, "calls %d", calls);
    check(rank, last_class == MPI_ERR_TOPOLOGY && last_comm == third, "called by hand, with its arguments");
    MPI_Comm_set_errhandler(third, MPI_ERRORS_RETURN);
    check(rank, MPI_Comm_call_errhandler(third, MPI_ERR_OTHER) == MPI_SUCCESS, "called by hand, predefined");
    fact(rank, "calls %d", calls);
    MPI_Comm_free(&third);
    MPI_Comm_free(&copy);
}

static int last_used_code(void)
{
    int *value = 0, flag = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &value, &flag);
    return flag ? *value : -1;
}

static void codes_of_the_program(void)
{
    int class, code, other, known = -1, length = -1, before = last_used_code();
    char text[MPI_MAX_ERROR_STRING];
    MPI_Add_error_class(&class);
    check(rank, class > MPI_ERR_LASTCODE, "a class behind the library's");
    check(rank, last_used_code() >= class && last_used_code() > before, "the largest code");
    MPI_Add_error_code(class, &code);
    MPI_Add_error_code(MPI_ERR_COUNT, &other);
    check(rank, code != class && other != code, "codes differ");
    MPI_Error_class(code, &known);
    check(rank, known == class, "the class of a code");
    known = class;
#if MPI_VERSION >= 4 /* Open MPI 4.1 does not know this one */
    MPI_Error_class(class, &known);
#endif
    check(rank, known == class, "the class of a class");
    MPI_Error_class(other, &known);
    check(rank, known == MPI_ERR_COUNT, "the class of a code of a class of the library");
    MPI_Add_error_string(class, "no water");
    MPI_Add_error_string(code, "no water in the river");
    MPI_Error_string(class, text, &length);
    fact(rank, "%s, %d", text, length);
    MPI_Error_string(code, text, &length);
    fact(rank, "%s, %d", text, length);
    MPI_Add_error_string(code, "too much water");
    MPI_Error_string(code, text, &length);
    fact(rank, "%s, %d", text, length);

    /* A handler of the program gets codes of the program. */
    MPI_Errhandler handler;
    MPI_Comm copy;
    MPI_Comm_create_errhandler(note, &handler);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_set_errhandler(copy, handler);
    MPI_Comm_call_errhandler(copy, code);
    check(rank, last_class == class && last_comm == copy, "a handler with a code of the program");
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&copy);

    /* What cannot be changed. MPI 4.1 can also remove. */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    check(rank, MPI_Add_error_string(MPI_ERR_COUNT, "mine") != MPI_SUCCESS, "a text of the library");
    int removed = 1;
#if MPI_VERSION >= 5
    removed = MPI_Remove_error_class(class) != MPI_SUCCESS && MPI_Remove_error_code(class) != MPI_SUCCESS &&
              MPI_Remove_error_string(code) == MPI_SUCCESS && MPI_Error_string(code, text, &length) == MPI_SUCCESS &&
              length == 0 && MPI_Remove_error_code(code) == MPI_SUCCESS && MPI_Remove_error_class(class) == MPI_SUCCESS &&
              MPI_Error_class(class, &known) != MPI_SUCCESS;
#endif
    check(rank, removed, "removed");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    handlers();
    codes_of_the_program();
    MPI_Finalize();
    return 0;
}
