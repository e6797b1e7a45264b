/* ranks: 2 3 4 8 */
/* Rank 0 deals out tasks to whoever asks; results come back in any order. What is printed does not depend on it. */
#include <mpi.h>
#include "check.h"

enum { TASKS = 200, WORK = 1, STOP, RESULT, COUNT };

/* The task: the length of the Collatz sequence of a number. */
static int collatz(long n)
{
    int steps = 0;
    for (; n != 1; steps++)
        n = n % 2 ? 3 * n + 1 : n / 2;
    return steps;
}

static void master(int size)
{
    int done_by[64] = {0}, seen[TASKS] = {0}, next = 0, active = 0, twice = 0, workers_total = 0;
    long sum = 0;
    int longest = 0, longest_task = -1;
    for (int worker = 1; worker < size; worker++, active++, next++)
        MPI_Send(&next, 1, MPI_INT, worker, WORK, MPI_COMM_WORLD);
    while (active > 0) {
        int result[2];
        MPI_Status status;
        MPI_Recv(result, 2, MPI_INT, MPI_ANY_SOURCE, RESULT, MPI_COMM_WORLD, &status);
        done_by[status.MPI_SOURCE]++;
        twice += seen[result[0]]++;
        sum += result[1];
        if (result[1] > longest || (result[1] == longest && result[0] < longest_task))
            longest = result[1], longest_task = result[0];
        if (next < TASKS) {
            MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, WORK, MPI_COMM_WORLD);
            next++;
        } else {
            MPI_Send(NULL, 0, MPI_INT, status.MPI_SOURCE, STOP, MPI_COMM_WORLD);
            active--;
        }
    }
    for (int worker = 1; worker < size; worker++)
        workers_total += done_by[worker];
    fact(0, "%d tasks, sum %ld, longest %d for task %d", workers_total, sum, longest, longest_task);
    check(0, twice == 0 && workers_total == TASKS && next == TASKS, "each task once");
    for (int worker = 1; worker < size; worker++) {
        int own;
        MPI_Recv(&own, 1, MPI_INT, worker, COUNT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(0, own == done_by[worker], "the count of worker %d", worker);
    }
}

static void worker(int rank)
{
    int done = 0;
    for (;;) {
        int task, result[2];
        MPI_Status status;
        MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == STOP)
            break;
        result[0] = task;
        result[1] = collatz(task + 1);
        MPI_Send(result, 2, MPI_INT, 0, RESULT, MPI_COMM_WORLD);
        done++;
    }
    MPI_Send(&done, 1, MPI_INT, 0, COUNT, MPI_COMM_WORLD);
    check(rank, done > 0, "worked");
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        master(size);
    else
        worker(rank);
    MPI_Finalize();
    return 0;
}
