/* ranks: 1 2 */
/* Info objects: pairs of key and value, their order, their lengths, copies, mistakes; hints of communicators. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"

static int rank;

static void show(const char *what, MPI_Info info)
{
    int count = -1;
    MPI_Info_get_nkeys(info, &count);
    fact(rank, "%s: %d keys", what, count);
    for (int i = 0; i < count; i++) {
        char key[MPI_MAX_INFO_KEY + 1], value[33];
        int length = -1, known = 0, flag = 0;
        MPI_Info_get_nthkey(info, i, key);
        MPI_Info_get_valuelen(info, key, &length, &known);
        MPI_Info_get(info, key, 32, value, &flag);
        fact(rank, "%s: number %d: %s is %s, %d bytes, %d %d", what, i, key, flag ? value : "unset", length, known, flag);
    }
}

static int class_of(int code)
{
    int class = -1;
    MPI_Error_class(code, &class);
    return class;
}

static void mistakes(MPI_Info info)
{
    static char key[MPI_MAX_INFO_KEY + 2], value[MPI_MAX_INFO_VAL + 2];
    memset(key, 'k', sizeof key - 1);
    memset(value, 'v', sizeof value - 1);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    check(rank, class_of(MPI_Info_set(info, key, "1")) == MPI_ERR_INFO_KEY, "a long key");
    check(rank, class_of(MPI_Info_set(info, "", "1")) == MPI_ERR_INFO_KEY, "an empty key");
    check(rank, class_of(MPI_Info_set(info, "a", value)) == MPI_ERR_INFO_VALUE, "a long value");
    check(rank, class_of(MPI_Info_delete(info, "nobody")) == MPI_ERR_INFO_NOKEY, "nothing to delete");
    check(rank, class_of(MPI_Info_get_nthkey(info, 99, key)) != MPI_SUCCESS, "no such number");
    check(rank, class_of(MPI_Info_set(MPI_INFO_NULL, "a", "1")) == MPI_ERR_INFO, "no info object");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* What is new in MPI 4 is checked where it exists. */
static void strings_of_mpi_4(MPI_Info info)
{
    int length = 4, flag = 1, full = 6, whole = 1;
    char value[16] = "untouched";
#if MPI_VERSION >= 4
    MPI_Info_get_string(info, "color", &length, value, &flag);
    whole = strcmp(value, "gre") == 0 && flag && length == full;
    MPI_Info_get_string(info, "color", &length, value, &flag);
    whole = whole && strcmp(value, "green") == 0 && length == full;
    length = 0;
    MPI_Info_get_string(info, "color", &length, 0, &flag);
    whole = whole && length == full && flag;
    MPI_Info_get_string(info, "nobody", &length, value, &flag);
    whole = whole && !flag;
    MPI_Info env;
    char *arguments[] = {"program", "one", "two", 0};
    MPI_Info_create_env(3, arguments, &env);
    length = sizeof value;
    MPI_Info_get_string(env, "argv", &length, value, &flag);
    whole = whole && flag && strcmp(value, "one two") == 0;
    MPI_Info_free(&env);
#else
    (void)info, (void)length, (void)flag, (void)full, (void)value;
#endif
    check(rank, whole, "strings with their lengths");
}

static void hints(void)
{
    MPI_Info info, known;
    MPI_Comm copy;
    int relation;
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &copy);
    MPI_Comm_compare(copy, MPI_COMM_WORLD, &relation);
    check(rank, relation == MPI_CONGRUENT, "a duplicate with hints");
    MPI_Comm_set_info(copy, info);
    MPI_Comm_get_info(copy, &known);
    check(rank, known != MPI_INFO_NULL, "hints of a communicator");
    MPI_Info_free(&known);
    MPI_Info_free(&info);
    MPI_Comm_free(&copy);
}

int main(int argc, char **argv)
{
    MPI_Info info, copy;
    int flag = -1;
    char value[64] = "untouched";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Info_create(&info);
    show("empty", info);
    MPI_Info_set(info, "color", "blue");
    MPI_Info_set(info, "size", "large");
    MPI_Info_set(info, "empty", "-");
    MPI_Info_set(info, "color", "green");
    show("set", info);
    MPI_Info_get(info, "nobody", 63, value, &flag);
    fact(rank, "unknown: %d %s", flag, value);
    MPI_Info_get(info, "color", 3, value, &flag);
    fact(rank, "cut: %d %s", flag, value);
    MPI_Info_dup(info, &copy);
    MPI_Info_delete(info, "color");
    MPI_Info_set(info, "last", "1");
    show("changed", info);
    show("copy", copy);
    mistakes(info);
    strings_of_mpi_4(copy);
    MPI_Info_free(&info);
    MPI_Info_free(&copy);
    check(rank, info == MPI_INFO_NULL, "freed");
    MPI_Info_get(MPI_INFO_ENV, "maxprocs", 63, value, &flag);
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    check(rank, !flag || atoi(value) == size, "what is known of the start");
    hints();
    MPI_Finalize();
    return 0;
}
