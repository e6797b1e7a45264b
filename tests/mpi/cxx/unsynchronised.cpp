/* ranks: 1 3 */
// Streams that a program separates from the C library's, and all ways of printing mixed.
#include <cstdio>
#include <iostream>
#include <mpi.h>
#include <string>

int main(int argc, char **argv) {
    std::ios_base::sync_with_stdio(false);
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++) {
        std::cout << "line " + std::to_string(i) + " of " + std::to_string(rank) + "\n";
        MPI_Barrier(MPI_COMM_WORLD);
    }
    std::cout << std::flush;
    MPI_Finalize();
}
