/* A rank whose threads call MPI ends within a call: in its own operation, called by the thread of main (0) or by another one, while
   the others wait in MPI. */
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int leaves;
static const char *how;

static void operation(void *in, void *inout, int *length, MPI_Datatype *type)
{
    volatile int *nowhere = 0;
    if (!leaves)
        return;
    if (!strcmp(how, "exit"))
        exit(3);
    if (!strcmp(how, "MPI_Abort"))
        MPI_Abort(MPI_COMM_WORLD, 7);
    if (!strcmp(how, "pthread_exit"))
        pthread_exit(0);
    *nowhere = 1;
}

int main(int argc, char **argv)
{
    int provided, rank, by = atoi(argv[1]);
    MPI_Op own;
    how = argv[3];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Op_create(operation, 1, &own);
    leaves = rank == 1;
#pragma omp parallel num_threads(3)
    {
        int one = 1, two = 2;
        if (omp_get_thread_num() != by)
            MPI_Recv(&one, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else if (!strcmp(argv[2], "MPI_Reduce_local"))
            MPI_Reduce_local(&one, &two, 1, MPI_INT, own);
        else
            MPI_Allreduce(&one, &two, 1, MPI_INT, own, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
