/* ranks: 1 2 */
/* How types were made, asked for and made again from the answers; names; types freed in any order; types by their size. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"

static int rank;

static const char *combiner_name(int combiner)
{
    static const struct { int value; const char *name; } table[] = {
        {MPI_COMBINER_NAMED, "named"}, {MPI_COMBINER_DUP, "dup"}, {MPI_COMBINER_CONTIGUOUS, "contiguous"},
        {MPI_COMBINER_VECTOR, "vector"}, {MPI_COMBINER_HVECTOR, "hvector"}, {MPI_COMBINER_INDEXED, "indexed"},
        {MPI_COMBINER_HINDEXED, "hindexed"}, {MPI_COMBINER_INDEXED_BLOCK, "indexed_block"},
        {MPI_COMBINER_HINDEXED_BLOCK, "hindexed_block"}, {MPI_COMBINER_STRUCT, "struct"},
        {MPI_COMBINER_SUBARRAY, "subarray"}, {MPI_COMBINER_DARRAY, "darray"}, {MPI_COMBINER_RESIZED, "resized"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].value == combiner)
            return table[i].name;
    return "unknown";
}

/* Argument `i` of a type; constants have other values in every MPI. */
static int portable(int combiner, const int *integers, int count, int i)
{
    int value = integers[i], dimensions = integers[2];
    if ((combiner == MPI_COMBINER_SUBARRAY || combiner == MPI_COMBINER_DARRAY) && i == count - 1)
        return value == MPI_ORDER_C ? 9001 : value == MPI_ORDER_FORTRAN ? 9002 : -9000;
    if (combiner == MPI_COMBINER_DARRAY && i >= 3 + dimensions && i < 3 + 2 * dimensions)
        return value == MPI_DISTRIBUTE_BLOCK ? 9003 : value == MPI_DISTRIBUTE_CYCLIC ? 9004 : 9005;
    if (combiner == MPI_COMBINER_DARRAY && i >= 3 + 2 * dimensions && value == MPI_DISTRIBUTE_DFLT_DARG)
        return 9006;
    return value;
}

/* Tells how a type was made, down to the predefined ones. Frees what it is told. */
static void tell(MPI_Datatype type, const char *path)
{
    int n_integers, n_addresses, n_types, combiner, integers[40];
    MPI_Aint addresses[10];
    MPI_Datatype types[10];
    char text[240] = "", longer[80];
    MPI_Type_get_envelope(type, &n_integers, &n_addresses, &n_types, &combiner);
    if (combiner == MPI_COMBINER_NAMED) {
        char name[MPI_MAX_OBJECT_NAME];
        int length;
        MPI_Type_get_name(type, name, &length);
        fact(rank, "%s: named %s (%d), %d %d %d", path, name, length, n_integers, n_addresses, n_types);
        return;
    }
    MPI_Type_get_contents(type, n_integers, n_addresses, n_types, integers, addresses, types);
    for (int i = 0; i < n_integers; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), " %d",
                 portable(combiner, integers, n_integers, i));
    snprintf(text + strlen(text), sizeof text - strlen(text), " |");
    for (int i = 0; i < n_addresses; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), " %d", (int)addresses[i]);
    fact(rank, "%s: %s%s | %d", path, combiner_name(combiner), text, n_types);
    for (int i = 0; i < n_types; i++) {
        int a, b, c, inner;
        snprintf(longer, sizeof longer, "%s.%d", path, i);
        tell(types[i], longer);
        MPI_Type_get_envelope(types[i], &a, &b, &c, &inner);
        if (inner != MPI_COMBINER_NAMED)
            MPI_Type_free(&types[i]);
    }
}

static void told(MPI_Datatype type, const char *name)
{
    tell(type, name);
    MPI_Type_free(&type);
}

static void constructors(void)
{
    const int lengths[] = {2, 0, 1}, places[] = {7, 1, 0}, sizes[] = {4, 5}, subsizes[] = {2, 3}, starts[] = {1, 0};
    const MPI_Aint bytes[] = {64, -8, 0};
    MPI_Datatype type, inner, middle;
    MPI_Type_contiguous(3, MPI_INT, &type);
    told(type, "contiguous");
    MPI_Type_vector(3, 2, -4, MPI_DOUBLE, &type);
    told(type, "vector");
    MPI_Type_create_hvector(3, 2, 100, MPI_CHAR, &type);
    told(type, "hvector");
    MPI_Type_indexed(3, lengths, places, MPI_FLOAT, &type);
    told(type, "indexed");
    MPI_Type_create_hindexed(3, lengths, bytes, MPI_SHORT, &type);
    told(type, "hindexed");
    MPI_Type_create_indexed_block(3, 2, places, MPI_UNSIGNED, &type);
    told(type, "indexed_block");
    MPI_Type_create_hindexed_block(3, 2, bytes, MPI_LONG, &type);
    told(type, "hindexed_block");
    MPI_Type_create_resized(MPI_BYTE, -3, 17, &type);
    told(type, "resized");
    MPI_Type_dup(MPI_DOUBLE_INT, &type);
    told(type, "dup");
    MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_FORTRAN, MPI_INT, &type);
    told(type, "subarray");
    MPI_Type_create_darray(6, 4, 2, sizes, (const int[]){MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC},
                           (const int[]){MPI_DISTRIBUTE_DFLT_DARG, 2}, (const int[]){2, 3}, MPI_ORDER_C, MPI_INT, &type);
    told(type, "darray");
    /* The older types are gone as handles, and alive in the new one. */
    MPI_Type_vector(2, 1, 3, MPI_INT, &inner);
    MPI_Type_dup(inner, &middle);
    MPI_Type_create_struct(3, lengths, bytes, (const MPI_Datatype[]){middle, MPI_CHAR, inner}, &type);
    MPI_Type_free(&inner);
    MPI_Type_free(&middle);
    told(type, "struct");
    tell(MPI_FLOAT_INT, "pair");
}

/* A type made again from what is told of it moves the same data; the told types live on without the type. */
static void made_again(void)
{
    int integers[8], out[20], in[20], right = 1;
    MPI_Aint addresses[8];
    MPI_Datatype types[2], inner, type, again;
    for (int i = 0; i < 20; i++)
        out[i] = i, in[i] = -1;
    MPI_Type_vector(2, 1, 2, MPI_INT, &inner);
    MPI_Type_create_struct(2, (const int[]){1, 2}, (const MPI_Aint[]){4, 32}, (const MPI_Datatype[]){inner, MPI_INT}, &type);
    MPI_Type_free(&inner);
    MPI_Type_get_contents(type, 8, 8, 2, integers, addresses, types);
    MPI_Type_free(&type);
    MPI_Type_create_struct(integers[0], integers + 1, addresses, types, &again);
    MPI_Type_free(&types[0]);
    MPI_Type_commit(&again);
    MPI_Sendrecv(out, 1, again, rank, 1, in, 1, again, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 20; i++)
        right = right && in[i] == (i == 1 || i == 3 || i == 8 || i == 9 ? i : -1);
    check(rank, right, "made again");
    MPI_Type_free(&again);
}

static void names(void)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length = -1;
    MPI_Datatype type, copy;
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_get_name(type, name, &length);
    check(rank, length == 0 && name[0] == 0, "no name at first");
    MPI_Type_set_name(type, "two ints");
    MPI_Type_get_name(type, name, &length);
    check(rank, length == 8 && !strcmp(name, "two ints"), "a name");
    MPI_Type_dup(type, &copy);
    MPI_Type_free(&type);
    MPI_Type_set_name(copy, "a copy");
    MPI_Type_get_name(copy, name, &length);
    check(rank, !strcmp(name, "a copy"), "a name of a copy");
    MPI_Type_free(&copy);
    const MPI_Datatype named[] = {MPI_CHAR, MPI_INT, MPI_UNSIGNED_LONG, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_BYTE, MPI_PACKED, MPI_2INT,
                                  MPI_INT64_T, MPI_C_DOUBLE_COMPLEX, MPI_AINT, MPI_WCHAR, MPI_SHORT_INT};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        MPI_Type_get_name(named[i], name, &length);
        check(rank, length == (int)strlen(name), "predefined: %s", name);
    }
    MPI_Type_set_name(MPI_FLOAT, "a real");
    MPI_Type_get_name(MPI_FLOAT, name, &length);
    check(rank, !strcmp(name, "a real"), "a predefined type renamed");
    MPI_Type_set_name(MPI_FLOAT, "MPI_FLOAT");
}

static void sizes(void)
{
    static const struct { const char *name; int class, size; } wanted[] = {
        {"integer", MPI_TYPECLASS_INTEGER, 1}, {"integer", MPI_TYPECLASS_INTEGER, 2}, {"integer", MPI_TYPECLASS_INTEGER, 4},
        {"integer", MPI_TYPECLASS_INTEGER, 8}, {"real", MPI_TYPECLASS_REAL, 4}, {"real", MPI_TYPECLASS_REAL, 8},
        {"complex", MPI_TYPECLASS_COMPLEX, 8}, {"complex", MPI_TYPECLASS_COMPLEX, 16}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        MPI_Datatype type = MPI_DATATYPE_NULL;
        int bytes = -1;
        MPI_Type_match_size(wanted[i].class, wanted[i].size, &type);
        MPI_Type_size(type, &bytes);
        check(rank, bytes == wanted[i].size, "%s of %d bytes", wanted[i].name, wanted[i].size);
    }
}

/* Many types made and freed; handles are made again. */
static void many(void)
{
    MPI_Datatype types[50];
    int right = 1;
    for (int round = 0; round < 40; round++) {
        for (int i = 0; i < 50; i++)
            MPI_Type_vector(i + 1, 1, 2, MPI_INT, &types[i]);
        for (int i = 0; i < 50; i++) {
            int at = (i * 7 + round) % 50, bytes = -1;
            MPI_Type_size(types[at], &bytes);
            right = right && bytes == 4 * (at + 1);
            MPI_Type_free(&types[at]);
            right = right && types[at] == MPI_DATATYPE_NULL;
        }
    }
    check(rank, right, "made and freed");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    constructors();
    made_again();
    names();
    sizes();
    many();
    MPI_Finalize();
    return 0;
}
