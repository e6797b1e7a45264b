#include <mpi.h>
namespace inner {
void pair() {
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD); } }
int main(int c, char **v) {
  MPI_Init(&c, &v);
  for (int i = 0; i < 3; i++) {
    MPI_Barrier(MPI_COMM_WORLD);
    inner::pair(); }
  MPI_Finalize();
}
