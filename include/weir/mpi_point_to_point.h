/*
 * Sends, receives, and their completion. A part of mpi.h.
 */

/* Send and receive, waiting. Ssend ends only after the receive began; Bsend copies into the attached buffer;
   Rsend needs the receive to be posted. */
WEIR_MPI(int, Send, (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm));
WEIR_MPI(int, Send_c, (const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm));
WEIR_MPI(int, Ssend, (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm));
WEIR_MPI(int, Ssend_c, (const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm));
WEIR_MPI(int, Rsend, (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm));
WEIR_MPI(int, Rsend_c, (const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm));
WEIR_MPI(int, Bsend, (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm));
WEIR_MPI(int, Bsend_c, (const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm));
WEIR_MPI(int, Recv, (void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status));
WEIR_MPI(int, Recv_c, (void *buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                       MPI_Status *status));
WEIR_MPI(int, Sendrecv, (const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                         void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                         MPI_Status *status));
WEIR_MPI(int, Sendrecv_c, (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                           void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag,
                           MPI_Comm comm, MPI_Status *status));
WEIR_MPI(int, Sendrecv_replace, (void *buf, int count, MPI_Datatype type, int dest, int sendtag, int source,
                                 int recvtag, MPI_Comm comm, MPI_Status *status));
WEIR_MPI(int, Sendrecv_replace_c, (void *buf, MPI_Count count, MPI_Datatype type, int dest, int sendtag, int source,
                                   int recvtag, MPI_Comm comm, MPI_Status *status));

/* Room for buffered messages, of the process and of communicators. */
WEIR_MPI(int, Buffer_attach, (void *buffer, int size));
WEIR_MPI(int, Buffer_attach_c, (void *buffer, MPI_Count size));
WEIR_MPI(int, Buffer_detach, (void *buffer_address, int *size));
WEIR_MPI(int, Buffer_detach_c, (void *buffer_addr, MPI_Count *size));
WEIR_MPI(int, Buffer_flush, (void));
WEIR_MPI(int, Buffer_iflush, (MPI_Request *request));
WEIR_MPI(int, Comm_attach_buffer, (MPI_Comm comm, void *buffer, int size));
WEIR_MPI(int, Comm_attach_buffer_c, (MPI_Comm comm, void *buffer, MPI_Count size));
WEIR_MPI(int, Comm_detach_buffer, (MPI_Comm comm, void *buffer_addr, int *size));
WEIR_MPI(int, Comm_detach_buffer_c, (MPI_Comm comm, void *buffer_addr, MPI_Count *size));
WEIR_MPI(int, Comm_flush_buffer, (MPI_Comm comm));
WEIR_MPI(int, Comm_iflush_buffer, (MPI_Comm comm, MPI_Request *request));

/* Send and receive, going on. */
WEIR_MPI(int, Isend, (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                      MPI_Request *request));
WEIR_MPI(int, Isend_c, (const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                        MPI_Request *request));
WEIR_MPI(int, Issend, (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                       MPI_Request *request));
WEIR_MPI(int, Issend_c, (const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                         MPI_Request *request));
WEIR_MPI(int, Irsend, (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                       MPI_Request *request));
WEIR_MPI(int, Irsend_c, (const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                         MPI_Request *request));
WEIR_MPI(int, Ibsend, (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                       MPI_Request *request));
WEIR_MPI(int, Ibsend_c, (const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                         MPI_Request *request));
WEIR_MPI(int, Irecv, (void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                      MPI_Request *request));
WEIR_MPI(int, Irecv_c, (void *buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                        MPI_Request *request));
WEIR_MPI(int, Isendrecv, (const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                          void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                          MPI_Request *request));
WEIR_MPI(int, Isendrecv_c, (const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                            void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag,
                            MPI_Comm comm, MPI_Request *request));
WEIR_MPI(int, Isendrecv_replace, (void *buf, int count, MPI_Datatype type, int dest, int sendtag, int source,
                                  int recvtag, MPI_Comm comm, MPI_Request *request));
WEIR_MPI(int, Isendrecv_replace_c, (void *buf, MPI_Count count, MPI_Datatype type, int dest, int sendtag, int source,
                                    int recvtag, MPI_Comm comm, MPI_Request *request));

/* Completion of what goes on. */
WEIR_MPI(int, Wait, (MPI_Request *request, MPI_Status *status));
WEIR_MPI(int, Waitall, (int count, MPI_Request requests[], MPI_Status statuses[]));
WEIR_MPI(int, Waitany, (int count, MPI_Request requests[], int *index, MPI_Status *status));
WEIR_MPI(int, Waitsome, (int incount, MPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[]));
WEIR_MPI(int, Test, (MPI_Request *request, int *flag, MPI_Status *status));
WEIR_MPI(int, Testall, (int count, MPI_Request requests[], int *flag, MPI_Status statuses[]));
WEIR_MPI(int, Testany, (int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status));
WEIR_MPI(int, Testsome, (int incount, MPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[]));
WEIR_MPI(int, Request_get_status, (MPI_Request request, int *flag, MPI_Status *status));
WEIR_MPI(int, Request_free, (MPI_Request *request));
WEIR_MPI(int, Cancel, (MPI_Request *request));
WEIR_MPI(int, Test_cancelled, (const MPI_Status *status, int *flag));
WEIR_MPI(int, Request_get_status_all, (int count, const MPI_Request array_of_requests[], int *flag,
                                       MPI_Status *array_of_statuses));
WEIR_MPI(int, Request_get_status_any, (int count, const MPI_Request array_of_requests[], int *indx, int *flag,
                                       MPI_Status *status));
WEIR_MPI(int, Request_get_status_some, (int incount, const MPI_Request array_of_requests[], int *outcount,
                                        int array_of_indices[], MPI_Status *array_of_statuses));

/* Look at a message before receiving it; take it out of the queue for the look to be the last. */
WEIR_MPI(int, Probe, (int source, int tag, MPI_Comm comm, MPI_Status *status));
WEIR_MPI(int, Iprobe, (int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status));
WEIR_MPI(int, Mprobe, (int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status));
WEIR_MPI(int, Improbe, (int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status));
WEIR_MPI(int, Mrecv, (void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status));
WEIR_MPI(int, Mrecv_c, (void *buf, MPI_Count count, MPI_Datatype type, MPI_Message *message, MPI_Status *status));
WEIR_MPI(int, Imrecv, (void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request));
WEIR_MPI(int, Imrecv_c, (void *buf, MPI_Count count, MPI_Datatype type, MPI_Message *message, MPI_Request *request));

/* What a status says. */
WEIR_MPI(int, Get_count, (const MPI_Status *status, MPI_Datatype type, int *count));
WEIR_MPI(int, Get_count_c, (const MPI_Status *status, MPI_Datatype type, MPI_Count *count));
WEIR_MPI(int, Get_elements, (const MPI_Status *status, MPI_Datatype type, int *count));
WEIR_MPI(int, Get_elements_c, (const MPI_Status *status, MPI_Datatype type, MPI_Count *count));
WEIR_MPI(int, Get_elements_x, (const MPI_Status *status, MPI_Datatype type, MPI_Count *count));
WEIR_MPI(int, Status_set_elements, (MPI_Status *status, MPI_Datatype type, int count));
WEIR_MPI(int, Status_set_elements_c, (MPI_Status *status, MPI_Datatype type, MPI_Count count));
WEIR_MPI(int, Status_set_elements_x, (MPI_Status *status, MPI_Datatype type, MPI_Count count));
WEIR_MPI(int, Status_get_error, (const MPI_Status *status, int *error));
WEIR_MPI(int, Status_get_source, (const MPI_Status *status, int *source));
WEIR_MPI(int, Status_get_tag, (const MPI_Status *status, int *tag));
WEIR_MPI(int, Status_set_cancelled, (MPI_Status *status, int flag));
WEIR_MPI(int, Status_set_error, (MPI_Status *status, int error));
WEIR_MPI(int, Status_set_source, (MPI_Status *status, int source));
WEIR_MPI(int, Status_set_tag, (MPI_Status *status, int tag));

/* Messages prepared once, sent often. */
WEIR_MPI(int, Send_init, (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                          MPI_Request *request));
WEIR_MPI(int, Send_init_c, (const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                            MPI_Request *request));
WEIR_MPI(int, Ssend_init, (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                           MPI_Request *request));
WEIR_MPI(int, Ssend_init_c, (const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                             MPI_Request *request));
WEIR_MPI(int, Rsend_init, (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                           MPI_Request *request));
WEIR_MPI(int, Rsend_init_c, (const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                             MPI_Request *request));
WEIR_MPI(int, Bsend_init, (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                           MPI_Request *request));
WEIR_MPI(int, Bsend_init_c, (const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                             MPI_Request *request));
WEIR_MPI(int, Recv_init, (void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                          MPI_Request *request));
WEIR_MPI(int, Recv_init_c, (void *buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                            MPI_Request *request));
WEIR_MPI(int, Start, (MPI_Request *request));
WEIR_MPI(int, Startall, (int count, MPI_Request requests[]));

/* Messages whose parts become ready one by one. */
WEIR_MPI(int, Parrived, (MPI_Request request, int partition, int *flag));
WEIR_MPI(int, Pready, (int partition, MPI_Request request));
WEIR_MPI(int, Pready_list, (int length, const int array_of_partitions[], MPI_Request request));
WEIR_MPI(int, Pready_range, (int partition_low, int partition_high, MPI_Request request));
WEIR_MPI(int, Precv_init, (void *buf, int partitions, MPI_Count count, MPI_Datatype type, int dest, int tag,
                           MPI_Comm comm, MPI_Info info, MPI_Request *request));
WEIR_MPI(int, Psend_init, (const void *buf, int partitions, MPI_Count count, MPI_Datatype type, int dest, int tag,
                           MPI_Comm comm, MPI_Info info, MPI_Request *request));

/* Requests whose progress is the program's own business. */
WEIR_MPI(int, Grequest_complete, (MPI_Request request));
WEIR_MPI(int, Grequest_start, (MPI_Grequest_query_function *query_fn, MPI_Grequest_free_function *free_fn,
                               MPI_Grequest_cancel_function *cancel_fn, void *extra_state, MPI_Request *request));
