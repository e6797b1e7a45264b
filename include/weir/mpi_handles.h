/*
 * Handles as numbers, as Fortran has them. A part of mpi.h.
 */

/* To a number and back. */
WEIR_MPI(MPI_Comm, Comm_fromint, (int comm));
WEIR_MPI(int, Comm_toint, (MPI_Comm comm));
WEIR_MPI(MPI_Errhandler, Errhandler_fromint, (int errhandler));
WEIR_MPI(int, Errhandler_toint, (MPI_Errhandler errhandler));
WEIR_MPI(MPI_File, File_fromint, (int file));
WEIR_MPI(int, File_toint, (MPI_File file));
WEIR_MPI(MPI_Group, Group_fromint, (int group));
WEIR_MPI(int, Group_toint, (MPI_Group group));
WEIR_MPI(MPI_Info, Info_fromint, (int info));
WEIR_MPI(int, Info_toint, (MPI_Info info));
WEIR_MPI(MPI_Message, Message_fromint, (int message));
WEIR_MPI(int, Message_toint, (MPI_Message message));
WEIR_MPI(MPI_Op, Op_fromint, (int op));
WEIR_MPI(int, Op_toint, (MPI_Op op));
WEIR_MPI(MPI_Request, Request_fromint, (int request));
WEIR_MPI(int, Request_toint, (MPI_Request request));
WEIR_MPI(MPI_Session, Session_fromint, (int session));
WEIR_MPI(int, Session_toint, (MPI_Session session));
WEIR_MPI(MPI_Datatype, Type_fromint, (int datatype));
WEIR_MPI(int, Type_toint, (MPI_Datatype type));
WEIR_MPI(MPI_Win, Win_fromint, (int win));
WEIR_MPI(int, Win_toint, (MPI_Win win));
