//! `weir sweep --load`: latency and accepted load over the load that is offered, and the load at which a network saturates.
//!
//! ```text
//!   --patterns, --rules (asked.rs) ---> a Curve each (curve.rs)
//!                                          |  loads of the grid; then halves of the interval of saturation, of all curves at once
//!   text, CSV, JSON (shown.rs) <-----------+
//!   picture.rs, and the files of a sweep
//! ```
//!
//! A study is a few sweeps one after the other, each of the points that are missing. Which points these are follows from the results of the
//! ones before, so a study that was ended finds all of them in the folder when it is begun again.

mod asked;
mod curve;
mod picture;
mod shown;

use super::design::{Block, Design, LOAD};
use super::folder::{FILES, Folder};
use super::study::{PictureKeys, Study};
use super::{Done, Sweep, write};
use crate::arguments::{LoadStudyArgs, SetsAnd, Shown, SweepArgs};
use crate::say::write_file;
use crate::status::interrupted;
use asked::Asked;
use curve::{Curve, Point, few_packets};
use std::process::ExitCode;
use weir_run::{GpuProcessor, work_name};

/// A file of the folder that only a load study has.
const TABLE: &str = "curves.csv";

/// Fields of the summary of a point that a study needs.
const FIELDS: [&str; 7] = [
    "offered_load",
    "accepted_load",
    "saturated",
    "generation_latency_mean_s",
    "generation_latency_p99_s",
    "packets",
    "packet_hops",
];

/// The load of a curve with this number.
type Wanted = (usize, f64);

struct LoadStudy {
    /// The arguments of the sweeps of which it consists.
    args: SweepArgs,
    sets: Vec<String>,
    curves: Vec<Curve>,
    gpu: Option<GpuProcessor>,
}

pub(super) fn load_study(args: &SweepArgs) -> anyhow::Result<ExitCode> {
    let Asked { curves, loads, sets } = Asked::of(args)?;
    let own = SweepArgs {
        experiment: args.experiment.clone(),
        vary: Vec::new(),
        study: LoadStudyArgs::default(),
        out: args.out.clone(),
        again: args.again,
        sets: SetsAnd::default(),
        threads: args.threads,
        gpu: args.gpu,
        csv: false,
        shown: Shown { json: false, quiet: args.shown.quiet },
    };
    let gpu = args.gpu.then(GpuProcessor::default);
    let mut study = LoadStudy { args: own, sets, curves, gpu };
    let mut folder = None;
    let mut wanted: Vec<Wanted> =
        (0..study.curves.len()).flat_map(|curve| loads.iter().map(move |&load| (curve, load))).collect();
    while !wanted.is_empty() {
        folder = study.run(folder, &wanted)?;
        if let Some(status) = interrupted() {
            let points: usize = study.curves.iter().map(|curve| curve.points.len()).sum();
            eprintln!(
                "interrupted: {points} points were run; with --out the same command goes on from there"
            );
            return Ok(status);
        }
        let next = study.curves.iter().enumerate();
        wanted = next.filter_map(|(number, curve)| Some((number, curve.next()?))).collect();
        if !wanted.is_empty() && !args.shown.quiet {
            eprintln!(
                "halving the interval of saturation of {} of {} curves",
                wanted.len(),
                study.curves.len()
            );
        }
        // The sweeps that follow are small, and this line announces each.
        study.args.shown.quiet = true;
    }
    if let Some(note) = few_packets(&study.curves) {
        eprintln!("note: {note}");
    }
    write(&match (args.shown.json, args.csv) {
        (true, _) => format!("{}\n", shown::to_json(&study.curves)),
        (false, true) => shown::to_csv(&study.curves),
        (false, false) => shown::to_text(&study.curves),
    })?;
    let well = study.curves.iter().flat_map(|curve| &curve.points).all(|point| point.done.why().is_none());
    if let Some(folder) = folder {
        study.complete(&folder)?;
    }
    Ok(if well { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

impl LoadStudy {
    fn sweep(&self, points: &[Wanted]) -> anyhow::Result<Sweep<'_>> {
        let row = |&(curve, load): &Wanted| self.curves[curve].row(load);
        let design = Design::new(vec![Block { rows: points.iter().map(row).collect() }]);
        let study = Study {
            experiment: self.curves[0].experiment.clone(),
            sets: self.sets.clone(),
            design: design.map_err(crate::status::refused)?,
            has_best: false,
            same: None,
            picture: PictureKeys::default(),
            text: None,
            shows: FIELDS.map(str::to_owned).into(),
        };
        let further = points.iter().map(|&(curve, _)| self.curves[curve].taken_back.clone()).collect();
        Ok(Sweep { args: &self.args, study, further, works: Vec::new(), gpu: self.gpu.clone() })
    }

    /// Runs these points, unless the folder has them; the first sweep opens it.
    fn run(&mut self, folder: Option<Folder>, wanted: &[Wanted]) -> anyhow::Result<Option<Folder>> {
        let mut sweep = self.sweep(wanted)?;
        if self.args.out.is_some() || self.gpu.is_some() {
            for point in 0..sweep.points() {
                let scenario = sweep.scenario(point)?;
                sweep.check_gpu(point, &scenario)?;
                sweep.works.extend(self.args.out.as_ref().map(|_| work_name(&scenario)));
            }
        }
        let folder = match folder {
            Some(folder) => Some(folder),
            None => sweep.folder(&[&FILES[..], &[TABLE]].concat())?,
        };
        let (done, folder) = sweep.run(folder)?;
        for done in done {
            let (curve, load) = wanted[done.point];
            self.curves[curve].add(Point { load, done });
        }
        Ok(folder)
    }

    /// Writes what the folder has at the end.
    fn complete(mut self, folder: &Folder) -> anyhow::Result<()> {
        write_file(&folder.file(TABLE), shown::to_csv(&self.curves))?;
        let drawn = picture::picture(&self.curves);
        let loads = |(number, curve): (usize, &Curve)| {
            curve.points.iter().map(|point| (number, point.load)).collect::<Vec<_>>()
        };
        let points: Vec<Wanted> = self.curves.iter().enumerate().flat_map(loads).collect();
        let all = self.curves.iter_mut().flat_map(|curve| curve.points.drain(..)).enumerate();
        let done: Vec<Done> = all.map(|(point, found)| Done { point, ..found.done }).collect();
        self.sweep(&points)?.complete(folder, &done, drawn)
    }
}
