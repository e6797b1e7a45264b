/* ranks: 1 2 4 */
/* Attributes of communicators: values under keys of the program's own, its copy and delete functions, the attributes
   of the library, the names of MPI-1, and what happens to those of MPI_COMM_SELF at the end. */
#include <mpi.h>
#include "check.h"

static int rank, size, copies, deletions;

/* The duplicate gets a value one larger. */
static int copy_larger(MPI_Comm comm, int key, void *extra, void *in, void *out, int *keep)
{
    int known;
    MPI_Comm_rank(comm, &known); /* a callback may call MPI */
    check(rank, known == rank && key != MPI_KEYVAL_INVALID && extra == &copies, "what a copy function gets");
    copies++;
    *(char **)out = (char *)in + 1;
    *keep = 1;
    return MPI_SUCCESS;
}

static int copy_nothing(MPI_Comm comm, int key, void *extra, void *in, void *out, int *keep)
{
    (void)comm, (void)key, (void)extra, (void)in, (void)out;
    copies++;
    *keep = 0;
    return MPI_SUCCESS;
}

static int copy_fails(MPI_Comm comm, int key, void *extra, void *in, void *out, int *keep)
{
    (void)comm, (void)key, (void)extra, (void)in, (void)out, (void)keep;
    return MPI_ERR_OTHER;
}

static int count_deletion(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value;
    deletions += *(int *)extra;
    return MPI_SUCCESS;
}

static int refuse_deletion(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value;
    return --*(int *)extra < 0 ? MPI_SUCCESS : MPI_ERR_INTERN;
}

static int tell_deletion(MPI_Comm comm, int key, void *value, void *extra)
{
    int finalized;
    (void)key;
    MPI_Finalized(&finalized);
    fact(rank, "at the end: %s of %s, %s", (char *)value, (char *)extra, comm == MPI_COMM_SELF && !finalized ? "in time" : "late");
    return MPI_SUCCESS;
}

static char values[100];

/* The value of an attribute as a number, -1 if there is none. */
static int value_of(MPI_Comm comm, int key)
{
    char *value = 0;
    int flag = -1;
    MPI_Comm_get_attr(comm, key, &value, &flag);
    return flag ? (int)(value - values) : -1;
}

static void own_keys(void)
{
    int plain, larger, none, same, one = 1, ten = 10;
    MPI_Comm copy, second;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &plain, 0);
    MPI_Comm_create_keyval(copy_larger, count_deletion, &larger, &copies);
    copies = 0;
    MPI_Comm_create_keyval(copy_nothing, MPI_COMM_NULL_DELETE_FN, &none, 0);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, count_deletion, &same, &ten);
    check(rank, plain != larger && larger != none && none != same, "keys differ");
    fact(rank, "before: %d", value_of(MPI_COMM_WORLD, plain));
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_set_attr(copy, plain, values + 5);
    MPI_Comm_set_attr(copy, none, values + 6);
    MPI_Comm_set_attr(copy, same, values + 7);
    MPI_Comm_set_attr(copy, larger, values + 8);
    fact(rank, "set: %d %d %d %d", value_of(copy, plain), value_of(copy, none), value_of(copy, same), value_of(copy, larger));
    fact(rank, "elsewhere: %d", value_of(MPI_COMM_WORLD, same));
    MPI_Comm_dup(copy, &second);
    fact(rank, "copied: %d %d %d %d", value_of(second, plain), value_of(second, none), value_of(second, same), value_of(second, larger));
    fact(rank, "copy functions called: %d", copies);
    copies = one; /* what count_deletion adds for the key `larger` */
    deletions = 0;
    MPI_Comm_set_attr(copy, same, values + 20);
    fact(rank, "set again: %d, deletions %d", value_of(copy, same), deletions);
    MPI_Comm_delete_attr(copy, same);
    fact(rank, "deleted: %d, deletions %d", value_of(copy, same), deletions);
    /* A freed key lives on in the attributes that it has set. */
    MPI_Comm_free_keyval(&same);
    check(rank, same == MPI_KEYVAL_INVALID, "a freed key is invalid");
    MPI_Comm_free(&second);
    fact(rank, "after the first free: deletions %d", deletions);
    MPI_Comm_free(&copy);
    fact(rank, "after the second free: deletions %d", deletions);
    MPI_Comm_free_keyval(&plain);
    MPI_Comm_free_keyval(&larger);
    MPI_Comm_free_keyval(&none);
}

static void mistakes(void)
{
    int key, refusals = 1;
    MPI_Comm copy, second = MPI_COMM_NULL;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_create_keyval(copy_fails, refuse_deletion, &key, &refusals);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_set_attr(copy, key, values);
    check(rank, MPI_Comm_dup(copy, &second) != MPI_SUCCESS, "a copy function that fails");
    check(rank, MPI_Comm_delete_attr(copy, key) != MPI_SUCCESS, "a delete function that refuses");
    fact(rank, "still there: %d", value_of(copy, key));
    check(rank, MPI_Comm_delete_attr(copy, key) == MPI_SUCCESS, "a delete function that gives in");
    /* Open MPI 4.1 has other classes than MPI_ERR_KEYVAL for these two. */
    check(rank, MPI_Comm_set_attr(copy, MPI_KEYVAL_INVALID, values) != MPI_SUCCESS, "no key");
    check(rank, MPI_Comm_set_attr(copy, MPI_TAG_UB, values) != MPI_SUCCESS, "a key of the library");
    check(rank, MPI_Comm_delete_attr(copy, key) != MPI_SUCCESS, "nothing to delete");
    MPI_Comm_free_keyval(&key);
    MPI_Comm_free(&copy);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static int library_value(int key)
{
    int *value = 0, flag = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag);
    return flag ? *value : -12345;
}

static void of_the_library(void)
{
    check(rank, library_value(MPI_TAG_UB) >= 32767, "largest tag");
    check(rank, library_value(MPI_UNIVERSE_SIZE) >= 1, "size of the universe");
    check(rank, library_value(MPI_APPNUM) == 0, "number of the application");
    check(rank, library_value(MPI_HOST) == MPI_PROC_NULL, "no host rank");
    check(rank, library_value(MPI_IO) != MPI_PROC_NULL, "somebody prints");
    int global = library_value(MPI_WTIME_IS_GLOBAL);
    check(rank, global == 0 || global == 1, "whether clocks are one");
    check(rank, library_value(MPI_LASTUSEDCODE) >= MPI_ERR_LASTCODE, "largest error code");
}

static void names_of_mpi_1(void)
{
    int key, flag, three = 3;
    char *value = 0;
    MPI_Comm copy;
    MPI_Keyval_create(MPI_DUP_FN, count_deletion, &key, &three);
    MPI_Attr_put(MPI_COMM_WORLD, key, values + 9);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Attr_get(copy, key, &value, &flag);
    deletions = 0;
    MPI_Attr_delete(MPI_COMM_WORLD, key);
    fact(rank, "MPI-1: %d, deletions %d", flag ? (int)(value - values) : -1, deletions);
    MPI_Keyval_free(&key);
    MPI_Comm_free(&copy);
    fact(rank, "MPI-1: deletions %d", deletions);
}

int main(int argc, char **argv)
{
    int first, second;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    own_keys();
    mistakes();
    of_the_library();
    names_of_mpi_1();
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, tell_deletion, &first, "the first key");
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, tell_deletion, &second, "the second key");
    MPI_Comm_set_attr(MPI_COMM_SELF, first, "one");
    MPI_Comm_set_attr(MPI_COMM_SELF, second, "two");
    MPI_Finalize();
    return 0;
}
