/* ranks: 1 3 */
/* Attributes of datatypes; types chosen by precision and range; pairs of value and index; what the interface says of
   itself; tools without anything to show. */
#include <mpi.h>
#include "../check.h"

static int rank, copied, deleted;

static int copy(MPI_Datatype type, int key, void *extra, void *in, void *out, int *keep)
{
    copied++;
    *(void **)out = (char *)in + 1;
    *keep = extra == &rank;
    return MPI_SUCCESS;
}

static int delete(MPI_Datatype type, int key, void *value, void *extra)
{
    deleted++;
    return MPI_SUCCESS;
}

static void attributes(void)
{
    MPI_Datatype type, twin, sibling;
    char base[4];
    void *value = NULL;
    int key, same, dropped, flag = -1, found = -1;
    MPI_Type_create_keyval(copy, delete, &key, &rank);
    MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &same, NULL);
    MPI_Type_create_keyval(copy, delete, &dropped, NULL);
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_get_attr(type, key, &value, &flag);
    check(rank, !flag, "none before it is set");
    MPI_Type_set_attr(type, key, base);
    MPI_Type_set_attr(type, same, base + 2);
    MPI_Type_set_attr(type, dropped, base + 3);
    MPI_Type_get_attr(type, key, &value, &flag);
    check(rank, flag && value == base, "what was set");
    MPI_Type_dup(type, &twin);
    MPI_Type_get_attr(twin, key, &value, &flag);
    check(rank, flag && value == base + 1, "what the copy function made of it");
    MPI_Type_get_attr(twin, same, &value, &flag);
    check(rank, flag && value == base + 2, "the same");
    MPI_Type_get_attr(twin, dropped, &value, &flag);
    check(rank, !flag, "what the copy function dropped");
    MPI_Type_contiguous(2, type, &sibling);
    MPI_Type_get_attr(sibling, key, &value, &found);
    check(rank, !found, "a type made of it has none");
    MPI_Type_free(&sibling); /* it may keep the attributes of the other alive */
    fact(rank, "%d copied, %d deleted", copied, deleted);
    MPI_Type_set_attr(type, key, base);
    MPI_Type_delete_attr(type, dropped);
    fact(rank, "%d deleted by hand", deleted);
    MPI_Type_free(&type);
    MPI_Type_free_keyval(&key);
    check(rank, key == MPI_KEYVAL_INVALID, "the key is gone");
    MPI_Type_free(&twin);
    fact(rank, "%d deleted with the twin", deleted);
    MPI_Type_set_attr(MPI_INT, same, base);
    MPI_Type_get_attr(MPI_INT, same, &value, &flag);
    check(rank, flag && value == base, "a predefined type has attributes, too");
    MPI_Type_delete_attr(MPI_INT, same);
    MPI_Type_free_keyval(&same);
    MPI_Type_free_keyval(&dropped);
}

static void chosen(void)
{
    static const int wanted[][2] = {{5, 30}, {10, MPI_UNDEFINED}, {MPI_UNDEFINED, 100}, {17, MPI_UNDEFINED}, {30, 4000}};
    for (int i = 0; i < 5; i++) {
        MPI_Datatype real, again, complex, old[1];
        int size, larger, integers, addresses, types, combiner, given[2];
        MPI_Type_create_f90_real(wanted[i][0], wanted[i][1], &real);
        MPI_Type_create_f90_real(wanted[i][0], wanted[i][1], &again);
        MPI_Type_create_f90_complex(wanted[i][0], wanted[i][1], &complex);
        MPI_Type_size(real, &size);
        MPI_Type_size(complex, &larger);
        MPI_Type_get_envelope(real, &integers, &addresses, &types, &combiner);
        MPI_Type_get_contents(real, 2, 0, 0, given, NULL, old);
        check(rank, real == again, "the same real");
        check(rank, given[0] == wanted[i][0] && given[1] == wanted[i][1], "as wanted");
        fact(rank, "real %d: %d bytes, complex %d, %d %d %d, real %d", i, size, larger, integers, addresses, types,
             combiner == MPI_COMBINER_F90_REAL);
    }
    for (int digits = 1; digits <= 18; digits++) {
        MPI_Datatype integer;
        int size;
        MPI_Type_create_f90_integer(digits, &integer);
        MPI_Type_size(integer, &size);
        fact(rank, "integer of %d digits: %d bytes", digits, size);
    }
    MPI_Datatype numbers;
    int sum = rank + 1, total = 0;
    MPI_Type_create_f90_integer(9, &numbers);
    MPI_Allreduce(&sum, &total, 1, numbers, MPI_SUM, MPI_COMM_WORLD);
    fact(rank, "sum %d", total);
}

static void pairs(void)
{
    MPI_Datatype values[] = {MPI_FLOAT, MPI_DOUBLE, MPI_LONG, MPI_INT, MPI_SHORT, MPI_LONG_DOUBLE, MPI_CHAR}, pair;
    char name[MPI_MAX_OBJECT_NAME];
    for (int i = 0; i < 7; i++) {
        int length;
        MPI_Type_get_value_index(values[i], MPI_INT, &pair);
        MPI_Type_get_name(pair, name, &length);
        fact(rank, "pair %d: %s", i, pair == MPI_DATATYPE_NULL ? "none" : name);
    }
}

static void interface(void)
{
    int major, minor, yes = -1, no = -1, set = -1, length = 10, flag = 0;
    char size[10] = "";
    MPI_Info info;
    MPI_Abi_get_version(&major, &minor);
    fact(rank, "interface %d.%d", major, minor);
    MPI_Abi_get_info(&info);
    MPI_Info_get_string(info, "mpi_count_size", &length, size, &flag);
    fact(rank, "counts have %s bytes", size);
    MPI_Info_free(&info);
    MPI_Abi_get_fortran_info(&info);
    length = 10;
    MPI_Info_get_string(info, "mpi_integer_size", &length, size, &flag);
    fact(rank, "integers of Fortran have %s bytes", size);
    MPI_Info_free(&info);
    MPI_Abi_get_fortran_booleans(4, &yes, &no, &set);
    fact(rank, "true %d, false %d, set %d", yes, no, set);
    MPI_Pcontrol(2, "anything", 3.0);
    int data[4];
    MPI_Aint here, there;
    MPI_Get_address(data, &here);
    MPI_Get_address(data + 3, &there);
    check(rank, MPI_Aint_diff(there, here) == 12 && MPI_Aint_add(here, 12) == there, "addresses");
}

static void tools(void) /* before MPI_Init: the rank is not known */
{
    int provided, number, before = MPI_T_cvar_get_num(&number);
    check(rank, before == MPI_T_ERR_NOT_INITIALIZED, "tools before their beginning");
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    check(rank, MPI_T_cvar_get_num(&number) == MPI_SUCCESS, "number of settings");
    check(rank, MPI_T_cvar_get_index("of no such name", &number) == MPI_T_ERR_INVALID_NAME, "no such setting");
    check(rank, MPI_T_pvar_get_index("of no such name", MPI_T_PVAR_CLASS_COUNTER, &number) == MPI_T_ERR_INVALID_NAME,
          "no such counter");
    check(rank, MPI_T_category_get_index("of no such name", &number) == MPI_T_ERR_INVALID_NAME, "no such category");
    MPI_T_pvar_session session;
    MPI_T_pvar_session_create(&session);
    MPI_T_pvar_session_free(&session);
    check(rank, session == MPI_T_PVAR_SESSION_NULL, "the session is over");
    MPI_T_finalize();
}

int main(int argc, char **argv)
{
    tools();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    attributes();
    chosen();
    pairs();
    interface();
    MPI_Finalize();
    return 0;
}
