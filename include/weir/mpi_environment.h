/*
 * Beginning and end, where am I and when, errors, info objects, sessions. A part of mpi.h.
 */

/* Beginning and end. */
WEIR_MPI(int, Init, (int *argc, char ***argv));
WEIR_MPI(int, Init_thread, (int *argc, char ***argv, int required, int *provided));
WEIR_MPI(int, Initialized, (int *flag));
WEIR_MPI(int, Finalize, (void));
WEIR_MPI(int, Finalized, (int *flag));
WEIR_MPI(int, Abort, (MPI_Comm comm, int code));
WEIR_MPI(int, Query_thread, (int *provided));
WEIR_MPI(int, Is_thread_main, (int *flag));

/* Where am I, and when. Wtime is in seconds of simulated time, the same clock on all ranks. */
WEIR_MPI(int, Get_processor_name, (char *name, int *length));
WEIR_MPI(int, Get_version, (int *version, int *subversion));
WEIR_MPI(int, Get_library_version, (char *version, int *length));
WEIR_MPI(double, Wtime, (void));
WEIR_MPI(double, Wtick, (void));
WEIR_MPI(int, Abi_get_fortran_booleans, (int logical_size, void *logical_true, void *logical_false, int *is_set));
WEIR_MPI(int, Abi_get_fortran_info, (MPI_Info *info));
WEIR_MPI(int, Abi_get_info, (MPI_Info *info));
WEIR_MPI(int, Abi_get_version, (int *abi_major, int *abi_minor));
WEIR_MPI(int, Abi_set_fortran_booleans, (int logical_size, void *logical_true, void *logical_false));
WEIR_MPI(int, Abi_set_fortran_info, (MPI_Info info));
WEIR_MPI(int, Get_hw_resource_info, (MPI_Info *hw_info));
WEIR_MPI(int, Pcontrol, (const int level, ...));

/* Memory and addresses. */
WEIR_MPI(int, Get_address, (const void *location, MPI_Aint *address));
WEIR_MPI(int, Alloc_mem, (MPI_Aint size, MPI_Info info, void *base_address));
WEIR_MPI(int, Free_mem, (void *base));
WEIR_MPI(MPI_Aint, Aint_add, (MPI_Aint base, MPI_Aint disp));
WEIR_MPI(MPI_Aint, Aint_diff, (MPI_Aint addr1, MPI_Aint addr2));

/* Errors. */
WEIR_MPI(int, Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler errhandler));
WEIR_MPI(int, Comm_get_errhandler, (MPI_Comm comm, MPI_Errhandler *errhandler));
WEIR_MPI(int, Errhandler_free, (MPI_Errhandler *errhandler));
WEIR_MPI(int, Error_class, (int code, int *error_class));
WEIR_MPI(int, Error_string, (int code, char *string, int *length));
WEIR_MPI(int, Comm_create_errhandler, (MPI_Comm_errhandler_function *function, MPI_Errhandler *errhandler));
WEIR_MPI(int, Comm_call_errhandler, (MPI_Comm comm, int code));
WEIR_MPI(int, Add_error_class, (int *error_class));
WEIR_MPI(int, Add_error_code, (int error_class, int *code));
WEIR_MPI(int, Add_error_string, (int code, const char *string));
/* Under these names libraries had the following three before they were in the standard. */
#define MPIX_Delete_error_class MPI_Remove_error_class
#define MPIX_Delete_error_code MPI_Remove_error_code
#define MPIX_Delete_error_string MPI_Remove_error_string
WEIR_MPI(int, Remove_error_class, (int error_class));
WEIR_MPI(int, Remove_error_code, (int code));
WEIR_MPI(int, Remove_error_string, (int code));

/* Their names of MPI-1. */
WEIR_MPI(int, Errhandler_create, (MPI_Comm_errhandler_function *function, MPI_Errhandler *errhandler));
WEIR_MPI(int, Errhandler_get, (MPI_Comm comm, MPI_Errhandler *errhandler));
WEIR_MPI(int, Errhandler_set, (MPI_Comm comm, MPI_Errhandler errhandler));

/* Info objects. */
WEIR_MPI(int, Info_create, (MPI_Info *info));
WEIR_MPI(int, Info_create_env, (int argc, char *argv[], MPI_Info *info));
WEIR_MPI(int, Info_set, (MPI_Info info, const char *key, const char *value));
WEIR_MPI(int, Info_get, (MPI_Info info, const char *key, int length, char *value, int *flag));
WEIR_MPI(int, Info_get_string, (MPI_Info info, const char *key, int *length, char *value, int *flag));
WEIR_MPI(int, Info_get_valuelen, (MPI_Info info, const char *key, int *length, int *flag));
WEIR_MPI(int, Info_get_nkeys, (MPI_Info info, int *count));
WEIR_MPI(int, Info_get_nthkey, (MPI_Info info, int n, char *key));
WEIR_MPI(int, Info_delete, (MPI_Info info, const char *key));
WEIR_MPI(int, Info_dup, (MPI_Info info, MPI_Info *newinfo));
WEIR_MPI(int, Info_free, (MPI_Info *info));

/* Sessions: MPI without MPI_COMM_WORLD. */
WEIR_MPI(int, Session_attach_buffer, (MPI_Session session, void *buffer, int size));
WEIR_MPI(int, Session_attach_buffer_c, (MPI_Session session, void *buffer, MPI_Count size));
WEIR_MPI(int, Session_call_errhandler, (MPI_Session session, int errorcode));
WEIR_MPI(int, Session_create_errhandler, (MPI_Session_errhandler_function *session_errhandler_fn,
                                          MPI_Errhandler *errhandler));
WEIR_MPI(int, Session_detach_buffer, (MPI_Session session, void *buffer_addr, int *size));
WEIR_MPI(int, Session_detach_buffer_c, (MPI_Session session, void *buffer_addr, MPI_Count *size));
WEIR_MPI(int, Session_finalize, (MPI_Session *session));
WEIR_MPI(int, Session_flush_buffer, (MPI_Session session));
WEIR_MPI(int, Session_get_errhandler, (MPI_Session session, MPI_Errhandler *errhandler));
WEIR_MPI(int, Session_get_info, (MPI_Session session, MPI_Info *info_used));
WEIR_MPI(int, Session_get_nth_pset, (MPI_Session session, MPI_Info info, int n, int *pset_len, char *pset_name));
WEIR_MPI(int, Session_get_num_psets, (MPI_Session session, MPI_Info info, int *npset_names));
WEIR_MPI(int, Session_get_pset_info, (MPI_Session session, const char *pset_name, MPI_Info *info));
WEIR_MPI(int, Session_iflush_buffer, (MPI_Session session, MPI_Request *request));
WEIR_MPI(int, Session_init, (MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session));
WEIR_MPI(int, Session_set_errhandler, (MPI_Session session, MPI_Errhandler errhandler));
