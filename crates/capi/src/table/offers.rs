//! How functions are listed.

/// Defines `list`: names and functions, in the order in which they stand.
macro_rules! offers {
    ($($prefix:literal { $($name:literal $function:path,)* })*) => {
        pub(super) fn list() -> Vec<$crate::calls::Function> {
            vec![$($((concat!($prefix, $name), $function as *const std::ffi::c_void),)*)*]
        }
    };
}
pub(super) use offers;
