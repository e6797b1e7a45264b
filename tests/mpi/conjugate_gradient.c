/* ranks: 1 2 3 4 8 */
/* Conjugate gradients for a Poisson equation in one dimension, unknowns dealt out evenly: halo exchange, and two
   Allreduce per iteration. The right hand side is made so that the solution is known. */
#include <mpi.h>
#include <math.h>
#include <stdlib.h>
#include "check.h"

enum { UNKNOWNS = 240 };

static int rank, size, n;

static double dot(const double *x, const double *y)
{
    double local = 0, global;
    for (int i = 1; i <= n; i++)
        local += x[i] * y[i];
    MPI_Allreduce(&local, &global, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return global;
}

/* y = A x, with A = tridiagonal(-1, 2.5, -1). The ends of the row have nobody as neighbor: zero there. */
static void apply(double *x, double *y)
{
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    x[0] = x[n + 1] = 0;
    MPI_Sendrecv(&x[1], 1, MPI_DOUBLE, left, 1, &x[n + 1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&x[n], 1, MPI_DOUBLE, right, 2, &x[0], 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 1; i <= n; i++)
        y[i] = 2.5 * x[i] - x[i - 1] - x[i + 1];
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int first = UNKNOWNS * rank / size;
    n = UNKNOWNS * (rank + 1) / size - first;
    double *x = calloc((size_t)n + 2, sizeof *x), *r = calloc((size_t)n + 2, sizeof *r);
    double *p = calloc((size_t)n + 2, sizeof *p), *q = calloc((size_t)n + 2, sizeof *q);
    double *want = calloc((size_t)n + 2, sizeof *want);
    for (int i = 1; i <= n; i++)
        want[i] = (first + i) % 10 + 1;
    apply(want, r);
    for (int i = 1; i <= n; i++)
        p[i] = r[i];

    double rho = dot(r, r), start = rho;
    fact(rank, "squared norm of the right hand side %.3f", start);
    int steps = 0;
    while (rho > 1e-24 * start && steps < 500) {
        apply(p, q);
        double alpha = rho / dot(p, q);
        for (int i = 1; i <= n; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        double next = dot(r, r), beta = next / rho;
        for (int i = 1; i <= n; i++)
            p[i] = r[i] + beta * p[i];
        rho = next;
        if (++steps % 5 == 0 && steps <= 20)
            fact(rank, "step %d: residual %.4e", steps, sqrt(rho));
    }
    double worst = 0, sum = 0, all;
    for (int i = 1; i <= n; i++) {
        worst = fmax(worst, fabs(x[i] - want[i]));
        sum += x[i];
    }
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, size - 1, MPI_COMM_WORLD);
    check(rank, worst < 1e-9 && steps < 100, "solved");
    if (rank == size - 1)
        fact(rank, "sum of the solution %.6f", all);
    free(x);
    free(r);
    free(p);
    free(q);
    free(want);
    MPI_Finalize();
    return 0;
}
