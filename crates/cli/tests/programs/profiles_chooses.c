#include <mpi.h>
#include <weir.h>
static char out[200000], in[200000];
int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int step = 0; step < 6; step++) {
        MPI_Request requests[4];
        weir_send_protocol(step % 2 ? WEIR_EAGER : WEIR_RENDEZVOUS);
        weir_send_copy(step < 3 ? WEIR_ZERO_COPY : WEIR_ONE_COPY);
        weir_send_nic(step == 4 ? WEIR_NIC_AUTO : step % weir_nics());
        if (weir_has_send_gap()) weir_send_gap(step == 5 ? WEIR_GAP_AUTO : 0.3 * step);
        for (int k = 0; k < 2; k++) {
            MPI_Irecv(in, 200000, MPI_CHAR, (rank + size - 1 - k) % size, 0, MPI_COMM_WORLD, &requests[k]);
            MPI_Isend(out, 30000 << step % 3, MPI_CHAR, (rank + 1 + k) % size, 0, MPI_COMM_WORLD,
                      &requests[2 + k]);
        }
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
