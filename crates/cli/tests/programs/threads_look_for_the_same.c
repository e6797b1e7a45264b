#include <mpi.h>
#include <pthread.h>
static int got[4];
static void *takes(void *place)
{
    int data, count = 0;
    MPI_Message message;
    MPI_Status status;
    MPI_Mprobe(0, 5, MPI_COMM_WORLD, &message, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_Mrecv(&data, 1, MPI_INT, &message, &status);
    *(int *)place = count == 1 ? data : -1;
    return NULL;
}
int main(int argc, char **argv)
{
    int provided, rank, sum = 0;
    pthread_t threads[4];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; rank == 1 && i < 4; i++)
        pthread_create(&threads[i], NULL, takes, &got[i]);
    for (int i = 0; rank == 0 && i < 4; i++) {
        int data = 1 << i;
        MPI_Ssend(&data, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
    }
    for (int i = 0; rank == 1 && i < 4; i++) {
        pthread_join(threads[i], NULL);
        sum += got[i];
    }
    if (rank == 1 && sum != 15)
        MPI_Abort(MPI_COMM_WORLD, 7);
    MPI_Finalize();
    return 0;
}
