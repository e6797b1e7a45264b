/* ranks: 1 2 3 5 8 */
/* Every pair of ranks, both ways: once pair after pair in a fixed order, once all at the same time. */
#include <mpi.h>
#include <stdlib.h>
#include "check.h"

int main(int argc, char **argv)
{
    int rank, size, good = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    /* The lower rank of a pair speaks first. Each rank meets the others in ascending order: no deadlock. */
    int met = 0;
    for (int low = 0; low < size; low++)
        for (int high = low + 1; high < size; high++) {
            int token = 1000 * low + high;
            if (rank == low) {
                MPI_Send(&token, 1, MPI_INT, high, low, MPI_COMM_WORLD);
                MPI_Recv(&token, 1, MPI_INT, high, high, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                good = good && token == 1000 * low + high + 500000;
                met++;
            } else if (rank == high) {
                int answer;
                MPI_Recv(&answer, 1, MPI_INT, low, low, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                good = good && answer == token;
                answer += 500000;
                MPI_Send(&answer, 1, MPI_INT, low, high, MPI_COMM_WORLD);
                met++;
            }
        }
    check(rank, good && met == size - 1, "pair after pair, %d partners", met);

    /* In step k to the rank k places up, from the rank k places down. */
    good = 1;
    for (int k = 0; k < size; k++) {
        int to = (rank + k) % size, from = (rank + size - k) % size, out[2] = {rank, k}, in[2] = {-1, -1};
        MPI_Sendrecv(out, 2, MPI_INT, to, k, in, 2, MPI_INT, from, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        good = good && in[0] == from && in[1] == k;
    }
    check(rank, good, "cyclic, %d steps", size);

    /* All to all at once, 20 KiB each. */
    enum { LENGTH = 5120 };
    int *in = calloc((size_t)size * LENGTH, sizeof *in), *out = calloc((size_t)size * LENGTH, sizeof *out);
    MPI_Request *requests = calloc(2 * (size_t)size, sizeof *requests);
    for (int r = 0; r < size; r++) {
        for (int i = 0; i < LENGTH; i++)
            out[r * LENGTH + i] = rank * 1000 + r + i;
        MPI_Irecv(in + r * LENGTH, LENGTH, MPI_INT, r, 0, MPI_COMM_WORLD, &requests[r]);
    }
    for (int r = 0; r < size; r++)
        MPI_Isend(out + r * LENGTH, LENGTH, MPI_INT, r, 0, MPI_COMM_WORLD, &requests[size + r]);
    MPI_Waitall(2 * size, requests, MPI_STATUSES_IGNORE);
    good = 1;
    for (int r = 0; r < size; r++)
        for (int i = 0; i < LENGTH; i++)
            good = good && in[r * LENGTH + i] == r * 1000 + rank + i;
    check(rank, good, "all at once");
    free(in);
    free(out);
    free(requests);
    MPI_Finalize();
    return 0;
}
