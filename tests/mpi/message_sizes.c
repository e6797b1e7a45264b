/* ranks: 2 3 4 */
/* Messages of 0 bytes to 1 MiB arrive whole: ping-pong, exchange without waiting, rings with Sendrecv. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"

enum { LARGEST = 1 << 20 };

static const int sizes[] = {0, 1, 2, 3, 7, 8, 64, 1000, 1024, 4095, 4096, 4097, 16384, 65535, 65536, 65537, 300001, LARGEST};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Byte i of a message: depends on the sender and the length, so that neither can be mistaken. */
static unsigned char pattern(int sender, int length, int i)
{
    return (unsigned char)(i * 31 + i / 251 + sender * 101 + length * 7);
}

static void fill(unsigned char *data, int sender, int length)
{
    for (int i = 0; i < length; i++)
        data[i] = pattern(sender, length, i);
}

/* Whether data is the message of the sender, with nothing written behind its end. */
static int intact(const unsigned char *data, int sender, int length)
{
    for (int i = 0; i < length; i++)
        if (data[i] != pattern(sender, length, i))
            return 0;
    return data[length] == 0xee;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    unsigned char *out = malloc(LARGEST + 1), *in = malloc(LARGEST + 1);
    MPI_Status status;
    MPI_Request requests[2];

    for (int s = 0; s < SIZES; s++) {
        int n = sizes[s], count, good = 1;

        /* Ping-pong: each pair of neighbors (0,1), (2,3), ... */
        int partner = rank ^ 1;
        if (partner < size) {
            memset(in, 0xee, LARGEST + 1);
            if (rank < partner) {
                fill(out, rank, n);
                MPI_Send(out, n, MPI_BYTE, partner, s, MPI_COMM_WORLD);
                MPI_Recv(in, LARGEST, MPI_BYTE, partner, s, MPI_COMM_WORLD, &status);
                good = good && intact(in, rank, n);
            } else {
                MPI_Recv(in, LARGEST, MPI_BYTE, partner, s, MPI_COMM_WORLD, &status);
                good = good && intact(in, partner, n);
                MPI_Send(in, n, MPI_BYTE, partner, s, MPI_COMM_WORLD);
            }
            MPI_Get_count(&status, MPI_BYTE, &count);
            good = good && count == n;
        }
        check(rank, good, "%d bytes, ping-pong", n);

        /* Everybody sends before receiving: only requests allow this at any length. */
        fill(out, rank, n);
        memset(in, 0xee, LARGEST + 1);
        MPI_Isend(out, n, MPI_BYTE, next, 100 + s, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(in, n, MPI_BYTE, previous, 100 + s, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        check(rank, intact(in, previous, n), "%d bytes, Isend before Irecv", n);

        memset(in, 0xee, LARGEST + 1);
        MPI_Irecv(in, n, MPI_BYTE, previous, 200 + s, MPI_COMM_WORLD, &requests[0]);
        MPI_Send(out, n, MPI_BYTE, next, 200 + s, MPI_COMM_WORLD);
        MPI_Wait(&requests[0], &status);
        check(rank, intact(in, previous, n), "%d bytes, Irecv before Send", n);

        memset(in, 0xee, LARGEST + 1);
        MPI_Sendrecv(out, n, MPI_BYTE, next, 300 + s, in, n, MPI_BYTE, previous, 300 + s, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_BYTE, &count);
        check(rank, intact(in, previous, n) && count == n, "%d bytes, Sendrecv", n);

        memset(in, 0xee, LARGEST + 1);
        fill(in, rank, n);
        for (int hop = 0; hop < size; hop++)
            MPI_Sendrecv_replace(in, n, MPI_BYTE, next, 400 + s, previous, 400 + s, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        check(rank, intact(in, rank, n), "%d bytes, Sendrecv_replace round the ring", n);
    }
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
