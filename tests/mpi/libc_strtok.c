/* ranks: 1 2 4 */
/* strtok keeps its place in the string of each rank, although the ranks take words in turn. */
#include <mpi.h>
#include <string.h>
#include "check.h"

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char line[64];
    snprintf(line, sizeof line, "first%d,second%d;third%d fourth%d", rank, rank + 10, rank + 20, rank + 30);
    int n = 0;
    for (char *word = strtok(line, ",; "); n < 6; word = word ? strtok(NULL, ",; ") : NULL) {
        fact(rank, "word %d: %s", n++, word ? word : "none");
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
