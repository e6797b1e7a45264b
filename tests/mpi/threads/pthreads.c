/* Threads of the program send, receive and reduce beside each other. One makes a thread itself. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

static int rank, size;
static MPI_Comm comms[4];

static void *talks(void *argument)
{
    long number = (long)argument;
    int sent = rank, got = -1, sum = -1, is_main = 1, bad = 0;
    MPI_Is_thread_main(&is_main);
    for (int round = 0; round < 10; round++) {
        MPI_Sendrecv(&sent, 1, MPI_INT, (rank + 1) % size, (int)number, &got, 1, MPI_INT, (rank + size - 1) % size, (int)number,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comms[number]);
        bad += got != (rank + size - 1) % size || sum != size * (size - 1) / 2;
    }
    return (void *)(long)(bad + is_main);
}

static void *makes(void *argument)
{
    pthread_t thread;
    void *bad, *own = talks((void *)2);
    if (pthread_create(&thread, NULL, talks, argument))
        return (void *)1;
    pthread_join(thread, &bad);
    return (void *)((long)bad + (long)own);
}

int main(int argc, char **argv)
{
    int provided;
    long bad = 0;
    pthread_t threads[3];
    void *of_thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 4; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (long i = 0; i < 3; i++)
        bad += pthread_create(&threads[i], NULL, i == 2 ? makes : talks, (void *)(i == 2 ? 3 : i)) != 0;
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], &of_thread);
        bad += (long)of_thread;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d: %ld mistakes\n", rank, bad + (provided != MPI_THREAD_MULTIPLE));
    MPI_Finalize();
    return 0;
}
