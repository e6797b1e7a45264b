/* ranks: 2 3 4 5 */
/* Every predefined C datatype with every operation allowed for it, computed by the library and by hand. One line
   per datatype; the numbers are small integers, so that the order of operations does not matter. */
#include <mpi.h>
#include <complex.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "check.h"

enum { N = 7 };

static int rank, size;
static char wrong[256]; /* operations that went wrong with the datatype at hand */

static void note(int good, const char *op)
{
    if (!good)
        snprintf(wrong + strlen(wrong), sizeof wrong - strlen(wrong), " %s", op);
}

static void report(const char *type, const char *ops)
{
    check(rank, wrong[0] == 0, "%s: %s%s", type, ops, wrong);
    wrong[0] = 0;
}

/* Reduces N elements: element i of rank r is `value` (of r and i); two of them combine to `result` (of x and y). */
#define TRY(ctype, type, op, value, result)                                                \
    do {                                                                                   \
        ctype mine[N], all[N], one[N], want[N];                                            \
        int good = 1;                                                                      \
        for (int i = 0; i < N; i++) {                                                      \
            for (int r = 0; r < size; r++) {                                               \
                ctype y = (ctype)(value), x = r == 0 ? y : want[i];                        \
                want[i] = r == 0 ? y : (ctype)(result);                                    \
                if (r == rank)                                                             \
                    mine[i] = y;                                                           \
            }                                                                              \
        }                                                                                  \
        MPI_Allreduce(mine, all, N, type, op, MPI_COMM_WORLD);                             \
        MPI_Reduce(mine, one, N, type, op, size - 1, MPI_COMM_WORLD);                      \
        for (int i = 0; i < N; i++)                                                        \
            good = good && all[i] == want[i] && (rank != size - 1 || one[i] == want[i]);   \
        note(good, #op);                                                                   \
    } while (0)

#define MIXED ((r * 3 + i) % 7 - 3)            /* -3 to 3; large numbers if the type has no sign */
#define FACTOR ((r + i) % 3 == 0 ? 2 : 1)
#define TRUTH (i == 0 ? 0 : i == 1 ? r + 2 : (r * i) % 3) /* false everywhere, true everywhere, mixed */

#define ORDER(c, t, value)                               \
    TRY(c, t, MPI_MIN, value, y < x ? y : x);            \
    TRY(c, t, MPI_MAX, value, y > x ? y : x)
#define ARITHMETIC(c, t)                                 \
    TRY(c, t, MPI_SUM, MIXED, x + y);                    \
    TRY(c, t, MPI_PROD, FACTOR, x *y)
#define LOGIC(c, t)                                      \
    TRY(c, t, MPI_LAND, TRUTH, x &&y);                   \
    TRY(c, t, MPI_LOR, TRUTH, x || y);                   \
    TRY(c, t, MPI_LXOR, TRUTH, !x != !y)
#define BITS(c, t)                                       \
    TRY(c, t, MPI_BAND, MIXED, x &y);                    \
    TRY(c, t, MPI_BOR, MIXED, x | y);                    \
    TRY(c, t, MPI_BXOR, MIXED, x ^ y)

#define INTEGER(c, t, value)                             \
    do {                                                 \
        ORDER(c, t, value);                              \
        ARITHMETIC(c, t);                                \
        LOGIC(c, t);                                     \
        BITS(c, t);                                      \
        report(#t, "MIN MAX SUM PROD LAND LOR LXOR BAND BOR BXOR"); \
    } while (0)
#define ADDRESS(c, t, value)                             \
    do {                                                 \
        ORDER(c, t, value);                              \
        ARITHMETIC(c, t);                                \
        BITS(c, t);                                      \
        report(#t, "MIN MAX SUM PROD BAND BOR BXOR");    \
    } while (0)
#define FLOATING(c, t)                                   \
    do {                                                 \
        ORDER(c, t, MIXED);                              \
        ARITHMETIC(c, t);                                \
        report(#t, "MIN MAX SUM PROD");                  \
    } while (0)
#define COMPLEX(c, t)                                    \
    do {                                                 \
        TRY(c, t, MPI_SUM, MIXED + (r - 2 * i) * I, x + y); \
        TRY(c, t, MPI_PROD, FACTOR + ((r + i) % 2 ? 1 : -1) * I, x *y); \
        report(#t, "SUM PROD");                          \
    } while (0)

/* A value and an index. Values repeat, so that ties go to the least index; indices differ from ranks. */
#define PAIR(c, t)                                                                              \
    do {                                                                                        \
        struct { c value; int index; } mine[N], least[N], most[N];                              \
        int good_least = 1, good_most = 1;                                                      \
        memset(mine, 0, sizeof mine);                                                           \
        for (int i = 0; i < N; i++) {                                                           \
            mine[i].value = (c)((rank * 5 + i) % 3 - 1);                                        \
            mine[i].index = 100 - rank;                                                         \
        }                                                                                       \
        MPI_Allreduce(mine, least, N, t, MPI_MINLOC, MPI_COMM_WORLD);                           \
        MPI_Allreduce(mine, most, N, t, MPI_MAXLOC, MPI_COMM_WORLD);                            \
        for (int i = 0; i < N; i++) {                                                           \
            int low = 9, high = -9, low_index = 0, high_index = 0;                              \
            for (int r = 0; r < size; r++) {                                                    \
                int v = (r * 5 + i) % 3 - 1;                                                    \
                if (v <= low)                                                                   \
                    low = v, low_index = 100 - r;                                               \
                if (v >= high)                                                                  \
                    high = v, high_index = 100 - r;                                             \
            }                                                                                   \
            good_least = good_least && least[i].value == (c)low && least[i].index == low_index; \
            good_most = good_most && most[i].value == (c)high && most[i].index == high_index;   \
        }                                                                                       \
        note(good_least, "MINLOC");                                                             \
        note(good_most, "MAXLOC");                                                              \
        report(#t, "MINLOC MAXLOC");                                                            \
    } while (0)

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    /* Open MPI 4.1 orders MPI_UNSIGNED_LONG as if it had a sign, and MPI_OFFSET as if it had none: these two get
       values that are the same either way. */
    INTEGER(char, MPI_CHAR, MIXED);
    INTEGER(signed char, MPI_SIGNED_CHAR, MIXED);
    INTEGER(unsigned char, MPI_UNSIGNED_CHAR, MIXED);
    INTEGER(short, MPI_SHORT, MIXED);
    INTEGER(unsigned short, MPI_UNSIGNED_SHORT, MIXED);
    INTEGER(int, MPI_INT, MIXED);
    INTEGER(unsigned, MPI_UNSIGNED, MIXED);
    INTEGER(long, MPI_LONG, MIXED);
    INTEGER(unsigned long, MPI_UNSIGNED_LONG, FACTOR);
    INTEGER(long long, MPI_LONG_LONG, MIXED);
    INTEGER(long long, MPI_LONG_LONG_INT, MIXED);
    INTEGER(unsigned long long, MPI_UNSIGNED_LONG_LONG, MIXED);
    INTEGER(int8_t, MPI_INT8_T, MIXED);
    INTEGER(uint8_t, MPI_UINT8_T, MIXED);
    INTEGER(int16_t, MPI_INT16_T, MIXED);
    INTEGER(uint16_t, MPI_UINT16_T, MIXED);
    INTEGER(int32_t, MPI_INT32_T, MIXED);
    INTEGER(uint32_t, MPI_UINT32_T, MIXED);
    INTEGER(int64_t, MPI_INT64_T, MIXED);
    INTEGER(uint64_t, MPI_UINT64_T, MIXED);
    ADDRESS(MPI_Aint, MPI_AINT, MIXED);
    ADDRESS(MPI_Offset, MPI_OFFSET, FACTOR);
    ADDRESS(MPI_Count, MPI_COUNT, MIXED);
    FLOATING(float, MPI_FLOAT);
    FLOATING(double, MPI_DOUBLE);
    FLOATING(long double, MPI_LONG_DOUBLE);
    COMPLEX(float complex, MPI_C_COMPLEX);
    COMPLEX(float complex, MPI_C_FLOAT_COMPLEX);
    COMPLEX(double complex, MPI_C_DOUBLE_COMPLEX);
    COMPLEX(long double complex, MPI_C_LONG_DOUBLE_COMPLEX);
    LOGIC(bool, MPI_C_BOOL);
    report("MPI_C_BOOL", "LAND LOR LXOR");
    BITS(unsigned char, MPI_BYTE);
    report("MPI_BYTE", "BAND BOR BXOR");
    PAIR(int, MPI_2INT);
    PAIR(short, MPI_SHORT_INT);
    PAIR(long, MPI_LONG_INT);
    PAIR(float, MPI_FLOAT_INT);
    PAIR(double, MPI_DOUBLE_INT);
    PAIR(long double, MPI_LONG_DOUBLE_INT);
    MPI_Finalize();
    return 0;
}
