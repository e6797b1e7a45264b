//! The constants of `mpi.h`, under its names.
#![allow(missing_docs)] // mpi.h says what they are

macro_rules! constants {
    ($($kind:ident { $($name:ident $value:literal)* })*) => {
        $($(pub const $name: $kind = $value;)*)*
        /// Every name with its value.
        #[cfg(test)]
        const ALL: &[(&str, i64)] = &[$($((stringify!($name), $name as i64),)*)*];
    };
}

constants! {
    usize {
        MPI_COMM_NULL 0x100
        MPI_COMM_WORLD 0x101
        MPI_COMM_SELF 0x102
        MPI_GROUP_NULL 0x108
        MPI_GROUP_EMPTY 0x109
        MPI_REQUEST_NULL 0x180
        MPI_MESSAGE_NULL 0x128
        MPI_MESSAGE_NO_PROC 0x129
        MPI_DATATYPE_NULL 0x200
        MPI_BYTE 0x247
        MPI_PACKED 0x207
        MPI_CHAR 0x243
        MPI_SIGNED_CHAR 0x244
        MPI_UNSIGNED_CHAR 0x245
        MPI_WCHAR 0x23c
        MPI_SHORT 0x208
        MPI_UNSIGNED_SHORT 0x20c
        MPI_INT 0x209
        MPI_UNSIGNED 0x20d
        MPI_LONG 0x20a
        MPI_UNSIGNED_LONG 0x20e
        MPI_LONG_LONG_INT 0x20b
        MPI_UNSIGNED_LONG_LONG 0x20f
        MPI_C_BOOL 0x238
        MPI_INT8_T 0x240
        MPI_UINT8_T 0x241
        MPI_INT16_T 0x248
        MPI_UINT16_T 0x249
        MPI_INT32_T 0x250
        MPI_UINT32_T 0x251
        MPI_INT64_T 0x258
        MPI_UINT64_T 0x259
        MPI_AINT 0x201
        MPI_COUNT 0x202
        MPI_OFFSET 0x203
        MPI_FLOAT 0x210
        MPI_DOUBLE 0x214
        MPI_LONG_DOUBLE 0x220
        MPI_C_COMPLEX 0x212
        MPI_C_DOUBLE_COMPLEX 0x216
        MPI_C_LONG_DOUBLE_COMPLEX 0x224
        MPI_FLOAT_INT 0x228
        MPI_DOUBLE_INT 0x229
        MPI_LONG_INT 0x22a
        MPI_2INT 0x22b
        MPI_SHORT_INT 0x22c
        MPI_LONG_DOUBLE_INT 0x22d
        MPI_LB 0x3fe
        MPI_UB 0x3ff
        MPI_CXX_BOOL 0x239
        MPI_CXX_FLOAT_COMPLEX 0x213
        MPI_CXX_DOUBLE_COMPLEX 0x217
        MPI_CXX_LONG_DOUBLE_COMPLEX 0x225
        MPI_LOGICAL 0x218
        MPI_INTEGER 0x219
        MPI_REAL 0x21a
        MPI_COMPLEX 0x21b
        MPI_DOUBLE_PRECISION 0x21c
        MPI_DOUBLE_COMPLEX 0x21d
        MPI_CHARACTER 0x21e
        MPI_2REAL 0x230
        MPI_2DOUBLE_PRECISION 0x231
        MPI_2INTEGER 0x232
        MPI_LOGICAL1 0x2c0
        MPI_LOGICAL2 0x2c8
        MPI_LOGICAL4 0x2d0
        MPI_LOGICAL8 0x2d8
        MPI_LOGICAL16 0x2e0
        MPI_INTEGER1 0x2c1
        MPI_INTEGER2 0x2c9
        MPI_INTEGER4 0x2d1
        MPI_INTEGER8 0x2d9
        MPI_INTEGER16 0x2e1
        MPI_REAL2 0x2ca
        MPI_REAL4 0x2d2
        MPI_REAL8 0x2da
        MPI_REAL16 0x2e2
        MPI_COMPLEX4 0x2d3
        MPI_COMPLEX8 0x2db
        MPI_COMPLEX16 0x2e3
        MPI_COMPLEX32 0x2eb
        MPI_OP_NULL 0x20
        MPI_SUM 0x21
        MPI_MIN 0x22
        MPI_MAX 0x23
        MPI_PROD 0x24
        MPI_BAND 0x28
        MPI_BOR 0x29
        MPI_BXOR 0x2a
        MPI_LAND 0x30
        MPI_LOR 0x31
        MPI_LXOR 0x32
        MPI_MINLOC 0x38
        MPI_MAXLOC 0x39
        MPI_REPLACE 0x3c
        MPI_NO_OP 0x3d
        MPI_ERRHANDLER_NULL 0x140
        MPI_ERRORS_ARE_FATAL 0x141
        MPI_ERRORS_ABORT 0x142
        MPI_ERRORS_RETURN 0x143
        MPI_INFO_NULL 0x130
        MPI_INFO_ENV 0x131
        MPI_SESSION_NULL 0x120
        MPI_WIN_NULL 0x110
        MPI_FILE_NULL 0x118
    }
    i32 {
        MPI_VERSION 5
        MPI_SUBVERSION 0
        MPI_ABI_VERSION 1
        MPI_ABI_SUBVERSION 0
        MPI_UNDEFINED -32766
        MPI_IDENT 201
        MPI_CONGRUENT 202
        MPI_SIMILAR 203
        MPI_UNEQUAL 204
        MPI_CART 211
        MPI_GRAPH 212
        MPI_DIST_GRAPH 213
        MPI_COMM_TYPE_SHARED 221
        MPI_COMM_TYPE_HW_UNGUIDED 222
        MPI_COMM_TYPE_HW_GUIDED 223
        MPI_COMM_TYPE_RESOURCE_GUIDED 224
        MPI_KEYVAL_INVALID 0
        MPI_TAG_UB 501
        MPI_IO 502
        MPI_HOST 503
        MPI_WTIME_IS_GLOBAL 504
        MPI_APPNUM 505
        MPI_LASTUSEDCODE 506
        MPI_UNIVERSE_SIZE 507
        MPI_ANY_SOURCE -1
        MPI_ANY_TAG -2
        MPI_PROC_NULL -3
        MPI_ROOT -4
        MPI_BSEND_OVERHEAD 512
        MPI_ORDER_C 12
        MPI_ORDER_FORTRAN 15
        MPI_DISTRIBUTE_NONE 16
        MPI_DISTRIBUTE_BLOCK 17
        MPI_DISTRIBUTE_CYCLIC 18
        MPI_DISTRIBUTE_DFLT_DARG 19
        MPI_COMBINER_NAMED 101
        MPI_COMBINER_DUP 102
        MPI_COMBINER_CONTIGUOUS 103
        MPI_COMBINER_VECTOR 104
        MPI_COMBINER_HVECTOR 105
        MPI_COMBINER_INDEXED 106
        MPI_COMBINER_HINDEXED 107
        MPI_COMBINER_INDEXED_BLOCK 108
        MPI_COMBINER_HINDEXED_BLOCK 109
        MPI_COMBINER_STRUCT 110
        MPI_COMBINER_SUBARRAY 111
        MPI_COMBINER_DARRAY 112
        MPI_COMBINER_F90_REAL 113
        MPI_COMBINER_F90_COMPLEX 114
        MPI_COMBINER_F90_INTEGER 115
        MPI_COMBINER_RESIZED 116
        MPI_COMBINER_VALUE_INDEX 117
        MPI_TYPECLASS_INTEGER 192
        MPI_TYPECLASS_REAL 193
        MPI_TYPECLASS_COMPLEX 194
        MPI_SUCCESS 0
        MPI_ERR_BUFFER 1
        MPI_ERR_COUNT 2
        MPI_ERR_TYPE 3
        MPI_ERR_TAG 4
        MPI_ERR_COMM 5
        MPI_ERR_RANK 6
        MPI_ERR_REQUEST 7
        MPI_ERR_ROOT 8
        MPI_ERR_GROUP 9
        MPI_ERR_OP 10
        MPI_ERR_TOPOLOGY 11
        MPI_ERR_DIMS 12
        MPI_ERR_ARG 13
        MPI_ERR_ERRHANDLER 61
        MPI_ERR_SESSION 60
        MPI_ERR_WIN 56
        MPI_ERR_KEYVAL 36
        MPI_ERR_INFO 34
        MPI_ERR_INFO_KEY 31
        MPI_ERR_INFO_VALUE 33
        MPI_ERR_INFO_NOKEY 32
        MPI_ERR_UNKNOWN 14
        MPI_ERR_TRUNCATE 15
        MPI_ERR_OTHER 16
        MPI_ERR_INTERN 17
        MPI_ERR_PENDING 18
        MPI_ERR_IN_STATUS 19
        MPI_ERR_NO_MEM 39
        MPI_ERR_SPAWN 53
        MPI_ERR_PORT 43
        MPI_ERR_SERVICE 51
        MPI_ERR_NAME 38
        MPI_ERR_PROC_ABORTED 58
        MPI_ERR_VALUE_TOO_LARGE 59
        MPI_ERR_ABI 62
        MPI_ERR_BASE 24
        MPI_ERR_SIZE 52
        MPI_ERR_DISP 26
        MPI_ERR_LOCKTYPE 37
        MPI_ERR_ASSERT 22
        MPI_ERR_RMA_CONFLICT 47
        MPI_ERR_RMA_SYNC 50
        MPI_ERR_RMA_RANGE 48
        MPI_ERR_RMA_ATTACH 46
        MPI_ERR_RMA_SHARED 49
        MPI_ERR_RMA_FLAVOR 57
        MPI_ERR_FILE 30
        MPI_ERR_ACCESS 20
        MPI_ERR_AMODE 21
        MPI_ERR_BAD_FILE 23
        MPI_ERR_CONVERSION 25
        MPI_ERR_DUP_DATAREP 27
        MPI_ERR_FILE_EXISTS 28
        MPI_ERR_FILE_IN_USE 29
        MPI_ERR_IO 35
        MPI_ERR_NOT_SAME 40
        MPI_ERR_NO_SPACE 41
        MPI_ERR_NO_SUCH_FILE 42
        MPI_ERR_QUOTA 44
        MPI_ERR_READ_ONLY 45
        MPI_ERR_UNSUPPORTED_DATAREP 54
        MPI_ERR_UNSUPPORTED_OPERATION 55
        MPI_ERR_LASTCODE 16383
        MPI_MAX_PROCESSOR_NAME 256
        MPI_MAX_LIBRARY_VERSION_STRING 8192
        MPI_MAX_ERROR_STRING 512
        MPI_MAX_OBJECT_NAME 128
        MPI_MAX_PORT_NAME 1024
        MPI_MAX_INFO_KEY 256
        MPI_MAX_INFO_VAL 1024
        MPI_MAX_DATAREP_STRING 128
        MPI_MAX_STRINGTAG_LEN 1024
        MPI_MAX_PSET_NAME_LEN 1024
        MPI_THREAD_SINGLE 0
        MPI_THREAD_FUNNELED 1024
        MPI_THREAD_SERIALIZED 2048
        MPI_THREAD_MULTIPLE 4096
        MPI_LOCK_EXCLUSIVE 301
        MPI_LOCK_SHARED 302
        MPI_MODE_NOCHECK 1024
        MPI_MODE_NOPRECEDE 2048
        MPI_MODE_NOPUT 4096
        MPI_MODE_NOSTORE 8192
        MPI_MODE_NOSUCCEED 16384
        MPI_WIN_BASE 601
        MPI_WIN_DISP_UNIT 602
        MPI_WIN_SIZE 603
        MPI_WIN_CREATE_FLAVOR 604
        MPI_WIN_MODEL 605
        MPI_WIN_FLAVOR_CREATE 311
        MPI_WIN_FLAVOR_ALLOCATE 312
        MPI_WIN_FLAVOR_DYNAMIC 313
        MPI_WIN_FLAVOR_SHARED 314
        MPI_WIN_UNIFIED 321
        MPI_WIN_SEPARATE 322
        MPI_MODE_APPEND 1
        MPI_MODE_CREATE 2
        MPI_MODE_DELETE_ON_CLOSE 4
        MPI_MODE_EXCL 8
        MPI_MODE_RDONLY 16
        MPI_MODE_RDWR 32
        MPI_MODE_SEQUENTIAL 64
        MPI_MODE_UNIQUE_OPEN 128
        MPI_MODE_WRONLY 256
        MPI_SEEK_CUR 401
        MPI_SEEK_END 402
        MPI_SEEK_SET 403
        MPI_F_STATUS_SIZE 8
        MPI_F_SOURCE 0
        MPI_F_TAG 1
        MPI_F_ERROR 2
        MPI_T_VERBOSITY_USER_BASIC 9
        MPI_T_VERBOSITY_USER_DETAIL 10
        MPI_T_VERBOSITY_USER_ALL 12
        MPI_T_VERBOSITY_TUNER_BASIC 17
        MPI_T_VERBOSITY_TUNER_DETAIL 18
        MPI_T_VERBOSITY_TUNER_ALL 20
        MPI_T_VERBOSITY_MPIDEV_BASIC 33
        MPI_T_VERBOSITY_MPIDEV_DETAIL 34
        MPI_T_VERBOSITY_MPIDEV_ALL 36
        MPI_T_BIND_NO_OBJECT 1
        MPI_T_BIND_MPI_COMM 2
        MPI_T_BIND_MPI_DATATYPE 3
        MPI_T_BIND_MPI_ERRHANDLER 4
        MPI_T_BIND_MPI_FILE 5
        MPI_T_BIND_MPI_GROUP 6
        MPI_T_BIND_MPI_OP 7
        MPI_T_BIND_MPI_REQUEST 8
        MPI_T_BIND_MPI_WIN 9
        MPI_T_BIND_MPI_MESSAGE 10
        MPI_T_BIND_MPI_INFO 11
        MPI_T_BIND_MPI_SESSION 12
        MPI_T_SCOPE_CONSTANT 1
        MPI_T_SCOPE_READONLY 2
        MPI_T_SCOPE_LOCAL 3
        MPI_T_SCOPE_GROUP 4
        MPI_T_SCOPE_GROUP_EQ 5
        MPI_T_SCOPE_ALL 6
        MPI_T_SCOPE_ALL_EQ 7
        MPI_T_PVAR_CLASS_STATE 1
        MPI_T_PVAR_CLASS_LEVEL 2
        MPI_T_PVAR_CLASS_SIZE 3
        MPI_T_PVAR_CLASS_PERCENTAGE 4
        MPI_T_PVAR_CLASS_HIGHWATERMARK 5
        MPI_T_PVAR_CLASS_LOWWATERMARK 6
        MPI_T_PVAR_CLASS_COUNTER 7
        MPI_T_PVAR_CLASS_AGGREGATE 8
        MPI_T_PVAR_CLASS_TIMER 9
        MPI_T_PVAR_CLASS_GENERIC 10
        MPI_T_ERR_CANNOT_INIT 1001
        MPI_T_ERR_NOT_ACCESSIBLE 1002
        MPI_T_ERR_NOT_INITIALIZED 1003
        MPI_T_ERR_NOT_SUPPORTED 1004
        MPI_T_ERR_MEMORY 1005
        MPI_T_ERR_INVALID 1006
        MPI_T_ERR_INVALID_INDEX 1007
        MPI_T_ERR_INVALID_ITEM 1008
        MPI_T_ERR_INVALID_SESSION 1009
        MPI_T_ERR_INVALID_HANDLE 1010
        MPI_T_ERR_INVALID_NAME 1011
        MPI_T_ERR_OUT_OF_HANDLES 1012
        MPI_T_ERR_OUT_OF_SESSIONS 1013
        MPI_T_ERR_CVAR_SET_NOT_NOW 1014
        MPI_T_ERR_CVAR_SET_NEVER 1015
        MPI_T_ERR_PVAR_NO_WRITE 1016
        MPI_T_ERR_PVAR_NO_STARTSTOP 1017
        MPI_T_ERR_PVAR_NO_ATOMIC 1018
    }
}

/// `MPI_IN_PLACE`
pub const MPI_IN_PLACE: usize = 1;
/// `MPI_BUFFER_AUTOMATIC`
pub const MPI_BUFFER_AUTOMATIC: usize = 2;
/// `MPI_STATUS_IGNORE`, and any other null pointer.
pub const NULL: usize = 0;

#[test]
fn values_are_those_of_the_header() {
    let text = crate::headers::HEADERS[0].1;
    for (name, value) in ALL {
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("#define {name} ")));
        let line = line.unwrap_or_else(|| panic!("{name} is not in mpi.h"));
        let number = line.split("/*").next().unwrap_or_default().trim().trim_matches(['(', ')']);
        let number = number.rsplit(')').next().unwrap_or_default();
        let hex = number.strip_prefix("0x").map(|digits| i64::from_str_radix(digits, 16).unwrap());
        assert_eq!(hex.unwrap_or_else(|| number.parse().unwrap()), *value, "{name}");
    }
}

#[test]
fn texts_of_classes_begin_with_their_names() {
    let classes = ALL.iter().filter(|(name, _)| name.starts_with("MPI_ERR_") && *name != "MPI_ERR_LASTCODE");
    for &(name, class) in classes {
        let text = crate::calls::abi::error_text(class as i32).unwrap_or_default();
        assert!(text.starts_with(&format!("{name}: ")), "{name}: {text}");
    }
    assert_eq!([-1, 63, 16383].map(crate::calls::abi::error_text), [None; 3]);
}
