/* ranks: 1 2 4 */
/* A thread of a rank works while its rank waits in MPI and others run: it finds the globals of its own rank, and its
   thread-local variables are its own. */
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>
#include "check.h"

static volatile int go, sum;
static volatile int table[1000];
static _Thread_local int local = 3;
static _Thread_local double untouched;

static void *work(void *argument)
{
    int rank = *(int *)argument;
    while (!go)
        usleep(100);
    for (int i = 0; i < 1000; i++) {
        table[i] = rank + i;
        sum += table[i];
    }
    local += 10 * rank + 1;
    *(int *)argument = local + (untouched != 0);
    return NULL;
}

int main(int argc, char **argv)
{
    int rank, size, provided, argument;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    local = 100 + rank;
    for (int round = 0; round < 3; round++) {
        go = sum = 0;
        argument = rank;
        pthread_create(&thread, NULL, work, &argument);
        MPI_Barrier(MPI_COMM_WORLD);
        go = 1;
        for (int i = 0; i < 5; i++)
            MPI_Barrier(MPI_COMM_WORLD);
        pthread_join(thread, NULL);
        check(rank, sum == 1000 * rank + 499500 && table[7] == rank + 7, "the thread's sum is in the rank's globals");
        fact(rank, "round %d: sum %d, thread's own %d, rank's own %d", round, sum, argument, local);
    }
    MPI_Finalize();
    return 0;
}
