/*
 * One-sided communication: one rank reaches into the memory of another. A part of mpi.h.
 */

/* Making windows. */
WEIR_MPI(int, Win_create, (void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *win));
WEIR_MPI(int, Win_create_c, (void *base, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm,
                             MPI_Win *win));
WEIR_MPI(int, Win_allocate, (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base_address, MPI_Win *win));
WEIR_MPI(int, Win_allocate_c, (MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr,
                               MPI_Win *win));
WEIR_MPI(int, Win_free, (MPI_Win *win));
WEIR_MPI(int, Win_allocate_shared, (MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr,
                                    MPI_Win *win));
WEIR_MPI(int, Win_allocate_shared_c, (MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr,
                                      MPI_Win *win));
WEIR_MPI(int, Win_attach, (MPI_Win win, void *base, MPI_Aint size));
WEIR_MPI(int, Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win *win));
WEIR_MPI(int, Win_detach, (MPI_Win win, const void *base));
WEIR_MPI(int, Win_shared_query, (MPI_Win win, int rank, MPI_Aint *size, int *disp_unit, void *baseptr));
WEIR_MPI(int, Win_shared_query_c, (MPI_Win win, int rank, MPI_Aint *size, MPI_Aint *disp_unit, void *baseptr));

/* Reaching into them. */
WEIR_MPI(int, Put, (const void *origin, int origin_count, MPI_Datatype origin_type, int target, MPI_Aint target_disp,
                    int target_count, MPI_Datatype target_type, MPI_Win win));
WEIR_MPI(int, Put_c, (const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
                      MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win));
WEIR_MPI(int, Get, (void *origin, int origin_count, MPI_Datatype origin_type, int target, MPI_Aint target_disp,
                    int target_count, MPI_Datatype target_type, MPI_Win win));
WEIR_MPI(int, Get_c, (void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
                      MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win));
WEIR_MPI(int, Accumulate, (const void *origin, int origin_count, MPI_Datatype origin_type, int target,
                           MPI_Aint target_disp, int target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win));
WEIR_MPI(int, Accumulate_c, (const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                             int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                             MPI_Datatype target_datatype, MPI_Op op, MPI_Win win));
WEIR_MPI(int, Fetch_and_op, (const void *origin, void *result, MPI_Datatype type, int target, MPI_Aint target_disp,
                             MPI_Op op, MPI_Win win));
WEIR_MPI(int, Compare_and_swap, (const void *origin, const void *compare, void *result, MPI_Datatype type, int target,
                                 MPI_Aint target_disp, MPI_Win win));
WEIR_MPI(int, Get_accumulate, (const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
                               void *result_addr, int result_count, MPI_Datatype result_datatype, int target_rank,
                               MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op,
                               MPI_Win win));
WEIR_MPI(int, Get_accumulate_c, (const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                                 void *result_addr, MPI_Count result_count, MPI_Datatype result_datatype,
                                 int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                                 MPI_Datatype target_datatype, MPI_Op op, MPI_Win win));
WEIR_MPI(int, Raccumulate, (const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
                            MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op,
                            MPI_Win win, MPI_Request *request));
WEIR_MPI(int, Raccumulate_c, (const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                              int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                              MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request *request));
WEIR_MPI(int, Rget, (void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
                     MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win,
                     MPI_Request *request));
WEIR_MPI(int, Rget_c, (void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
                       MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win,
                       MPI_Request *request));
WEIR_MPI(int, Rget_accumulate, (const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
                                void *result_addr, int result_count, MPI_Datatype result_datatype, int target_rank,
                                MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op,
                                MPI_Win win, MPI_Request *request));
WEIR_MPI(int, Rget_accumulate_c, (const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                                  void *result_addr, MPI_Count result_count, MPI_Datatype result_datatype,
                                  int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                                  MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request *request));
WEIR_MPI(int, Rput, (const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
                     MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win,
                     MPI_Request *request));
WEIR_MPI(int, Rput_c, (const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
                       MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win,
                       MPI_Request *request));

/* When what was asked for has happened. */
WEIR_MPI(int, Win_fence, (int promises, MPI_Win win));
WEIR_MPI(int, Win_lock, (int lock, int rank, int promises, MPI_Win win));
WEIR_MPI(int, Win_unlock, (int rank, MPI_Win win));
WEIR_MPI(int, Win_lock_all, (int promises, MPI_Win win));
WEIR_MPI(int, Win_unlock_all, (MPI_Win win));
WEIR_MPI(int, Win_flush, (int rank, MPI_Win win));
WEIR_MPI(int, Win_flush_all, (MPI_Win win));
WEIR_MPI(int, Win_complete, (MPI_Win win));
WEIR_MPI(int, Win_flush_local, (int rank, MPI_Win win));
WEIR_MPI(int, Win_flush_local_all, (MPI_Win win));
WEIR_MPI(int, Win_post, (MPI_Group group, int assert, MPI_Win win));
WEIR_MPI(int, Win_start, (MPI_Group group, int assert, MPI_Win win));
WEIR_MPI(int, Win_sync, (MPI_Win win));
WEIR_MPI(int, Win_test, (MPI_Win win, int *flag));
WEIR_MPI(int, Win_wait, (MPI_Win win));

/* What windows are. */
WEIR_MPI(int, Win_call_errhandler, (MPI_Win win, int errorcode));
WEIR_MPI(int, Win_create_errhandler, (MPI_Win_errhandler_function *win_errhandler_fn, MPI_Errhandler *errhandler));
WEIR_MPI(int, Win_create_keyval, (MPI_Win_copy_attr_function *win_copy_attr_fn,
                                  MPI_Win_delete_attr_function *win_delete_attr_fn, int *win_keyval,
                                  void *extra_state));
WEIR_MPI(int, Win_delete_attr, (MPI_Win win, int win_keyval));
WEIR_MPI(int, Win_free_keyval, (int *win_keyval));
WEIR_MPI(int, Win_get_attr, (MPI_Win win, int win_keyval, void *attribute_val, int *flag));
WEIR_MPI(int, Win_get_errhandler, (MPI_Win win, MPI_Errhandler *errhandler));
WEIR_MPI(int, Win_get_group, (MPI_Win win, MPI_Group *group));
WEIR_MPI(int, Win_get_info, (MPI_Win win, MPI_Info *info_used));
WEIR_MPI(int, Win_get_name, (MPI_Win win, char *win_name, int *resultlen));
WEIR_MPI(int, Win_set_attr, (MPI_Win win, int win_keyval, void *attribute_val));
WEIR_MPI(int, Win_set_errhandler, (MPI_Win win, MPI_Errhandler errhandler));
WEIR_MPI(int, Win_set_info, (MPI_Win win, MPI_Info info));
WEIR_MPI(int, Win_set_name, (MPI_Win win, const char *win_name));
