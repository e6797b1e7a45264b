//! Where calls were made: the table beside a profile.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use weir_capi::called_in;
use weir_operations::Step;
use weir_units::Rank;

/// Writes the table: a line for each event that has a place.
pub(crate) struct Sites<'a> {
    folder: PathBuf,
    out: &'a mut dyn Write,
    /// Programs and libraries of the rank: first address, last address, and where the file begins in memory.
    objects: Vec<(u64, u64, u64, String)>,
    /// Places that have been looked up, by file and distance from its beginning.
    known: BTreeMap<(String, u64), String>,
    event: u64,
}

impl<'a> Sites<'a> {
    pub(crate) fn new(folder: &Path, out: &'a mut dyn Write) -> io::Result<Self> {
        writeln!(out, "rank,event,place")?;
        Ok(Self { folder: folder.to_owned(), out, objects: Vec::new(), known: BTreeMap::new(), event: 0 })
    }

    /// Goes on to another rank.
    pub(crate) fn begin(&mut self, rank: u32) {
        let maps = fs::read_to_string(self.folder.join(format!("rank-{rank}.maps"))).unwrap_or_default();
        self.objects = objects(&maps);
        self.event = 0;
    }

    pub(crate) fn add(&mut self, rank: Rank, _event: &Step, site: u64) -> io::Result<()> {
        let number = self.event;
        self.event += 1;
        let is_within = |(first, last, ..): &&(u64, u64, u64, String)| (*first..*last).contains(&site);
        let Some((_, _, base, file)) = self.objects.iter().find(is_within) else { return Ok(()) };
        let offset = site - base;
        let place = self.known.entry((file.clone(), offset)).or_insert_with(|| {
            let found = called_in(&format!("- {offset:x} {file}")).to_string();
            format!("\"{}\"", found.replace('"', "\"\""))
        });
        writeln!(self.out, "{},{number},{place}", rank.0)
    }
}

/// The files in a list of the kernel's (`/proc/self/maps`).
fn objects(maps: &str) -> Vec<(u64, u64, u64, String)> {
    let mut bases: BTreeMap<&str, u64> = BTreeMap::new();
    let mut found = Vec::new();
    for line in maps.lines() {
        let mut words = line.split_whitespace();
        let range = words.next().and_then(|range| range.split_once('-'));
        let number = |text: &str| u64::from_str_radix(text, 16).ok();
        let (Some((first, last)), Some(at)) = (range, line.find('/')) else { continue };
        let (Some(first), Some(last), file) = (number(first), number(last), &line[at..]) else { continue };
        let base = *bases.entry(file).or_insert(first);
        found.push((first, last, base, file.to_owned()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_begins_with_its_first_piece() {
        let maps = "5500-5600 r--p 00000000 08:01 1 /usr/bin/a b\n5600-5700 r-xp 00000100 08:01 1 /usr/bin/a b\n7f-80 rw-p 0 0:0 0 \n";
        let file = "/usr/bin/a b".to_owned();
        assert_eq!(objects(maps), [(0x5500, 0x5600, 0x5500, file.clone()), (0x5600, 0x5700, 0x5500, file)]);
    }
}
