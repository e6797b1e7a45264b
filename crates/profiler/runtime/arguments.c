/* Words of a record: datatypes, operations, neighbors and groups. Computed behind a call that was carried out, so that arguments are what they have to be. */

static int64_t size_of(MPI_Datatype type) {
    int size = 0;
    if (type != MPI_DATATYPE_NULL)
        PMPI_Type_size(type, &size);
    return size;
}

/* The size of an element of a reduction, and the place of its name in ELEMENTS, from 1, in the bits above. */
static int64_t element_of(MPI_Datatype type) {
    int64_t name = 0;
#define IS(datatype, place) \
    if (type == datatype)   \
        name = place;
    ELEMENTS(IS)
    return size_of(type) | name << 48;
}

/* The place of an operation's name in OPERATIONS, from 1, and 256 if it commutes. */
static int64_t operation_of(MPI_Op op) {
    const MPI_Op known[] = {MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, MPI_LAND, MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_MAXLOC, MPI_MINLOC};
    int count = sizeof known / sizeof *known, place = 0, commutes = 1;
    if (op == MPI_REPLACE || op == MPI_NO_OP)
        return op == MPI_NO_OP ? 512 : 256;
    while (place < count && op != known[place])
        place++;
    if (place == count)
        PMPI_Op_commutative(op, &commutes);
    return (place + 1) | (commutes ? 256 : 0);
}

/* How many ranks blocks of a collective are for. */
static long peers(MPI_Comm comm) {
    int between = 0, size = 0;
    PMPI_Comm_test_inter(comm, &between);
    if (between)
        PMPI_Comm_remote_size(comm, &size);
    else
        PMPI_Comm_size(comm, &size);
    return size;
}

static long members(MPI_Comm comm) {
    int size = 0;
    PMPI_Comm_size(comm, &size);
    return size;
}

/* The part of a rank in a collective with a root: 1 is the root's, 2 is that of the others, 3 both. */
static int role(MPI_Comm comm, int root) {
    int between = 0, rank = 0;
    PMPI_Comm_test_inter(comm, &between);
    if (between)
        return root == MPI_ROOT ? 1 : root == MPI_PROC_NULL ? 0 : 2;
    PMPI_Comm_rank(comm, &rank);
    return rank == root ? 3 : 2;
}

/* Neighbors of this rank: how many it receives from and sends to; and who they are, unless there is no room for them. */
static void neighbors(MPI_Comm comm, int *in, int *out, int64_t *sources, int64_t *destinations) {
    int kind = MPI_UNDEFINED, rank, weighted;
    *in = *out = 0;
    PMPI_Topo_test(comm, &kind);
    if (kind == MPI_CART) {
        int sides = 0;
        PMPI_Cartdim_get(comm, &sides);
        *in = *out = 2 * sides;
        for (int side = 0; sources && side < sides; side++) {
            int low, high;
            PMPI_Cart_shift(comm, side, 1, &low, &high);
            sources[2 * side] = destinations[2 * side] = low;
            sources[2 * side + 1] = destinations[2 * side + 1] = high;
        }
    } else if (kind == MPI_GRAPH) {
        PMPI_Comm_rank(comm, &rank);
        PMPI_Graph_neighbors_count(comm, rank, in);
        *out = *in;
        if (sources) {
            int ranks[*in + 1];
            PMPI_Graph_neighbors(comm, rank, *in, ranks);
            for (int i = 0; i < *in; i++)
                sources[i] = destinations[i] = ranks[i];
        }
    } else if (kind == MPI_DIST_GRAPH) {
        PMPI_Dist_graph_neighbors_count(comm, in, out, &weighted);
        if (sources) {
            int from[*in + 1], to[*out + 1], from_weights[*in + 1], to_weights[*out + 1];
            PMPI_Dist_graph_neighbors(comm, *in, from, weighted ? from_weights : MPI_UNWEIGHTED, *out, to, weighted ? to_weights : MPI_UNWEIGHTED);
            for (int i = 0; i < *in; i++)
                sources[i] = from[i];
            for (int i = 0; i < *out; i++)
                destinations[i] = to[i];
        }
    }
}

static int64_t *write_neighbors(int64_t *to, MPI_Comm comm, int in, int out) {
    int kind = MPI_UNDEFINED;
    PMPI_Topo_test(comm, &kind);
    *to++ = in + out + 3;
    *to++ = kind == MPI_CART, *to++ = in, *to++ = out;
    neighbors(comm, &in, &out, to, to + in);
    return to + in + out;
}

/* Ranks of a group in the world; MPI_UNDEFINED for processes of other jobs. */
static int64_t *write_group(int64_t *to, MPI_Group group, int size) {
    int *ranks = malloc(2 * (size + 1) * sizeof *ranks);
    for (int i = 0; i < size; i++)
        ranks[i] = i;
    if (size > 0)
        PMPI_Group_translate_ranks(group, size, ranks, world_group, ranks + size);
    for (int i = 0; i < size; i++)
        *to++ = ranks[size + i];
    free(ranks);
    return to;
}

/* Writes who the members of a communicator are. */
static void define(MPI_Comm comm) {
    struct call at = {0, 0, 0};
    int between = 0, size = 0, others = 0;
    MPI_Group group, other = MPI_GROUP_EMPTY;
    if (comm == MPI_COMM_NULL)
        return;
    PMPI_Comm_test_inter(comm, &between);
    PMPI_Comm_group(comm, &group);
    PMPI_Group_size(group, &size);
    if (between) {
        PMPI_Comm_remote_group(comm, &other);
        PMPI_Group_size(other, &others);
    }
    /* MPICH 5.0 gives a graph that leaves ranks out the group of all: then the members tell each other who they are. */
    int in = size, *known = NULL;
    PMPI_Comm_size(comm, &in);
    if (in != size && (known = malloc(in * sizeof *known))) {
        int own_rank = (int)head->rank;
        REAL(Allgather)(&own_rank, 1, MPI_INT, known, 1, MPI_INT, comm);
        size = in;
    }
    int64_t *to = begin_record(&at, 3 + size + others);
    if (to) {
        *to++ = HANDLE(comm), *to++ = size, *to++ = others;
        for (int i = 0; known && i < size; i++)
            *to++ = known[i];
        to = known ? to : write_group(to, group, size);
        to = write_group(to, other, others);
        end_record(DEFINE, to);
    }
    free(known);
    PMPI_Group_free(&group);
    if (between)
        PMPI_Group_free(&other);
}
