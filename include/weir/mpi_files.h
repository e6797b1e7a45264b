/*
 * Files that ranks read and write together (MPI-IO). A part of mpi.h.
 */

/* Opening. */
WEIR_MPI(int, File_call_errhandler, (MPI_File fh, int errorcode));
WEIR_MPI(int, File_close, (MPI_File *fh));
WEIR_MPI(int, File_create_errhandler, (MPI_File_errhandler_function *file_errhandler_fn, MPI_Errhandler *errhandler));
WEIR_MPI(int, File_delete, (const char *filename, MPI_Info info));
WEIR_MPI(int, File_get_amode, (MPI_File fh, int *amode));
WEIR_MPI(int, File_get_errhandler, (MPI_File file, MPI_Errhandler *errhandler));
WEIR_MPI(int, File_get_group, (MPI_File fh, MPI_Group *group));
WEIR_MPI(int, File_get_info, (MPI_File fh, MPI_Info *info_used));
WEIR_MPI(int, File_open, (MPI_Comm comm, const char *filename, int amode, MPI_Info info, MPI_File *fh));
WEIR_MPI(int, File_set_errhandler, (MPI_File file, MPI_Errhandler errhandler));
WEIR_MPI(int, File_set_info, (MPI_File fh, MPI_Info info));

/* Sizes, views, order. */
WEIR_MPI(int, File_get_atomicity, (MPI_File fh, int *flag));
WEIR_MPI(int, File_get_byte_offset, (MPI_File fh, MPI_Offset offset, MPI_Offset *disp));
WEIR_MPI(int, File_get_position, (MPI_File fh, MPI_Offset *offset));
WEIR_MPI(int, File_get_position_shared, (MPI_File fh, MPI_Offset *offset));
WEIR_MPI(int, File_get_size, (MPI_File fh, MPI_Offset *size));
WEIR_MPI(int, File_get_type_extent, (MPI_File fh, MPI_Datatype type, MPI_Aint *extent));
WEIR_MPI(int, File_get_type_extent_c, (MPI_File fh, MPI_Datatype type, MPI_Count *extent));
WEIR_MPI(int, File_get_view, (MPI_File fh, MPI_Offset *disp, MPI_Datatype *etype, MPI_Datatype *filetype,
                              char *datarep));
WEIR_MPI(int, File_preallocate, (MPI_File fh, MPI_Offset size));
WEIR_MPI(int, File_seek, (MPI_File fh, MPI_Offset offset, int whence));
WEIR_MPI(int, File_seek_shared, (MPI_File fh, MPI_Offset offset, int whence));
WEIR_MPI(int, File_set_atomicity, (MPI_File fh, int flag));
WEIR_MPI(int, File_set_size, (MPI_File fh, MPI_Offset size));
WEIR_MPI(int, File_set_view, (MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype,
                              const char *datarep, MPI_Info info));
WEIR_MPI(int, File_sync, (MPI_File fh));

/* Reading. */
WEIR_MPI(int, File_iread, (MPI_File fh, void *buf, int count, MPI_Datatype type, MPI_Request *request));
WEIR_MPI(int, File_iread_c, (MPI_File fh, void *buf, MPI_Count count, MPI_Datatype type, MPI_Request *request));
WEIR_MPI(int, File_iread_all, (MPI_File fh, void *buf, int count, MPI_Datatype type, MPI_Request *request));
WEIR_MPI(int, File_iread_all_c, (MPI_File fh, void *buf, MPI_Count count, MPI_Datatype type, MPI_Request *request));
WEIR_MPI(int, File_iread_at, (MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype type,
                              MPI_Request *request));
WEIR_MPI(int, File_iread_at_c, (MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count, MPI_Datatype type,
                                MPI_Request *request));
WEIR_MPI(int, File_iread_at_all, (MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype type,
                                  MPI_Request *request));
WEIR_MPI(int, File_iread_at_all_c, (MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count, MPI_Datatype type,
                                    MPI_Request *request));
WEIR_MPI(int, File_iread_shared, (MPI_File fh, void *buf, int count, MPI_Datatype type, MPI_Request *request));
WEIR_MPI(int, File_iread_shared_c, (MPI_File fh, void *buf, MPI_Count count, MPI_Datatype type, MPI_Request *request));
WEIR_MPI(int, File_read, (MPI_File fh, void *buf, int count, MPI_Datatype type, MPI_Status *status));
WEIR_MPI(int, File_read_c, (MPI_File fh, void *buf, MPI_Count count, MPI_Datatype type, MPI_Status *status));
WEIR_MPI(int, File_read_all, (MPI_File fh, void *buf, int count, MPI_Datatype type, MPI_Status *status));
WEIR_MPI(int, File_read_all_c, (MPI_File fh, void *buf, MPI_Count count, MPI_Datatype type, MPI_Status *status));
WEIR_MPI(int, File_read_all_begin, (MPI_File fh, void *buf, int count, MPI_Datatype type));
WEIR_MPI(int, File_read_all_begin_c, (MPI_File fh, void *buf, MPI_Count count, MPI_Datatype type));
WEIR_MPI(int, File_read_all_end, (MPI_File fh, void *buf, MPI_Status *status));
WEIR_MPI(int, File_read_at, (MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype type,
                             MPI_Status *status));
WEIR_MPI(int, File_read_at_c, (MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count, MPI_Datatype type,
                               MPI_Status *status));
WEIR_MPI(int, File_read_at_all, (MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype type,
                                 MPI_Status *status));
WEIR_MPI(int, File_read_at_all_c, (MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count, MPI_Datatype type,
                                   MPI_Status *status));
WEIR_MPI(int, File_read_at_all_begin, (MPI_File fh, MPI_Offset offset, void *buf, int count, MPI_Datatype type));
WEIR_MPI(int, File_read_at_all_begin_c, (MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count,
                                         MPI_Datatype type));
WEIR_MPI(int, File_read_at_all_end, (MPI_File fh, void *buf, MPI_Status *status));
WEIR_MPI(int, File_read_ordered, (MPI_File fh, void *buf, int count, MPI_Datatype type, MPI_Status *status));
WEIR_MPI(int, File_read_ordered_c, (MPI_File fh, void *buf, MPI_Count count, MPI_Datatype type, MPI_Status *status));
WEIR_MPI(int, File_read_ordered_begin, (MPI_File fh, void *buf, int count, MPI_Datatype type));
WEIR_MPI(int, File_read_ordered_begin_c, (MPI_File fh, void *buf, MPI_Count count, MPI_Datatype type));
WEIR_MPI(int, File_read_ordered_end, (MPI_File fh, void *buf, MPI_Status *status));
WEIR_MPI(int, File_read_shared, (MPI_File fh, void *buf, int count, MPI_Datatype type, MPI_Status *status));
WEIR_MPI(int, File_read_shared_c, (MPI_File fh, void *buf, MPI_Count count, MPI_Datatype type, MPI_Status *status));

/* Writing. */
WEIR_MPI(int, File_iwrite, (MPI_File fh, const void *buf, int count, MPI_Datatype type, MPI_Request *request));
WEIR_MPI(int, File_iwrite_c, (MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype type, MPI_Request *request));
WEIR_MPI(int, File_iwrite_all, (MPI_File fh, const void *buf, int count, MPI_Datatype type, MPI_Request *request));
WEIR_MPI(int, File_iwrite_all_c, (MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype type,
                                  MPI_Request *request));
WEIR_MPI(int, File_iwrite_at, (MPI_File fh, MPI_Offset offset, const void *buf, int count, MPI_Datatype type,
                               MPI_Request *request));
WEIR_MPI(int, File_iwrite_at_c, (MPI_File fh, MPI_Offset offset, const void *buf, MPI_Count count, MPI_Datatype type,
                                 MPI_Request *request));
WEIR_MPI(int, File_iwrite_at_all, (MPI_File fh, MPI_Offset offset, const void *buf, int count, MPI_Datatype type,
                                   MPI_Request *request));
WEIR_MPI(int, File_iwrite_at_all_c, (MPI_File fh, MPI_Offset offset, const void *buf, MPI_Count count,
                                     MPI_Datatype type, MPI_Request *request));
WEIR_MPI(int, File_iwrite_shared, (MPI_File fh, const void *buf, int count, MPI_Datatype type, MPI_Request *request));
WEIR_MPI(int, File_iwrite_shared_c, (MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype type,
                                     MPI_Request *request));
WEIR_MPI(int, File_write, (MPI_File fh, const void *buf, int count, MPI_Datatype type, MPI_Status *status));
WEIR_MPI(int, File_write_c, (MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype type, MPI_Status *status));
WEIR_MPI(int, File_write_all, (MPI_File fh, const void *buf, int count, MPI_Datatype type, MPI_Status *status));
WEIR_MPI(int, File_write_all_c, (MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype type, MPI_Status *status));
WEIR_MPI(int, File_write_all_begin, (MPI_File fh, const void *buf, int count, MPI_Datatype type));
WEIR_MPI(int, File_write_all_begin_c, (MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype type));
WEIR_MPI(int, File_write_all_end, (MPI_File fh, const void *buf, MPI_Status *status));
WEIR_MPI(int, File_write_at, (MPI_File fh, MPI_Offset offset, const void *buf, int count, MPI_Datatype type,
                              MPI_Status *status));
WEIR_MPI(int, File_write_at_c, (MPI_File fh, MPI_Offset offset, const void *buf, MPI_Count count, MPI_Datatype type,
                                MPI_Status *status));
WEIR_MPI(int, File_write_at_all, (MPI_File fh, MPI_Offset offset, const void *buf, int count, MPI_Datatype type,
                                  MPI_Status *status));
WEIR_MPI(int, File_write_at_all_c, (MPI_File fh, MPI_Offset offset, const void *buf, MPI_Count count,
                                    MPI_Datatype type, MPI_Status *status));
WEIR_MPI(int, File_write_at_all_begin, (MPI_File fh, MPI_Offset offset, const void *buf, int count, MPI_Datatype type));
WEIR_MPI(int, File_write_at_all_begin_c, (MPI_File fh, MPI_Offset offset, const void *buf, MPI_Count count,
                                          MPI_Datatype type));
WEIR_MPI(int, File_write_at_all_end, (MPI_File fh, const void *buf, MPI_Status *status));
WEIR_MPI(int, File_write_ordered, (MPI_File fh, const void *buf, int count, MPI_Datatype type, MPI_Status *status));
WEIR_MPI(int, File_write_ordered_c, (MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype type,
                                     MPI_Status *status));
WEIR_MPI(int, File_write_ordered_begin, (MPI_File fh, const void *buf, int count, MPI_Datatype type));
WEIR_MPI(int, File_write_ordered_begin_c, (MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype type));
WEIR_MPI(int, File_write_ordered_end, (MPI_File fh, const void *buf, MPI_Status *status));
WEIR_MPI(int, File_write_shared, (MPI_File fh, const void *buf, int count, MPI_Datatype type, MPI_Status *status));
WEIR_MPI(int, File_write_shared_c, (MPI_File fh, const void *buf, MPI_Count count, MPI_Datatype type,
                                    MPI_Status *status));
