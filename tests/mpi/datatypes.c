/* ranks: 1 2 3 */
/* Sizes and extents of datatypes; contiguous and duplicated ones in messages and collectives; counts of whole and
   of started elements; memory from MPI; addresses. */
#include <mpi.h>
#include <complex.h>
#include <stdbool.h>
#include <stdint.h>
#include <wchar.h>
#include "check.h"

struct float_int { float value; int index; };
struct double_int { double value; int index; };
struct long_int { long value; int index; };
struct short_int { short value; int index; };
struct long_double_int { long double value; int index; };

#define TYPE(c, t) {#t, t, sizeof(c), sizeof(c)}
#define PAIR(c, t, bytes) {#t, t, bytes, sizeof(struct c)}

static void sizes(int rank)
{
    const struct { const char *name; MPI_Datatype type; size_t size, extent; } table[] = {
        TYPE(char, MPI_CHAR), TYPE(signed char, MPI_SIGNED_CHAR), TYPE(unsigned char, MPI_UNSIGNED_CHAR),
        TYPE(wchar_t, MPI_WCHAR), TYPE(short, MPI_SHORT), TYPE(unsigned short, MPI_UNSIGNED_SHORT), TYPE(int, MPI_INT),
        TYPE(unsigned, MPI_UNSIGNED), TYPE(long, MPI_LONG), TYPE(unsigned long, MPI_UNSIGNED_LONG),
        TYPE(long long, MPI_LONG_LONG), TYPE(unsigned long long, MPI_UNSIGNED_LONG_LONG), TYPE(float, MPI_FLOAT),
        TYPE(double, MPI_DOUBLE), TYPE(long double, MPI_LONG_DOUBLE), TYPE(bool, MPI_C_BOOL), TYPE(int8_t, MPI_INT8_T),
        TYPE(int16_t, MPI_INT16_T), TYPE(int32_t, MPI_INT32_T), TYPE(int64_t, MPI_INT64_T), TYPE(uint8_t, MPI_UINT8_T),
        TYPE(uint16_t, MPI_UINT16_T), TYPE(uint32_t, MPI_UINT32_T), TYPE(uint64_t, MPI_UINT64_T),
        TYPE(float complex, MPI_C_COMPLEX), TYPE(float complex, MPI_C_FLOAT_COMPLEX),
        TYPE(double complex, MPI_C_DOUBLE_COMPLEX), TYPE(long double complex, MPI_C_LONG_DOUBLE_COMPLEX),
        TYPE(char, MPI_BYTE), TYPE(char, MPI_PACKED), TYPE(MPI_Aint, MPI_AINT), TYPE(MPI_Offset, MPI_OFFSET),
        TYPE(MPI_Count, MPI_COUNT), TYPE(int[2], MPI_2INT), PAIR(float_int, MPI_FLOAT_INT, 8),
        PAIR(double_int, MPI_DOUBLE_INT, 12), PAIR(long_int, MPI_LONG_INT, 12), PAIR(short_int, MPI_SHORT_INT, 6),
        PAIR(long_double_int, MPI_LONG_DOUBLE_INT, 20)};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        int size = -1;
        MPI_Aint lb = -1, extent = -1;
        MPI_Type_size(table[i].type, &size);
        MPI_Type_get_extent(table[i].type, &lb, &extent);
        check(rank, (size_t)size == table[i].size && lb == 0 && (size_t)extent == table[i].extent, "%s: size %d, extent %d",
              table[i].name, size, (int)extent);
    }
}

/* Three doubles as one element, four of those as one more: sent so, received as doubles, and the reverse. */
static void nested(int rank, int size)
{
    MPI_Datatype point, block, copy;
    int bytes, count, elements, next = (rank + 1) % size, previous = (rank + size - 1) % size;
    MPI_Aint lb, extent;
    MPI_Status status;
    MPI_Type_contiguous(3, MPI_DOUBLE, &point);
    MPI_Type_contiguous(4, point, &block);
    MPI_Type_commit(&block);
    MPI_Type_dup(block, &copy);
    MPI_Type_free(&block);
    MPI_Type_size(copy, &bytes);
    MPI_Type_get_extent(copy, &lb, &extent);
    check(rank, bytes == 96 && lb == 0 && extent == 96, "contiguous: size %d, extent %d", bytes, (int)extent);

    double out[24], in[24];
    for (int i = 0; i < 24; i++)
        out[i] = 100 * rank + i, in[i] = -1;
    MPI_Sendrecv(out, 2, copy, next, 1, in, 24, MPI_DOUBLE, previous, 1, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    check(rank, count == 24 && in[0] == 100 * previous && in[23] == 100 * previous + 23, "sent as blocks, received as doubles");

    /* Seven doubles are not a whole number of points: three elements of the first kind, seven of the second. */
    MPI_Type_commit(&point);
    MPI_Sendrecv(out, 7, MPI_DOUBLE, next, 2, in, 8, point, previous, 2, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, point, &count);
    MPI_Get_elements(&status, point, &elements);
    check(rank, count == MPI_UNDEFINED && elements == 7, "part of an element");
    MPI_Sendrecv(out, 6, MPI_DOUBLE, next, 3, in, 8, point, previous, 3, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, point, &count);
    MPI_Get_elements(&status, point, &elements);
    check(rank, count == 2 && elements == 6, "two whole elements");

    double all[3 * 8], one[3] = {rank, rank + 0.25, rank + 0.5};
    int good = 1;
    MPI_Allgather(one, 1, point, all, 3, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)
        good = good && all[3 * r] == r && all[3 * r + 1] == r + 0.25 && all[3 * r + 2] == r + 0.5;
    MPI_Bcast(all, size, point, size - 1, MPI_COMM_WORLD);
    check(rank, good, "points in collectives");
    MPI_Type_free(&point);
    MPI_Type_free(&copy);
    check(rank, point == MPI_DATATYPE_NULL && copy == MPI_DATATYPE_NULL, "freed");
}

/* A type freed while a message of it is under way lives until the message has arrived. */
static void freed_early(int rank, int size)
{
    MPI_Datatype pair;
    MPI_Request requests[2];
    int next = (rank + 1) % size, previous = (rank + size - 1) % size, out[2] = {rank, -rank}, in[2] = {9, 9};
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Irecv(in, 1, pair, previous, 4, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, 1, pair, next, 4, MPI_COMM_WORLD, &requests[1]);
    MPI_Type_free(&pair);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    check(rank, in[0] == previous && in[1] == -previous, "a type freed early");
}

static void memory(int rank)
{
    double *data = NULL;
    MPI_Aint first, fifth;
    MPI_Alloc_mem(1000 * (MPI_Aint)sizeof(double), MPI_INFO_NULL, &data);
    for (int i = 0; i < 1000; i++)
        data[i] = i;
    MPI_Get_address(&data[0], &first);
    MPI_Get_address(&data[5], &fifth);
    check(rank, data[999] == 999 && fifth - first == 5 * (MPI_Aint)sizeof(double), "memory and addresses");
    MPI_Free_mem(data);
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    sizes(rank);
    nested(rank, size);
    freed_early(rank, size);
    memory(rank);
    MPI_Finalize();
    return 0;
}
