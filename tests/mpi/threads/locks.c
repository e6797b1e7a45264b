/* Threads wait for each other by taking locks over and over, with and without giving way, and while they have other locks; others
 * take work from a pile by a lock, and some of them call MPI meanwhile. */
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 12, PILE = 200 };

static int rank, size, bad;
static pthread_mutex_t barrier_lock = PTHREAD_MUTEX_INITIALIZER, pile_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static int arrived, phase, on_pile, turn;
static long done;

static void wait_for_all(int gives_way)
{
    pthread_mutex_lock(&barrier_lock);
    int mine = phase;
    if (++arrived == THREADS) {
        arrived = 0;
        phase++;
    }
    pthread_mutex_unlock(&barrier_lock);
    for (int seen = mine; seen == mine;) {
        if (gives_way)
            while (pthread_mutex_trylock(&barrier_lock))
                sched_yield();
        else
            pthread_mutex_lock(&barrier_lock);
        seen = phase;
        pthread_mutex_unlock(&barrier_lock);
    }
}

/* Nothing of the thread's own changes from one piece to the next. */
static void take_from_pile(void)
{
    for (;;) {
        pthread_mutex_lock(&pile_lock);
        if (on_pile == 0) {
            pthread_mutex_unlock(&pile_lock);
            return;
        }
        on_pile--;
        for (volatile int i = 0; i < 2000; i++)
            done++;
        pthread_mutex_unlock(&pile_lock);
    }
}

/* Threads take turns; whoever looks has another lock, for which one waits that is not in turn. */
static void one_after_the_other(int me)
{
    for (int mine = 0; !mine;) {
        pthread_mutex_lock(&outer);
        pthread_mutex_lock(&inner);
        mine = turn == me;
        if (mine)
            turn = (turn + 1) % THREADS;
        pthread_mutex_unlock(&inner);
        pthread_mutex_unlock(&outer);
    }
}

static void *run(void *argument)
{
    int me = (int)(long)argument;
    for (int round = 0; round < ROUNDS; round++) {
        int got = -1, sent = 100 * round + me, flag = 0;
        MPI_Request request;
        wait_for_all(round % 2);
        if (me == 0)
            on_pile = PILE;
        wait_for_all(0);
        MPI_Isend(&sent, 1, MPI_INT, (rank + 1) % size, me, MPI_COMM_WORLD, &request);
        if (me % 2)
            take_from_pile();
        while (me == 3 && !flag)
            MPI_Iprobe((rank + size - 1) % size, me, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        MPI_Recv(&got, 1, MPI_INT, (rank + size - 1) % size, me, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        one_after_the_other(me);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        pthread_mutex_lock(&pile_lock);
        bad += got != sent;
        pthread_mutex_unlock(&pile_lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t threads[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (long i = 1; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, (void *)i);
    run((void *)0);
    for (int i = 1; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    bad += done != 2000L * PILE * ROUNDS;
    printf("rank %d: %d mistakes\n", rank, bad);
    MPI_Finalize();
    return 0;
}
