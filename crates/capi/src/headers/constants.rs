//! The constants of `mpi.h`, under its names.
#![allow(missing_docs)] // mpi.h says what they are

include!(concat!(env!("OUT_DIR"), "/constants.rs"));

#[test]
fn texts_of_classes_begin_with_their_names() {
    let constants = include_str!(concat!(env!("OUT_DIR"), "/constants.rs")).lines();
    let classes =
        constants.filter_map(|line| line.strip_prefix("pub const MPI_ERR_")?.split_once(": i32 = "));
    let mut count = 0;
    for (name, class) in classes.filter(|(name, _)| *name != "LASTCODE") {
        let class = class.trim_end_matches(';').parse().unwrap();
        let text = crate::calls::abi::error_text(class).unwrap_or_default();
        assert!(text.starts_with(&format!("MPI_ERR_{name}: ")), "{name}: {text}");
        count += 1;
    }
    assert_eq!(count, 62);
    assert_eq!([-1, 63, 16383].map(crate::calls::abi::error_text), [None; 3]);
}
