#include <mpi.h>
#include <weir.h>
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 200; i++) {
        weir_compute(1e-6);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
}
