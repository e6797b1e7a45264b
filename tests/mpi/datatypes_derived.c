/* ranks: 1 2 4 */
/* Types with gaps in messages: structures, addresses, transposed matrices, halos, pairs; what is sent with one type is
   received with another; nothing is written into the gaps; counts of whole and of started elements. */
#include <mpi.h>
#include <stddef.h>
#include <string.h>
#include "check.h"

static int rank, size, next, previous;

struct particle { double position[3]; char kind; float charge; int cell[2]; };

/* MPI 5.0, section 5.1.14: particles, and of each its position and kind only. */
static void particles(void)
{
    struct particle out[6], in[6];
    MPI_Datatype type, padded, some;
    MPI_Status status;
    int count, elements;
    memset(out, 0, sizeof out);
    memset(in, 0x55, sizeof in);
    for (int i = 0; i < 6; i++) {
        out[i].position[2] = 100 * rank + i;
        out[i].kind = (char)('a' + i);
        out[i].charge = (float)i / 2;
        out[i].cell[1] = rank;
    }
    MPI_Type_create_struct(4, (const int[]){3, 1, 1, 2},
                           (const MPI_Aint[]){offsetof(struct particle, position), offsetof(struct particle, kind),
                                              offsetof(struct particle, charge), offsetof(struct particle, cell)},
                           (const MPI_Datatype[]){MPI_DOUBLE, MPI_CHAR, MPI_FLOAT, MPI_INT}, &type);
    MPI_Type_create_resized(type, 0, sizeof(struct particle), &padded);
    MPI_Type_commit(&padded);
    MPI_Sendrecv(out, 5, padded, next, 3, in, 6, padded, previous, 3, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, padded, &count);
    MPI_Get_elements(&status, padded, &elements);
    check(rank, count == 5 && elements == 35, "five particles of seven elements");
    check(rank, in[4].position[2] == 100 * previous + 4 && in[4].kind == 'e' && in[3].charge == 1.5F && in[0].cell[1] == previous,
          "particles");
    check(rank, *((unsigned char *)&in[0].kind + 1) == 0x55 && (unsigned char)in[5].kind == 0x55, "padding is left alone");
    MPI_Type_create_struct(2, (const int[]){3, 1}, (const MPI_Aint[]){0, offsetof(struct particle, kind)},
                           (const MPI_Datatype[]){MPI_DOUBLE, MPI_CHAR}, &some);
    MPI_Type_free(&type);
    MPI_Type_create_resized(some, 0, sizeof(struct particle), &type);
    MPI_Type_commit(&type);
    memset(in, 0x55, sizeof in);
    MPI_Sendrecv(out, 6, type, next, 4, in, 6, type, previous, 4, MPI_COMM_WORLD, &status);
    check(rank, in[5].position[2] == 100 * previous + 5 && in[5].cell[1] == 0x55555555, "some members of each");
    /* Two particles and the three doubles of a third one; Open MPI alone lets a message end within an element. */
    char bytes[2 * 37 + 24];
    memset(bytes, 0, sizeof bytes);
    MPI_Sendrecv(bytes, sizeof bytes, MPI_BYTE, next, 5, in, 6, padded, previous, 5, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, padded, &count);
    fact(rank, "part of a particle: %s", count == MPI_UNDEFINED ? "undefined" : "a count");
    MPI_Type_free(&some);
    MPI_Type_free(&type);
    MPI_Type_free(&padded);
}

/* Absolute addresses from MPI_BOTTOM. */
static void bottom(void)
{
    int here = 7 + rank, there[3] = {1, 2, 3}, got[4] = {0};
    MPI_Aint places[2];
    MPI_Datatype type;
    MPI_Get_address(&here, &places[0]);
    MPI_Get_address(there, &places[1]);
    MPI_Type_create_hindexed(2, (const int[]){1, 3}, places, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Sendrecv(MPI_BOTTOM, 1, type, next, 6, got, 4, MPI_INT, previous, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(rank, got[0] == 7 + previous && got[3] == 3, "sent from addresses");
    MPI_Sendrecv((const int[]){9, 8, 7, 6}, 4, MPI_INT, next, 7, MPI_BOTTOM, 1, type, previous, 7, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    check(rank, here == 9 && there[0] == 8 && there[2] == 6, "received at addresses");
    MPI_Type_free(&type);
}

/* The transpose of a matrix: rows are sent, columns received; short and long messages. */
static void transpose(void)
{
    static double matrix[200 * 200], turned[200 * 200];
    static const int orders[] = {3, 20, 200};
    for (int o = 0; o < 3; o++) {
        int n = orders[o], right = 1;
        MPI_Datatype column, columns;
        MPI_Request requests[2];
        MPI_Type_vector(n, 1, n, MPI_DOUBLE, &column);
        MPI_Type_create_hvector(n, 1, sizeof(double), column, &columns);
        MPI_Type_commit(&columns);
        for (int i = 0; i < n * n; i++)
            matrix[i] = i + rank, turned[i] = -1;
        MPI_Irecv(turned, 1, columns, previous, 8, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(matrix, n * n, MPI_DOUBLE, next, 8, MPI_COMM_WORLD, &requests[1]);
        MPI_Type_free(&columns);
        MPI_Type_free(&column);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                right = right && turned[j * n + i] == i * n + j + previous;
        check(rank, right, "transpose of order %d", n);
    }
}

/* Halos of a box of 6 x 6 x 6 with faces exchanged along each axis, probed before they are received. */
static void halos(void)
{
    static int box[6][6][6];
    for (int axis = 0; axis < 3; axis++) {
        int sizes[3] = {6, 6, 6}, subsizes[3] = {4, 4, 4}, starts[3] = {1, 1, 1}, got;
        MPI_Datatype inner, outer;
        MPI_Status status;
        MPI_Request request;
        subsizes[axis] = 1;
        starts[axis] = 4;
        MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &inner);
        starts[axis] = 0;
        MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &outer);
        MPI_Type_commit(&inner);
        MPI_Type_commit(&outer);
        for (int i = 0; i < 216; i++)
            (&box[0][0][0])[i] = 1000 * rank + i;
        MPI_Isend(box, 1, inner, next, 9, MPI_COMM_WORLD, &request);
        MPI_Probe(previous, 9, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, outer, &got);
        MPI_Recv(box, 1, outer, previous, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        int sum = 0;
        for (int i = 0; i < 216; i++)
            sum += (&box[0][0][0])[i] % 997 * (i + 1) % 10007;
        fact(rank, "halo along axis %d: %d face, sum %d", axis, got, sum);
        MPI_Type_free(&inner);
        MPI_Type_free(&outer);
    }
}

static void replaced(void)
{
    int data[12];
    MPI_Datatype odd;
    for (int i = 0; i < 12; i++)
        data[i] = 100 * rank + i;
    MPI_Type_vector(6, 1, 2, MPI_INT, &odd);
    MPI_Type_commit(&odd);
    MPI_Sendrecv_replace(data + 1, 1, odd, next, 10, previous, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(rank, data[0] == 100 * rank && data[1] == 100 * previous + 1 && data[10] == 100 * rank + 10 &&
          data[11] == 100 * previous + 11, "replaced the odd ones");
    MPI_Type_free(&odd);
}

/* Shorter messages than the buffer, in the middle of a block; counts of what came. */
static void partial(void)
{
    struct mixed { int a; double b; char c; } in[4];
    MPI_Datatype type, ints;
    MPI_Status status;
    int count, elements, data[16];
    MPI_Count many;
    MPI_Type_create_struct(3, (const int[]){1, 1, 1},
                           (const MPI_Aint[]){offsetof(struct mixed, a), offsetof(struct mixed, b), offsetof(struct mixed, c)},
                           (const MPI_Datatype[]){MPI_INT, MPI_DOUBLE, MPI_CHAR}, &type);
    MPI_Type_commit(&type);
    MPI_Type_create_struct(3, (const int[]){1, 1, 0},
                           (const MPI_Aint[]){offsetof(struct mixed, a), offsetof(struct mixed, b), offsetof(struct mixed, c)},
                           (const MPI_Datatype[]){MPI_INT, MPI_DOUBLE, MPI_CHAR}, &ints);
    MPI_Type_commit(&ints);
    struct mixed out[2] = {{1, 2.5, 'x'}, {3, 4.5, 'y'}};
    memset(in, 0x55, sizeof in);
    MPI_Sendrecv(out, 1, ints, next, 11, in, 4, type, previous, 11, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, type, &count);
    MPI_Get_elements(&status, type, &elements);
    MPI_Get_elements_x(&status, type, &many);
    check(rank, count == MPI_UNDEFINED && elements == 2 && many == 2, "two of three elements");
    check(rank, in[0].a == 1 && in[0].b == 2.5 && in[0].c == 0x55, "as far as it goes");
    MPI_Sendrecv(out, 2, type, next, 12, in, 4, type, previous, 12, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, type, &count);
    MPI_Get_elements(&status, type, &elements);
    check(rank, count == 2 && elements == 6, "two whole ones");
    MPI_Type_free(&ints);
    MPI_Type_vector(4, 2, 4, MPI_INT, &ints);
    MPI_Type_commit(&ints);
    memset(data, 0, sizeof data);
    MPI_Sendrecv((const int[]){1, 2, 3, 4, 5}, 5, MPI_INT, next, 13, data, 1, ints, previous, 13, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, ints, &count);
    MPI_Get_elements(&status, ints, &elements);
    check(rank, count == MPI_UNDEFINED && elements == 5 && data[1] == 2 && data[2] == 0 && data[4] == 3 && data[8] == 5 &&
          data[9] == 0, "five of eight");
    MPI_Status_set_elements(&status, type, 7);
    MPI_Get_count(&status, type, &count);
    MPI_Get_elements(&status, type, &elements);
    check(rank, count == MPI_UNDEFINED && elements == 7, "seven elements set");
    MPI_Status_set_elements_x(&status, type, 9);
    MPI_Get_count(&status, type, &count);
    check(rank, count == 3, "nine elements set");
    MPI_Type_free(&type);
    MPI_Type_free(&ints);
    /* Two pairs are four elements, though Open MPI says two. */
    MPI_Status_set_elements(&status, MPI_BYTE, 24);
    MPI_Get_count(&status, MPI_DOUBLE_INT, &count);
    fact(rank, "24 bytes of pairs: %d", count);
}

/* Pairs of MPI and structures of the program are the same data. */
static void pairs(void)
{
    struct { double value; int index; } out[2] = {{1.5, rank}, {2.5, rank + 1}}, in[2];
    double values[2];
    MPI_Datatype type, dense;
    MPI_Type_create_struct(2, (const int[]){1, 1}, (const MPI_Aint[]){0, 8}, (const MPI_Datatype[]){MPI_DOUBLE, MPI_INT}, &type);
    MPI_Type_commit(&type);
    memset(in, 0x55, sizeof in);
    MPI_Sendrecv(out, 2, MPI_DOUBLE_INT, next, 14, in, 2, type, previous, 14, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(rank, in[1].value == 2.5 && in[1].index == previous + 1 && ((int *)in)[3] == 0x55555555, "pairs as structures");
    MPI_Type_create_resized(MPI_DOUBLE, 0, 16, &dense);
    MPI_Type_commit(&dense);
    MPI_Sendrecv(out, 2, dense, next, 15, values, 2, MPI_DOUBLE, previous, 15, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(rank, values[0] == 1.5 && values[1] == 2.5, "values of pairs");
    MPI_Type_free(&type);
    MPI_Type_free(&dense);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size;
    previous = (rank + size - 1) % size;
    particles();
    bottom();
    transpose();
    halos();
    replaced();
    partial();
    pairs();
    MPI_Finalize();
    return 0;
}
