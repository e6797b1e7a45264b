#include <mpi.h>
#include <weir.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (volatile int i = 0; i < 60000000; i++) ;
    BSIM_ADD_TIME(1e-6);
    weir_compute(1e-6);
    MPI_Finalize();
    return 0;
}
