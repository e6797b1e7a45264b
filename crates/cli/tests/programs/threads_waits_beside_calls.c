#include <mpi.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int is_through = 0;
static void *work(void *nothing)
{
    int sent = 0;
    for (int i = 0; i < 20000; i++)
        MPI_Send(&sent, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    pthread_mutex_lock(&lock);
    is_through = 1;
    pthread_mutex_unlock(&lock);
    return nothing;
}
int main(int argc, char **argv)
{
    int provided, sees = 0;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    pthread_create(&thread, NULL, work, NULL);
    while (!sees) {
        pthread_mutex_lock(&lock);
        sees = is_through;
        pthread_mutex_unlock(&lock);
    }
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
