//! Tables of results, for what is drawn of them: no Arrow is needed for that.

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use weir_columns::{Column, TableFile};

/// Why a file is not read.
pub(crate) struct Unreadable(PathBuf, String);

impl From<Unreadable> for PyErr {
    /// `ValueError(path, reason)`, which the package makes its own error of.
    fn from(Unreadable(path, reason): Unreadable) -> Self {
        PyValueError::new_err((path.display().to_string(), reason))
    }
}

/// Passes on columns of these names, a row group of a file at a time.
pub(crate) fn each_group<const N: usize>(
    files: &[PathBuf],
    names: [&str; N],
    mut take: impl FnMut([Column; N]) -> Result<(), String>,
) -> Result<(), Unreadable> {
    for path in files {
        let mut read = || {
            let table = TableFile::open(path)?;
            for group in 0..table.groups() {
                let mut columns = Vec::with_capacity(N);
                for name in names {
                    columns.push(table.column(group, name)?);
                }
                take(columns.try_into().map_err(|_| "a column is missing")?)?;
            }
            Ok(())
        };
        read().map_err(|reason| Unreadable(path.clone(), reason))?;
    }
    Ok(())
}

/// A whole number; the largest that fits stands for larger ones.
fn long(value: i128) -> i64 {
    value.try_into().unwrap_or(i64::MAX)
}

/// Whole numbers; 0 where there is none.
pub(crate) fn whole(column: Column) -> Result<Vec<i64>, String> {
    match column {
        Column::Whole(values) => Ok(values.into_iter().map(|value| value.map_or(0, long)).collect()),
        _ => Err("a column is not of whole numbers".into()),
    }
}

/// Numbers of any kind; 0 where there is none.
#[expect(clippy::cast_precision_loss, reason = "what is drawn has fewer digits")]
pub(crate) fn real(column: Column) -> Result<Vec<f64>, String> {
    match column {
        Column::Whole(values) => {
            Ok(values.into_iter().map(|value| value.unwrap_or_default() as f64).collect())
        }
        Column::Real(values) => Ok(values.into_iter().map(Option::unwrap_or_default).collect()),
        _ => Err("a column is not of numbers".into()),
    }
}

fn open(path: &Path) -> Result<TableFile, Unreadable> {
    TableFile::open(path).map_err(|reason| Unreadable(path.to_owned(), reason))
}

/// The names of a table's columns, and what its writer has noted.
#[pyfunction]
pub(crate) fn table_form(path: PathBuf) -> PyResult<(Vec<String>, BTreeMap<String, String>)> {
    let table = open(&path)?;
    Ok((table.names(), table.notes()))
}

/// Columns of a table in one or several files, as lists.
#[pyfunction]
pub(crate) fn table_columns<'py>(
    py: Python<'py>,
    files: Vec<PathBuf>,
    names: Vec<String>,
) -> PyResult<Vec<Vec<Bound<'py, PyAny>>>> {
    let mut found: Vec<Vec<Bound<'py, PyAny>>> = names.iter().map(|_| Vec::new()).collect();
    for path in &files {
        let table = open(path)?;
        for group in 0..table.groups() {
            for (name, into) in names.iter().zip(&mut found) {
                let column = table.column(group, name);
                match column.map_err(|reason| Unreadable(path.clone(), reason))? {
                    Column::Whole(values) => {
                        append(py, into, values.into_iter().map(|value| value.map(long)))?
                    }
                    Column::Real(values) => append(py, into, values)?,
                    texts @ Column::Texts(_) => append(py, into, texts.into_texts().unwrap_or_default())?,
                    Column::Lists(lists) => {
                        let list = |list: Vec<i128>| list.into_iter().map(long).collect::<Vec<_>>();
                        append(py, into, lists.into_iter().map(list))?;
                    }
                }
            }
        }
    }
    Ok(found)
}

fn append<'py, T: IntoPyObjectExt<'py>>(
    py: Python<'py>,
    into: &mut Vec<Bound<'py, PyAny>>,
    values: impl IntoIterator<Item = T>,
) -> PyResult<()> {
    for value in values {
        into.push(value.into_bound_py_any(py)?);
    }
    Ok(())
}

/// The different values of a column of whole numbers, in order.
#[pyfunction]
pub(crate) fn table_values(py: Python<'_>, files: Vec<PathBuf>, name: &str) -> PyResult<Vec<i64>> {
    let found = py.detach(|| {
        let mut found = BTreeSet::new();
        let mut last = None;
        each_group(&files, [name], |[column]| {
            for value in whole(column)? {
                // Rows of an interval stand together.
                if last != Some(value) {
                    found.insert(value);
                    last = Some(value);
                }
            }
            Ok(())
        })
        .map(|()| found)
    });
    Ok(found?.into_iter().collect())
}

/// Totals of the calls of a function: all calls, those that are over, their time and their waits, in picoseconds, and
/// the longest wait.
type Calls = (u64, u64, i64, i64, i64);

/// Totals of the calls of a run, by function.
#[pyfunction]
pub(crate) fn table_of_calls(py: Python<'_>, files: Vec<PathBuf>) -> PyResult<BTreeMap<String, Calls>> {
    let found = py.detach(|| {
        let mut found: BTreeMap<String, Calls> = BTreeMap::new();
        each_group(&files, ["name", "start_ps", "end_ps", "waited_ps"], |[names, starts, ends, waits]| {
            let (Some(names), Column::Whole(ends)) = (names.into_texts(), ends) else {
                return Err("the columns are not those of calls".into());
            };
            for (((name, start), end), wait) in
                names.into_iter().zip(whole(starts)?).zip(ends).zip(whole(waits)?)
            {
                let (calls, over, time, waited, longest) = found.entry(name).or_default();
                *calls += 1;
                *over += u64::from(end.is_some());
                *time += end.map_or(0, |end| long(end) - start);
                *waited += wait;
                *longest = wait.max(*longest);
            }
            Ok(())
        })
        .map(|()| found)
    });
    Ok(found?)
}
