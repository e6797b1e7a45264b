/* ranks: 1 2 3 */
/* Memory attached to a window in pieces that touch each other: accesses may reach over several. */
#include <mpi.h>
#include "../check.h"

enum { N = 12 };

static int memory[N + 1];

int main(int argc, char **argv)
{
    int rank, size, in[N], out[N];
    MPI_Win win;
    MPI_Aint own, places[8];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_attach(win, memory + 4, 3 * sizeof(int));
    MPI_Win_attach(win, memory, 4 * sizeof(int));
    MPI_Win_attach(win, memory + 7, 5 * sizeof(int));
    MPI_Get_address(memory, &own);
    MPI_Allgather(&own, 1, MPI_AINT, places, 1, MPI_AINT, MPI_COMM_WORLD);
    int next = (rank + 1) % size;
    for (int i = 0; i < N; i++)
        out[i] = 100 * rank + i;
    MPI_Win_fence(0, win);
    MPI_Put(out, N, MPI_INT, next, places[next], N, MPI_INT, win);
    MPI_Win_fence(0, win);
    int good = 1;
    for (int i = 0; i < N; i++)
        good = good && memory[i] == 100 * ((rank + size - 1) % size) + i;
    check(rank, good && memory[N] == 0, "a put over three pieces");
    MPI_Get(in, 4, MPI_INT, next, places[next] + 2 * (MPI_Aint)sizeof(int), 4, MPI_INT, win);
    MPI_Win_fence(0, win);
    check(rank, in[0] == 100 * rank + 2 && in[3] == 100 * rank + 5, "a get over two");
    MPI_Accumulate(out, N, MPI_INT, next, places[next], N, MPI_INT, MPI_SUM, win);
    MPI_Win_fence(0, win);
    check(rank, memory[5] == 2 * (100 * ((rank + size - 1) % size) + 5), "an accumulate");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_detach(win, memory + 4);
    MPI_Win_detach(win, memory);
    MPI_Win_detach(win, memory + 7);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
