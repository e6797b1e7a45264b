/* ends: status 0 on 2 ranks */
/* prints: first 0, second 0 */
/* prints: first 1, second 1 */
#include <iostream>
#include <mpi.h>
int main(int c, char **v) {
  MPI_Init(&c, &v);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::cout << "first " << rank;
  MPI_Barrier(MPI_COMM_WORLD);
  std::cout << ", second " << rank << '\n';
  MPI_Finalize();
}
