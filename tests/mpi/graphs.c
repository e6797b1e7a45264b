/* ranks: 2 4 6 */
/* Graphs of ranks: one that all know, and two of which each knows its own edges; their neighborhood collectives. */
#include <mpi.h>
#include <stdlib.h>
#include "check.h"

static int rank, size;

static int compare_ints(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static int kind_of(MPI_Comm comm)
{
    int kind = -1;
    MPI_Topo_test(comm, &kind);
    return kind;
}

/* A star: rank 0 beside all others. The last rank of four or more is left out. */
static void star(void)
{
    int ranks = size >= 4 ? size - 1 : size, index[16], edges[32], count, kind, value, other, neighbors[16], in[16];
    MPI_Comm comm;
    for (int i = 0; i < ranks; i++)
        index[i] = i + ranks - 1;
    for (int i = 0; i < ranks - 1; i++)
        edges[i] = i + 1, edges[ranks - 1 + i] = 0;
    MPI_Graph_map(MPI_COMM_WORLD, ranks, index, edges, &value);
    /* Open MPI 4.1 has a place for the ranks that are left out, too. */
    check(rank, rank >= ranks || value == rank, "where it would be");
    MPI_Graph_create(MPI_COMM_WORLD, ranks, index, edges, 0, &comm);
    if (comm == MPI_COMM_NULL) {
        fact(rank, "star: left out");
        return;
    }
    kind = kind_of(comm);
    check(rank, kind == MPI_GRAPH, "star: kind");
    MPI_Graphdims_get(comm, &value, &other);
    fact(rank, "star: %d ranks, %d edges", value, other);
    for (int i = 0; i < 16; i++)
        index[i] = in[i] = -1;
    MPI_Graph_get(comm, ranks, other, index, edges);
    for (int i = 0; i < ranks; i++)
        fact(rank, "star: index %d is %d", i, index[i]);
    for (int i = 0; i < other; i++)
        fact(rank, "star: edge %d is %d", i, edges[i]);
    for (int i = 0; i < ranks; i++) {
        MPI_Graph_neighbors_count(comm, i, &count);
        MPI_Graph_neighbors(comm, i, 16, neighbors);
        for (int n = 0; n < count; n++)
            fact(rank, "star: neighbor %d of %d is %d", n, i, neighbors[n]);
    }
    value = 10 * rank;
    MPI_Neighbor_allgather(&value, 1, MPI_INT, in, 1, MPI_INT, comm);
    for (int i = 0; i < ranks; i++)
        fact(rank, "star: gathered %d", in[i]);
    int out[16];
    for (int i = 0; i < 16; i++)
        out[i] = 100 * rank + i, in[i] = -1;
    MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm);
    for (int i = 0; i < ranks; i++)
        fact(rank, "star: from all %d", in[i]);
    MPI_Comm copy;
    MPI_Comm_dup(comm, &copy);
    kind = kind_of(copy);
    check(rank, kind == MPI_GRAPH, "star: a duplicate");
    MPI_Comm_free(&copy);
    MPI_Comm_free(&comm);
}

/* Each sends to the next two, and receives from the two before; edges have weights. */
static void adjacent(void)
{
    int to[2] = {(rank + 1) % size, (rank + 2) % size}, from[2] = {(rank + size - 1) % size, (rank + size - 2) % size};
    int to_weights[2] = {1, 2}, from_weights[2] = {1, 2}, in_degree, out_degree, weighted;
    int sources[2], destinations[2], source_weights[2], destination_weights[2], in[4] = {-1, -1, -1, -1};
    MPI_Comm comm;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, from, from_weights, 2, to, to_weights, MPI_INFO_NULL, 0, &comm);
    check(rank, kind_of(comm) == MPI_DIST_GRAPH, "adjacent: kind");
    MPI_Dist_graph_neighbors_count(comm, &in_degree, &out_degree, &weighted);
    fact(rank, "adjacent: %d in, %d out, weighted %d", in_degree, out_degree, weighted != 0);
    MPI_Dist_graph_neighbors(comm, 2, sources, source_weights, 2, destinations, destination_weights);
    fact(rank, "adjacent: from %d %d, weights %d %d", sources[0], sources[1], source_weights[0], source_weights[1]);
    fact(rank, "adjacent: to %d %d, weights %d %d", destinations[0], destinations[1], destination_weights[0], destination_weights[1]);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, in, 1, MPI_INT, comm);
    fact(rank, "adjacent: gathered %d %d", in[0], in[1]);
    int out[2] = {100 * rank + 1, 100 * rank + 2};
    MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm);
    fact(rank, "adjacent: got %d %d", in[0], in[1]);
    /* Blocks of different lengths, with a gap before the second. */
    int long_out[3] = {rank, rank + 50, rank + 90}, counts[2] = {1, 2}, places[2] = {0, 1}, into_places[2] = {0, 2};
    MPI_Neighbor_alltoallv(long_out, counts, places, MPI_INT, in, counts, into_places, MPI_INT, comm);
    fact(rank, "adjacent: %d . %d %d", in[0], in[2], in[3]);
    MPI_Comm_free(&comm);

    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    MPI_Dist_graph_neighbors_count(comm, &in_degree, &out_degree, &weighted);
    fact(rank, "alone: %d in, %d out, weighted %d", in_degree, out_degree, weighted != 0);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, in, 1, MPI_INT, comm);
    MPI_Comm_free(&comm);
}

/* Rank 0 lists the edges of everybody: a tree with rank 0 at its root, upwards and downwards. */
static void listed(void)
{
    int sources[16], degrees[16], destinations[64], weights[64], n = 0, e = 0, in_degree, out_degree, weighted, got[32], out[32];
    MPI_Comm comm;
    for (int i = 0; rank == 0 && i < size; i++) {
        int before = e;
        for (int child = 2 * i + 1; child <= 2 * i + 2 && child < size; child++)
            destinations[e] = child, weights[e++] = 10 * i + child;
        if (i > 0)
            destinations[e] = (i - 1) / 2, weights[e++] = 1;
        sources[n] = i;
        degrees[n++] = e - before;
    }
    MPI_Dist_graph_create(MPI_COMM_WORLD, n, sources, degrees, destinations, weights, MPI_INFO_NULL, 0, &comm);
    check(rank, kind_of(comm) == MPI_DIST_GRAPH, "listed: kind");
    MPI_Dist_graph_neighbors_count(comm, &in_degree, &out_degree, &weighted);
    fact(rank, "listed: %d in, %d out, weighted %d", in_degree, out_degree, weighted != 0);
    int from[16], from_weights[16], to[16], to_weights[16];
    MPI_Dist_graph_neighbors(comm, in_degree, from, from_weights, out_degree, to, to_weights);
    /* The standard leaves the order open. */
    for (int i = 0; i < in_degree; i++)
        fact(rank, "listed: from %d, weight %d", from[i], from_weights[i]);
    for (int i = 0; i < out_degree; i++)
        fact(rank, "listed: to %d, weight %d", to[i], to_weights[i]);
    for (int i = 0; i < out_degree; i++)
        out[i] = 100 * rank + to[i];
    MPI_Neighbor_alltoall(out, 1, MPI_INT, got, 1, MPI_INT, comm);
    int good = 1;
    for (int i = 0; i < in_degree; i++)
        good = good && got[i] == 100 * from[i] + rank;
    check(rank, good, "listed: what the neighbors send");
    MPI_Comm_free(&comm);

    /* Each rank lists one edge of its neighbor; without weights. */
    int source = (rank + 1) % size, one = 1, destination = (rank + 2) % size;
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &source, &one, &destination, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    MPI_Dist_graph_neighbors_count(comm, &in_degree, &out_degree, &weighted);
    MPI_Dist_graph_neighbors(comm, in_degree, from, MPI_UNWEIGHTED, out_degree, to, MPI_UNWEIGHTED);
    qsort(from, (size_t)in_degree, sizeof *from, compare_ints);
    fact(rank, "ring: %d in, %d out, weighted %d, from %d to %d", in_degree, out_degree, weighted != 0, from[0], to[0]);
    MPI_Comm_free(&comm);
}

static int class_of(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class;
}

static void mistakes(void)
{
    int value, other;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    check(rank, class_of(MPI_Graphdims_get(MPI_COMM_WORLD, &value, &other)) == MPI_ERR_TOPOLOGY, "not a graph");
    check(rank, class_of(MPI_Dist_graph_neighbors_count(MPI_COMM_WORLD, &value, &other, &value)) == MPI_ERR_TOPOLOGY,
          "not a distributed graph");
    check(rank, MPI_Neighbor_allgather(&value, 1, MPI_INT, &other, 1, MPI_INT, MPI_COMM_WORLD) != MPI_SUCCESS, "no neighbors");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    star();
    adjacent();
    listed();
    mistakes();
    MPI_Finalize();
    return 0;
}
