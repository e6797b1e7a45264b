/* ranks: 1 2 4 */
/* Each rank has its own sequence of rand, random and drand48, as seeded by it, whatever other ranks draw between. */
#include <mpi.h>
#include <stdlib.h>
#include "check.h"

enum { DRAWS = 5 };

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    /* Without a seed all ranks draw the same numbers. */
    int first = rand(), least, most;
    MPI_Allreduce(&first, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&first, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    check(rank, least == most, "rand without a seed is the same on all ranks");

    /* With breaks, then without: the same sequence. */
    int alone[DRAWS], together[DRAWS], good = 1;
    srand((unsigned)rank + 1);
    for (int i = 0; i < DRAWS; i++)
        alone[i] = rand();
    MPI_Barrier(MPI_COMM_WORLD);
    srand((unsigned)rank + 1);
    for (int i = 0; i < DRAWS; i++) {
        together[i] = rand();
        MPI_Barrier(MPI_COMM_WORLD);
        good = good && together[i] == alone[i];
    }
    check(rank, good, "srand and rand");

    long first_long[DRAWS];
    srandom((unsigned)rank + 5);
    for (int i = 0; i < DRAWS; i++)
        first_long[i] = random();
    MPI_Barrier(MPI_COMM_WORLD);
    srandom((unsigned)rank + 5);
    good = 1;
    for (int i = 0; i < DRAWS; i++) {
        good = good && random() == first_long[i];
        MPI_Barrier(MPI_COMM_WORLD);
    }
    check(rank, good, "srandom and random");

    double first_double[DRAWS];
    srand48(rank + 9);
    for (int i = 0; i < DRAWS; i++)
        first_double[i] = drand48();
    MPI_Barrier(MPI_COMM_WORLD);
    srand48(rank + 9);
    good = 1;
    for (int i = 0; i < DRAWS; i++) {
        good = good && drand48() == first_double[i];
        MPI_Barrier(MPI_COMM_WORLD);
    }
    check(rank, good, "srand48 and drand48");

    /* The state a program keeps itself. */
    unsigned seed = (unsigned)rank * 17 + 1;
    unsigned short state[3] = {(unsigned short)rank, 2, 3};
    int sum = 0;
    for (int i = 0; i < DRAWS; i++) {
        sum = (sum + rand_r(&seed) % 1000 + (int)(erand48(state) * 1000)) % 100000;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    fact(rank, "rand_r and erand48: %d", sum);
    MPI_Finalize();
    return 0;
}
