/* ranks: 1 2 3 4 5 8 */
/* Reductions with operations of the program's own: commutative; not commutative (order of ranks kept); on a
   datatype of its own; applied locally. */
#include <mpi.h>
#include <stdlib.h>
#include "check.h"

static int calls; /* how often this rank was asked to combine */

/* The greater magnitude. */
static void magnitude(void *in, void *inout, int *len, MPI_Datatype *type)
{
    const int *a = in;
    int *b = inout;
    (void)type;
    calls++;
    for (int i = 0; i < *len; i++)
        if (abs(a[i]) > abs(b[i]) || (abs(a[i]) == abs(b[i]) && a[i] > b[i]))
            b[i] = a[i];
}

/* x -> p x + q: applying one map after another is associative, not commutative. Modulo a prime. */
struct map {
    long p, q;
};
enum { PRIME = 1000003 };

static struct map after(struct map first, struct map second)
{
    return (struct map){first.p * second.p % PRIME, (second.p * first.q + second.q) % PRIME};
}

static void compose(void *in, void *inout, int *len, MPI_Datatype *type)
{
    const struct map *a = in;
    struct map *b = inout;
    (void)type;
    for (int i = 0; i < *len; i++)
        b[i] = after(a[i], b[i]);
}

static struct map map_of(int rank, int i)
{
    return (struct map){3 + 2 * rank + i, 5 * rank + 7 + i};
}

/* Whether data are the maps of ranks 0 to last, one after the other. */
static int composed(const struct map *data, int n, int last)
{
    for (int i = 0; i < n; i++) {
        struct map want = map_of(0, i);
        for (int r = 1; r <= last; r++)
            want = after(want, map_of(r, i));
        if (data[i].p != want.p || data[i].q != want.q)
            return 0;
    }
    return 1;
}

enum { FEW = 3, MANY = 20000 };

int main(int argc, char **argv)
{
    int rank, size, commute;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    MPI_Op greatest, chain;
    MPI_Op_create(magnitude, 1, &greatest);
    MPI_Op_create(compose, 0, &chain);
    MPI_Op_commutative(greatest, &commute);
    check(rank, commute != 0, "a commutative operation");
    MPI_Op_commutative(chain, &commute);
    check(rank, commute == 0, "an operation that is not");
    MPI_Op_commutative(MPI_SUM, &commute);
    check(rank, commute != 0, "MPI_SUM is commutative");

    int mine[FEW], result[FEW];
    for (int i = 0; i < FEW; i++)
        mine[i] = (rank % 2 ? -1 : 1) * (10 * rank + i);
    MPI_Allreduce(mine, result, FEW, MPI_INT, greatest, MPI_COMM_WORLD);
    fact(rank, "greatest magnitudes %d %d %d", result[0], result[1], result[2]);

    MPI_Datatype map;
    MPI_Type_contiguous(2, MPI_LONG, &map);
    MPI_Type_commit(&map);
    struct map *maps = malloc(MANY * sizeof *maps), *results = malloc(MANY * sizeof *results);
    for (int i = 0; i < MANY; i++)
        maps[i] = map_of(rank, i);
    static const int counts[] = {1, FEW, MANY};
    for (int c = 0; c < 3; c++) {
        int n = counts[c];
        MPI_Allreduce(maps, results, n, map, chain, MPI_COMM_WORLD);
        check(rank, composed(results, n, size - 1), "%d maps, Allreduce", n);
        int good = 1;
        for (int root = 0; root < size; root++) {
            MPI_Reduce(maps, results, n, map, chain, root, MPI_COMM_WORLD);
            good = good && (rank != root || composed(results, n, size - 1));
        }
        check(rank, good, "%d maps, Reduce to every root", n);
        MPI_Scan(maps, results, n, map, chain, MPI_COMM_WORLD);
        check(rank, composed(results, n, rank), "%d maps, Scan", n);
        MPI_Exscan(maps, results, n, map, chain, MPI_COMM_WORLD);
        check(rank, rank == 0 || composed(results, n, rank - 1), "%d maps, Exscan", n);
    }

    struct map one = map_of(0, 0), two = map_of(1, 0);
    MPI_Reduce_local(&one, &two, 1, map, chain);
    check(rank, composed(&two, 1, 1), "Reduce_local with an operation of one's own");
    int x[] = {1, -2, 3}, y[] = {10, 20, 30};
    MPI_Reduce_local(x, y, 3, MPI_INT, MPI_SUM);
    check(rank, y[0] == 11 && y[1] == 18 && y[2] == 33, "Reduce_local with MPI_SUM");
    int before = calls;
    MPI_Reduce_local(x, y, 3, MPI_INT, greatest);
    check(rank, calls == before + 1, "the operation is called on the rank that asks");

    free(maps);
    free(results);
    MPI_Type_free(&map);
    MPI_Op_free(&greatest);
    MPI_Op_free(&chain);
    check(rank, greatest == MPI_OP_NULL && chain == MPI_OP_NULL && map == MPI_DATATYPE_NULL, "freed");
    MPI_Finalize();
    return 0;
}
