//! Counts as arguments: a function of MPI and its form for large counts (`MPI_Send_c`) are one function here, generic
//! over the C type of its counts.

use std::ffi::c_int;
use weir_message::UNDEFINED;
use weir_message::datatype::Count;

/// `int`, or `MPI_Count` in the `_c` forms.
pub(crate) trait CountArgument: Count {
    /// The one of two names that belongs to this type: short form, large form.
    fn name(short: &'static str, large: &'static str) -> &'static str;

    /// A count as the program gets it; `MPI_UNDEFINED` if it is none or does not fit.
    fn from_count(count: Option<u64>) -> Self;
}

impl CountArgument for c_int {
    fn name(short: &'static str, _: &'static str) -> &'static str {
        short
    }

    fn from_count(count: Option<u64>) -> Self {
        count.and_then(|count| count.try_into().ok()).unwrap_or(UNDEFINED)
    }
}

impl CountArgument for i64 {
    fn name(_: &'static str, large: &'static str) -> &'static str {
        large
    }

    fn from_count(count: Option<u64>) -> Self {
        count.and_then(|count| count.try_into().ok()).unwrap_or(UNDEFINED.into())
    }
}

/// The name of a function for its type of counts: `name_of!(C, "MPI_Send")`.
macro_rules! name_of {
    ($count:ty, $name:expr) => {
        <$count as $crate::calls::count_argument::CountArgument>::name($name, concat!($name, "_c"))
    };
}
pub(crate) use name_of;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms() {
        assert_eq!(name_of!(c_int, "MPI_Send"), "MPI_Send");
        assert_eq!(name_of!(i64, "MPI_Send"), "MPI_Send_c");
        assert_eq!(c_int::from_count(Some(1 << 31)), UNDEFINED);
        assert_eq!(i64::from_count(Some(1 << 31)), 1 << 31);
        assert_eq!(i64::from_count(None), i64::from(UNDEFINED));
    }
}
