/* ranks: 1 2 4 */
/* Packing and unpacking by hand: several pieces into one message, derived types, parts of packed data received as what
   they are; the external representation byte by byte. */
#include <mpi.h>
#include <stddef.h>
#include <string.h>
#include "check.h"

static int rank, size, next, previous;

/* MPI 5.0, example 5.22: a size, an array of that size, and a name in one message. */
static void one_message(void)
{
    char buffer[400], packed[400], name[8] = "";
    int position = 0, bytes, count = 5 + rank, got = 0, room;
    double values[16], came[16];
    MPI_Status status;
    for (int i = 0; i < 16; i++)
        values[i] = rank + i / 4.0, came[i] = -1;
    MPI_Pack_size(1, MPI_INT, MPI_COMM_WORLD, &bytes);
    MPI_Pack_size(16, MPI_DOUBLE, MPI_COMM_WORLD, &room);
    check(rank, bytes >= 4 && room >= 128, "room for packed data");
    MPI_Pack(&count, 1, MPI_INT, buffer, sizeof buffer, &position, MPI_COMM_WORLD);
    MPI_Pack(values, count, MPI_DOUBLE, buffer, sizeof buffer, &position, MPI_COMM_WORLD);
    MPI_Pack("weir", 5, MPI_CHAR, buffer, sizeof buffer, &position, MPI_COMM_WORLD);
    fact(rank, "packed %d bytes", position);
    MPI_Sendrecv(buffer, position, MPI_PACKED, next, 1, packed, sizeof packed, MPI_PACKED, previous, 1, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_PACKED, &bytes);
    position = 0;
    MPI_Unpack(packed, bytes, &position, &got, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Unpack(packed, bytes, &position, came, got, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Unpack(packed, bytes, &position, name, 5, MPI_CHAR, MPI_COMM_WORLD);
    check(rank, got == 5 + previous && came[got - 1] == previous + (got - 1) / 4.0 && came[got] == -1 && !strcmp(name, "weir"),
          "unpacked %d numbers and a name", got);
}

/* What is packed is received as what it is, and what is sent plainly is unpacked. */
static void mixed(void)
{
    struct { int a[4]; double b[2]; } out = {{rank, 1, 2, 3}, {4.5, 5.5}}, in = {{-1, -1, -1, -1}, {-1, -1}};
    char buffer[64];
    int position = 0, count;
    MPI_Datatype type;
    MPI_Status status;
    MPI_Type_create_struct(2, (const int[]){2, 1}, (const MPI_Aint[]){4, 24}, (const MPI_Datatype[]){MPI_INT, MPI_DOUBLE}, &type);
    MPI_Type_commit(&type);
    MPI_Pack_size(1, type, MPI_COMM_WORLD, &count);
    check(rank, count >= 16, "room for a structure");
    MPI_Pack(&out, 1, type, buffer, sizeof buffer, &position, MPI_COMM_WORLD);
    fact(rank, "a structure is %d bytes", position);
    MPI_Sendrecv(buffer, position, MPI_PACKED, next, 2, &in, 1, type, previous, 2, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, type, &count);
    check(rank, count == 1 && in.a[0] == -1 && in.a[1] == 1 && in.a[2] == 2 && in.a[3] == -1 && in.b[0] == -1 && in.b[1] == 5.5,
          "packed and received as a structure");
    memset(&in, 0, sizeof in);
    MPI_Sendrecv(&out, 1, type, next, 3, buffer, sizeof buffer, MPI_PACKED, previous, 3, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_PACKED, &count);
    position = 0;
    MPI_Unpack(buffer, count, &position, &in, 1, type, MPI_COMM_WORLD);
    check(rank, position == count && in.a[2] == 2 && in.a[3] == 0 && in.b[1] == 5.5, "sent as a structure and unpacked");
    MPI_Type_free(&type);
}

static void bytes(const char *name, const unsigned char *data, MPI_Aint count)
{
    char text[200] = "";
    for (int i = 0; i < count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), " %02x", data[i]);
    fact(rank, "%s:%s", name, text);
}

/* Big-endian, without gaps, and back. Open MPI 4.1 tells 8 bytes for a long, of which it writes 4, keeps 4 for a wide
   character, and does not convert long double, so they are not here. */
static void external(void)
{
    struct { short a; int b; float c; double d; char e; long long f; unsigned short g; } out, in;
    unsigned char buffer[200];
    MPI_Aint position = 0, room = -1;
    MPI_Datatype type;
    memset(&out, 0, sizeof out);
    memset(&in, 0, sizeof in);
    out.a = -2, out.b = 0x01020304, out.c = 1.5F, out.d = -2.25, out.e = 'w', out.f = -3, out.g = 0xabcd;
    const MPI_Aint at[] = {(char *)&out.a - (char *)&out, (char *)&out.b - (char *)&out, (char *)&out.c - (char *)&out,
                           (char *)&out.d - (char *)&out, (char *)&out.e - (char *)&out, (char *)&out.f - (char *)&out,
                           (char *)&out.g - (char *)&out};
    const MPI_Datatype types[] = {MPI_SHORT, MPI_INT, MPI_FLOAT, MPI_DOUBLE, MPI_CHAR, MPI_LONG_LONG, MPI_UNSIGNED_SHORT};
    MPI_Type_create_struct(7, (const int[]){1, 1, 1, 1, 1, 1, 1}, at, types, &type);
    MPI_Type_commit(&type);
    MPI_Pack_external_size("external32", 1, type, &room);
    fact(rank, "external size %d", (int)room);
    MPI_Pack_external("external32", &out, 1, type, buffer, sizeof buffer, &position);
    bytes("a structure", buffer, position);
    position = 0;
    MPI_Unpack_external("external32", buffer, room, &position, &in, 1, type);
    check(rank, position == room && !memcmp(&in, &out, sizeof in), "read back");
    MPI_Type_free(&type);
    MPI_Type_vector(3, 2, 3, MPI_INT, &type);
    MPI_Type_commit(&type);
    int numbers[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, came[9] = {0};
    position = 3;
    MPI_Pack_external("external32", numbers, 1, type, buffer, sizeof buffer, &position);
    bytes("a vector", buffer + 3, position - 3);
    position = 3;
    MPI_Unpack_external("external32", buffer, sizeof buffer, &position, came, 1, type);
    check(rank, position == 27 && came[0] == 1 && came[1] == 2 && came[2] == 0 && came[7] == 8 && came[8] == 0, "a vector read back");
    MPI_Type_free(&type);
    position = 0;
    MPI_Pack_external("external32", "bytes", 5, MPI_BYTE, buffer, sizeof buffer, &position);
    bytes("bytes", buffer, position);
    const struct { const char *name; MPI_Datatype type; } table[] = {
        {"char", MPI_CHAR}, {"short", MPI_SHORT}, {"int", MPI_INT}, {"unsigned", MPI_UNSIGNED}, {"long long", MPI_LONG_LONG},
        {"float", MPI_FLOAT}, {"double", MPI_DOUBLE}, {"int8", MPI_INT8_T}, {"uint16", MPI_UINT16_T}, {"int64", MPI_INT64_T},
        {"byte", MPI_BYTE}, {"double complex", MPI_C_DOUBLE_COMPLEX}, {"address", MPI_AINT}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        MPI_Pack_external_size("external32", 3, table[i].type, &room);
        fact(rank, "three of %s: %d bytes", table[i].name, (int)room);
    }
}

/* Pieces of a message are unpacked by those who get them. */
static void gathered(void)
{
    char own[32], all[4 * 32];
    int position = 0, right = 1;
    double value = rank * 1.25;
    memset(own, 0, sizeof own);
    MPI_Pack(&rank, 1, MPI_INT, own, sizeof own, &position, MPI_COMM_WORLD);
    MPI_Pack(&value, 1, MPI_DOUBLE, own, sizeof own, &position, MPI_COMM_WORLD);
    MPI_Gather(own, 32, MPI_PACKED, all, 32, MPI_PACKED, 0, MPI_COMM_WORLD);
    for (int r = 0; rank == 0 && r < size; r++) {
        int who;
        position = 0;
        MPI_Unpack(all + (ptrdiff_t)32 * r, 32, &position, &who, 1, MPI_INT, MPI_COMM_WORLD);
        MPI_Unpack(all + (ptrdiff_t)32 * r, 32, &position, &value, 1, MPI_DOUBLE, MPI_COMM_WORLD);
        right = right && who == r && value == r * 1.25;
    }
    check(rank, right, "gathered and unpacked");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size;
    previous = (rank + size - 1) % size;
    one_message();
    mixed();
    external();
    gathered();
    MPI_Finalize();
    return 0;
}
