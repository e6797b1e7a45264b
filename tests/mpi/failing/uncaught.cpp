/* ends: status 1 on 2 ranks */
/* says: this is not caught */
/* says: rank 0: it crashed in or after MPI_Init: abort */
#include <mpi.h>
#include <stdexcept>
int main(int c, char **v) {
  MPI_Init(&c, &v);
  throw std::runtime_error("this is not caught");
}
