/*
 * mpi.h: the Message Passing Interface as weir offers it to C and C++ programs.
 *
 * Types, constants and the layout of MPI_Status follow the application binary interface of the
 * MPI 5.0 standard (chapter 20). An object file compiled with this header can therefore be linked
 * with any other MPI library that follows that interface.
 *
 * Read it in this order:
 *    1  version              5  datatypes             9  everything else with a number
 *    2  types                6  operations           10  functions weir offers
 *    3  communicators        7  errors               11  functions declared, not offered yet
 *    4  messages             8  lengths of strings
 *
 * A program may mention a function of part 11; calling it ends the run with the function's name.
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

#define MPI_UNDEFINED   (-32766) /* not a rank, a colour, a count, an index */

/* Answers of MPI_Comm_compare and MPI_Group_compare. */
#define MPI_IDENT     201 /* the same object */
#define MPI_CONGRUENT 202 /* same ranks in the same order, another communicator */
#define MPI_SIMILAR   203 /* same ranks in another order */
#define MPI_UNEQUAL   204

/* Kinds of topology, as MPI_Topo_test tells them. */
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
#define MPI_CHAR               ((MPI_Datatype)0x243) /* a printable character: no arithmetic */
#define MPI_SIGNED_CHAR        ((MPI_Datatype)0x244)
#define MPI_UNSIGNED_CHAR      ((MPI_Datatype)0x245)
#define MPI_WCHAR              ((MPI_Datatype)0x23c)
#define MPI_SHORT              ((MPI_Datatype)0x208)
#define MPI_UNSIGNED_SHORT     ((MPI_Datatype)0x20c)
#define MPI_INT                ((MPI_Datatype)0x209)
#define MPI_UNSIGNED           ((MPI_Datatype)0x20d)
#define MPI_LONG               ((MPI_Datatype)0x20a)
#define MPI_UNSIGNED_LONG      ((MPI_Datatype)0x20e)
#define MPI_LONG_LONG          ((MPI_Datatype)0x20b)
#define MPI_LONG_LONG_INT      MPI_LONG_LONG
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
#define MPI_C_FLOAT_COMPLEX       ((MPI_Datatype)0x212)
#define MPI_C_COMPLEX             MPI_C_FLOAT_COMPLEX
#define MPI_C_DOUBLE_COMPLEX      ((MPI_Datatype)0x216)
#define MPI_C_LONG_DOUBLE_COMPLEX ((MPI_Datatype)0x224)

/* A value and an int, for MPI_MINLOC and MPI_MAXLOC: struct { float value; int index; } ... */
#define MPI_FLOAT_INT       ((MPI_Datatype)0x228)
#define MPI_DOUBLE_INT      ((MPI_Datatype)0x229)
#define MPI_LONG_INT        ((MPI_Datatype)0x22a)
#define MPI_2INT            ((MPI_Datatype)0x22b)
#define MPI_SHORT_INT       ((MPI_Datatype)0x22c)
#define MPI_LONG_DOUBLE_INT ((MPI_Datatype)0x22d)

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

/* How a datatype was made, as MPI_Type_get_envelope tells it. */
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

#define MPI_SUCCESS 0

/* What is wrong with an argument ... */
#define MPI_ERR_BUFFER     1
#define MPI_ERR_COUNT      2
#define MPI_ERR_TYPE       3
#define MPI_ERR_TAG        4
#define MPI_ERR_COMM       5
#define MPI_ERR_RANK       6
#define MPI_ERR_REQUEST    7
#define MPI_ERR_ROOT       8
#define MPI_ERR_GROUP      9
#define MPI_ERR_OP         10
#define MPI_ERR_TOPOLOGY   11
#define MPI_ERR_DIMS       12
#define MPI_ERR_ARG        13 /* some other argument */
#define MPI_ERR_ERRHANDLER 61
#define MPI_ERR_SESSION    60
#define MPI_ERR_WIN        56
#define MPI_ERR_KEYVAL     36
#define MPI_ERR_INFO       34
#define MPI_ERR_INFO_KEY   31 /* key too long */
#define MPI_ERR_INFO_VALUE 33 /* value too long */
#define MPI_ERR_INFO_NOKEY 32 /* no such key */

/* ... or with the operation ... */
#define MPI_ERR_UNKNOWN         14
#define MPI_ERR_TRUNCATE        15 /* the message is longer than the receive buffer */
#define MPI_ERR_OTHER           16
#define MPI_ERR_INTERN          17
#define MPI_ERR_PENDING         18 /* this request is not complete */
#define MPI_ERR_IN_STATUS       19 /* look into the statuses: at least one request failed */
#define MPI_ERR_NO_MEM          39
#define MPI_ERR_SPAWN           53
#define MPI_ERR_PORT            43
#define MPI_ERR_SERVICE         51
#define MPI_ERR_NAME            38
#define MPI_ERR_PROC_ABORTED    58
#define MPI_ERR_VALUE_TOO_LARGE 59
#define MPI_ERR_ABI             62

/* ... with a window ... */
#define MPI_ERR_BASE         24
#define MPI_ERR_SIZE         52
#define MPI_ERR_DISP         26
#define MPI_ERR_LOCKTYPE     37
#define MPI_ERR_ASSERT       22
#define MPI_ERR_RMA_CONFLICT 47
#define MPI_ERR_RMA_SYNC     50
#define MPI_ERR_RMA_RANGE    48
#define MPI_ERR_RMA_ATTACH   46
#define MPI_ERR_RMA_SHARED   49
#define MPI_ERR_RMA_FLAVOR   57

/* ... or with a file. */
#define MPI_ERR_FILE                  30
#define MPI_ERR_ACCESS                20
#define MPI_ERR_AMODE                 21
#define MPI_ERR_BAD_FILE              23
#define MPI_ERR_CONVERSION            25
#define MPI_ERR_DUP_DATAREP           27
#define MPI_ERR_FILE_EXISTS           28
#define MPI_ERR_FILE_IN_USE           29
#define MPI_ERR_IO                    35
#define MPI_ERR_NOT_SAME              40
#define MPI_ERR_NO_SPACE              41
#define MPI_ERR_NO_SUCH_FILE          42
#define MPI_ERR_QUOTA                 44
#define MPI_ERR_READ_ONLY             45
#define MPI_ERR_UNSUPPORTED_DATAREP   54
#define MPI_ERR_UNSUPPORTED_OPERATION 55

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

/* Graphs of neighbours without weights. */
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


/* ---- 10 Functions weir offers ------------------------------------------------------------------ */

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
WEIR_MPI(int, Comm_rank, (MPI_Comm comm, int *rank));
WEIR_MPI(int, Comm_size, (MPI_Comm comm, int *size));
WEIR_MPI(int, Get_processor_name, (char *name, int *length));
WEIR_MPI(int, Get_version, (int *version, int *subversion));
WEIR_MPI(int, Get_library_version, (char *version, int *length));
WEIR_MPI(double, Wtime, (void));
WEIR_MPI(double, Wtick, (void));

/* Send and receive, waiting. Ssend ends only after the receive began; Bsend copies into the attached buffer;
    Rsend needs the receive to be posted. */
WEIR_MPI(int, Send, (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm));
WEIR_MPI(int, Ssend, (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm));
WEIR_MPI(int, Rsend, (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm));
WEIR_MPI(int, Bsend, (const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm));
WEIR_MPI(int, Buffer_attach, (void *buffer, int size));
WEIR_MPI(int, Buffer_detach, (void *buffer_address, int *size));
WEIR_MPI(int, Recv, (void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status));
WEIR_MPI(int, Sendrecv, (const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                         void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                         MPI_Comm comm, MPI_Status *status));
WEIR_MPI(int, Sendrecv_replace, (void *buf, int count, MPI_Datatype type, int dest, int sendtag, int source,
                                 int recvtag, MPI_Comm comm, MPI_Status *status));

/* Send and receive, going on. */
WEIR_MPI(int, Isend, (const void *buf, int count, MPI_Datatype type, int dest, int tag,
                      MPI_Comm comm, MPI_Request *request));
WEIR_MPI(int, Issend, (const void *buf, int count, MPI_Datatype type, int dest, int tag,
                       MPI_Comm comm, MPI_Request *request));
WEIR_MPI(int, Irsend, (const void *buf, int count, MPI_Datatype type, int dest, int tag,
                       MPI_Comm comm, MPI_Request *request));
WEIR_MPI(int, Ibsend, (const void *buf, int count, MPI_Datatype type, int dest, int tag,
                       MPI_Comm comm, MPI_Request *request));
WEIR_MPI(int, Irecv, (void *buf, int count, MPI_Datatype type, int source, int tag,
                      MPI_Comm comm, MPI_Request *request));

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

/* Look at a message before receiving it; ask a status how much came. */
WEIR_MPI(int, Probe, (int source, int tag, MPI_Comm comm, MPI_Status *status));
WEIR_MPI(int, Iprobe, (int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status));
WEIR_MPI(int, Get_count, (const MPI_Status *status, MPI_Datatype type, int *count));
WEIR_MPI(int, Get_elements, (const MPI_Status *status, MPI_Datatype type, int *count));
WEIR_MPI(int, Get_elements_x, (const MPI_Status *status, MPI_Datatype type, MPI_Count *count));
WEIR_MPI(int, Status_set_elements, (MPI_Status *status, MPI_Datatype type, int count));
WEIR_MPI(int, Status_set_elements_x, (MPI_Status *status, MPI_Datatype type, MPI_Count count));

/* Collectives: all ranks of the communicator call them, in the same order. */
WEIR_MPI(int, Barrier, (MPI_Comm comm));
WEIR_MPI(int, Bcast, (void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm));
WEIR_MPI(int, Reduce, (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm));
WEIR_MPI(int, Allreduce, (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm));
WEIR_MPI(int, Gather, (const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                       void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm));
WEIR_MPI(int, Gatherv, (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                        const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm));
WEIR_MPI(int, Scatter, (const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                        void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm));
WEIR_MPI(int, Scatterv, (const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
                         void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm));
WEIR_MPI(int, Allgather, (const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                          void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm));
WEIR_MPI(int, Allgatherv, (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                           const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm));
WEIR_MPI(int, Alltoall, (const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                         void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm));
WEIR_MPI(int, Alltoallv, (const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                          void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm));
WEIR_MPI(int, Scan, (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm));
WEIR_MPI(int, Exscan, (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm));
WEIR_MPI(int, Reduce_scatter, (const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype type, MPI_Op op,
                               MPI_Comm comm));
WEIR_MPI(int, Reduce_scatter_block, (const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype type, MPI_Op op,
                                     MPI_Comm comm));
WEIR_MPI(int, Reduce_local, (const void *inbuf, void *inoutbuf, int count, MPI_Datatype type, MPI_Op op));
WEIR_MPI(int, Op_create, (MPI_User_function *function, int commute, MPI_Op *op));
WEIR_MPI(int, Op_free, (MPI_Op *op));
WEIR_MPI(int, Op_commutative, (MPI_Op op, int *commute));

/* Communicators. */
WEIR_MPI(int, Comm_dup, (MPI_Comm comm, MPI_Comm *newcomm));
WEIR_MPI(int, Comm_split, (MPI_Comm comm, int colour, int key, MPI_Comm *newcomm));
WEIR_MPI(int, Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm));
WEIR_MPI(int, Comm_free, (MPI_Comm *comm));
WEIR_MPI(int, Comm_compare, (MPI_Comm comm1, MPI_Comm comm2, int *result));
WEIR_MPI(int, Comm_group, (MPI_Comm comm, MPI_Group *group));
WEIR_MPI(int, Comm_test_inter, (MPI_Comm comm, int *flag));
WEIR_MPI(int, Comm_set_name, (MPI_Comm comm, const char *name));
WEIR_MPI(int, Comm_get_name, (MPI_Comm comm, char *name, int *length));

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

/* Making datatypes. Displacements and strides are in elements, those of "create_h..." in bytes. */
WEIR_MPI(int, Type_contiguous, (int count, MPI_Datatype oldtype, MPI_Datatype *newtype));
WEIR_MPI(int, Type_vector, (int count, int blocklength, int stride, MPI_Datatype oldtype, MPI_Datatype *newtype));
WEIR_MPI(int, Type_create_hvector, (int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype *newtype));
WEIR_MPI(int, Type_indexed, (int count, const int blocklengths[], const int displs[], MPI_Datatype oldtype,
                             MPI_Datatype *newtype));
WEIR_MPI(int, Type_create_hindexed, (int count, const int blocklengths[], const MPI_Aint displs[], MPI_Datatype oldtype,
                                     MPI_Datatype *newtype));
WEIR_MPI(int, Type_create_indexed_block, (int count, int blocklength, const int displs[], MPI_Datatype oldtype,
                                          MPI_Datatype *newtype));
WEIR_MPI(int, Type_create_hindexed_block, (int count, int blocklength, const MPI_Aint displs[], MPI_Datatype oldtype,
                                           MPI_Datatype *newtype));
WEIR_MPI(int, Type_create_struct, (int count, const int blocklengths[], const MPI_Aint displs[],
                                   const MPI_Datatype types[], MPI_Datatype *newtype));
WEIR_MPI(int, Type_create_subarray, (int ndims, const int sizes[], const int subsizes[], const int starts[], int order,
                                     MPI_Datatype oldtype, MPI_Datatype *newtype));
WEIR_MPI(int, Type_create_darray, (int size, int rank, int ndims, const int gsizes[], const int distribs[],
                                   const int dargs[], const int psizes[], int order, MPI_Datatype oldtype,
                                   MPI_Datatype *newtype));
WEIR_MPI(int, Type_create_resized, (MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype *newtype));
WEIR_MPI(int, Type_dup, (MPI_Datatype oldtype, MPI_Datatype *newtype));
WEIR_MPI(int, Type_commit, (MPI_Datatype *type));
WEIR_MPI(int, Type_free, (MPI_Datatype *type));

/* What datatypes are. */
WEIR_MPI(int, Type_size, (MPI_Datatype type, int *size));
WEIR_MPI(int, Type_size_x, (MPI_Datatype type, MPI_Count *size));
WEIR_MPI(int, Type_get_extent, (MPI_Datatype type, MPI_Aint *lb, MPI_Aint *extent));
WEIR_MPI(int, Type_get_extent_x, (MPI_Datatype type, MPI_Count *lb, MPI_Count *extent));
WEIR_MPI(int, Type_get_true_extent, (MPI_Datatype type, MPI_Aint *true_lb, MPI_Aint *true_extent));
WEIR_MPI(int, Type_get_true_extent_x, (MPI_Datatype type, MPI_Count *true_lb, MPI_Count *true_extent));
WEIR_MPI(int, Type_set_name, (MPI_Datatype type, const char *name));
WEIR_MPI(int, Type_get_name, (MPI_Datatype type, char *name, int *length));
WEIR_MPI(int, Type_get_envelope, (MPI_Datatype type, int *num_integers, int *num_addresses, int *num_datatypes,
                                  int *combiner));
WEIR_MPI(int, Type_get_contents, (MPI_Datatype type, int max_integers, int max_addresses, int max_datatypes,
                                  int integers[], MPI_Aint addresses[], MPI_Datatype datatypes[]));
WEIR_MPI(int, Type_match_size, (int typeclass, int size, MPI_Datatype *type));

/* Packing by hand. */
WEIR_MPI(int, Pack, (const void *inbuf, int incount, MPI_Datatype type,
                     void *outbuf, int outsize, int *position, MPI_Comm comm));
WEIR_MPI(int, Unpack, (const void *inbuf, int insize, int *position,
                       void *outbuf, int outcount, MPI_Datatype type, MPI_Comm comm));
WEIR_MPI(int, Pack_size, (int incount, MPI_Datatype type, MPI_Comm comm, int *size));
WEIR_MPI(int, Pack_external, (const char datarep[], const void *inbuf, int incount, MPI_Datatype type,
                              void *outbuf, MPI_Aint outsize, MPI_Aint *position));
WEIR_MPI(int, Unpack_external, (const char datarep[], const void *inbuf, MPI_Aint insize, MPI_Aint *position,
                                void *outbuf, int outcount, MPI_Datatype type));
WEIR_MPI(int, Pack_external_size, (const char datarep[], int incount, MPI_Datatype type, MPI_Aint *size));

/* Addresses and memory. */
WEIR_MPI(int, Get_address, (const void *location, MPI_Aint *address));
WEIR_MPI(int, Alloc_mem, (MPI_Aint size, MPI_Info info, void *base_address));
WEIR_MPI(int, Free_mem, (void *base));

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
WEIR_MPI(int, Remove_error_class, (int error_class));
WEIR_MPI(int, Remove_error_code, (int code));
WEIR_MPI(int, Remove_error_string, (int code));

/* Attributes of communicators; those without Comm_ are the names of MPI-1. */
WEIR_MPI(int, Comm_create_keyval, (MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *del, int *key, void *extra));
WEIR_MPI(int, Comm_free_keyval, (int *key));
WEIR_MPI(int, Comm_set_attr, (MPI_Comm comm, int key, void *value));
WEIR_MPI(int, Comm_get_attr, (MPI_Comm comm, int key, void *value_address, int *flag));
WEIR_MPI(int, Comm_delete_attr, (MPI_Comm comm, int key));
WEIR_MPI(int, Keyval_create, (MPI_Copy_function *copy, MPI_Delete_function *del, int *key, void *extra));
WEIR_MPI(int, Keyval_free, (int *key));
WEIR_MPI(int, Attr_put, (MPI_Comm comm, int key, void *value));
WEIR_MPI(int, Attr_get, (MPI_Comm comm, int key, void *value_address, int *flag));
WEIR_MPI(int, Attr_delete, (MPI_Comm comm, int key));

/* Info objects, and hints of communicators. */
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
WEIR_MPI(int, Comm_set_info, (MPI_Comm comm, MPI_Info info));
WEIR_MPI(int, Comm_get_info, (MPI_Comm comm, MPI_Info *info));
WEIR_MPI(int, Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm));

/* Grids of ranks. */
WEIR_MPI(int, Dims_create, (int nnodes, int ndims, int dims[]));
WEIR_MPI(int, Topo_test, (MPI_Comm comm, int *kind));
WEIR_MPI(int, Cart_create, (MPI_Comm comm, int ndims, const int dims[], const int periods[], int reorder, MPI_Comm *newcomm));
WEIR_MPI(int, Cart_map, (MPI_Comm comm, int ndims, const int dims[], const int periods[], int *newrank));
WEIR_MPI(int, Cart_sub, (MPI_Comm comm, const int remain[], MPI_Comm *newcomm));
WEIR_MPI(int, Cartdim_get, (MPI_Comm comm, int *ndims));
WEIR_MPI(int, Cart_get, (MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[]));
WEIR_MPI(int, Cart_coords, (MPI_Comm comm, int rank, int maxdims, int coords[]));
WEIR_MPI(int, Cart_rank, (MPI_Comm comm, const int coords[], int *rank));
WEIR_MPI(int, Cart_shift, (MPI_Comm comm, int direction, int displacement, int *source, int *dest));

/* Graphs of ranks: known to all as a whole, or to each its own edges. */
WEIR_MPI(int, Graph_create, (MPI_Comm comm, int nnodes, const int index[], const int edges[], int reorder, MPI_Comm *newcomm));
WEIR_MPI(int, Graph_map, (MPI_Comm comm, int nnodes, const int index[], const int edges[], int *newrank));
WEIR_MPI(int, Graphdims_get, (MPI_Comm comm, int *nnodes, int *nedges));
WEIR_MPI(int, Graph_get, (MPI_Comm comm, int maxindex, int maxedges, int index[], int edges[]));
WEIR_MPI(int, Graph_neighbors_count, (MPI_Comm comm, int rank, int *count));
WEIR_MPI(int, Graph_neighbors, (MPI_Comm comm, int rank, int maxneighbors, int neighbors[]));
WEIR_MPI(int, Dist_graph_create, (MPI_Comm comm, int n, const int sources[], const int degrees[], const int destinations[],
                                  const int weights[], MPI_Info info, int reorder, MPI_Comm *newcomm));
WEIR_MPI(int, Dist_graph_create_adjacent, (MPI_Comm comm, int indegree, const int sources[], const int sourceweights[],
                                           int outdegree, const int destinations[], const int destweights[],
                                           MPI_Info info, int reorder, MPI_Comm *newcomm));
WEIR_MPI(int, Dist_graph_neighbors_count, (MPI_Comm comm, int *indegree, int *outdegree, int *weighted));
WEIR_MPI(int, Dist_graph_neighbors, (MPI_Comm comm, int maxindegree, int sources[], int sourceweights[],
                                     int maxoutdegree, int destinations[], int destweights[]));

/* Collectives among neighbours. In a grid: side by side, first the one before, then the one behind. */
WEIR_MPI(int, Neighbor_allgather, (const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                   void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm));
WEIR_MPI(int, Neighbor_allgatherv, (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                                    const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm));
WEIR_MPI(int, Neighbor_alltoall, (const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                                  void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm));
WEIR_MPI(int, Neighbor_alltoallv, (const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                                   void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                                   MPI_Comm comm));
WEIR_MPI(int, Neighbor_alltoallw, (const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                                   const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],
                                   const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm));

/* Other ways to make communicators and groups. There are no remote groups: the two calls fail. */
WEIR_MPI(int, Comm_split_type, (MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm));
WEIR_MPI(int, Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm));
WEIR_MPI(int, Comm_idup, (MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request));
WEIR_MPI(int, Comm_idup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm, MPI_Request *request));
WEIR_MPI(int, Comm_remote_size, (MPI_Comm comm, int *size));
WEIR_MPI(int, Comm_remote_group, (MPI_Comm comm, MPI_Group *group));
WEIR_MPI(int, Group_range_excl, (MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup));


/* ---- 11 Functions declared, not offered yet ---------------------------------------------------- */

/* Collectives that go on. */
WEIR_MPI(int, Ibarrier, (MPI_Comm comm, MPI_Request *request));
WEIR_MPI(int, Ibcast, (void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request));
WEIR_MPI(int, Ireduce, (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, int root,
                        MPI_Comm comm, MPI_Request *request));
WEIR_MPI(int, Iallreduce, (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                           MPI_Request *request));
WEIR_MPI(int, Igather, (const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                        void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request));
WEIR_MPI(int, Iscatter, (const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                         void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request));
WEIR_MPI(int, Iallgather, (const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                           void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request));
WEIR_MPI(int, Iallgatherv, (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                            const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                            MPI_Request *request));
WEIR_MPI(int, Ialltoall, (const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                          void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request));
WEIR_MPI(int, Ialltoallv, (const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                           void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                           MPI_Comm comm, MPI_Request *request));
WEIR_MPI(int, Alltoallw, (const void *sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[],
                          void *recvbuf, const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[],
                          MPI_Comm comm));

/* Messages prepared once, sent often; messages matched by a probe. */
WEIR_MPI(int, Send_init, (const void *buf, int count, MPI_Datatype type, int dest, int tag,
                          MPI_Comm comm, MPI_Request *request));
WEIR_MPI(int, Ssend_init, (const void *buf, int count, MPI_Datatype type, int dest, int tag,
                           MPI_Comm comm, MPI_Request *request));
WEIR_MPI(int, Rsend_init, (const void *buf, int count, MPI_Datatype type, int dest, int tag,
                           MPI_Comm comm, MPI_Request *request));
WEIR_MPI(int, Bsend_init, (const void *buf, int count, MPI_Datatype type, int dest, int tag,
                           MPI_Comm comm, MPI_Request *request));
WEIR_MPI(int, Recv_init, (void *buf, int count, MPI_Datatype type, int source, int tag,
                          MPI_Comm comm, MPI_Request *request));
WEIR_MPI(int, Start, (MPI_Request *request));
WEIR_MPI(int, Startall, (int count, MPI_Request requests[]));
WEIR_MPI(int, Mprobe, (int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status));
WEIR_MPI(int, Improbe, (int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status));
WEIR_MPI(int, Mrecv, (void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status));
WEIR_MPI(int, Imrecv, (void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request));


/* Two groups that talk to each other, and processes that join during the run. */
WEIR_MPI(int, Intercomm_create, (MPI_Comm local, int local_leader, MPI_Comm peer, int remote_leader, int tag, MPI_Comm *newcomm));
WEIR_MPI(int, Intercomm_merge, (MPI_Comm intercomm, int high, MPI_Comm *newcomm));
WEIR_MPI(int, Comm_spawn, (const char *command, char *argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm,
                           MPI_Comm *intercomm, int codes[]));
WEIR_MPI(int, Comm_get_parent, (MPI_Comm *parent));
WEIR_MPI(int, Comm_disconnect, (MPI_Comm *comm));
WEIR_MPI(int, Open_port, (MPI_Info info, char *port_name));
WEIR_MPI(int, Close_port, (const char *port_name));
WEIR_MPI(int, Comm_accept, (const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm));
WEIR_MPI(int, Comm_connect, (const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm));

/* Windows: one rank reaches into the memory of another. */
WEIR_MPI(int, Win_create, (void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *win));
WEIR_MPI(int, Win_allocate, (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base_address, MPI_Win *win));
WEIR_MPI(int, Win_free, (MPI_Win *win));
WEIR_MPI(int, Win_fence, (int promises, MPI_Win win));
WEIR_MPI(int, Win_lock, (int lock, int rank, int promises, MPI_Win win));
WEIR_MPI(int, Win_unlock, (int rank, MPI_Win win));
WEIR_MPI(int, Win_lock_all, (int promises, MPI_Win win));
WEIR_MPI(int, Win_unlock_all, (MPI_Win win));
WEIR_MPI(int, Win_flush, (int rank, MPI_Win win));
WEIR_MPI(int, Win_flush_all, (MPI_Win win));
WEIR_MPI(int, Put, (const void *origin, int origin_count, MPI_Datatype origin_type, int target, MPI_Aint target_disp,
                    int target_count, MPI_Datatype target_type, MPI_Win win));
WEIR_MPI(int, Get, (void *origin, int origin_count, MPI_Datatype origin_type, int target, MPI_Aint target_disp,
                    int target_count, MPI_Datatype target_type, MPI_Win win));
WEIR_MPI(int, Accumulate, (const void *origin, int origin_count, MPI_Datatype origin_type, int target, MPI_Aint target_disp,
                           int target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win));
WEIR_MPI(int, Fetch_and_op, (const void *origin, void *result, MPI_Datatype type, int target, MPI_Aint target_disp, MPI_Op op,
                             MPI_Win win));
WEIR_MPI(int, Compare_and_swap, (const void *origin, const void *compare, void *result, MPI_Datatype type, int target,
                                 MPI_Aint target_disp, MPI_Win win));

/* Tools: the library's counters. */
WEIR_MPI(int, T_init_thread, (int required, int *provided));
WEIR_MPI(int, T_finalize, (void));
WEIR_MPI(int, T_pvar_get_num, (int *count));
WEIR_MPI(int, T_pvar_get_info, (int index, char *name, int *name_length, int *verbosity, int *var_class, MPI_Datatype *type,
                                MPI_T_enum *enumtype, char *description, int *description_length, int *bind, int *readonly,
                                int *continuous, int *atomic));
WEIR_MPI(int, T_pvar_session_create, (MPI_T_pvar_session *session));
WEIR_MPI(int, T_pvar_session_free, (MPI_T_pvar_session *session));
WEIR_MPI(int, T_pvar_handle_alloc, (MPI_T_pvar_session session, int index, void *object, MPI_T_pvar_handle *handle, int *count));
WEIR_MPI(int, T_pvar_handle_free, (MPI_T_pvar_session session, MPI_T_pvar_handle *handle));
WEIR_MPI(int, T_pvar_start, (MPI_T_pvar_session session, MPI_T_pvar_handle handle));
WEIR_MPI(int, T_pvar_stop, (MPI_T_pvar_session session, MPI_T_pvar_handle handle));
WEIR_MPI(int, T_pvar_read, (MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf));

#undef WEIR_MPI

#ifdef __cplusplus
}
#endif

#endif /* WEIR_MPI_H */
