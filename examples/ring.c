/*
 * ring.c: messages go around a ring in both directions at once (after the NSIM paper, figure 3).
 *
 * Every rank sends one message to the left and one to the right, and then passes on, to the other side, whatever
 * comes, until each message has been around once. A receive takes from either side (MPI_ANY_SOURCE), so the order in
 * which a rank works depends on the network.
 *
 *     weir cc ring.c -o ring
 *     weir mpirun -n 128 --machine torus ./ring [bytes [rounds]]
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { TAG = 0 };

static int passed_on; /* each rank has its own */

static void send(void *buffer, int bytes, int to) {
    MPI_Send(buffer, bytes, MPI_BYTE, to, TAG, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    int bytes = argc > 1 ? atoi(argv[1]) : 1;    /* of each message */
    int rounds = argc > 2 ? atoi(argv[2]) : size; /* how far each message goes */
    if (bytes < 1 || rounds < 1) {
        if (rank == 0)
            fprintf(stderr, "ring: bytes and rounds must be at least 1\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    void *buffer = calloc(bytes, 1);
    int left = (rank - 1 + size) % size;
    int right = (rank + 1) % size;

    double start = MPI_Wtime();
    send(buffer, bytes, left);
    send(buffer, bytes, right);
    /* As many come from each side; with two ranks both sides are the same. */
    int from_left = 0, from_right = 0;
    int last = left == right ? 2 * (rounds - 1) : rounds - 1;
    for (int i = 0; i < 2 * rounds; i++) {
        MPI_Status status;
        MPI_Recv(buffer, bytes, MPI_BYTE, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &status);
        int comes_from_left = status.MPI_SOURCE == left;
        int *came = comes_from_left ? &from_left : &from_right;
        if ((*came)++ < last) {
            send(buffer, bytes, comes_from_left ? right : left);
            passed_on++;
        }
    }
    double time = MPI_Wtime() - start;

    double longest;
    int most;
    MPI_Reduce(&time, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&passed_on, &most, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d ranks, %d bytes, %d rounds: %.3f us, %d messages per rank\n", size, bytes, rounds,
               1e6 * longest, most);
    free(buffer);
    MPI_Finalize();
    return 0;
}
