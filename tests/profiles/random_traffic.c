/* Random traffic without deadlock: every rank knows from the seed who sends what to whom in each step. How receives are
   posted, and how their ends are waited for, is random too. Usage: random_traffic SEED STEPS */
#include <mpi.h>
#include <stdlib.h>
#include <weir.h>

#define MOST 64

static unsigned long long state;

/* The same numbers on all ranks (Knuth's MMIX). */
static unsigned draw(unsigned below)
{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(state >> 33) % below;
}

static char buffers[2 * MOST][1 << 16];

static void finish(int style, int count, MPI_Request *requests)
{
    int index, flag = 0, done;
    int indices[MOST];
    switch (style) {
    case 0:
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
        break;
    case 1:
        for (int i = 0; i < count; i++)
            MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE);
        break;
    case 2:
        while (!flag) {
            MPI_Testall(count, requests, &flag, MPI_STATUSES_IGNORE);
            weir_compute(3e-7);
        }
        break;
    case 3:
        for (int left = count; left > 0; left -= done)
            MPI_Waitsome(count, requests, &done, indices, MPI_STATUSES_IGNORE);
        break;
    default:
        for (int i = count - 1; i >= 0; i--)
            for (flag = 0; !flag;)
                MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    int rank, size;
    state = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    int steps = argc > 2 ? atoi(argv[2]) : 20;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm half, turned;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm_dup(MPI_COMM_WORLD, &turned);
    for (int step = 0; step < steps; step++) {
        MPI_Comm comm = draw(2) ? MPI_COMM_WORLD : turned;
        MPI_Request requests[2 * MOST];
        int messages = 1 + draw(MOST / 2), count = 0, wild = 0, style = draw(5), any = draw(4);
        unsigned long long work = draw(1000) * (unsigned long long)(1 + rank * 7 % 5);
        weir_compute(work * 1e-9);
        for (int message = 0; message < messages; message++) {
            int from = draw(size), to = draw(size), bytes = draw(3) ? draw(2000) : draw(1 << 16), mode = draw(4);
            int tag = step * 4 + (any == 0 ? 0 : draw(3));
            if (to == rank) {
                int source = any == 0 ? MPI_ANY_SOURCE : from;
                wild += any == 0;
                MPI_Irecv(buffers[count], 1 << 16, MPI_CHAR, source, any == 1 ? tag : tag, comm, &requests[count]);
                count++;
            }
            if (from == rank) {
                if (mode == 0)
                    MPI_Issend(buffers[MOST], bytes, MPI_CHAR, to, tag, comm, &requests[count]);
                else
                    MPI_Isend(buffers[MOST], bytes, MPI_CHAR, to, tag, comm, &requests[count]);
                count++;
            }
        }
        finish(style, count, requests);
        int root = draw(size), kind = draw(6), length = 1 + draw(3000);
        static double numbers[3000], sums[3000];
        if (kind == 0)
            MPI_Allreduce(numbers, sums, length, MPI_DOUBLE, MPI_SUM, comm);
        else if (kind == 1)
            MPI_Bcast(numbers, length, MPI_DOUBLE, root, comm);
        else if (kind == 2)
            MPI_Reduce(numbers, sums, length, MPI_DOUBLE, MPI_MAX, 0, half);
        else if (kind == 3) {
            MPI_Request request;
            MPI_Iallreduce(numbers, sums, length, MPI_DOUBLE, MPI_SUM, half, &request);
            weir_compute(2e-6);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else if (kind == 4) {
            int next = (rank + 1) % size, before = (rank + size - 1) % size;
            MPI_Sendrecv(numbers, length, MPI_DOUBLE, next, 1, sums, length, MPI_DOUBLE, before, 1, comm,
                         MPI_STATUS_IGNORE);
        } else if (rank == root) {
            MPI_Status status;
            for (int other = 1; other < size; other++) {
                MPI_Probe(MPI_ANY_SOURCE, 3, comm, &status);
                MPI_Recv(numbers, 3000, MPI_DOUBLE, status.MPI_SOURCE, 3, comm, MPI_STATUS_IGNORE);
            }
        } else {
            MPI_Send(numbers, length, MPI_DOUBLE, root, 3, comm);
        }
    }
    MPI_Comm_free(&half);
    MPI_Comm_free(&turned);
    MPI_Finalize();
    return 0;
}
