/*
 * Datatypes and packing. A part of mpi.h.
 */

/* Making datatypes. Displacements and strides are in elements, those of "create_h..." in bytes. */
WEIR_MPI(int, Type_contiguous, (int count, MPI_Datatype oldtype, MPI_Datatype *newtype));
WEIR_MPI(int, Type_contiguous_c, (MPI_Count count, MPI_Datatype oldtype, MPI_Datatype *newtype));
WEIR_MPI(int, Type_vector, (int count, int blocklength, int stride, MPI_Datatype oldtype, MPI_Datatype *newtype));
WEIR_MPI(int, Type_vector_c, (MPI_Count count, MPI_Count blocklength, MPI_Count stride, MPI_Datatype oldtype,
                              MPI_Datatype *newtype));
WEIR_MPI(int, Type_create_hvector, (int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
                                    MPI_Datatype *newtype));
WEIR_MPI(int, Type_create_hvector_c, (MPI_Count count, MPI_Count blocklength, MPI_Count stride, MPI_Datatype oldtype,
                                      MPI_Datatype *newtype));
WEIR_MPI(int, Type_indexed, (int count, const int blocklengths[], const int displs[], MPI_Datatype oldtype,
                             MPI_Datatype *newtype));
WEIR_MPI(int, Type_indexed_c, (MPI_Count count, const MPI_Count array_of_blocklengths[],
                               const MPI_Count array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype));
WEIR_MPI(int, Type_create_hindexed, (int count, const int blocklengths[], const MPI_Aint displs[],
                                     MPI_Datatype oldtype, MPI_Datatype *newtype));
WEIR_MPI(int, Type_create_hindexed_c, (MPI_Count count, const MPI_Count array_of_blocklengths[],
                                       const MPI_Count array_of_displacements[], MPI_Datatype oldtype,
                                       MPI_Datatype *newtype));
WEIR_MPI(int, Type_create_indexed_block, (int count, int blocklength, const int displs[], MPI_Datatype oldtype,
                                          MPI_Datatype *newtype));
WEIR_MPI(int, Type_create_indexed_block_c, (MPI_Count count, MPI_Count blocklength,
                                            const MPI_Count array_of_displacements[], MPI_Datatype oldtype,
                                            MPI_Datatype *newtype));
WEIR_MPI(int, Type_create_hindexed_block, (int count, int blocklength, const MPI_Aint displs[], MPI_Datatype oldtype,
                                           MPI_Datatype *newtype));
WEIR_MPI(int, Type_create_hindexed_block_c, (MPI_Count count, MPI_Count blocklength,
                                             const MPI_Count array_of_displacements[], MPI_Datatype oldtype,
                                             MPI_Datatype *newtype));
WEIR_MPI(int, Type_create_struct, (int count, const int blocklengths[], const MPI_Aint displs[],
                                   const MPI_Datatype types[], MPI_Datatype *newtype));
WEIR_MPI(int, Type_create_struct_c, (MPI_Count count, const MPI_Count array_of_blocklengths[],
                                     const MPI_Count array_of_displacements[], const MPI_Datatype array_of_types[],
                                     MPI_Datatype *newtype));
WEIR_MPI(int, Type_create_subarray, (int ndims, const int sizes[], const int subsizes[], const int starts[],
                                     int order, MPI_Datatype oldtype, MPI_Datatype *newtype));
WEIR_MPI(int, Type_create_subarray_c, (int ndims, const MPI_Count array_of_sizes[],
                                       const MPI_Count array_of_subsizes[], const MPI_Count array_of_starts[],
                                       int order, MPI_Datatype oldtype, MPI_Datatype *newtype));
WEIR_MPI(int, Type_create_darray, (int size, int rank, int ndims, const int gsizes[], const int distribs[],
                                   const int dargs[], const int psizes[], int order, MPI_Datatype oldtype,
                                   MPI_Datatype *newtype));
WEIR_MPI(int, Type_create_darray_c, (int size, int rank, int ndims, const MPI_Count array_of_gsizes[],
                                     const int array_of_distribs[], const int array_of_dargs[],
                                     const int array_of_psizes[], int order, MPI_Datatype oldtype,
                                     MPI_Datatype *newtype));
WEIR_MPI(int, Type_create_resized, (MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype *newtype));
WEIR_MPI(int, Type_create_resized_c, (MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent, MPI_Datatype *newtype));
WEIR_MPI(int, Type_dup, (MPI_Datatype oldtype, MPI_Datatype *newtype));
WEIR_MPI(int, Type_commit, (MPI_Datatype *type));
WEIR_MPI(int, Type_free, (MPI_Datatype *type));
WEIR_MPI(int, Type_create_f90_complex, (int p, int r, MPI_Datatype *newtype));
WEIR_MPI(int, Type_create_f90_integer, (int r, MPI_Datatype *newtype));
WEIR_MPI(int, Type_create_f90_real, (int p, int r, MPI_Datatype *newtype));

/* Their names of MPI-1. */
WEIR_MPI(int, Address, (void *location, MPI_Aint *address));
WEIR_MPI(int, Type_extent, (MPI_Datatype type, MPI_Aint *extent));
WEIR_MPI(int, Type_hindexed, (int count, int blocklengths[], MPI_Aint displs[], MPI_Datatype oldtype,
                              MPI_Datatype *newtype));
WEIR_MPI(int, Type_hvector, (int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype *newtype));
WEIR_MPI(int, Type_lb, (MPI_Datatype type, MPI_Aint *bound));
WEIR_MPI(int, Type_struct, (int count, int blocklengths[], MPI_Aint displs[], MPI_Datatype types[],
                            MPI_Datatype *newtype));
WEIR_MPI(int, Type_ub, (MPI_Datatype type, MPI_Aint *bound));

/* What datatypes are. */
WEIR_MPI(int, Type_size, (MPI_Datatype type, int *size));
WEIR_MPI(int, Type_size_c, (MPI_Datatype type, MPI_Count *size));
WEIR_MPI(int, Type_size_x, (MPI_Datatype type, MPI_Count *size));
WEIR_MPI(int, Type_get_extent, (MPI_Datatype type, MPI_Aint *lb, MPI_Aint *extent));
WEIR_MPI(int, Type_get_extent_c, (MPI_Datatype type, MPI_Count *lb, MPI_Count *extent));
WEIR_MPI(int, Type_get_extent_x, (MPI_Datatype type, MPI_Count *lb, MPI_Count *extent));
WEIR_MPI(int, Type_get_true_extent, (MPI_Datatype type, MPI_Aint *true_lb, MPI_Aint *true_extent));
WEIR_MPI(int, Type_get_true_extent_c, (MPI_Datatype type, MPI_Count *true_lb, MPI_Count *true_extent));
WEIR_MPI(int, Type_get_true_extent_x, (MPI_Datatype type, MPI_Count *true_lb, MPI_Count *true_extent));
WEIR_MPI(int, Type_set_name, (MPI_Datatype type, const char *name));
WEIR_MPI(int, Type_get_name, (MPI_Datatype type, char *name, int *length));
WEIR_MPI(int, Type_get_envelope, (MPI_Datatype type, int *num_integers, int *num_addresses, int *num_datatypes,
                                  int *combiner));
WEIR_MPI(int, Type_get_envelope_c, (MPI_Datatype type, MPI_Count *num_integers, MPI_Count *num_addresses,
                                    MPI_Count *num_large_counts, MPI_Count *num_datatypes, int *combiner));
WEIR_MPI(int, Type_get_contents, (MPI_Datatype type, int max_integers, int max_addresses, int max_datatypes,
                                  int integers[], MPI_Aint addresses[], MPI_Datatype datatypes[]));
WEIR_MPI(int, Type_get_contents_c, (MPI_Datatype type, MPI_Count max_integers, MPI_Count max_addresses,
                                    MPI_Count max_large_counts, MPI_Count max_datatypes, int array_of_integers[],
                                    MPI_Aint array_of_addresses[], MPI_Count array_of_large_counts[],
                                    MPI_Datatype array_of_datatypes[]));
WEIR_MPI(int, Type_match_size, (int typeclass, int size, MPI_Datatype *type));
WEIR_MPI(int, Type_get_value_index, (MPI_Datatype value_type, MPI_Datatype index_type, MPI_Datatype *pair_type));

/* Attributes of datatypes. */
WEIR_MPI(int, Type_create_keyval, (MPI_Type_copy_attr_function *type_copy_attr_fn,
                                   MPI_Type_delete_attr_function *type_delete_attr_fn, int *type_keyval,
                                   void *extra_state));
WEIR_MPI(int, Type_delete_attr, (MPI_Datatype type, int type_keyval));
WEIR_MPI(int, Type_free_keyval, (int *type_keyval));
WEIR_MPI(int, Type_get_attr, (MPI_Datatype type, int type_keyval, void *attribute_val, int *flag));
WEIR_MPI(int, Type_set_attr, (MPI_Datatype type, int type_keyval, void *attribute_val));

/* Packing by hand. */
WEIR_MPI(int, Pack, (const void *inbuf, int incount, MPI_Datatype type, void *outbuf, int outsize, int *position,
                     MPI_Comm comm));
WEIR_MPI(int, Pack_c, (const void *inbuf, MPI_Count incount, MPI_Datatype type, void *outbuf, MPI_Count outsize,
                       MPI_Count *position, MPI_Comm comm));
WEIR_MPI(int, Unpack, (const void *inbuf, int insize, int *position, void *outbuf, int outcount, MPI_Datatype type,
                       MPI_Comm comm));
WEIR_MPI(int, Unpack_c, (const void *inbuf, MPI_Count insize, MPI_Count *position, void *outbuf, MPI_Count outcount,
                         MPI_Datatype type, MPI_Comm comm));
WEIR_MPI(int, Pack_size, (int incount, MPI_Datatype type, MPI_Comm comm, int *size));
WEIR_MPI(int, Pack_size_c, (MPI_Count incount, MPI_Datatype type, MPI_Comm comm, MPI_Count *size));
WEIR_MPI(int, Pack_external, (const char datarep[], const void *inbuf, int incount, MPI_Datatype type, void *outbuf,
                              MPI_Aint outsize, MPI_Aint *position));
WEIR_MPI(int, Pack_external_c, (const char *datarep, const void *inbuf, MPI_Count incount, MPI_Datatype type,
                                void *outbuf, MPI_Count outsize, MPI_Count *position));
WEIR_MPI(int, Unpack_external, (const char datarep[], const void *inbuf, MPI_Aint insize, MPI_Aint *position,
                                void *outbuf, int outcount, MPI_Datatype type));
WEIR_MPI(int, Unpack_external_c, (const char datarep[], const void *inbuf, MPI_Count insize, MPI_Count *position,
                                  void *outbuf, MPI_Count outcount, MPI_Datatype type));
WEIR_MPI(int, Pack_external_size, (const char datarep[], int incount, MPI_Datatype type, MPI_Aint *size));
WEIR_MPI(int, Pack_external_size_c, (const char *datarep, MPI_Count incount, MPI_Datatype type, MPI_Count *size));

/* Representations of data in files. */
WEIR_MPI(int, Register_datarep, (const char *datarep, MPI_Datarep_conversion_function *read_conversion_fn,
                                 MPI_Datarep_conversion_function *write_conversion_fn,
                                 MPI_Datarep_extent_function *dtype_file_extent_fn, void *extra_state));
WEIR_MPI(int, Register_datarep_c, (const char *datarep, MPI_Datarep_conversion_function_c *read_conversion_fn,
                                   MPI_Datarep_conversion_function_c *write_conversion_fn,
                                   MPI_Datarep_extent_function *dtype_file_extent_fn, void *extra_state));
