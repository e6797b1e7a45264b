//! Functions of the C library that `weir cc` has the linker wrap: a rank is not alone in its process.

pub(crate) mod host_names;
pub(crate) mod leaving;
pub(crate) mod libc_calls;
pub(crate) mod own_threads;
pub(crate) mod private_state;
pub(crate) mod standard_streams;
