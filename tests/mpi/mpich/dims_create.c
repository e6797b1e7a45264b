/* ranks: 1 */
/* MPI_Dims_create fills in sides as close to each other as can be, the long ones first; given ones stay. Open MPI deals out
   prime factors, which gives 12 x 6 for 72. */
#include <mpi.h>
#include "../check.h"

static void dims(int nodes, int count, int a, int b, int c, int d)
{
    int sides[4] = {a, b, c, d};
    int code = MPI_Dims_create(nodes, count, sides), class;
    MPI_Error_class(code, &class);
    if (class == MPI_SUCCESS)
        fact(0, "%d in %d: %d %d %d %d", nodes, count, sides[0], sides[1], sides[2], sides[3]);
    else
        fact(0, "%d in %d with %d %d %d %d: %s", nodes, count, a, b, c, d, class == MPI_ERR_DIMS ? "bad sides" : "wrong class");
}

static void balanced_sides(void)
{
    static const int nodes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 24, 30, 36, 48, 60, 64, 72, 96, 97, 100, 120, 128, 144, 210,
                                256, 360, 500, 512, 720, 1000, 1001, 1024, 1155, 2048, 2310, 4096, 9973, 65536, 163840};
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
        for (int count = 1; count <= 4; count++)
            dims(nodes[i], count, 0, count > 1 ? 0 : -1, count > 2 ? 0 : -1, count > 3 ? 0 : -1);
    dims(6, 3, 0, 3, 0, -1);
    dims(12, 2, 0, 3, -1, -1);
    dims(24, 4, 0, 2, 0, 3);
    dims(8, 2, 4, 2, -1, -1);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    dims(7, 3, 0, 3, 0, -1);
    dims(8, 2, -4, 0, -1, -1);
    dims(8, 2, 4, 4, -1, -1);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    balanced_sides();
    MPI_Finalize();
    return 0;
}
