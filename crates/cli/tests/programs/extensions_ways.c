#include <mpi.h>
#include <weir.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    static char data[4096];
    int rank, bytes = atoi(argv[1]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    weir_send_protocol(atoi(argv[2]));
    weir_send_copy(atoi(argv[3]));
    if (weir_has_send_gap() || atof(argv[4]) >= 0) weir_send_gap(atof(argv[4]));
    weir_send_nic(atoi(argv[5]));
    if (rank == 0) {
        MPI_Send(data, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        printf("sent %.0f\n", weir_now() * 1e9);
        if (argc > 6) MPI_Send(data, bytes, MPI_CHAR, 3, 0, MPI_COMM_WORLD);
    } else if (rank == 1 || (rank == 3 && argc > 6)) {
        MPI_Recv(data, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%d has it %.0f\n", rank, weir_now() * 1e9);
    }
    MPI_Finalize();
    return 0;
}
