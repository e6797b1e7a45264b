//! Mistakes and the classes of the standard (MPI 5.0, table 9.1).

use crate::calls::abi::error_code;
use crate::harness::*;
use weir_message::{FileMistake, MpiError};

#[test]
fn mistakes_have_classes() {
    let what = || "what".to_owned();
    let cases = [
        (MpiError::Buffer(what()), MPI_ERR_BUFFER),
        (MpiError::Count(-1), MPI_ERR_COUNT),
        (MpiError::Type(what()), MPI_ERR_TYPE),
        (MpiError::Tag(-1), MPI_ERR_TAG),
        (MpiError::Communicator, MPI_ERR_COMM),
        (MpiError::Rank { rank: 9, size: 1 }, MPI_ERR_RANK),
        (MpiError::Request, MPI_ERR_REQUEST),
        (MpiError::Root { root: 9, size: 1 }, MPI_ERR_ROOT),
        (MpiError::Group, MPI_ERR_GROUP),
        (MpiError::Operation(what()), MPI_ERR_OP),
        (MpiError::Topology(what()), MPI_ERR_TOPOLOGY),
        (MpiError::Dimensions(what()), MPI_ERR_DIMS),
        (MpiError::Argument(what()), MPI_ERR_ARG),
        (MpiError::NullPointer(what()), MPI_ERR_ARG),
        (MpiError::Truncate { message: 2, buffer: 1 }, MPI_ERR_TRUNCATE),
        (MpiError::InfoKey(256), MPI_ERR_INFO_KEY),
        (MpiError::InfoNoKey(what()), MPI_ERR_INFO_NOKEY),
        (MpiError::InfoValue(2000), MPI_ERR_INFO_VALUE),
        (MpiError::Info, MPI_ERR_INFO),
        (MpiError::Keyval(7), MPI_ERR_KEYVAL),
        (MpiError::Name(what()), MPI_ERR_NAME),
        (MpiError::Port(what()), MPI_ERR_PORT),
        (MpiError::Service(what()), MPI_ERR_SERVICE),
        (MpiError::Spawn(what()), MPI_ERR_SPAWN),
        (MpiError::Unsupported(what()), MPI_ERR_UNSUPPORTED_OPERATION),
        (MpiError::Session, MPI_ERR_SESSION),
        (MpiError::ErrorHandler, MPI_ERR_ERRHANDLER),
        (MpiError::Abi(what()), MPI_ERR_ABI),
        (MpiError::Assertion(3), MPI_ERR_ASSERT),
        (MpiError::Base(what()), MPI_ERR_BASE),
        (MpiError::Displacement(what()), MPI_ERR_DISP),
        (MpiError::LockType(3), MPI_ERR_LOCKTYPE),
        (MpiError::NoMemory(9), MPI_ERR_NO_MEM),
        (MpiError::RmaAttach(what()), MPI_ERR_RMA_ATTACH),
        (MpiError::RmaRange(what()), MPI_ERR_RMA_RANGE),
        (MpiError::RmaShared(what()), MPI_ERR_RMA_SHARED),
        (MpiError::RmaSync(what()), MPI_ERR_RMA_SYNC),
        (MpiError::Size(-1), MPI_ERR_SIZE),
        (MpiError::Window, MPI_ERR_WIN),
        (MpiError::RmaFlavour(what()), MPI_ERR_RMA_FLAVOR),
        (MpiError::OfProgram(20_000), 20_000),
        (MpiError::Other(what()), MPI_ERR_OTHER),
    ];
    for (mistake, class) in cases {
        assert_eq!(error_code(&mistake), class, "{mistake:?}");
    }
    let of_files = [
        (FileMistake::Access, MPI_ERR_ACCESS),
        (FileMistake::AccessMode, MPI_ERR_AMODE),
        (FileMistake::Name, MPI_ERR_BAD_FILE),
        (FileMistake::Conversion, MPI_ERR_CONVERSION),
        (FileMistake::KnownRepresentation, MPI_ERR_DUP_DATAREP),
        (FileMistake::Exists, MPI_ERR_FILE_EXISTS),
        (FileMistake::InUse, MPI_ERR_FILE_IN_USE),
        (FileMistake::Handle, MPI_ERR_FILE),
        (FileMistake::NotSame, MPI_ERR_NOT_SAME),
        (FileMistake::NoSpace, MPI_ERR_NO_SPACE),
        (FileMistake::NoSuchFile, MPI_ERR_NO_SUCH_FILE),
        (FileMistake::Quota, MPI_ERR_QUOTA),
        (FileMistake::ReadOnly, MPI_ERR_READ_ONLY),
        (FileMistake::Representation, MPI_ERR_UNSUPPORTED_DATAREP),
        (FileMistake::Operation, MPI_ERR_UNSUPPORTED_OPERATION),
    ];
    for (mistake, class) in of_files {
        assert_eq!(error_code(&MpiError::OfFile { mistake, what: what() }), class, "{mistake:?}");
    }
}
