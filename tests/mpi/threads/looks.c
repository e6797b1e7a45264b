/* A thread waits for another one by looking at memory, with and without a lock, while that one waits in MPI. */
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

static int rank, size;
static volatile int round_of_main, round_of_thread;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *receives(void *unused)
{
    for (int round = 1; round <= 6; round++) {
        int got = -1;
        MPI_Recv(&got, 1, MPI_INT, (rank + size - 1) % size, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        pthread_mutex_lock(&lock);
        round_of_thread = got == round ? round : -100;
        pthread_mutex_unlock(&lock);
        while (round_of_main < round)
            sched_yield();
    }
    return unused;
}

int main(int argc, char **argv)
{
    int provided, bad = 0;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    pthread_create(&thread, NULL, receives, NULL);
    for (int round = 1; round <= 6; round++) {
        int seen = 0;
        MPI_Send(&round, 1, MPI_INT, (rank + 1) % size, round, MPI_COMM_WORLD);
        while (seen == 0) {
            pthread_mutex_lock(&lock);
            seen = round_of_thread == round ? 1 : round_of_thread < 0 ? -1 : 0;
            pthread_mutex_unlock(&lock);
        }
        bad += seen < 0;
        round_of_main = round;
    }
    pthread_join(thread, NULL);
    printf("rank %d: %d mistakes\n", rank, bad);
    MPI_Finalize();
    return 0;
}
