/*
 * nicam.c: the halo exchange of NICAM's icosahedral grid (the NICAM pacing paper, section 5.1) as an MPI program.
 *
 *     weir cc nicam.c -o nicam
 *     weir mpirun --no-data -n 40 --machine torus ./nicam 2 98304
 *
 * The grid has ten diamonds, five in the north and five in the south, each cut rlevel times into four: 2^rlevel x 2^rlevel
 * regions. A rank has a block of 2 x 2 of them and stands for their four processes: it sends two messages in each of four
 * directions, and what the four exchange with each other stays within the rank. So there are 10 x 4^(rlevel - 1) ranks.
 * Arguments: rlevel, bytes of a message, and how many exchanges (1 unless said).
 *
 * workload.kind = "nicam" sends the same without a program.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include "weir.h"

#define DIRECTIONS 4
#define MESSAGES 2 /* in each direction: the side of a block */

struct place { int diamond, i, j; }; /* diamonds 0 to 4 are in the north, 5 to 9 in the south */

/* Ranks go from diamond to diamond as N0, S0, N1, S1, ... */
static struct place place_of(int rank, int side)
{
    int x = rank / (side * side);
    struct place place = { x / 2 + (x % 2 ? 5 : 0), rank / side % side, rank % side };
    return place;
}

static int rank_of(struct place place, int side)
{
    int x = place.diamond < 5 ? 2 * place.diamond : 2 * (place.diamond - 5) + 1;
    return (x * side + place.i) * side + place.j;
}

/* What lies in direction 0 (+i), 1 (-i), 2 (+j) or 3 (-j). */
static struct place neighbor(struct place from, int direction, int side)
{
    int last = side - 1, i = from.i, j = from.j, d = from.diamond;
    int north = d < 5, k = d % 5, before = (k + 4) % 5, behind = (k + 1) % 5;
    struct place to = { d, i, j };
    switch (direction) {
    case 0:
        if (i < last) to.i = i + 1;
        else if (north) to = (struct place){ 5 + k, 0, j };
        else to = (struct place){ 5 + behind, last - j, 0 };
        break;
    case 1:
        if (i > 0) to.i = i - 1;
        else if (north) to = (struct place){ before, last - j, last };
        else to = (struct place){ k, last, j };
        break;
    case 2:
        if (j < last) to.j = j + 1;
        else if (north) to = (struct place){ behind, 0, last - i };
        else to = (struct place){ behind, i, 0 };
        break;
    default:
        if (j > 0) to.j = j - 1;
        else if (north) to = (struct place){ 5 + before, i, last };
        else to = (struct place){ 5 + before, last, last - i };
    }
    return to;
}

int main(int argc, char **argv)
{
    int rank, size, peers[DIRECTIONS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int rlevel = argc > 1 ? atoi(argv[1]) : 0;
    int bytes = argc > 2 ? atoi(argv[2]) : 1024, exchanges = argc > 3 ? atoi(argv[3]) : 1;
    if (rlevel == 0) /* as many as there are ranks for */
        for (rlevel = 1; rlevel < 12 && (10 << 2 * (rlevel - 1)) < size; rlevel++)
            ;
    int side = 1 << (rlevel - 1);
    if (rlevel < 1 || rlevel > 12 || bytes < 0) {
        if (rank == 0) fprintf(stderr, "nicam: rlevel is from 1 to 12, bytes are 0 or more\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    int needed = 10 * side * side;
    if (size < needed) {
        if (rank == 0) fprintf(stderr, "nicam: rlevel %d needs %d ranks, and there are %d\n", rlevel, needed, size);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    /* Ranks that are too many look on. */
    int partakes = rank < needed;
    for (int direction = 0; partakes && direction < DIRECTIONS; direction++)
        peers[direction] = rank_of(neighbor(place_of(rank, side), direction, side), side);
    char *data = calloc(2 * DIRECTIONS * MESSAGES, bytes > 0 ? bytes : 1);
    /* As the hardware would: at once, out of the program's memory. */
    weir_send_protocol(WEIR_EAGER);
    weir_send_copy(WEIR_ZERO_COPY);

    double start = MPI_Wtime();
    for (int exchange = 0; partakes && exchange < exchanges; exchange++) {
        MPI_Request requests[2 * DIRECTIONS * MESSAGES];
        int count = 0;
        for (int message = 0; message < MESSAGES; message++)
            for (int direction = 0; direction < DIRECTIONS; direction++, count++)
                MPI_Irecv(data + (size_t)count * bytes, bytes, MPI_BYTE, peers[direction], 0, MPI_COMM_WORLD,
                          &requests[count]);
        for (int message = 0; message < MESSAGES; message++)
            for (int direction = 0; direction < DIRECTIONS; direction++, count++)
                MPI_Isend(data + (size_t)count * bytes, bytes, MPI_BYTE, peers[direction], 0, MPI_COMM_WORLD,
                          &requests[count]);
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    }
    double time = MPI_Wtime() - start, longest;
    if (partakes && rank == 0) printf("rank 0 took %.3f us\n", time * 1e6);
    if (argc > 4) { /* of all ranks; a collective of its own */
        MPI_Reduce(&time, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        if (rank == 0) printf("the slowest took %.3f us\n", longest * 1e6);
    }
    free(data);
    MPI_Finalize();
    return 0;
}
