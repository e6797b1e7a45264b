/* ranks: 1 2 3 4 8 */
/* A matrix dealt out by rows is transposed: square blocks by Alltoall, uneven ones by Alltoallv, twice gives the
   matrix again. */
#include <mpi.h>
#include <stdlib.h>
#include "check.h"

static int rank, size;

static double element(int row, int column)
{
    return row * 1000.0 + column + 0.5;
}

/* First row of rank r when n rows are dealt out. */
static int first_row(int r, int n)
{
    return n * r / size;
}

/* Transposes the local rows (mine x columns) of a rows x columns matrix; gives this rank's rows of the transpose. */
static double *transpose(const double *local, int rows, int columns, int even)
{
    int mine = first_row(rank + 1, rows) - first_row(rank, rows);
    int theirs = first_row(rank + 1, columns) - first_row(rank, columns);
    int sendcounts[8], sdispls[8], recvcounts[8], rdispls[8];
    double *out = malloc(((size_t)mine * (size_t)columns + 1) * sizeof *out);
    double *in = malloc(((size_t)theirs * (size_t)rows + 1) * sizeof *in);
    double *result = malloc(((size_t)theirs * (size_t)rows + 1) * sizeof *result);

    /* The block for rank r: its columns of my rows, already transposed. */
    int at = 0;
    for (int r = 0; r < size; r++) {
        sdispls[r] = at;
        for (int j = first_row(r, columns); j < first_row(r + 1, columns); j++)
            for (int i = 0; i < mine; i++)
                out[at++] = local[i * columns + j];
        sendcounts[r] = at - sdispls[r];
        recvcounts[r] = theirs * (first_row(r + 1, rows) - first_row(r, rows));
        rdispls[r] = theirs * first_row(r, rows);
    }
    if (even)
        MPI_Alltoall(out, sendcounts[0], MPI_DOUBLE, in, recvcounts[0], MPI_DOUBLE, MPI_COMM_WORLD);
    else
        MPI_Alltoallv(out, sendcounts, sdispls, MPI_DOUBLE, in, recvcounts, rdispls, MPI_DOUBLE, MPI_COMM_WORLD);

    for (int r = 0; r < size; r++) {
        int width = first_row(r + 1, rows) - first_row(r, rows);
        for (int j = 0; j < theirs; j++)
            for (int i = 0; i < width; i++)
                result[j * rows + first_row(r, rows) + i] = in[rdispls[r] + j * width + i];
    }
    free(out);
    free(in);
    return result;
}

static void check_matrix(int rows, int columns, int even)
{
    int first = first_row(rank, rows), mine = first_row(rank + 1, rows) - first;
    int turned_first = first_row(rank, columns), turned_mine = first_row(rank + 1, columns) - turned_first;
    double *matrix = calloc((size_t)mine * (size_t)columns + 1, sizeof *matrix);
    for (int i = 0; i < mine; i++)
        for (int j = 0; j < columns; j++)
            matrix[i * columns + j] = element(first + i, j);
    double *turned = transpose(matrix, rows, columns, even), *again = transpose(turned, columns, rows, even);
    int good = 1, good_again = 1;
    for (int i = 0; i < turned_mine; i++)
        for (int j = 0; j < rows; j++)
            good = good && turned[i * rows + j] == element(j, turned_first + i);
    for (int i = 0; i < mine * columns; i++)
        good_again = good_again && again[i] == matrix[i];
    check(rank, good, "%d x %d, transposed", rows, columns);
    check(rank, good_again, "%d x %d, transposed twice", rows, columns);
    free(matrix);
    free(turned);
    free(again);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    check_matrix(8 * size, 8 * size, 1);
    check_matrix(40 * size, 10 * size, 1);
    check_matrix(50, 31, 0);
    check_matrix(3, 100, 0); /* with more than three ranks some have no row */
    check_matrix(301, 299, 0);
    MPI_Finalize();
    return 0;
}
