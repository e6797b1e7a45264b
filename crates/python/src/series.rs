//! Values of links over time, brought into so few pictures that a page can hold them, and their levels of color.

use crate::tables::{Unreadable, each_group, real, whole};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Values of all links in stretches of simulated time.
#[pyclass(module = "weir._weir", frozen)]
pub(crate) struct Series {
    /// Picoseconds at which each picture begins.
    #[pyo3(get)]
    starts: Vec<i64>,
    /// Picoseconds at which the last picture ends.
    #[pyo3(get)]
    end: i64,
    /// Recorded intervals in a picture.
    #[pyo3(get)]
    intervals: i64,
    links: usize,
    /// By quantity: one picture after the other.
    values: BTreeMap<String, Vec<f64>>,
}

/// Pictures in time: equal stretches, but for the first, of which the warm-up is no part, and the last.
#[derive(Clone, Copy, FromPyObject)]
pub(crate) struct Grid {
    first: i64,
    step: i64,
    interval: i64,
    begin: i64,
    end: i64,
    count: i64,
}

impl Grid {
    fn starts(self) -> Vec<i64> {
        (0..self.count).map(|number| (self.first + self.step * number).max(self.begin)).collect()
    }

    /// The picture of an interval; `None` in the warm-up, and after the end.
    fn frame(self, start: i64) -> Option<usize> {
        let frame = (start - self.first).div_euclid(self.step).min(self.count - 1);
        if start < self.end { usize::try_from(frame).ok() } else { None }
    }

    /// Length of the part of an interval that belongs to its picture.
    fn length(self, start: i64) -> i64 {
        ((start + self.interval).min(self.end) - start.max(self.begin)).max(0)
    }
}

/// Adds up values by picture and link.
struct Sums {
    grid: Grid,
    links: usize,
    totals: Vec<f64>,
}

impl Sums {
    fn new(grid: Grid, links: usize) -> Self {
        let pictures = usize::try_from(grid.count).unwrap_or(0);
        Self { grid, links, totals: vec![0.0; pictures * links] }
    }

    fn add(&mut self, start: i64, link: i64, value: f64) -> Result<(), String> {
        let Some(frame) = self.grid.frame(start) else { return Ok(()) };
        let link = usize::try_from(link).ok().filter(|&link| link < self.links);
        let link = link.ok_or("it has a link that the machine does not have")?;
        self.totals[frame * self.links + link] += value;
        Ok(())
    }
}

#[expect(clippy::cast_precision_loss, reason = "what is drawn has fewer digits")]
fn lengths(starts: &[i64], end: i64) -> Vec<f64> {
    starts.iter().zip(starts[1..].iter().chain([&end])).map(|(begin, end)| (end - begin) as f64).collect()
}

/// Files of links and of buffers, and what is known of each link.
struct Files {
    links: Vec<PathBuf>,
    buffers: Vec<PathBuf>,
    /// Bytes per second.
    capacity: Vec<f64>,
    wires: Vec<f64>,
}

/// Reads links; buffers of none, if there are no files of them.
fn read(grid: Grid, Files { links, buffers, capacity, wires }: &Files) -> Result<Series, Unreadable> {
    let (mut bytes, mut busy) = (Sums::new(grid, capacity.len()), Sums::new(grid, capacity.len()));
    each_group(links, ["start_ps", "link", "bytes", "busy_ps"], |[starts, links, carried, worked]| {
        let rows = whole(starts)?.into_iter().zip(whole(links)?);
        for (((start, link), carried), worked) in rows.zip(real(carried)?).zip(real(worked)?) {
            bytes.add(start, link, carried)?;
            busy.add(start, link, worked)?;
        }
        Ok(())
    })?;
    let starts = grid.starts();
    let lengths = lengths(&starts, grid.end);
    let divided = |sums: Sums, by: &dyn Fn(usize, f64) -> f64| {
        let pictures = sums.totals.chunks(capacity.len().max(1)).zip(&lengths);
        let values = pictures.flat_map(|(totals, &length)| {
            totals.iter().enumerate().map(move |(link, total)| total / by(link, length))
        });
        values.collect::<Vec<f64>>()
    };
    let mut values = BTreeMap::new();
    values.insert("utilization".to_owned(), divided(bytes, &|link, length| capacity[link] * length * 1e-12));
    if busy.totals.iter().any(|&total| total != 0.0) {
        values.insert("busy".to_owned(), divided(busy, &|link, length| length * wires[link]));
    }
    if !buffers.is_empty() {
        let mut packets = Sums::new(grid, capacity.len());
        each_group(buffers, ["start_ps", "link", "mean_packets"], |[starts, links, means]| {
            for ((start, link), mean) in whole(starts)?.into_iter().zip(whole(links)?).zip(real(means)?) {
                #[expect(clippy::cast_precision_loss, reason = "what is drawn has fewer digits")]
                packets.add(start, link, mean * grid.length(start) as f64)?;
            }
            Ok(())
        })?;
        values.insert("buffers".to_owned(), divided(packets, &|_, length| length));
    }
    Ok(Series { starts, end: grid.end, intervals: grid.step / grid.interval, links: capacity.len(), values })
}

impl Series {
    fn all(&self, quantity: &str) -> PyResult<&[f64]> {
        let found = self.values.get(quantity).ok_or_else(|| PyKeyError::new_err(quantity.to_owned()));
        found.map(Vec::as_slice)
    }

    /// A picture of a quantity after the other.
    fn pictures(&self, quantity: &str) -> PyResult<impl Iterator<Item = &[f64]>> {
        Ok(self.all(quantity)?.chunks(self.links.max(1)))
    }

    fn picture(&self, quantity: &str, number: usize) -> PyResult<&[f64]> {
        let found = self.all(quantity)?.get(number * self.links..(number + 1) * self.links);
        found.ok_or_else(|| PyKeyError::new_err(number))
    }
}

#[pymethods]
impl Series {
    /// Makes a series from values by picture and link.
    #[new]
    fn new(
        starts: Vec<i64>,
        end: i64,
        intervals: i64,
        values: BTreeMap<String, Vec<Vec<f64>>>,
    ) -> PyResult<Self> {
        let links = values.values().flatten().map(Vec::len).next().unwrap_or(0);
        if values.values().any(|rows| rows.len() != starts.len() || rows.iter().any(|row| row.len() != links))
        {
            return Err(PyValueError::new_err("a value for each picture and link was expected"));
        }
        let values = values.into_iter().map(|(name, rows)| (name, rows.concat())).collect();
        Ok(Self { starts, end, intervals, links, values })
    }

    #[staticmethod]
    fn read(
        py: Python<'_>,
        grid: Grid,
        links: Vec<PathBuf>,
        buffers: Vec<PathBuf>,
        capacity: Vec<f64>,
        wires: Vec<f64>,
    ) -> PyResult<Self> {
        let files = Files { links, buffers, capacity, wires };
        Ok(py.detach(|| read(grid, &files))?)
    }

    /// Names of what there are values of.
    #[getter]
    fn quantities(&self) -> Vec<&str> {
        // In the order in which a page offers them.
        let known = ["utilization", "busy", "buffers"];
        known.into_iter().filter(|&name| self.values.contains_key(name)).collect()
    }

    /// Picoseconds of each picture.
    #[getter]
    fn lengths(&self) -> Vec<f64> {
        lengths(&self.starts, self.end)
    }

    /// The values of all links in a picture.
    fn at(&self, quantity: &str, picture: usize) -> PyResult<Vec<f64>> {
        self.picture(quantity, picture).map(<[f64]>::to_vec)
    }

    /// By link: the sum of a quantity times the length of each picture, of values that are no larger than `most`.
    fn totals(&self, quantity: &str, most: f64) -> PyResult<Vec<f64>> {
        let mut totals = vec![0.0; self.links];
        for (values, length) in self.pictures(quantity)?.zip(self.lengths()) {
            totals.iter_mut().zip(values).for_each(|(total, value)| *total += value.min(most) * length);
        }
        Ok(totals)
    }

    /// By link: the mean of a quantity over all pictures.
    fn mean(&self, quantity: &str) -> PyResult<Vec<f64>> {
        let all: f64 = self.lengths().iter().sum();
        Ok(self.totals(quantity, f64::INFINITY)?.into_iter().map(|total| total / all).collect())
    }

    fn largest(&self, quantity: &str) -> PyResult<f64> {
        Ok(self.all(quantity)?.iter().copied().fold(0.0, f64::max))
    }

    /// By picture: the largest value of a quantity and the mean of all links, of values that are no larger than `most`.
    #[expect(clippy::cast_precision_loss, reason = "what is drawn has fewer digits")]
    fn summed(&self, quantity: &str, most: f64) -> PyResult<(Vec<f64>, Vec<f64>)> {
        let pictures = self.pictures(quantity)?.map(|values| {
            let values = values.iter().map(|value| value.min(most));
            let largest = values.clone().fold(0.0, f64::max);
            (largest, values.sum::<f64>() / self.links as f64)
        });
        Ok(pictures.unzip())
    }

    /// By link of some: a quantity in each picture.
    fn of_links(&self, quantity: &str, links: Vec<usize>) -> PyResult<Vec<Vec<f64>>> {
        let pictures: Vec<&[f64]> = self.pictures(quantity)?.collect();
        let row = |link: usize| -> Option<Vec<f64>> {
            pictures.iter().map(|values| values.get(link).copied()).collect()
        };
        links.into_iter().map(|link| row(link).ok_or_else(|| PyKeyError::new_err(link))).collect()
    }

    /// The values of all links in a picture as numbers of 32 bits.
    #[expect(clippy::cast_possible_truncation, reason = "a page shows four digits")]
    fn packed(&self, quantity: &str, picture: usize) -> PyResult<Vec<u8>> {
        let values = self.picture(quantity, picture)?;
        Ok(values.iter().flat_map(|&value| (value as f32).to_le_bytes()).collect())
    }
}

/// Makes levels of color of the values of links: of those that are drawn, and of each dot the largest at it.
#[pyclass(module = "weir._weir", frozen)]
pub(crate) struct Levels {
    /// By link: the dots at its ends.
    ends: Vec<[usize; 2]>,
    drawn: Vec<usize>,
    dots: usize,
    /// The largest level; 0 is nothing at all.
    most: u8,
}

/// Levels of the links that are drawn, and of the dots.
type Shades = (Vec<u8>, Vec<u8>);

impl Levels {
    fn pack(&self, values: &[f64], top: f64) -> Shades {
        let most = f64::from(self.most);
        let mut dots = vec![0; self.dots];
        let mut level = Vec::with_capacity(values.len());
        for (&value, ends) in values.iter().zip(&self.ends) {
            let share = if top > 0.0 { (value / top).clamp(0.0, 1.0) } else { 0.0 };
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to `most`")]
            let one = if value > 0.0 { (share * most).round_ties_even().max(1.0) as u8 } else { 0 };
            level.push(one);
            ends.iter().for_each(|&end| dots[end] = one.max(dots[end]));
        }
        (self.drawn.iter().map(|&link| level[link]).collect(), dots)
    }
}

#[pymethods]
impl Levels {
    /// Levels of links between these dots, some of which are drawn.
    #[new]
    fn new(begin: Vec<usize>, end: Vec<usize>, drawn: Vec<usize>, dots: usize, most: u8) -> PyResult<Self> {
        let links = begin.len();
        let there = begin.iter().chain(&end).all(|&dot| dot < dots) && drawn.iter().all(|&link| link < links);
        if !there || end.len() != links {
            return Err(PyValueError::new_err("dots and links of this machine were expected"));
        }
        Ok(Self {
            ends: begin.into_iter().zip(end).map(|(one, other)| [one, other]).collect(),
            drawn,
            dots,
            most,
        })
    }

    /// Levels of values by link, on a scale that ends at `top`.
    fn of(&self, values: Vec<f64>, top: f64) -> PyResult<Shades> {
        if values.len() != self.ends.len() {
            return Err(PyValueError::new_err("a value for each link was expected"));
        }
        Ok(self.pack(&values, top))
    }

    /// Levels of a picture of a series.
    fn of_picture(&self, series: &Series, quantity: &str, picture: usize, top: f64) -> PyResult<Shades> {
        Ok(self.pack(series.picture(quantity, picture)?, top))
    }
}
