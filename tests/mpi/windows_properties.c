/* ranks: 2 3 */
/* What windows are: attributes of the library and of the program, names, groups, hints, error handlers. */
#include <mpi.h>
#include <string.h>
#include "check.h"

static int rank, size, copied, deleted, handled, last_class;
static MPI_Win last_win;

static int on_delete(MPI_Win win, int key, void *value, void *extra)
{
    (void)win;
    (void)key;
    deleted += *(int *)value;
    *(int *)extra += 1;
    return MPI_SUCCESS;
}

static int on_copy(MPI_Win win, int key, void *extra, void *value, void *copy, int *flag)
{
    (void)win;
    (void)key;
    (void)extra;
    (void)value;
    (void)copy;
    copied++;
    *flag = 0;
    return MPI_SUCCESS;
}

static void note(MPI_Win *win, int *code, ...)
{
    handled++;
    last_win = *win;
    MPI_Error_class(*code, &last_class);
}

static void attributes(void)
{
    MPI_Win win, allocated, dynamic;
    int memory[6], *area, flag, *number, key, other, extra = 0, one = 1, ten = 10, *found;
    MPI_Aint *length;
    void *base;
    MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &flag);
    check(rank, flag && base == memory, "base");
    MPI_Win_get_attr(win, MPI_WIN_SIZE, &length, &flag);
    check(rank, flag && *length == sizeof memory, "size");
    MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &number, &flag);
    check(rank, flag && *number == 4, "unit");
    MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &number, &flag);
    check(rank, flag && *number == MPI_WIN_FLAVOR_CREATE, "flavor");
    MPI_Win_get_attr(win, MPI_WIN_MODEL, &number, &flag);
    check(rank, flag && *number == MPI_WIN_UNIFIED, "model");
    MPI_Win_allocate(40, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &area, &allocated);
    MPI_Win_get_attr(allocated, MPI_WIN_BASE, &base, &flag);
    check(rank, flag && base == area, "base of memory from the library");
    MPI_Win_get_attr(allocated, MPI_WIN_CREATE_FLAVOR, &number, &flag);
    check(rank, flag && *number == MPI_WIN_FLAVOR_ALLOCATE, "its flavor");
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
    MPI_Win_get_attr(dynamic, MPI_WIN_CREATE_FLAVOR, &number, &flag);
    check(rank, flag && *number == MPI_WIN_FLAVOR_DYNAMIC, "dynamic");
    MPI_Win_free(&dynamic);

    MPI_Win_create_keyval(on_copy, on_delete, &key, &extra);
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &other, NULL);
    MPI_Win_get_attr(win, key, &found, &flag);
    check(rank, !flag, "not set");
    MPI_Win_set_attr(win, key, &one);
    MPI_Win_set_attr(win, other, &ten);
    MPI_Win_set_attr(allocated, key, &ten);
    MPI_Win_get_attr(win, key, &found, &flag);
    check(rank, flag && found == &one, "set");
    MPI_Win_set_attr(win, key, &ten); /* the one before is deleted */
    fact(rank, "deleted %d, %d times", deleted, extra);
    MPI_Win_delete_attr(win, other);
    MPI_Win_get_attr(win, other, &found, &flag);
    check(rank, !flag, "taken away");
    MPI_Win_free(&win);
    fact(rank, "deleted %d, %d times", deleted, extra);
    MPI_Win_free_keyval(&key);
    check(rank, key == MPI_KEYVAL_INVALID, "key freed");
    MPI_Win_free_keyval(&other);
    MPI_Win_free(&allocated);
    fact(rank, "deleted %d, %d times, copied %d", deleted, extra, copied);
}

static void names_and_groups(void)
{
    MPI_Win win;
    MPI_Group group, whole;
    MPI_Comm half;
    MPI_Info info, known;
    int value, length = -1, result, members;
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &half);
    MPI_Info_create(&info);
    MPI_Info_set(info, "same_size", "true");
    MPI_Win_create(&value, sizeof value, 1, info, half, &win);
    MPI_Info_free(&info);
    MPI_Win_get_name(win, name, &length);
    MPI_Win_set_name(win, "a window");
    MPI_Win_get_name(win, name, &length);
    fact(rank, "name %s, %d", name, length);
    MPI_Win_get_group(win, &group);
    MPI_Comm_group(half, &whole);
    MPI_Group_compare(group, whole, &result);
    MPI_Group_size(group, &members);
    fact(rank, "group %d of %d", result == MPI_IDENT, members);
    MPI_Win_get_info(win, &known);
    check(rank, known != MPI_INFO_NULL, "hints");
    MPI_Win_set_info(win, known);
    MPI_Info_free(&known);
    MPI_Group_free(&group);
    MPI_Group_free(&whole);
    MPI_Comm_free(&half); /* the window lives on */
    MPI_Win_fence(0, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}

static void errors(void)
{
    MPI_Win win;
    MPI_Errhandler handler, known;
    int value = 0, code, class;
    MPI_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_get_errhandler(win, &known);
    check(rank, known == MPI_ERRORS_ARE_FATAL, "fatal at first");
    MPI_Win_create_errhandler(note, &handler);
    MPI_Win_set_errhandler(win, handler);
    MPI_Win_get_errhandler(win, &known);
    check(rank, known == handler, "the one that was set");
    MPI_Errhandler_free(&known);
    MPI_Errhandler_free(&handler);
    MPI_Win_fence(0, win);
    code = MPI_Put(&value, 1, MPI_INT, size, 0, 1, MPI_INT, win);
    MPI_Error_class(code, &class);
    check(rank, class == MPI_ERR_RANK && last_class == class && last_win == win, "no such rank");
    code = MPI_Put(&value, -1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Error_class(code, &class);
    check(rank, class == MPI_ERR_COUNT && last_class == class, "negative count");
    MPI_Put(&value, 1, MPI_DATATYPE_NULL, 0, 0, 1, MPI_INT, win);
    check(rank, last_class == MPI_ERR_TYPE, "no datatype");
    MPI_Win_call_errhandler(win, MPI_ERR_OTHER);
    check(rank, last_class == MPI_ERR_OTHER, "called by hand");
    fact(rank, "handled %d", handled);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    code = MPI_Get(&value, 1, MPI_INT, size + 1, 0, 1, MPI_INT, win);
    MPI_Error_class(code, &class);
    check(rank, class == MPI_ERR_RANK && handled == 4, "returned");
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    attributes();
    names_and_groups();
    errors();
    MPI_Finalize();
    return 0;
}
