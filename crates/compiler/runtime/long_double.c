/*
 * Part of the runtime that `weir cc` links into every program: reductions of long double, whose layout only the
 * program's compiler knows. Called by the simulator.
 */
#include <complex.h>
#include <string.h>

enum { SUM = 0x21, MIN, MAX, PROD, LAND = 0x30, LOR, LXOR, MINLOC = 0x38, MAXLOC = 0x39 }; /* values of the standard ABI */
enum { REAL, COMPLEX, LOCATED };                                   /* values of the simulator */

typedef struct {
    long double value;
    int at;
} located;

static int real(int op, long n, const char *from, char *into) {
    for (long i = 0; i < n; i++) {
        long double a, b;
        memcpy(&a, from + i * (long)sizeof a, sizeof a);
        memcpy(&b, into + i * (long)sizeof b, sizeof b);
        switch (op) {
        case SUM: b = a + b; break;
        case PROD: b = a * b; break;
        case MIN: b = a < b ? a : b; break;
        case MAX: b = a > b ? a : b; break;
        case LAND: b = a != 0 && b != 0; break;
        case LOR: b = a != 0 || b != 0; break;
        default: b = (a != 0) != (b != 0); break;
        }
        memcpy(into + i * (long)sizeof b, &b, sizeof b);
    }
    return (op < SUM || op > PROD) && (op < LAND || op > LXOR);
}

static int complex_(int op, long n, const char *from, char *into) {
    for (long i = 0; i < n; i++) {
        long double _Complex a, b;
        memcpy(&a, from + i * (long)sizeof a, sizeof a);
        memcpy(&b, into + i * (long)sizeof b, sizeof b);
        b = op == SUM ? a + b : a * b;
        memcpy(into + i * (long)sizeof b, &b, sizeof b);
    }
    return op != SUM && op != PROD;
}

static int pair(int op, long n, const char *from, char *into) {
    for (long i = 0; i < n; i++) {
        located a, b;
        memcpy(&a, from + i * (long)sizeof a, sizeof a);
        memcpy(&b, into + i * (long)sizeof b, sizeof b);
        int better = op == MINLOC ? a.value < b.value : a.value > b.value;
        if (better || (a.value == b.value && a.at < b.at))
            memcpy(into + i * (long)sizeof b, &a, sizeof a);
    }
    return op != MINLOC && op != MAXLOC;
}

/* Combines n elements; returns nonzero, having combined none, where the operation is not defined (asked with n = 0). */
int weir_long_double_combine(int op, int element, long n, const void *from, void *into) {
    switch (element) {
    case REAL: return real(op, n, from, into);
    case COMPLEX: return complex_(op, n, from, into);
    default: return pair(op, n, from, into);
    }
}
