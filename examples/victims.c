/* Two jobs on one machine: all-reduces of 8 bytes beside an incast. Ranks 0 to 63 do 200 of them; as many further ranks as the argument
 * says send to rank 64 until rank 0 stops them. Rank 0 prints how long an all-reduce takes. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { VICTIMS = 64, ROOT = VICTIMS, TIMES = 200, BYTES = 65536, DATA = 0, STOP = 1 };

static int compare(const void *one, const void *other)
{
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

static void victim(int rank, MPI_Comm job, int senders)
{
    double value = 1, sum, took[TIMES], total = 0;
    for (int i = 0; i < TIMES; i++) {
        double start = MPI_Wtime();
        MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, job);
        total += took[i] = MPI_Wtime() - start;
    }
    if (rank == 0) {
        for (int i = 1; i <= senders; i++)
            MPI_Send(NULL, 0, MPI_BYTE, ROOT + i, STOP, MPI_COMM_WORLD);
        qsort(took, TIMES, sizeof took[0], compare);
        printf("an all-reduce beside %d senders: %.1f us on average, 99 %% within %.1f us\n", senders, 1e6 * total / TIMES,
               1e6 * took[TIMES * 99 / 100 - 1]);
    }
}

static void sender(void)
{
    static char bytes[BYTES];
    int stop = 0;
    for (; !stop; MPI_Iprobe(0, STOP, MPI_COMM_WORLD, &stop, MPI_STATUS_IGNORE))
        MPI_Send(bytes, BYTES, MPI_BYTE, ROOT, DATA, MPI_COMM_WORLD);
    MPI_Send(NULL, 0, MPI_BYTE, ROOT, STOP, MPI_COMM_WORLD);
}

/* Always has a receive for each sender, so that all of them send at once. */
static void receiver(int senders)
{
    static char bytes[BYTES];
    MPI_Request *receives = malloc(senders * sizeof *receives);
    MPI_Status status;
    int number;
    for (int i = 0; i < senders; i++)
        MPI_Irecv(bytes, BYTES, MPI_BYTE, ROOT + 1 + i, MPI_ANY_TAG, MPI_COMM_WORLD, &receives[i]);
    for (int running = senders; running;) {
        MPI_Waitany(senders, receives, &number, &status);
        if (status.MPI_TAG == STOP)
            running--;
        else
            MPI_Irecv(bytes, BYTES, MPI_BYTE, ROOT + 1 + number, MPI_ANY_TAG, MPI_COMM_WORLD, &receives[number]);
    }
    free(receives);
}

int main(int argc, char **argv)
{
    int rank, senders = argc > 1 ? atoi(argv[1]) : 8;
    MPI_Comm job;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank < VICTIMS, 0, &job);
    if (rank < VICTIMS)
        victim(rank, job, senders);
    else if (rank == ROOT)
        receiver(senders);
    else if (rank <= ROOT + senders)
        sender();
    MPI_Finalize();
    return 0;
}
