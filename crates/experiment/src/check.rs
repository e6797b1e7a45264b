//! An input that is being checked, table by table and item by item of lists of tables, and what is found in it.

use crate::preparation::PreparationProgress;
use crate::source::findings::Findings;
use crate::source::input::Input;
use crate::source::reader::Section;
use crate::source::tree::{Entry, Tree, Value};
use crate::{
    ClassRow, EngineSection, Fault, JobListSection, Machines, MappingSection, NodeSection, PacketSection,
    TopologySection, Upgrade, Workload,
};
use weir_network::{Limits, Watch};
use weir_topology::Topology;
use weir_units::Bytes;
use weir_workload::Pattern;

pub(crate) struct Check<'a> {
    pub(crate) input: &'a Input,
    pub(crate) findings: &'a mut Findings,
    pub(crate) building: PreparationProgress<'a>,
    pub(crate) memory: Option<Bytes>,
}

/// Parts of an input that have been read so far, and things made of them.
pub(crate) struct Parts {
    pub(crate) topology: Option<TopologySection>,
    pub(crate) node: NodeSection,
    pub(crate) faults: Vec<Fault>,
    pub(crate) upgrades: Vec<Upgrade>,
    pub(crate) machines: Option<Machines>,
    pub(crate) engine: Option<EngineSection>,
    pub(crate) packet: Option<PacketSection>,
    pub(crate) classes: Vec<ClassRow>,
    pub(crate) mapping: MappingSection,
    pub(crate) ranks: Option<usize>,
    pub(crate) workload: Option<Workload>,
    pub(crate) job_list: Option<JobListSection>,
    pub(crate) pattern: Option<Pattern>,
}

impl Parts {
    /// The machine as it is when the run begins.
    pub(crate) fn machine(&self) -> Option<&Topology> {
        self.machines.as_ref().map(|machines| &*machines.first)
    }
}

impl<'a> Check<'a> {
    pub(crate) fn new(input: &'a Input, findings: &'a mut Findings, watch: Watch<'a>) -> Self {
        Self { input, findings, building: PreparationProgress::begin(Limits::default(), watch), memory: None }
    }
}

impl Check<'_> {
    pub(crate) fn section(&mut self, name: &'static str) -> Section<'_> {
        Section::within(&self.input.tree, name, &self.input.whole, self.findings)
    }

    pub(crate) fn read<T>(&mut self, name: &'static str, read: impl FnOnce(&mut Section<'_>) -> T) -> T {
        let mut section = self.section(name);
        let made = read(&mut section);
        section.finish();
        made
    }

    pub(crate) fn has(&self, table: &str) -> bool {
        self.input.tree.entries.contains_key(table)
    }

    pub(crate) fn is_table(&self, name: &str) -> bool {
        self.input.tree.entries.get(name).is_some_and(|entry| matches!(entry.value, Value::Table(_)))
    }

    /// Reads each item of the list of this name, with its number; `example` sets a key of the first, and goes into a hint. Items
    /// with something wrong are left out.
    pub(crate) fn listed<T>(
        &mut self,
        name: &'static str,
        example: &str,
        mut read: impl FnMut(usize, &mut Section<'_>) -> Option<T>,
    ) -> Vec<T> {
        let Some(entry) = self.input.tree.entries.get(name) else { return Vec::new() };
        if !matches!(entry.value, Value::List(_)) {
            let hint =
                format!("begin each with [[{name}]]; --set {name}.0.{example} sets a key of the first");
            let missing = |tree: &Tree| {
                (0..).map(|number: u32| number.to_string()).find(|key| !tree.entries.contains_key(key))
            };
            let what = match &entry.value {
                Value::Table(tree) if tree.has_only_numbers() => {
                    format!("has no item {}: they are numbered from 0", missing(tree).unwrap_or_default())
                }
                _ => "must be a list of tables".to_owned(),
            };
            self.findings.add(&entry.place, name, &entry.written, what, Some(hint));
            return Vec::new();
        }
        let mut made = Vec::new();
        for number in 0..items(&self.input.tree, name).len() {
            let Some(mut section) = self.item(name, number) else {
                let entry = &items(&self.input.tree, name)[number];
                let what = format!("item {number} must be a table");
                let hint = format!("begin each with [[{name}]]");
                self.findings.add(&entry.place, name, &entry.written, what, Some(hint));
                continue;
            };
            made.extend(read(number, &mut section));
            section.finish();
        }
        made
    }

    /// Refuses a list of links where there are none that would do what it says.
    pub(crate) fn need_topology_for(&mut self, name: &str, what: &str) {
        let entry = self.input.tree.entries.get(name).filter(|entry| matches!(entry.value, Value::List(_)));
        if let (Some(entry), false) = (entry, self.has("topology")) {
            let what = format!("need a [topology]: without it there are no links that {what}");
            self.findings.add(&entry.place, name, "", what, None);
        }
    }

    /// Reports what is wrong with a key of an item.
    pub(crate) fn item_problem(&mut self, item: (&str, usize), key: &str, what: String, hint: &str) {
        if let Some(mut section) = self.item(item.0, item.1) {
            section.report(key, what, hint);
        }
    }

    pub(crate) fn item(&mut self, name: &str, number: usize) -> Option<Section<'_>> {
        let Entry { value: Value::Table(tree), place, .. } = items(&self.input.tree, name).get(number)?
        else {
            return None;
        };
        Some(Section::new(format!("{name}.{number}"), tree.clone(), place.clone(), self.findings))
    }
}

/// The items of a list by its name, which may be that of a list within a table.
pub(crate) fn items<'a>(tree: &'a Tree, name: &str) -> &'a [Entry] {
    let (table, key) =
        name.split_once('.').map_or((Some(tree), name), |(table, key)| (tree.table(table), key));
    match table.and_then(|table| table.entries.get(key)).map(|entry| &entry.value) {
        Some(Value::List(list)) => list,
        _ => &[],
    }
}
