//! Algorithms that the library refused: it took what it takes by itself, so their times say nothing of them.
//!
//! The data do not say which. An algorithm of a job (a collective on nodes of one shape) counts as refused if at a share of its sizes or
//! more its time is nearly that of the library's own choice. Where the library is known to choose this very algorithm by
//! itself, equal times are as they should be, and these sizes are not looked at. A refused algorithm is left out in this job,
//! at all sizes: where its times differ from the library's own choice, that may have been made by other means (a barrier in hardware).
//!
//! Two algorithms may come near to each other at a size by chance, and do at those at which both only wait for the links. So a single
//! size decides nothing.

use super::study::{Fallback, LibraryChoice};
use super::tally::error;
use crate::measured::{Operation, Row};
use std::collections::BTreeSet;

/// A job, a collective in it, an algorithm of that.
type Case<'a> = (&'a str, &'static str, &'a str);

fn case(row: &Row) -> Option<Case<'_>> {
    Some((&row.job, row.operation.name(), row.algorithm.as_deref()?))
}

/// Which rows are those of refused algorithms, by their places.
pub(super) fn refused(rows: &[Row], rule: Fallback, library: &[LibraryChoice]) -> Vec<bool> {
    let cases: BTreeSet<Case<'_>> = rows.iter().filter_map(case).collect();
    let refused: BTreeSet<Case<'_>> =
        cases.into_iter().filter(|&case| is_refused(case, rows, rule, library)).collect();
    rows.iter().map(|row| case(row).is_some_and(|case| refused.contains(&case))).collect()
}

fn is_refused(of: Case<'_>, rows: &[Row], rule: Fallback, library: &[LibraryChoice]) -> bool {
    let chosen = |row: &Row| {
        let named = |choice: &&LibraryChoice| row.algorithm.as_deref() == Some(choice.algorithm.as_str());
        library.iter().filter(named).any(|choice| choice.rows.have(row))
    };
    let own = |row: &Row| own_choice(rows, &row.job, row.operation, row.bytes);
    let judged: Vec<bool> = rows
        .iter()
        .filter(|row| case(row) == Some(of) && !chosen(row))
        .filter_map(|row| Some(error(row.seconds, own(row)?) <= rule.within))
        .collect();
    let same = judged.iter().filter(|same| **same).count();
    // Half of two sizes is one, which decides nothing.
    same > 1 && same as f64 >= rule.share * judged.len() as f64
}

/// The time of what the library takes by itself.
fn own_choice(rows: &[Row], job: &str, operation: Operation, bytes: u64) -> Option<f64> {
    let same = |row: &&Row| row.job == job && row.operation == operation && row.bytes == bytes;
    Some(rows.iter().filter(same).find(|row| row.algorithm.is_none())?.seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validation::study::Rows;

    const RULE: Fallback = Fallback { within: 0.01, share: 0.5 };
    const BCAST: Operation = Operation::Collective("bcast");

    /// Times of an algorithm for 1, 2, 4, ... bytes.
    fn times(algorithm: Option<&str>, times: &[f64]) -> Vec<Row> {
        let row = |(place, seconds): (usize, &f64)| Row {
            file: String::new(),
            line: 0,
            operation: BCAST,
            job: "2x2x2".into(),
            algorithm: algorithm.map(str::to_owned),
            bytes: 1 << place,
            seconds: *seconds,
            set: Vec::new(),
        };
        times.iter().enumerate().map(row).collect()
    }

    fn refused_names(rows: &[Row], library: &[LibraryChoice]) -> Vec<String> {
        let flags = refused(rows, RULE, library);
        let flagged = rows.iter().zip(flags).filter(|(_, flag)| *flag);
        let names: BTreeSet<String> = flagged.filter_map(|(row, _)| row.algorithm.clone()).collect();
        names.into_iter().collect()
    }

    /// `linear` is the same as the library's choice but for the first size; `chain` by chance at one of four, `binary` at two of six;
    /// `binomial` from 2 B on because the library chooses it there.
    #[test]
    fn what_fell_back_is_found_and_the_librarys_choice_is_kept() {
        let mut rows = times(None, &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0]);
        rows.extend(times(Some("linear"), &[3.0, 2.01, 4.01, 7.99, 16.0, 32.0]));
        rows.extend(times(Some("chain"), &[1.5, 2.5, 4.0, 9.0]));
        rows.extend(times(Some("binary"), &[1.5, 2.5, 4.0, 9.0, 16.0, 50.0]));
        rows.extend(times(Some("binomial"), &[1.2, 2.0, 4.0, 8.0, 16.0, 32.0]));
        assert_eq!(refused_names(&rows, &[]), ["binomial", "linear"]);
        let choice =
            LibraryChoice { rows: Rows { from: 2, ..Rows::default() }, algorithm: "binomial".into() };
        assert_eq!(refused_names(&rows, std::slice::from_ref(&choice)), ["linear"]);
        // All of its rows are, those that differ too.
        assert_eq!(refused(&rows, RULE, &[choice]).iter().filter(|flag| **flag).count(), 6);
    }

    #[test]
    fn another_job_is_another_case() {
        let mut rows = times(None, &[1.0, 2.0, 4.0]);
        rows.extend(times(Some("linear"), &[1.0, 2.0, 4.0]));
        let mut other = times(None, &[1.0, 2.0, 4.0]);
        other.extend(times(Some("linear"), &[3.0, 5.0, 9.0]));
        other.iter_mut().for_each(|row| row.job = "4x4x4".into());
        rows.extend(other);
        let flags = refused(&rows, RULE, &[]);
        assert_eq!(positions(&flags), [3, 4, 5]);
    }

    fn positions(flags: &[bool]) -> Vec<usize> {
        flags.iter().enumerate().filter(|(_, flag)| **flag).map(|(place, _)| place).collect()
    }

    #[test]
    fn without_times_of_the_library_nothing_is_refused() {
        assert_eq!(refused_names(&times(Some("linear"), &[1.0, 2.0]), &[]), Vec::<String>::new());
    }
}
