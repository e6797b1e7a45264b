/* ranks: 2 3 5 */
/* Two groups that talk to each other: making them, messages, collectives. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int world_rank, world_size;

/* What a rank of the world gives. */
static int value(int rank, int part)
{
    return 100 * (rank + 1) + part;
}

static void messages(MPI_Comm inter, int first_of_remote)
{
    int rank, remote, size;
    MPI_Comm_rank(inter, &rank);
    MPI_Comm_size(inter, &size);
    MPI_Comm_remote_size(inter, &remote);
    MPI_Request requests[2];
    int got[16], given = value(world_rank, 0), back = -1;
    for (int other = 0; other < remote; other++) {
        MPI_Irecv(&got[other], 1, MPI_INT, other, 4, inter, &requests[0]);
        MPI_Isend(&given, 1, MPI_INT, other, 4, inter, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        if (got[other] % 100 != 0)
            printf("rank %d: got %d\n", world_rank, got[other]);
    }
    int first = first_of_remote == 0 ? value(0, 0) : value(first_of_remote, 0);
    printf("rank %d: first of the others gives %d, expected %d\n", world_rank, got[0], first);
    /* A wildcard, and a status that names a rank of the other group. */
    MPI_Status status;
    if (rank == 0) {
        MPI_Send(&given, 1, MPI_INT, remote - 1, 7, inter);
    }
    if (rank == size - 1) {
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, inter, &status);
        MPI_Recv(&back, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, inter, &status);
        printf("rank %d: from %d tag %d: %d\n", world_rank, status.MPI_SOURCE, status.MPI_TAG, back);
    }
}

static void collectives(MPI_Comm inter, int is_low)
{
    int rank, size, remote;
    MPI_Comm_rank(inter, &rank);
    MPI_Comm_size(inter, &size);
    MPI_Comm_remote_size(inter, &remote);
    MPI_Barrier(inter);
    for (int side = 0; side < 2; side++) {
        int in_root_group = is_low == side;
        int roots = in_root_group ? size : remote;
        int root_rank = roots - 1;
        int root = in_root_group ? (rank == root_rank ? MPI_ROOT : MPI_PROC_NULL) : root_rank;
        int data[4] = {value(world_rank, 1), value(world_rank, 2), 0, 0};
        MPI_Bcast(data, 2, MPI_INT, root, inter);
        printf("bcast %d: rank %d has %d %d\n", side, world_rank, data[0], data[1]);

        int all[16] = {0}, own[2] = {value(world_rank, 3), value(world_rank, 4)};
        MPI_Gather(own, 2, MPI_INT, all, 2, MPI_INT, root, inter);
        int counts[8], places[8], sum = 0;
        for (int i = 0; i < remote; i++) {
            counts[i] = i + 1;
            places[i] = sum;
            sum += i + 1;
        }
        if (root == MPI_ROOT)
            for (int i = 0; i < remote; i++)
                printf("gather %d: rank %d has %d %d\n", side, world_rank, all[2 * i], all[2 * i + 1]);
        int mine[8], from_all[64];
        for (int i = 0; i < 8; i++)
            mine[i] = value(world_rank, 10 + i);
        MPI_Gatherv(mine, rank + 1, MPI_INT, from_all, counts, places, MPI_INT, root, inter);
        if (root == MPI_ROOT)
            for (int i = 0; i < sum; i++)
                printf("gatherv %d: rank %d has %d\n", side, world_rank, from_all[i]);

        int out[64], in[8] = {0};
        for (int i = 0; i < 64; i++)
            out[i] = value(world_rank, 20 + i);
        MPI_Scatter(out, 2, MPI_INT, in, 2, MPI_INT, root, inter);
        printf("scatter %d: rank %d has %d %d\n", side, world_rank, in[0], in[1]);
        memset(in, 0, sizeof in);
        MPI_Scatterv(out, counts, places, MPI_INT, in, rank + 1, MPI_INT, root, inter);
        printf("scatterv %d: rank %d has %d %d\n", side, world_rank, in[0], in[rank]);

        int reduced[2] = {0};
        MPI_Reduce(own, reduced, 2, MPI_INT, MPI_SUM, root, inter);
        printf("reduce %d: rank %d has %d %d\n", side, world_rank, reduced[0], reduced[1]);
    }

    int own[2] = {value(world_rank, 5), value(world_rank, 6)}, all[16] = {0};
    MPI_Allgather(own, 2, MPI_INT, all, 2, MPI_INT, inter);
    for (int i = 0; i < 2 * remote; i++)
        printf("allgather: rank %d has %d\n", world_rank, all[i]);
    int counts[8], places[8], sum = 0;
    for (int i = 0; i < remote; i++) {
        counts[i] = i + 1;
        places[i] = sum;
        sum += i + 1;
    }
    int mine[8], from_all[64];
    for (int i = 0; i < 8; i++)
        mine[i] = value(world_rank, 10 + i);
    MPI_Allgatherv(mine, rank + 1, MPI_INT, from_all, counts, places, MPI_INT, inter);
    for (int i = 0; i < sum; i++)
        printf("allgatherv: rank %d has %d\n", world_rank, from_all[i]);

    int out[16], in[16];
    for (int i = 0; i < 16; i++)
        out[i] = value(world_rank, 30 + i);
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, inter);
    for (int i = 0; i < remote; i++)
        printf("alltoall: rank %d has %d\n", world_rank, in[i]);
    int ones[8], spots[8], bytes[8];
    MPI_Datatype types[8];
    for (int i = 0; i < 8; i++) {
        ones[i] = 1;
        spots[i] = i;
        bytes[i] = 4 * i;
        types[i] = MPI_INT;
    }
    memset(in, 0, sizeof in);
    MPI_Alltoallv(out, ones, spots, MPI_INT, in, ones, spots, MPI_INT, inter);
    printf("alltoallv: rank %d has %d\n", world_rank, in[remote - 1]);
    memset(in, 0, sizeof in);
    MPI_Alltoallw(out, ones, bytes, types, in, ones, bytes, types, inter);
    printf("alltoallw: rank %d has %d\n", world_rank, in[remote - 1]);

    int result[8] = {0};
    MPI_Allreduce(own, result, 2, MPI_INT, MPI_SUM, inter);
    printf("allreduce: rank %d has %d %d\n", world_rank, result[0], result[1]);
    /* Both groups get as many elements: the product of their sizes. */
    int blocks[8], big[64];
    for (int i = 0; i < 64; i++)
        big[i] = value(world_rank, i);
    for (int i = 0; i < size; i++)
        blocks[i] = remote;
    memset(result, 0, sizeof result);
    MPI_Reduce_scatter(big, result, blocks, MPI_INT, MPI_SUM, inter);
    for (int i = 0; i < remote; i++)
        printf("reduce_scatter: rank %d has %d\n", world_rank, result[i]);
    memset(result, 0, sizeof result);
    MPI_Reduce_scatter_block(big, result, remote, MPI_INT, MPI_SUM, inter);
    for (int i = 0; i < remote; i++)
        printf("reduce_scatter_block: rank %d has %d\n", world_rank, result[i]);

    /* Those that go on. */
    MPI_Request request;
    MPI_Iallreduce(own, result, 2, MPI_INT, MPI_MAX, inter, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    printf("iallreduce: rank %d has %d %d\n", world_rank, result[0], result[1]);
    MPI_Ibarrier(inter, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void describe(const char *what, MPI_Comm comm)
{
    if (comm == MPI_COMM_NULL) {
        printf("%s: rank %d has none\n", what, world_rank);
        return;
    }
    int inter, rank, size, remote = -1;
    MPI_Comm_test_inter(comm, &inter);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (inter)
        MPI_Comm_remote_size(comm, &remote);
    printf("%s: rank %d is %d of %d, others %d\n", what, world_rank, rank, size, remote);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    int low = world_size / 2;
    int is_low = world_rank < low;
    MPI_Comm half, inter, peer;
    MPI_Comm_dup(MPI_COMM_WORLD, &peer);
    MPI_Comm_split(MPI_COMM_WORLD, is_low, world_rank, &half);
    MPI_Intercomm_create(half, 0, peer, is_low ? low : 0, 12, &inter);
    describe("made", inter);
    messages(inter, is_low ? low : 0);
    collectives(inter, is_low);

    /* Both groups in one, either first. */
    for (int high = 0; high < 2; high++) {
        MPI_Comm merged;
        MPI_Intercomm_merge(inter, high == is_low, &merged);
        describe("merged", merged);
        int sum;
        MPI_Allreduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, merged);
        printf("merged: sum %d\n", sum);
        MPI_Comm_free(&merged);
    }

    /* Duplicates, parts. */
    MPI_Comm copy, part;
    MPI_Comm_dup(inter, &copy);
    describe("dup", copy);
    int result;
    MPI_Comm_compare(inter, copy, &result);
    printf("compare: congruent %d\n", result == MPI_CONGRUENT);
    MPI_Comm_compare(inter, inter, &result);
    printf("compare: ident %d\n", result == MPI_IDENT);
    MPI_Comm_compare(inter, half, &result);
    printf("compare: unequal %d\n", result == MPI_UNEQUAL);
    messages(copy, is_low ? low : 0);
    MPI_Comm_free(&copy);

    MPI_Comm_split(inter, 0, -world_rank, &part);
    describe("split", part);
    int sum;
    MPI_Allreduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, part);
    printf("split: rank %d has %d\n", world_rank, sum);
    MPI_Comm_free(&part);

    MPI_Group group, first, remote_group;
    int zero = 0, members;
    MPI_Comm_group(inter, &group);
    MPI_Comm_remote_group(inter, &remote_group);
    MPI_Group_size(remote_group, &members);
    printf("remote group: %d\n", members);
    MPI_Group_incl(group, 1, &zero, &first);
    MPI_Comm_create(inter, first, &part);
    describe("create", part);
    if (part != MPI_COMM_NULL)
        MPI_Comm_free(&part);
    MPI_Group_free(&group);
    MPI_Group_free(&first);
    MPI_Group_free(&remote_group);

    MPI_Comm parent;
    MPI_Comm_get_parent(&parent);
    printf("parent: %d\n", parent == MPI_COMM_NULL);
    MPI_Comm_disconnect(&inter);
    printf("disconnected: %d\n", inter == MPI_COMM_NULL);
    MPI_Comm_free(&half);
    MPI_Comm_free(&peer);
    MPI_Finalize();
    return 0;
}
