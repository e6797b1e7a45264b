//! Definitions of an archive: ticks of the clock, names of regions, which location is which rank, and the members of communicators.

use super::records::Records;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use weir_operations::{ALONE, WORLD};

const CLOCK: u8 = 5;
const MAPPING: u8 = 5;
const STRING: u8 = 10;
const REGION: u8 = 15;
const GROUP: u8 = 18;
const COMMUNICATOR: u8 = 22;
/// Types of groups, and the paradigm of MPI.
const LOCATIONS: u8 = 4;
const MEMBERS: u8 = 5;
const SELF: u8 = 6;
const MPI: u8 = 4;

/// A region whose calls matter, by its name without `MPI_`.
pub(super) type Regions = BTreeMap<u64, String>;

pub(super) struct Definitions {
    /// Ticks of the clock in a second.
    pub(super) ticks: u64,
    pub(super) regions: Regions,
    /// The location of each rank.
    pub(super) locations: Vec<u64>,
    /// Number in the graph, and members.
    pub(super) communicators: BTreeMap<u64, (u32, Vec<u32>)>,
}

/// Reads the definitions of all locations.
pub(super) fn read(path: &Path, chunk: u64) -> Result<Definitions, String> {
    let mut records = Records::open(path, chunk, false)?;
    let (mut ticks, mut strings, mut names) = (0, BTreeMap::new(), BTreeMap::new());
    let (mut locations, mut groups, mut selves) = (Vec::new(), BTreeMap::new(), BTreeSet::new());
    let mut made = Vec::new();
    while let Some(kind) = records.next().map_err(|what| format!("{}: {what}", records.place()))? {
        let mut of = records.numbers();
        match kind {
            CLOCK => ticks = of.number()?,
            STRING => {
                let name = of.number()?;
                if let Some(text) = of.rest.strip_prefix(b"MPI_") {
                    let text = text.split(|&byte| byte == 0).next().unwrap_or_default();
                    strings.insert(name, String::from_utf8_lossy(text).into_owned());
                }
            }
            REGION => _ = names.insert(of.number()?, of.number()?),
            GROUP => {
                let (name, _, _) = (of.number()?, of.number()?, of.byte()?);
                let count = of.number()?;
                let members = (0..count).map(|_| of.number()).collect::<Result<Vec<u64>, _>>()?;
                let (kind, paradigm) = (of.byte()?, of.byte()?);
                match kind {
                    LOCATIONS if paradigm == MPI => locations = members,
                    MEMBERS => _ = groups.insert(name, members),
                    SELF => _ = selves.insert(name),
                    _ => {}
                }
            }
            COMMUNICATOR => made.push((of.number()?, of.number()?, of.number()?)),
            _ => {}
        }
    }
    if ticks == 0 || locations.is_empty() {
        return Err("it defines no clock, or no locations of MPI: this is no trace of an MPI program".into());
    }
    let regions =
        names.into_iter().filter_map(|(region, name)| Some((region, strings.get(&name)?.clone()))).collect();
    let mut communicators = BTreeMap::new();
    for (communicator, _, group) in made {
        if selves.contains(&group) {
            communicators.insert(communicator, (ALONE, vec![0]));
        } else if let Some(members) = groups.get(&group) {
            let is_all = members.iter().copied().eq(0..locations.len() as u64);
            let number = if is_all { WORLD } else { communicator as u32 + 2 };
            let members = members.iter().map(|&member| u32::try_from(member).unwrap_or(u32::MAX)).collect();
            communicators.insert(communicator, (number, members));
        }
    }
    Ok(Definitions { ticks, regions, locations, communicators })
}

/// The names that a location has of its own for regions and communicators, by kind.
#[derive(Default)]
pub(super) struct Mappings(BTreeMap<u8, BTreeMap<u64, u64>>);

impl Mappings {
    pub(super) const REGION: u8 = 3;
    pub(super) const COMMUNICATOR: u8 = 6;

    pub(super) fn read(path: &Path, chunk: u64) -> Result<Self, String> {
        let mut all = BTreeMap::new();
        let mut records = Records::open(path, chunk, false)?;
        while let Some(kind) = records.next().map_err(|what| format!("{}: {what}", records.place()))? {
            if kind != MAPPING {
                continue;
            }
            let mut of = records.numbers();
            let (kind, count, is_sparse) = (of.byte()?, of.number()?, of.byte()? > 0);
            let pair = |own: u64| Ok::<_, String>((if is_sparse { of.number()? } else { own }, of.number()?));
            all.insert(kind, (0..count).map(pair).collect::<Result<BTreeMap<u64, u64>, _>>()?);
        }
        Ok(Self(all))
    }

    /// The name that all locations have; those that are not mapped are the same everywhere.
    pub(super) fn of(&self, kind: u8, own: u64) -> u64 {
        self.0.get(&kind).and_then(|names| names.get(&own)).copied().unwrap_or(own)
    }
}
