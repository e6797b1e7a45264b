/*
 * Communicators, groups, attributes, virtual topologies, other processes. A part of mpi.h.
 */

/* Who is there. */
WEIR_MPI(int, Comm_rank, (MPI_Comm comm, int *rank));
WEIR_MPI(int, Comm_size, (MPI_Comm comm, int *size));
WEIR_MPI(int, Comm_compare, (MPI_Comm comm1, MPI_Comm comm2, int *result));
WEIR_MPI(int, Comm_group, (MPI_Comm comm, MPI_Group *group));
WEIR_MPI(int, Comm_test_inter, (MPI_Comm comm, int *flag));
WEIR_MPI(int, Comm_set_name, (MPI_Comm comm, const char *name));
WEIR_MPI(int, Comm_get_name, (MPI_Comm comm, char *name, int *length));
WEIR_MPI(int, Comm_set_info, (MPI_Comm comm, MPI_Info info));
WEIR_MPI(int, Comm_get_info, (MPI_Comm comm, MPI_Info *info));
WEIR_MPI(int, Comm_remote_size, (MPI_Comm comm, int *size));
WEIR_MPI(int, Comm_remote_group, (MPI_Comm comm, MPI_Group *group));

/* Making communicators. */
WEIR_MPI(int, Comm_dup, (MPI_Comm comm, MPI_Comm *newcomm));
WEIR_MPI(int, Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *newcomm));
WEIR_MPI(int, Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm));
WEIR_MPI(int, Comm_free, (MPI_Comm *comm));
WEIR_MPI(int, Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm));
WEIR_MPI(int, Comm_split_type, (MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm));
WEIR_MPI(int, Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm));
WEIR_MPI(int, Comm_idup, (MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request));
WEIR_MPI(int, Comm_idup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm, MPI_Request *request));
WEIR_MPI(int, Comm_create_from_group, (MPI_Group group, const char *stringtag, MPI_Info info,
                                       MPI_Errhandler errhandler, MPI_Comm *newcomm));

/* Two groups that talk to each other. */
WEIR_MPI(int, Intercomm_create, (MPI_Comm local, int local_leader, MPI_Comm peer, int remote_leader, int tag,
                                 MPI_Comm *newcomm));
WEIR_MPI(int, Intercomm_merge, (MPI_Comm intercomm, int high, MPI_Comm *newcomm));
WEIR_MPI(int, Intercomm_create_from_groups, (MPI_Group local_group, int local_leader, MPI_Group remote_group,
                                             int remote_leader, const char *stringtag, MPI_Info info,
                                             MPI_Errhandler errhandler, MPI_Comm *newintercomm));

/* Processes that join during the run. */
WEIR_MPI(int, Comm_spawn, (const char *command, char *argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm,
                           MPI_Comm *intercomm, int codes[]));
WEIR_MPI(int, Comm_get_parent, (MPI_Comm *parent));
WEIR_MPI(int, Comm_disconnect, (MPI_Comm *comm));
WEIR_MPI(int, Open_port, (MPI_Info info, char *port_name));
WEIR_MPI(int, Close_port, (const char *port_name));
WEIR_MPI(int, Comm_accept, (const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm));
WEIR_MPI(int, Comm_connect, (const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm));
WEIR_MPI(int, Comm_join, (int fd, MPI_Comm *intercomm));
WEIR_MPI(int, Comm_spawn_multiple, (int count, char *array_of_commands[], char **array_of_argv[],
                                    const int array_of_maxprocs[], const MPI_Info array_of_info[], int root,
                                    MPI_Comm comm, MPI_Comm *intercomm, int array_of_errcodes[]));
WEIR_MPI(int, Lookup_name, (const char *service_name, MPI_Info info, char *port_name));
WEIR_MPI(int, Publish_name, (const char *service_name, MPI_Info info, const char *port_name));
WEIR_MPI(int, Unpublish_name, (const char *service_name, MPI_Info info, const char *port_name));

/* Groups. */
WEIR_MPI(int, Group_size, (MPI_Group group, int *size));
WEIR_MPI(int, Group_rank, (MPI_Group group, int *rank));
WEIR_MPI(int, Group_incl, (MPI_Group group, int n, const int ranks[], MPI_Group *newgroup));
WEIR_MPI(int, Group_excl, (MPI_Group group, int n, const int ranks[], MPI_Group *newgroup));
WEIR_MPI(int, Group_range_incl, (MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup));
WEIR_MPI(int, Group_union, (MPI_Group group1, MPI_Group group2, MPI_Group *newgroup));
WEIR_MPI(int, Group_intersection, (MPI_Group group1, MPI_Group group2, MPI_Group *newgroup));
WEIR_MPI(int, Group_difference, (MPI_Group group1, MPI_Group group2, MPI_Group *newgroup));
WEIR_MPI(int, Group_compare, (MPI_Group group1, MPI_Group group2, int *result));
WEIR_MPI(int, Group_translate_ranks, (MPI_Group group1, int n, const int ranks1[], MPI_Group group2, int ranks2[]));
WEIR_MPI(int, Group_free, (MPI_Group *group));
WEIR_MPI(int, Group_range_excl, (MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup));
WEIR_MPI(int, Group_from_session_pset, (MPI_Session session, const char *pset_name, MPI_Group *newgroup));

/* Attributes of communicators; those without Comm_ are the names of MPI-1. */
WEIR_MPI(int, Comm_create_keyval, (MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *del, int *key,
                                   void *extra));
WEIR_MPI(int, Comm_free_keyval, (int *key));
WEIR_MPI(int, Comm_set_attr, (MPI_Comm comm, int key, void *value));
WEIR_MPI(int, Comm_get_attr, (MPI_Comm comm, int key, void *value_address, int *flag));
WEIR_MPI(int, Comm_delete_attr, (MPI_Comm comm, int key));
WEIR_MPI(int, Keyval_create, (MPI_Copy_function *copy, MPI_Delete_function *del, int *key, void *extra));
WEIR_MPI(int, Keyval_free, (int *key));
WEIR_MPI(int, Attr_put, (MPI_Comm comm, int key, void *value));
WEIR_MPI(int, Attr_get, (MPI_Comm comm, int key, void *value_address, int *flag));
WEIR_MPI(int, Attr_delete, (MPI_Comm comm, int key));

/* Virtual topologies: grids and graphs. */
WEIR_MPI(int, Dims_create, (int nnodes, int ndims, int dims[]));
WEIR_MPI(int, Topo_test, (MPI_Comm comm, int *kind));
WEIR_MPI(int, Cart_create, (MPI_Comm comm, int ndims, const int dims[], const int periods[], int reorder,
                            MPI_Comm *newcomm));
WEIR_MPI(int, Cart_map, (MPI_Comm comm, int ndims, const int dims[], const int periods[], int *newrank));
WEIR_MPI(int, Cart_sub, (MPI_Comm comm, const int remain[], MPI_Comm *newcomm));
WEIR_MPI(int, Cartdim_get, (MPI_Comm comm, int *ndims));
WEIR_MPI(int, Cart_get, (MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[]));
WEIR_MPI(int, Cart_coords, (MPI_Comm comm, int rank, int maxdims, int coords[]));
WEIR_MPI(int, Cart_rank, (MPI_Comm comm, const int coords[], int *rank));
WEIR_MPI(int, Cart_shift, (MPI_Comm comm, int direction, int displacement, int *source, int *dest));
WEIR_MPI(int, Graph_create, (MPI_Comm comm, int nnodes, const int index[], const int edges[], int reorder,
                             MPI_Comm *newcomm));
WEIR_MPI(int, Graph_map, (MPI_Comm comm, int nnodes, const int index[], const int edges[], int *newrank));
WEIR_MPI(int, Graphdims_get, (MPI_Comm comm, int *nnodes, int *nedges));
WEIR_MPI(int, Graph_get, (MPI_Comm comm, int maxindex, int maxedges, int index[], int edges[]));
WEIR_MPI(int, Graph_neighbors_count, (MPI_Comm comm, int rank, int *count));
WEIR_MPI(int, Graph_neighbors, (MPI_Comm comm, int rank, int maxneighbors, int neighbors[]));
WEIR_MPI(int, Dist_graph_create, (MPI_Comm comm, int n, const int sources[], const int degrees[],
                                  const int destinations[], const int *weights, MPI_Info info, int reorder,
                                  MPI_Comm *newcomm));
WEIR_MPI(int, Dist_graph_create_adjacent, (MPI_Comm comm, int indegree, const int sources[],
                                           const int *sourceweights, int outdegree, const int destinations[],
                                           const int *destweights, MPI_Info info, int reorder, MPI_Comm *newcomm));
WEIR_MPI(int, Dist_graph_neighbors_count, (MPI_Comm comm, int *indegree, int *outdegree, int *weighted));
WEIR_MPI(int, Dist_graph_neighbors, (MPI_Comm comm, int maxindegree, int sources[], int *sourceweights,
                                     int maxoutdegree, int destinations[], int *destweights));
