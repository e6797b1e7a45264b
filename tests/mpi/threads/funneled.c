/* A thread calls MPI that may not: the program has asked for MPI_THREAD_FUNNELED. */
#include <mpi.h>
#include <pthread.h>

static void *calls(void *unused)
{
    MPI_Barrier(MPI_COMM_SELF);
    return unused;
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    pthread_create(&thread, NULL, calls, NULL);
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
