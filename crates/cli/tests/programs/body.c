/* What tables of cases put between beginning and end of a program. */
#define _GNU_SOURCE
#include <locale.h>
#include <mpi.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <weir.h>

static char b[100000], c[100000];

int main(int argc, char **argv)
{
    int rank, size, flag, code;
    MPI_Request r, s;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    (void)b, (void)c, (void)flag, (void)code, (void)r, (void)s, (void)file;
    BODY;
    MPI_Finalize();
    return 0;
}
