/* Threads of OpenMP serve all ranks in turn. What they find in globals, in threadprivate variables and on the stack of their
   rank is that rank's. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

static long table[64];
static int mine = 7;
#pragma omp threadprivate(mine)

int main(int argc, char **argv)
{
    int rank, size, provided, bad = 0;
    long sum = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
#pragma omp parallel reduction(+ : bad)
    {
        bad += mine != 7;
        mine = 100 * rank + omp_get_thread_num();
    }
    for (int round = 0; round < 100; round++) {
        int first = 10 * rank, many = 0;
#pragma omp parallel for reduction(+ : sum)
        for (int i = 0; i < 1000; i++) {
            sum += i;
            table[i % 64] = rank;
        }
#pragma omp parallel firstprivate(first) reduction(+ : bad)
        {
            bad += first != 10 * rank || table[omp_get_thread_num()] != rank;
            bad += mine != 100 * rank + omp_get_thread_num() + round;
            mine++;
#pragma omp atomic
            many++;
        }
        bad += many != omp_get_max_threads();
        /* The rank waits in the middle of a region, and others begin theirs. */
#pragma omp parallel reduction(+ : bad)
        {
            int everybody = 1, team = omp_get_num_threads();
#pragma omp master
            MPI_Allreduce(MPI_IN_PLACE, &everybody, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
#pragma omp barrier
            bad += team != omp_get_max_threads() || omp_get_level() != 1;
#pragma omp master
            bad += everybody != size;
        }
        MPI_Allreduce(MPI_IN_PLACE, &provided, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        for (int i = 0; i < 64; i++)
            bad += table[i] != rank;
    }
    printf("rank %d: sum %ld, %d threads, %d mistakes\n", rank, sum, omp_get_max_threads(), bad);
    MPI_Finalize();
    return 0;
}
