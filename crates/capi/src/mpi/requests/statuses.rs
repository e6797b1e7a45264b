//! Fields of statuses by function: the program reads them, and fills in those of its generalised requests.

use crate::calls::output_arguments::given;
use crate::mpi::prelude::*;

/// Functions that read or write one field of a status.
macro_rules! fields {
    ($($get:ident $set:ident: $field:ident;)*) => {$(
        pub(crate) fn $get(_: &mut Context, status: *const CStatus, value: Out<c_int>) -> Done {
            value.give(given(status, "status")?.$field)
        }

        pub(crate) fn $set(_: &mut Context, status: Out<CStatus>, value: c_int) -> Done {
            status.change(|status| status.$field = value);
            Ok(())
        }
    )*};
}

fields! {
    status_get_source status_set_source: source;
    status_get_tag status_set_tag: tag;
    status_get_error status_set_error: error;
}

pub(crate) fn status_set_cancelled(_: &mut Context, status: Out<CStatus>, flag: c_int) -> Done {
    status.change(|status| status.set_cancelled(flag != 0));
    Ok(())
}

pub(crate) fn test_cancelled(_: &mut Context, status: *const CStatus, flag: Out<c_int>) -> Done {
    flag.give(c_int::from(given(status, "status")?.cancelled()))
}
