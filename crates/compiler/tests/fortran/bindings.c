// BY_HAND

BINDING(ialltoallw, (void *sendbuf, void *sendcounts, void *sdispls, integer *sendtypes, void *recvbuf, void *recvcounts, void *rdispls, integer *recvtypes, integer *comm, integer *request, integer *ierror)) {
    long sendtypes_length = weir_on_all(weir_handle(*comm));
    void **sendtypes_ = weir_handles(sendtypes, sendtypes_length);
    long recvtypes_length = weir_on_all(weir_handle(*comm));
    void **recvtypes_ = weir_handles(recvtypes, recvtypes_length);
    void *request_ = weir_handle(*request);
    GIVE(PMPI_Ialltoallw(weir_address(sendbuf), sendcounts, sdispls, (MPI_Datatype *)sendtypes_, weir_address(recvbuf), recvcounts, rdispls, (MPI_Datatype *)recvtypes_, weir_handle(*comm), (MPI_Request *)&request_));
    *request = weir_number(request_);
}

BINDING(alltoallw_init, (void *sendbuf, void *sendcounts, void *sdispls, integer *sendtypes, void *recvbuf, void *recvcounts, void *rdispls, integer *recvtypes, integer *comm, integer *info, integer *request, integer *ierror)) {
    long sendtypes_length = weir_on_all(weir_handle(*comm));
    void **sendtypes_ = weir_handles(sendtypes, sendtypes_length);
    long recvtypes_length = weir_on_all(weir_handle(*comm));
    void **recvtypes_ = weir_handles(recvtypes, recvtypes_length);
    void *request_ = weir_handle(*request);
    GIVE(PMPI_Alltoallw_init(weir_address(sendbuf), sendcounts, sdispls, (MPI_Datatype *)sendtypes_, weir_address(recvbuf), recvcounts, rdispls, (MPI_Datatype *)recvtypes_, weir_handle(*comm), weir_handle(*info), (MPI_Request *)&request_));
    *request = weir_number(request_);
}

BINDING(bcast_init, (void *buf, integer *count, integer *type, integer *root, integer *comm, integer *info, integer *request, integer *ierror)) {
    void *request_ = weir_handle(*request);
    GIVE(PMPI_Bcast_init(weir_address(buf), *count, weir_handle(*type), *root, weir_handle(*comm), weir_handle(*info), (MPI_Request *)&request_));
    *request = weir_number(request_);
}

BINDING(neighbor_alltoallw, (void *sendbuf, void *sendcounts, void *sdispls, integer *sendtypes, void *recvbuf, void *recvcounts, void *rdispls, integer *recvtypes, integer *comm, integer *ierror)) {
    long sendtypes_length = weir_neighbors(weir_handle(*comm), 1);
    void **sendtypes_ = weir_handles(sendtypes, sendtypes_length);
    long recvtypes_length = weir_neighbors(weir_handle(*comm), 0);
    void **recvtypes_ = weir_handles(recvtypes, recvtypes_length);
    GIVE(PMPI_Neighbor_alltoallw(weir_address(sendbuf), sendcounts, sdispls, (MPI_Datatype *)sendtypes_, weir_address(recvbuf), recvcounts, rdispls, (MPI_Datatype *)recvtypes_, weir_handle(*comm)));
    free(sendtypes_);
    free(recvtypes_);
}

BINDING(ineighbor_alltoallw, (void *sendbuf, void *sendcounts, void *sdispls, integer *sendtypes, void *recvbuf, void *recvcounts, void *rdispls, integer *recvtypes, integer *comm, integer *request, integer *ierror)) {
    long sendtypes_length = weir_neighbors(weir_handle(*comm), 1);
    void **sendtypes_ = weir_handles(sendtypes, sendtypes_length);
    long recvtypes_length = weir_neighbors(weir_handle(*comm), 0);
    void **recvtypes_ = weir_handles(recvtypes, recvtypes_length);
    void *request_ = weir_handle(*request);
    GIVE(PMPI_Ineighbor_alltoallw(weir_address(sendbuf), sendcounts, sdispls, (MPI_Datatype *)sendtypes_, weir_address(recvbuf), recvcounts, rdispls, (MPI_Datatype *)recvtypes_, weir_handle(*comm), (MPI_Request *)&request_));
    *request = weir_number(request_);
}

BINDING(op_create, (void *function, integer *commute, integer *op, integer *ierror)) {
    void *op_ = weir_handle(*op);
    GIVE(PMPI_Op_create(function, *commute, (MPI_Op *)&op_));
    *op = weir_number(op_);
}

BINDING(comm_set_name, (integer *comm, char *name, integer *ierror, size_t name_length)) {
    char *name_ = weir_text(name, name_length, 1);
    GIVE(PMPI_Comm_set_name(weir_handle(*comm), name_));
    free(name_);
}

BINDING(comm_dup, (integer *comm, integer *newcomm, integer *ierror)) {
    void *newcomm_ = weir_handle(*newcomm);
    GIVE(PMPI_Comm_dup(weir_handle(*comm), (MPI_Comm *)&newcomm_));
    *newcomm = weir_number(newcomm_);
}
REFUSED(comm_spawn, "MPI_Comm_spawn")

BINDING(group_incl, (integer *group, integer *n, void *ranks, integer *newgroup, integer *ierror)) {
    void *newgroup_ = weir_handle(*newgroup);
    GIVE(PMPI_Group_incl(weir_handle(*group), *n, ranks, (MPI_Group *)&newgroup_));
    *newgroup = weir_number(newgroup_);
}

BINDING(cart_create, (integer *comm, integer *ndims, void *dims, void *periods, integer *reorder, integer *newcomm, integer *ierror)) {
    void *newcomm_ = weir_handle(*newcomm);
    GIVE(PMPI_Cart_create(weir_handle(*comm), *ndims, dims, periods, *reorder, (MPI_Comm *)&newcomm_));
    *newcomm = weir_number(newcomm_);
}

BINDING(dist_graph_neighbors, (integer *comm, integer *maxindegree, void *sources, void *sourceweights, integer *maxoutdegree, void *destinations, void *destweights, integer *ierror)) {
    GIVE(PMPI_Dist_graph_neighbors(weir_handle(*comm), *maxindegree, sources, weir_weights_or_none(sourceweights), *maxoutdegree, destinations, weir_weights_or_none(destweights)));
}

BINDING(type_create_hvector, (integer *count, integer *blocklength, MPI_Count *stride, integer *oldtype, integer *newtype, integer *ierror)) {
    void *newtype_ = weir_handle(*newtype);
    GIVE(PMPI_Type_create_hvector(*count, *blocklength, *stride, weir_handle(*oldtype), (MPI_Datatype *)&newtype_));
    *newtype = weir_number(newtype_);
}

BINDING(type_get_contents, (integer *type, integer *max_integers, integer *max_addresses, integer *max_datatypes, void *integers, void *addresses, integer *datatypes, integer *ierror)) {
    long datatypes_length = *max_datatypes;
    void **datatypes_ = weir_handles(datatypes, datatypes_length);
    GIVE(PMPI_Type_get_contents(weir_handle(*type), *max_integers, *max_addresses, *max_datatypes, integers, addresses, (MPI_Datatype *)datatypes_));
    weir_give_numbers(datatypes, datatypes_, datatypes_length);
    free(datatypes_);
}

BINDING(get_processor_name, (char *name, integer *length, integer *ierror, size_t name_length)) {
    char *name_ = weir_room(MPI_MAX_LIBRARY_VERSION_STRING);
    GIVE(PMPI_Get_processor_name(name_, length));
    weir_give_text(name, name_length, name_);
}

BINDING(get_address, (void *location, void *address, integer *ierror)) {
    GIVE(PMPI_Get_address(weir_address(location), address));
}

BINDING(info_get, (integer *info, char *key, integer *length, char *value, integer *flag, integer *ierror, size_t key_length, size_t value_length)) {
    char *key_ = weir_text(key, key_length, 0);
    char *value_ = weir_room(*length);
    GIVE(PMPI_Info_get(weir_handle(*info), key_, *length, value_, flag));
    free(key_);
    weir_give_text(value, value_length, value_);
}
REFUSED(info_get_nthkey, "MPI_Info_get_nthkey")

BINDING(file_write_at, (integer *fh, MPI_Count *offset, void *buf, integer *count, integer *type, void *status, integer *ierror)) {
    GIVE(PMPI_File_write_at(weir_handle(*fh), *offset, weir_address(buf), *count, weir_handle(*type), weir_status_or_none(status)));
}

BINDING(send, (void *buf, integer *count, integer *type, integer *dest, integer *tag, integer *comm, integer *ierror)) {
    GIVE(PMPI_Send(weir_address(buf), *count, weir_handle(*type), *dest, *tag, weir_handle(*comm)));
}

BINDING(isend, (void *buf, integer *count, integer *type, integer *dest, integer *tag, integer *comm, integer *request, integer *ierror)) {
    void *request_ = weir_handle(*request);
    GIVE(PMPI_Isend(weir_address(buf), *count, weir_handle(*type), *dest, *tag, weir_handle(*comm), (MPI_Request *)&request_));
    *request = weir_number(request_);
}

BINDING(waitall, (integer *count, integer *requests, void *statuses, integer *ierror)) {
    long requests_length = *count;
    void **requests_ = weir_handles(requests, requests_length);
    GIVE(PMPI_Waitall(*count, (MPI_Request *)requests_, weir_status_or_none(statuses)));
    weir_give_numbers(requests, requests_, requests_length);
    free(requests_);
}

BINDING(waitany, (integer *count, integer *requests, integer *index, void *status, integer *ierror)) {
    long requests_length = *count;
    void **requests_ = weir_handles(requests, requests_length);
    *index = MPI_UNDEFINED;
    GIVE(PMPI_Waitany(*count, (MPI_Request *)requests_, index, weir_status_or_none(status)));
    weir_give_numbers(requests, requests_, requests_length);
    free(requests_);
    if (*index != MPI_UNDEFINED)
        ++*index;
}

BINDING(waitsome, (integer *incount, integer *requests, integer *outcount, integer *indices, void *statuses, integer *ierror)) {
    long requests_length = *incount;
    void **requests_ = weir_handles(requests, requests_length);
    *outcount = 0;
    GIVE(PMPI_Waitsome(*incount, (MPI_Request *)requests_, outcount, indices, weir_status_or_none(statuses)));
    weir_give_numbers(requests, requests_, requests_length);
    free(requests_);
    for (int i = 0; i < *outcount; i++)
        ++indices[i];
}

BINDING(startall, (integer *count, integer *requests, integer *ierror)) {
    long requests_length = *count;
    void **requests_ = weir_handles(requests, requests_length);
    GIVE(PMPI_Startall(*count, (MPI_Request *)requests_));
    weir_give_numbers(requests, requests_, requests_length);
    free(requests_);
}

BINDING(win_allocate, (MPI_Count *size, integer *unit, integer *info, integer *comm, void *base_address, integer *win, integer *ierror)) {
    void *win_ = weir_handle(*win);
    GIVE(PMPI_Win_allocate(*size, *unit, weir_handle(*info), weir_handle(*comm), base_address, (MPI_Win *)&win_));
    *win = weir_number(win_);
}
// SECTIONS

void mpi_ialltoallw_f08ts_(CFI_cdesc_t *sendbuf, void *sendcounts, void *sdispls, void *sendtypes, CFI_cdesc_t *recvbuf, void *recvcounts, void *rdispls, void *recvtypes, void *comm, void *request, integer *ierror) {
    struct weir_section sendbuf_;
    struct weir_section recvbuf_;
    mpi_ialltoallw_(weir_section(sendbuf, &sendbuf_), sendcounts, sdispls, sendtypes, weir_section(recvbuf, &recvbuf_), recvcounts, rdispls, recvtypes, comm, request, ierror);
}

void mpi_alltoallw_init_f08ts_(CFI_cdesc_t *sendbuf, void *sendcounts, void *sdispls, void *sendtypes, CFI_cdesc_t *recvbuf, void *recvcounts, void *rdispls, void *recvtypes, void *comm, void *info, void *request, integer *ierror) {
    struct weir_section sendbuf_;
    struct weir_section recvbuf_;
    mpi_alltoallw_init_(weir_section(sendbuf, &sendbuf_), sendcounts, sdispls, sendtypes, weir_section(recvbuf, &recvbuf_), recvcounts, rdispls, recvtypes, comm, info, request, ierror);
}

void mpi_bcast_init_f08ts_(CFI_cdesc_t *buf, void *count, void *type, void *root, void *comm, void *info, void *request, integer *ierror) {
    struct weir_section buf_;
    mpi_bcast_init_(weir_section(buf, &buf_), count, type, root, comm, info, request, ierror);
}

void mpi_ineighbor_alltoallw_f08ts_(CFI_cdesc_t *sendbuf, void *sendcounts, void *sdispls, void *sendtypes, CFI_cdesc_t *recvbuf, void *recvcounts, void *rdispls, void *recvtypes, void *comm, void *request, integer *ierror) {
    struct weir_section sendbuf_;
    struct weir_section recvbuf_;
    mpi_ineighbor_alltoallw_(weir_section(sendbuf, &sendbuf_), sendcounts, sdispls, sendtypes, weir_section(recvbuf, &recvbuf_), recvcounts, rdispls, recvtypes, comm, request, ierror);
}

void mpi_get_address_f08ts_(CFI_cdesc_t *location, void *address, integer *ierror) {
    mpi_get_address_(location->base_addr, address, ierror);
}

void mpi_isend_f08ts_(CFI_cdesc_t *buf, void *count, void *type, void *dest, void *tag, void *comm, void *request, integer *ierror) {
    struct weir_section buf_;
    mpi_isend_(weir_section(buf, &buf_), count, type, dest, tag, comm, request, ierror);
}
