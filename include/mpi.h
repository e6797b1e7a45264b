/*
 * mpi.h: the Message Passing Interface as weir offers it to C and C++ programs.
 *
 * Types, constants and the layout of MPI_Status follow the application binary interface of the
 * MPI 5.0 standard (chapter 20). An object file compiled with this header can therefore be linked
 * with any other MPI library that follows that interface.
 *
 * Read it in this order:
 *    1  version              5  datatypes             9  everything else with a number
 *    2  types                6  operations           10  functions: the files in weir/
 *    3  communicators        7  errors
 *    4  messages             8  lengths of strings
 *
 * All functions of the standard are declared. Calling one that weir does not offer ends the run with its name.
 * This header redefines no name of the C library.
 */
#ifndef WEIR_MPI_H
#define WEIR_MPI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif


/* ---- 1 Version --------------------------------------------------------------------------------- */

#define MPI_VERSION        5 /* of the standard whose names and values these are */
#define MPI_SUBVERSION     0
#define MPI_ABI_VERSION    1 /* of the binary interface */
#define MPI_ABI_SUBVERSION 0


/* ---- 2 Types ----------------------------------------------------------------------------------- */

typedef intptr_t MPI_Aint;   /* an address, or a distance in bytes within memory */
typedef int64_t  MPI_Offset; /* a distance in a file */
typedef int64_t  MPI_Count;  /* a count that may exceed an int */

/* Handles: pointers to types that are never completed. Predefined ones hold small numbers. */
typedef struct MPI_ABI_Comm       *MPI_Comm;       /* a group of ranks and its own space of messages */
typedef struct MPI_ABI_Group      *MPI_Group;      /* an ordered set of ranks */
typedef struct MPI_ABI_Request    *MPI_Request;    /* an operation under way */
typedef struct MPI_ABI_Message    *MPI_Message;    /* a message matched by a probe, not yet received */
typedef struct MPI_ABI_Datatype   *MPI_Datatype;   /* kind and arrangement of data in a buffer */
typedef struct MPI_ABI_Op         *MPI_Op;         /* how a reduction combines two values */
typedef struct MPI_ABI_Errhandler *MPI_Errhandler; /* what to do about an error */
typedef struct MPI_ABI_Info       *MPI_Info;       /* hints: pairs of key and value */
typedef struct MPI_ABI_Win        *MPI_Win;        /* memory that other ranks may reach */
typedef struct MPI_ABI_File       *MPI_File;
typedef struct MPI_ABI_Session    *MPI_Session;

/* What is known of a received message. 32 bytes. */
typedef struct {
    int MPI_SOURCE;      /* rank of the sender in the communicator */
    int MPI_TAG;
    int MPI_ERROR;       /* set only by calls that complete several requests */
    int MPI_internal[5]; /* the library's own: length, cancelled or not */
} MPI_Status;

/* A user's reduction: inout[i] = in[i] op inout[i], for i < *len. */
typedef void (MPI_User_function)(void *in, void *inout, int *len, MPI_Datatype *type);
typedef void (MPI_User_function_c)(void *in, void *inout, MPI_Count *len, MPI_Datatype *type);

/* A user's error handler. Further arguments are the library's own. */
typedef void (MPI_Comm_errhandler_function)(MPI_Comm *comm, int *code, ...);
typedef void (MPI_Win_errhandler_function)(MPI_Win *win, int *code, ...);
typedef void (MPI_File_errhandler_function)(MPI_File *file, int *code, ...);
typedef void (MPI_Session_errhandler_function)(MPI_Session *session, int *code, ...);
typedef MPI_Comm_errhandler_function    MPI_Comm_errhandler_fn;
typedef MPI_Win_errhandler_function     MPI_Win_errhandler_fn;
typedef MPI_File_errhandler_function    MPI_File_errhandler_fn;
typedef MPI_Session_errhandler_function MPI_Session_errhandler_fn;

/* What happens to an attribute when its communicator, datatype or window is duplicated or freed. */
typedef int (MPI_Comm_copy_attr_function)(MPI_Comm comm, int key, void *extra, void *in, void *out, int *keep);
typedef int (MPI_Comm_delete_attr_function)(MPI_Comm comm, int key, void *value, void *extra);
typedef int (MPI_Type_copy_attr_function)(MPI_Datatype type, int key, void *extra, void *in, void *out, int *keep);
typedef int (MPI_Type_delete_attr_function)(MPI_Datatype type, int key, void *value, void *extra);
typedef int (MPI_Win_copy_attr_function)(MPI_Win win, int key, void *extra, void *in, void *out, int *keep);
typedef int (MPI_Win_delete_attr_function)(MPI_Win win, int key, void *value, void *extra);
typedef MPI_Comm_copy_attr_function   MPI_Copy_function;   /* MPI-1 name */
typedef MPI_Comm_delete_attr_function MPI_Delete_function; /* MPI-1 name */

/* A request whose progress is the user's own business. */
typedef int (MPI_Grequest_query_function)(void *extra, MPI_Status *status);
typedef int (MPI_Grequest_free_function)(void *extra);
typedef int (MPI_Grequest_cancel_function)(void *extra, int complete);

/* A user's representation of data in files. */
typedef int (MPI_Datarep_extent_function)(MPI_Datatype type, MPI_Aint *extent, void *extra);
typedef int (MPI_Datarep_conversion_function)(void *user, MPI_Datatype type, int count, void *file,
                                              MPI_Offset position, void *extra);
typedef int (MPI_Datarep_conversion_function_c)(void *user, MPI_Datatype type, MPI_Count count, void *file,
                                                MPI_Offset position, void *extra);


/* ---- 3 Communicators and groups ---------------------------------------------------------------- */

#define MPI_COMM_NULL   ((MPI_Comm)0x100)
#define MPI_COMM_WORLD  ((MPI_Comm)0x101) /* all ranks of the run */
#define MPI_COMM_SELF   ((MPI_Comm)0x102) /* the calling rank alone */

#define MPI_GROUP_NULL  ((MPI_Group)0x108)
#define MPI_GROUP_EMPTY ((MPI_Group)0x109)

#define MPI_UNDEFINED   (-32766) /* not a rank, a color, a count, an index */

/* Answers of MPI_Comm_compare and MPI_Group_compare. */
#define MPI_IDENT     201 /* the same object */
#define MPI_CONGRUENT 202 /* same ranks in the same order, another communicator */
#define MPI_SIMILAR   203 /* same ranks in another order */
#define MPI_UNEQUAL   204

/* Kinds of topology, as MPI_Topo_test returns them. */
#define MPI_CART       211
#define MPI_GRAPH      212
#define MPI_DIST_GRAPH 213

/* How MPI_Comm_split_type splits. */
#define MPI_COMM_TYPE_SHARED          221
#define MPI_COMM_TYPE_HW_UNGUIDED     222
#define MPI_COMM_TYPE_HW_GUIDED       223
#define MPI_COMM_TYPE_RESOURCE_GUIDED 224

/* Keys of attributes that every communicator has; the value is a pointer to int. */
#define MPI_KEYVAL_INVALID  0
#define MPI_TAG_UB          501 /* largest tag */
#define MPI_IO              502
#define MPI_HOST            503
#define MPI_WTIME_IS_GLOBAL 504 /* whether all ranks read the same clock */
#define MPI_APPNUM          505
#define MPI_LASTUSEDCODE    506
#define MPI_UNIVERSE_SIZE   507

/* Ready-made copy and delete functions of attributes. */
#define MPI_COMM_NULL_COPY_FN   ((MPI_Comm_copy_attr_function *)0)
#define MPI_COMM_DUP_FN         ((MPI_Comm_copy_attr_function *)1)
#define MPI_COMM_NULL_DELETE_FN ((MPI_Comm_delete_attr_function *)0)
#define MPI_TYPE_NULL_COPY_FN   ((MPI_Type_copy_attr_function *)0)
#define MPI_TYPE_DUP_FN         ((MPI_Type_copy_attr_function *)1)
#define MPI_TYPE_NULL_DELETE_FN ((MPI_Type_delete_attr_function *)0)
#define MPI_WIN_NULL_COPY_FN    ((MPI_Win_copy_attr_function *)0)
#define MPI_WIN_DUP_FN          ((MPI_Win_copy_attr_function *)1)
#define MPI_WIN_NULL_DELETE_FN  ((MPI_Win_delete_attr_function *)0)
#define MPI_NULL_COPY_FN        ((MPI_Copy_function *)0)
#define MPI_DUP_FN              ((MPI_Copy_function *)1)
#define MPI_NULL_DELETE_FN      ((MPI_Delete_function *)0)


/* ---- 4 Messages -------------------------------------------------------------------------------- */

#define MPI_ANY_SOURCE (-1) /* receive from whoever sends */
#define MPI_ANY_TAG    (-2) /* receive whatever the tag */
#define MPI_PROC_NULL  (-3) /* nobody: sends and receives end at once, nothing is moved */
#define MPI_ROOT       (-4) /* root argument of the root itself, between two groups */

#define MPI_STATUS_IGNORE   ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE ((MPI_Status *)0)

#define MPI_REQUEST_NULL    ((MPI_Request)0x180)
#define MPI_MESSAGE_NULL    ((MPI_Message)0x128)
#define MPI_MESSAGE_NO_PROC ((MPI_Message)0x129)

#define MPI_BOTTOM           ((void *)0) /* addresses count from zero */
#define MPI_IN_PLACE         ((void *)1) /* collectives: the data are in the receive buffer already */
#define MPI_BUFFER_AUTOMATIC ((void *)2) /* the library finds the memory for buffered sends */

#define MPI_BSEND_OVERHEAD 512 /* bytes to add for each message in an attached buffer */


/* ---- 5 Datatypes ------------------------------------------------------------------------------- */

#define MPI_DATATYPE_NULL      ((MPI_Datatype)0x200)
#define MPI_BYTE               ((MPI_Datatype)0x247) /* eight bits, never converted */
#define MPI_PACKED             ((MPI_Datatype)0x207) /* what MPI_Pack writes */

/* Integers and characters of C. */
#define MPI_CHAR               ((MPI_Datatype)0x243) /* a printable character; arithmetic as of signed char */
#define MPI_SIGNED_CHAR        ((MPI_Datatype)0x244)
#define MPI_UNSIGNED_CHAR      ((MPI_Datatype)0x245)
#define MPI_WCHAR              ((MPI_Datatype)0x23c)
#define MPI_SHORT              ((MPI_Datatype)0x208)
#define MPI_UNSIGNED_SHORT     ((MPI_Datatype)0x20c)
#define MPI_INT                ((MPI_Datatype)0x209)
#define MPI_UNSIGNED           ((MPI_Datatype)0x20d)
#define MPI_LONG               ((MPI_Datatype)0x20a)
#define MPI_UNSIGNED_LONG      ((MPI_Datatype)0x20e)
#define MPI_LONG_LONG_INT      ((MPI_Datatype)0x20b)
#define MPI_LONG_LONG          MPI_LONG_LONG_INT
#define MPI_UNSIGNED_LONG_LONG ((MPI_Datatype)0x20f)
#define MPI_C_BOOL             ((MPI_Datatype)0x238)

/* Integers of a fixed width. */
#define MPI_INT8_T             ((MPI_Datatype)0x240)
#define MPI_UINT8_T            ((MPI_Datatype)0x241)
#define MPI_INT16_T            ((MPI_Datatype)0x248)
#define MPI_UINT16_T           ((MPI_Datatype)0x249)
#define MPI_INT32_T            ((MPI_Datatype)0x250)
#define MPI_UINT32_T           ((MPI_Datatype)0x251)
#define MPI_INT64_T            ((MPI_Datatype)0x258)
#define MPI_UINT64_T           ((MPI_Datatype)0x259)

/* Integers of MPI itself. */
#define MPI_AINT               ((MPI_Datatype)0x201)
#define MPI_COUNT              ((MPI_Datatype)0x202)
#define MPI_OFFSET             ((MPI_Datatype)0x203)

/* Floating point and complex. */
#define MPI_FLOAT                 ((MPI_Datatype)0x210)
#define MPI_DOUBLE                ((MPI_Datatype)0x214)
#define MPI_LONG_DOUBLE           ((MPI_Datatype)0x220)
#define MPI_C_COMPLEX             ((MPI_Datatype)0x212)
#define MPI_C_FLOAT_COMPLEX       MPI_C_COMPLEX
#define MPI_C_DOUBLE_COMPLEX      ((MPI_Datatype)0x216)
#define MPI_C_LONG_DOUBLE_COMPLEX ((MPI_Datatype)0x224)

/* A value and an int, for MPI_MINLOC and MPI_MAXLOC: struct { float value; int index; } ... */
#define MPI_FLOAT_INT       ((MPI_Datatype)0x228)
#define MPI_DOUBLE_INT      ((MPI_Datatype)0x229)
#define MPI_LONG_INT        ((MPI_Datatype)0x22a)
#define MPI_2INT            ((MPI_Datatype)0x22b)
#define MPI_SHORT_INT       ((MPI_Datatype)0x22c)
#define MPI_LONG_DOUBLE_INT ((MPI_Datatype)0x22d)

/* Bounds of a struct, as MPI-1 sets them; MPI 3 has removed them for MPI_Type_create_resized. */
#define MPI_LB ((MPI_Datatype)0x3fe)
#define MPI_UB ((MPI_Datatype)0x3ff)

/* C++. */
#define MPI_CXX_BOOL                ((MPI_Datatype)0x239)
#define MPI_CXX_FLOAT_COMPLEX       ((MPI_Datatype)0x213)
#define MPI_CXX_DOUBLE_COMPLEX      ((MPI_Datatype)0x217)
#define MPI_CXX_LONG_DOUBLE_COMPLEX ((MPI_Datatype)0x225)

/* Fortran, of default kind. */
#define MPI_LOGICAL           ((MPI_Datatype)0x218)
#define MPI_INTEGER           ((MPI_Datatype)0x219)
#define MPI_REAL              ((MPI_Datatype)0x21a)
#define MPI_COMPLEX           ((MPI_Datatype)0x21b)
#define MPI_DOUBLE_PRECISION  ((MPI_Datatype)0x21c)
#define MPI_DOUBLE_COMPLEX    ((MPI_Datatype)0x21d)
#define MPI_CHARACTER         ((MPI_Datatype)0x21e)
#define MPI_2REAL             ((MPI_Datatype)0x230)
#define MPI_2DOUBLE_PRECISION ((MPI_Datatype)0x231)
#define MPI_2INTEGER          ((MPI_Datatype)0x232)

/* Fortran, of a given number of bytes. */
#define MPI_LOGICAL1  ((MPI_Datatype)0x2c0)
#define MPI_LOGICAL2  ((MPI_Datatype)0x2c8)
#define MPI_LOGICAL4  ((MPI_Datatype)0x2d0)
#define MPI_LOGICAL8  ((MPI_Datatype)0x2d8)
#define MPI_LOGICAL16 ((MPI_Datatype)0x2e0)
#define MPI_INTEGER1  ((MPI_Datatype)0x2c1)
#define MPI_INTEGER2  ((MPI_Datatype)0x2c9)
#define MPI_INTEGER4  ((MPI_Datatype)0x2d1)
#define MPI_INTEGER8  ((MPI_Datatype)0x2d9)
#define MPI_INTEGER16 ((MPI_Datatype)0x2e1)
#define MPI_REAL2     ((MPI_Datatype)0x2ca)
#define MPI_REAL4     ((MPI_Datatype)0x2d2)
#define MPI_REAL8     ((MPI_Datatype)0x2da)
#define MPI_REAL16    ((MPI_Datatype)0x2e2)
#define MPI_COMPLEX4  ((MPI_Datatype)0x2d3)
#define MPI_COMPLEX8  ((MPI_Datatype)0x2db)
#define MPI_COMPLEX16 ((MPI_Datatype)0x2e3)
#define MPI_COMPLEX32 ((MPI_Datatype)0x2eb)

/* Order of the elements of an array in memory. */
#define MPI_ORDER_C       12
#define MPI_ORDER_FORTRAN 15

/* How a distributed array is dealt out. */
#define MPI_DISTRIBUTE_NONE      16
#define MPI_DISTRIBUTE_BLOCK     17
#define MPI_DISTRIBUTE_CYCLIC    18
#define MPI_DISTRIBUTE_DFLT_DARG 19

/* How a datatype was made, as MPI_Type_get_envelope returns it. */
#define MPI_COMBINER_NAMED          101
#define MPI_COMBINER_DUP            102
#define MPI_COMBINER_CONTIGUOUS     103
#define MPI_COMBINER_VECTOR         104
#define MPI_COMBINER_HVECTOR        105
#define MPI_COMBINER_INDEXED        106
#define MPI_COMBINER_HINDEXED       107
#define MPI_COMBINER_INDEXED_BLOCK  108
#define MPI_COMBINER_HINDEXED_BLOCK 109
#define MPI_COMBINER_STRUCT         110
#define MPI_COMBINER_SUBARRAY       111
#define MPI_COMBINER_DARRAY         112
#define MPI_COMBINER_F90_REAL       113
#define MPI_COMBINER_F90_COMPLEX    114
#define MPI_COMBINER_F90_INTEGER    115
#define MPI_COMBINER_RESIZED        116
#define MPI_COMBINER_VALUE_INDEX    117

/* Classes for MPI_Type_match_size. */
#define MPI_TYPECLASS_INTEGER 192
#define MPI_TYPECLASS_REAL    193
#define MPI_TYPECLASS_COMPLEX 194


/* ---- 6 Operations ------------------------------------------------------------------------------ */

#define MPI_OP_NULL ((MPI_Op)0x20)
#define MPI_SUM     ((MPI_Op)0x21)
#define MPI_MIN     ((MPI_Op)0x22)
#define MPI_MAX     ((MPI_Op)0x23)
#define MPI_PROD    ((MPI_Op)0x24)
#define MPI_BAND    ((MPI_Op)0x28) /* bit by bit */
#define MPI_BOR     ((MPI_Op)0x29)
#define MPI_BXOR    ((MPI_Op)0x2a)
#define MPI_LAND    ((MPI_Op)0x30) /* true or false */
#define MPI_LOR     ((MPI_Op)0x31)
#define MPI_LXOR    ((MPI_Op)0x32)
#define MPI_MINLOC  ((MPI_Op)0x38) /* least value, and of equal ones the least index */
#define MPI_MAXLOC  ((MPI_Op)0x39)
#define MPI_REPLACE ((MPI_Op)0x3c) /* windows only */
#define MPI_NO_OP   ((MPI_Op)0x3d) /* windows only */


/* ---- 7 Errors ---------------------------------------------------------------------------------- */

#define MPI_ERRHANDLER_NULL  ((MPI_Errhandler)0x140)
#define MPI_ERRORS_ARE_FATAL ((MPI_Errhandler)0x141) /* end the run; the default */
#define MPI_ERRORS_ABORT     ((MPI_Errhandler)0x142) /* end the ranks of the communicator */
#define MPI_ERRORS_RETURN    ((MPI_Errhandler)0x143) /* return the error's code */

/* What stands behind a class is the text that MPI_Error_string gives. */
#define MPI_SUCCESS 0 /* no error */

/* What is wrong with an argument ... */
#define MPI_ERR_BUFFER     1  /* invalid buffer */
#define MPI_ERR_COUNT      2  /* invalid count */
#define MPI_ERR_TYPE       3  /* invalid datatype */
#define MPI_ERR_TAG        4  /* invalid tag */
#define MPI_ERR_COMM       5  /* invalid communicator */
#define MPI_ERR_RANK       6  /* invalid rank */
#define MPI_ERR_REQUEST    7  /* invalid request */
#define MPI_ERR_ROOT       8  /* invalid root */
#define MPI_ERR_GROUP      9  /* invalid group */
#define MPI_ERR_OP         10 /* invalid reduction operation */
#define MPI_ERR_TOPOLOGY   11 /* invalid virtual topology */
#define MPI_ERR_DIMS       12 /* invalid sides of a grid */
#define MPI_ERR_ARG        13 /* invalid argument */
#define MPI_ERR_ERRHANDLER 61 /* invalid error handler */
#define MPI_ERR_SESSION    60 /* invalid session */
#define MPI_ERR_WIN        56 /* invalid window */
#define MPI_ERR_KEYVAL     36 /* invalid key of attributes */
#define MPI_ERR_INFO       34 /* invalid info object */
#define MPI_ERR_INFO_KEY   31 /* invalid key of an info object */
#define MPI_ERR_INFO_VALUE 33 /* invalid value of an info object */
#define MPI_ERR_INFO_NOKEY 32 /* no such key in the info object */

/* ... or with the operation ... */
#define MPI_ERR_UNKNOWN         14 /* unknown error */
#define MPI_ERR_TRUNCATE        15 /* message longer than the buffer */
#define MPI_ERR_OTHER           16 /* another error */
#define MPI_ERR_INTERN          17 /* internal error */
#define MPI_ERR_PENDING         18 /* request not complete */
#define MPI_ERR_IN_STATUS       19 /* see the error fields of the statuses */
#define MPI_ERR_NO_MEM          39 /* no memory */
#define MPI_ERR_SPAWN           53 /* no processes can be started */
#define MPI_ERR_PORT            43 /* invalid port */
#define MPI_ERR_SERVICE         51 /* invalid service */
#define MPI_ERR_NAME            38 /* no service of this name */
#define MPI_ERR_PROC_ABORTED    58 /* a process has aborted */
#define MPI_ERR_VALUE_TOO_LARGE 59 /* the value does not fit */
#define MPI_ERR_ABI             62 /* not possible with this binary interface */

/* ... with a window ... */
#define MPI_ERR_BASE         24 /* invalid base of a window */
#define MPI_ERR_SIZE         52 /* invalid size */
#define MPI_ERR_DISP         26 /* invalid displacement */
#define MPI_ERR_LOCKTYPE     37 /* invalid type of lock */
#define MPI_ERR_ASSERT       22 /* invalid assertion */
#define MPI_ERR_RMA_CONFLICT 47 /* conflicting accesses to a window */
#define MPI_ERR_RMA_SYNC     50 /* windows are synchronised wrongly */
#define MPI_ERR_RMA_RANGE    48 /* access beyond a window */
#define MPI_ERR_RMA_ATTACH   46 /* memory cannot be attached */
#define MPI_ERR_RMA_SHARED   49 /* memory cannot be shared */
#define MPI_ERR_RMA_FLAVOR   57 /* the window is of another kind */

/* ... or with a file. */
#define MPI_ERR_FILE                  30 /* invalid file */
#define MPI_ERR_ACCESS                20 /* permission denied */
#define MPI_ERR_AMODE                 21 /* invalid access mode of a file */
#define MPI_ERR_BAD_FILE              23 /* invalid name of a file */
#define MPI_ERR_CONVERSION            25 /* data that cannot be converted */
#define MPI_ERR_DUP_DATAREP           27 /* a data representation of this name is known */
#define MPI_ERR_FILE_EXISTS           28 /* the file exists */
#define MPI_ERR_FILE_IN_USE           29 /* the file is in use */
#define MPI_ERR_IO                    35 /* another error of a file */
#define MPI_ERR_NOT_SAME              40 /* an argument is not the same on all ranks */
#define MPI_ERR_NO_SPACE              41 /* no space on the disk */
#define MPI_ERR_NO_SUCH_FILE          42 /* no such file */
#define MPI_ERR_QUOTA                 44 /* the quota on the disk is exceeded */
#define MPI_ERR_READ_ONLY             45 /* the file can only be read */
#define MPI_ERR_UNSUPPORTED_DATAREP   54 /* unknown data representation */
#define MPI_ERR_UNSUPPORTED_OPERATION 55 /* not possible here */

#define MPI_ERR_LASTCODE 16383 /* codes made at run time are larger */


/* ---- 8 Lengths of strings, with the closing zero ----------------------------------------------- */

#define MPI_MAX_PROCESSOR_NAME         256
#define MPI_MAX_LIBRARY_VERSION_STRING 8192
#define MPI_MAX_ERROR_STRING           512
#define MPI_MAX_OBJECT_NAME            128
#define MPI_MAX_PORT_NAME              1024
#define MPI_MAX_INFO_KEY               256
#define MPI_MAX_INFO_VAL               1024
#define MPI_MAX_DATAREP_STRING         128
#define MPI_MAX_STRINGTAG_LEN          1024
#define MPI_MAX_PSET_NAME_LEN          1024


/* ---- 9 Everything else with a number ----------------------------------------------------------- */

/* Which threads may call MPI. Each level includes the ones before it. */
#define MPI_THREAD_SINGLE     0    /* there is one thread */
#define MPI_THREAD_FUNNELED   1024 /* only the thread that initialised MPI */
#define MPI_THREAD_SERIALIZED 2048 /* any, one at a time */
#define MPI_THREAD_MULTIPLE   4096 /* any, at any time */

/* Spawned processes. */
#define MPI_ARGV_NULL       ((char **)0)
#define MPI_ARGVS_NULL      ((char ***)0)
#define MPI_ERRCODES_IGNORE ((int *)0)

#define MPI_INFO_NULL    ((MPI_Info)0x130)
#define MPI_INFO_ENV     ((MPI_Info)0x131)
#define MPI_SESSION_NULL ((MPI_Session)0x120)

/* Graphs of neighbors without weights. */
#define MPI_UNWEIGHTED    ((int *)10)
#define MPI_WEIGHTS_EMPTY ((int *)11)

/* Windows: locks, promises to the library, attributes, kinds, memory models. */
#define MPI_WIN_NULL            ((MPI_Win)0x110)
#define MPI_LOCK_EXCLUSIVE      301
#define MPI_LOCK_SHARED         302
#define MPI_MODE_NOCHECK        1024
#define MPI_MODE_NOPRECEDE      2048
#define MPI_MODE_NOPUT          4096
#define MPI_MODE_NOSTORE        8192
#define MPI_MODE_NOSUCCEED      16384
#define MPI_WIN_BASE            601
#define MPI_WIN_DISP_UNIT       602
#define MPI_WIN_SIZE            603
#define MPI_WIN_CREATE_FLAVOR   604
#define MPI_WIN_MODEL           605
#define MPI_WIN_FLAVOR_CREATE   311
#define MPI_WIN_FLAVOR_ALLOCATE 312
#define MPI_WIN_FLAVOR_DYNAMIC  313
#define MPI_WIN_FLAVOR_SHARED   314
#define MPI_WIN_UNIFIED         321
#define MPI_WIN_SEPARATE        322

/* Files. */
#define MPI_FILE_NULL            ((MPI_File)0x118)
#define MPI_MODE_APPEND          1
#define MPI_MODE_CREATE          2
#define MPI_MODE_DELETE_ON_CLOSE 4
#define MPI_MODE_EXCL            8
#define MPI_MODE_RDONLY          16
#define MPI_MODE_RDWR            32
#define MPI_MODE_SEQUENTIAL      64
#define MPI_MODE_UNIQUE_OPEN     128
#define MPI_MODE_WRONLY          256
#define MPI_SEEK_CUR             401
#define MPI_SEEK_END             402
#define MPI_SEEK_SET             403
#define MPI_DISPLACEMENT_CURRENT ((MPI_Offset)-1)
#define MPI_CONVERSION_FN_NULL   ((MPI_Datarep_conversion_function *)0)
#define MPI_CONVERSION_FN_NULL_C ((MPI_Datarep_conversion_function_c *)0)

/* Where a Fortran status, eight integers, holds what. */
#define MPI_F_STATUS_SIZE 8
#define MPI_F_SOURCE      0
#define MPI_F_TAG         1
#define MPI_F_ERROR       2

/* The tools interface, MPI_T: the library's own counters ("pvar") and settings ("cvar"). */
typedef struct MPI_T_enum_t               *MPI_T_enum;
typedef struct MPI_T_cvar_handle_t        *MPI_T_cvar_handle;
typedef struct MPI_T_pvar_handle_t        *MPI_T_pvar_handle;
typedef struct MPI_T_pvar_session_t       *MPI_T_pvar_session;
typedef struct MPI_T_event_registration_t *MPI_T_event_registration;
typedef struct MPI_T_event_instance_t     *MPI_T_event_instance;

#define MPI_T_ENUM_NULL         ((MPI_T_enum)0)
#define MPI_T_CVAR_HANDLE_NULL  ((MPI_T_cvar_handle)0)
#define MPI_T_PVAR_HANDLE_NULL  ((MPI_T_pvar_handle)0)
#define MPI_T_PVAR_ALL_HANDLES  ((MPI_T_pvar_handle)1)
#define MPI_T_PVAR_SESSION_NULL ((MPI_T_pvar_session)0)

typedef enum MPI_T_cb_safety { /* what a callback must keep to */
    MPI_T_CB_REQUIRE_NONE              = 0,
    MPI_T_CB_REQUIRE_MPI_RESTRICTED    = 3,
    MPI_T_CB_REQUIRE_THREAD_SAFE       = 15,
    MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE = 63
} MPI_T_cb_safety;

typedef enum MPI_T_source_order { /* whether events come in the order of their times */
    MPI_T_SOURCE_ORDERED   = 1,
    MPI_T_SOURCE_UNORDERED = 2
} MPI_T_source_order;

typedef void (MPI_T_event_cb_function)(MPI_T_event_instance event, MPI_T_event_registration registration,
                                       MPI_T_cb_safety safety, void *user);
typedef void (MPI_T_event_free_cb_function)(MPI_T_event_registration registration, MPI_T_cb_safety safety,
                                            void *user);
typedef void (MPI_T_event_dropped_cb_function)(MPI_Count count, MPI_T_event_registration registration, int source,
                                               MPI_T_cb_safety safety, void *user);

#define MPI_T_VERBOSITY_USER_BASIC    9 /* for whom: user, tuner, developer; how much: basic, detail, all */
#define MPI_T_VERBOSITY_USER_DETAIL   10
#define MPI_T_VERBOSITY_USER_ALL      12
#define MPI_T_VERBOSITY_TUNER_BASIC   17
#define MPI_T_VERBOSITY_TUNER_DETAIL  18
#define MPI_T_VERBOSITY_TUNER_ALL     20
#define MPI_T_VERBOSITY_MPIDEV_BASIC  33
#define MPI_T_VERBOSITY_MPIDEV_DETAIL 34
#define MPI_T_VERBOSITY_MPIDEV_ALL    36

#define MPI_T_BIND_NO_OBJECT      1 /* to which kind of object a variable belongs */
#define MPI_T_BIND_MPI_COMM       2
#define MPI_T_BIND_MPI_DATATYPE   3
#define MPI_T_BIND_MPI_ERRHANDLER 4
#define MPI_T_BIND_MPI_FILE       5
#define MPI_T_BIND_MPI_GROUP      6
#define MPI_T_BIND_MPI_OP         7
#define MPI_T_BIND_MPI_REQUEST    8
#define MPI_T_BIND_MPI_WIN        9
#define MPI_T_BIND_MPI_MESSAGE    10
#define MPI_T_BIND_MPI_INFO       11
#define MPI_T_BIND_MPI_SESSION    12

#define MPI_T_SCOPE_CONSTANT 1 /* who must set a setting together */
#define MPI_T_SCOPE_READONLY 2
#define MPI_T_SCOPE_LOCAL    3
#define MPI_T_SCOPE_GROUP    4
#define MPI_T_SCOPE_GROUP_EQ 5
#define MPI_T_SCOPE_ALL      6
#define MPI_T_SCOPE_ALL_EQ   7

#define MPI_T_PVAR_CLASS_STATE         1 /* what a counter measures */
#define MPI_T_PVAR_CLASS_LEVEL         2
#define MPI_T_PVAR_CLASS_SIZE          3
#define MPI_T_PVAR_CLASS_PERCENTAGE    4
#define MPI_T_PVAR_CLASS_HIGHWATERMARK 5
#define MPI_T_PVAR_CLASS_LOWWATERMARK  6
#define MPI_T_PVAR_CLASS_COUNTER       7
#define MPI_T_PVAR_CLASS_AGGREGATE     8
#define MPI_T_PVAR_CLASS_TIMER         9
#define MPI_T_PVAR_CLASS_GENERIC       10

#define MPI_T_ERR_CANNOT_INIT       1001
#define MPI_T_ERR_NOT_ACCESSIBLE    1002
#define MPI_T_ERR_NOT_INITIALIZED   1003
#define MPI_T_ERR_NOT_SUPPORTED     1004
#define MPI_T_ERR_MEMORY            1005
#define MPI_T_ERR_INVALID           1006
#define MPI_T_ERR_INVALID_INDEX     1007
#define MPI_T_ERR_INVALID_ITEM      1008
#define MPI_T_ERR_INVALID_SESSION   1009
#define MPI_T_ERR_INVALID_HANDLE    1010
#define MPI_T_ERR_INVALID_NAME      1011
#define MPI_T_ERR_OUT_OF_HANDLES    1012
#define MPI_T_ERR_OUT_OF_SESSIONS   1013
#define MPI_T_ERR_CVAR_SET_NOT_NOW  1014
#define MPI_T_ERR_CVAR_SET_NEVER    1015
#define MPI_T_ERR_PVAR_NO_WRITE     1016
#define MPI_T_ERR_PVAR_NO_STARTSTOP 1017
#define MPI_T_ERR_PVAR_NO_ATOMIC    1018


/* Declares a function twice: as MPI_name, which a tool may replace, and as PMPI_name, which stays. */
#define WEIR_MPI(ret, name, args) \
    ret MPI_##name args;          \
    ret PMPI_##name args


/* ---- 10 Functions ------------------------------------------------------------------------------ */

#include "weir/mpi_environment.h"
#include "weir/mpi_point_to_point.h"
#include "weir/mpi_collectives.h"
#include "weir/mpi_communicators.h"
#include "weir/mpi_datatypes.h"
#include "weir/mpi_windows.h"
#include "weir/mpi_files.h"
#include "weir/mpi_tools.h"
#include "weir/mpi_handles.h"

#undef WEIR_MPI

/* Names that older programs have for requests of files. */
#define MPIO_USES_MPI_REQUEST
#define MPIO_Request MPI_Request
#define MPIO_Wait MPI_Wait
#define MPIO_Test MPI_Test

/* Handles and statuses of Fortran. */
typedef int MPI_Fint;
#define MPI_Comm_c2f(comm)             MPI_Comm_toint(comm)
#define MPI_Comm_f2c(comm)             MPI_Comm_fromint(comm)
#define MPI_Errhandler_c2f(errhandler) MPI_Errhandler_toint(errhandler)
#define MPI_Errhandler_f2c(errhandler) MPI_Errhandler_fromint(errhandler)
#define MPI_File_c2f(file)             MPI_File_toint(file)
#define MPI_File_f2c(file)             MPI_File_fromint(file)
#define MPI_Group_c2f(group)           MPI_Group_toint(group)
#define MPI_Group_f2c(group)           MPI_Group_fromint(group)
#define MPI_Info_c2f(info)             MPI_Info_toint(info)
#define MPI_Info_f2c(info)             MPI_Info_fromint(info)
#define MPI_Message_c2f(message)       MPI_Message_toint(message)
#define MPI_Message_f2c(message)       MPI_Message_fromint(message)
#define MPI_Op_c2f(op)                 MPI_Op_toint(op)
#define MPI_Op_f2c(op)                 MPI_Op_fromint(op)
#define MPI_Request_c2f(request)       MPI_Request_toint(request)
#define MPI_Request_f2c(request)       MPI_Request_fromint(request)
#define MPI_Session_c2f(session)       MPI_Session_toint(session)
#define MPI_Session_f2c(session)       MPI_Session_fromint(session)
#define MPI_Type_c2f(type)             MPI_Type_toint(type)
#define MPI_Type_f2c(type)             MPI_Type_fromint(type)
#define MPI_Win_c2f(win)               MPI_Win_toint(win)
#define MPI_Win_f2c(win)               MPI_Win_fromint(win)
#define MPI_Status_c2f(c, fortran)     (*(MPI_Status *)(fortran) = *(c), MPI_SUCCESS)
#define MPI_Status_f2c(fortran, c)     (*(c) = *(const MPI_Status *)(fortran), MPI_SUCCESS)
#define PMPI_Comm_c2f(comm)            PMPI_Comm_toint(comm)
#define PMPI_Comm_f2c(comm)            PMPI_Comm_fromint(comm)
#define PMPI_Errhandler_c2f(errhandler) PMPI_Errhandler_toint(errhandler)
#define PMPI_Errhandler_f2c(errhandler) PMPI_Errhandler_fromint(errhandler)
#define PMPI_File_c2f(file)            PMPI_File_toint(file)
#define PMPI_File_f2c(file)            PMPI_File_fromint(file)
#define PMPI_Group_c2f(group)          PMPI_Group_toint(group)
#define PMPI_Group_f2c(group)          PMPI_Group_fromint(group)
#define PMPI_Info_c2f(info)            PMPI_Info_toint(info)
#define PMPI_Info_f2c(info)            PMPI_Info_fromint(info)
#define PMPI_Message_c2f(message)      PMPI_Message_toint(message)
#define PMPI_Message_f2c(message)      PMPI_Message_fromint(message)
#define PMPI_Op_c2f(op)                PMPI_Op_toint(op)
#define PMPI_Op_f2c(op)                PMPI_Op_fromint(op)
#define PMPI_Request_c2f(request)      PMPI_Request_toint(request)
#define PMPI_Request_f2c(request)      PMPI_Request_fromint(request)
#define PMPI_Session_c2f(session)      PMPI_Session_toint(session)
#define PMPI_Session_f2c(session)      PMPI_Session_fromint(session)
#define PMPI_Type_c2f(type)            PMPI_Type_toint(type)
#define PMPI_Type_f2c(type)            PMPI_Type_fromint(type)
#define PMPI_Win_c2f(win)              PMPI_Win_toint(win)
#define PMPI_Win_f2c(win)              PMPI_Win_fromint(win)

#ifdef __cplusplus
}
#endif

#endif /* WEIR_MPI_H */
