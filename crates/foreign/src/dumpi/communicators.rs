//! Who is in which communicator: each rank says what it gave to the call that makes one, and has a name of its own for it. The calls of all members of a communicator that make another one of
//! it meet in their order, which says who belongs together.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

/// The names of the communicator without a member, that of all ranks, and that of each rank alone.
pub(super) const NULL: i64 = 1;
pub(super) const ALL: i64 = 2;
pub(super) const OWN: i64 = 3;
/// The group without a member.
const EMPTY: i64 = 2;

/// A call about groups or communicators.
pub(super) struct Event {
    pub(super) name: &'static str,
    /// Its number among the calls of the rank.
    pub(super) call: u64,
    pub(super) numbers: Vec<i64>,
    pub(super) lists: Vec<Vec<i64>>,
}

type Members = Rc<[u32]>;

/// A communicator: its number in the graph, its members, and the sides of the grid that they are in.
pub(super) struct Known {
    pub(super) number: u32,
    pub(super) members: Members,
    sides: Vec<i64>,
}

/// The communicators that all ranks make.
#[derive(Default)]
pub(super) struct Made {
    pub(super) all: Vec<Known>,
    /// For each rank the places, among all, of those that its calls made, in their order; `None` where it is in none.
    pub(super) of_rank: Vec<VecDeque<Option<usize>>>,
}

/// A rank on its way through its calls.
struct Rank {
    events: VecDeque<Event>,
    names: BTreeMap<i64, usize>,
    groups: BTreeMap<i64, Members>,
}

/// Finds out who is in which communicator.
///
/// # Errors
/// When a call does not meet those of the other members.
pub(super) fn resolve(events: Vec<VecDeque<Event>>) -> Result<Made, String> {
    let world: Members = (0..events.len() as u32).collect();
    let mut all = vec![Known { number: 0, members: world, sides: Vec::new() }];
    let groups = BTreeMap::from([(EMPTY, Members::from([]))]);
    let ranks = (0..).zip(events).map(|(rank, events)| {
        let mut names = BTreeMap::from([(ALL, 0)]);
        if !events.is_empty() {
            names.insert(OWN, all.len());
            all.push(Known { number: 1, members: Members::from([rank]), sides: Vec::new() });
        }
        Rank { events, names, groups: groups.clone() }
    });
    let ranks: Vec<Rank> = ranks.collect();
    let of_rank = vec![VecDeque::new(); ranks.len()];
    let arrived = vec![0; all.len()];
    let mut meeting = Meeting { ranks, arrived, made: Made { all, of_rank } };
    let mut active: VecDeque<u32> = (0..meeting.ranks.len() as u32).collect();
    while let Some(rank) = active.pop_front() {
        if let Some(parent) = meeting.arrive(rank)? {
            meeting.make(parent)?;
            active.extend(meeting.made.all[parent].members.iter());
        }
    }
    match (0_u32..).zip(&meeting.ranks).find_map(|(rank, state)| Some((rank, state.events.front()?))) {
        None => Ok(meeting.made),
        Some((rank, event)) => Err(format!(
            "rank {rank} calls MPI_{} (call {}), and not all members of that communicator call it: the traces are not of one run, or cut off",
            event.name, event.call
        )),
    }
}

struct Meeting {
    ranks: Vec<Rank>,
    /// The number of members of each communicator that have come to a call that makes another one of it.
    arrived: Vec<usize>,
    made: Made,
}

impl Meeting {
    /// Goes on with a rank until it has to wait for others; returns the communicator whose members are all there then.
    fn arrive(&mut self, rank: u32) -> Result<Option<usize>, String> {
        let state = &mut self.ranks[rank as usize];
        loop {
            let Some(event) = state.events.front() else { return Ok(None) };
            let unknown = |what: &str, name: i64| {
                format!("rank {rank}: MPI_{} (call {}): {what} {name} is not known", event.name, event.call)
            };
            let parent = match event.name {
                "Cart_sub" | "Graph_create" => 1,
                _ => 0,
            };
            let parent = event.numbers[parent];
            if event.name == "Comm_free" {
                state.names.remove(&parent);
            } else if event.name == "Comm_group" {
                let known = state.names.get(&parent).ok_or_else(|| unknown("communicator", parent))?;
                state.groups.insert(event.numbers[1], Rc::clone(&self.made.all[*known].members));
            } else if event.name.starts_with("Group_") {
                let group = |name: i64| state.groups.get(&name).ok_or_else(|| unknown("group", name));
                let first = group(parent)?;
                let is_of_two =
                    matches!(event.name, "Group_union" | "Group_intersection" | "Group_difference");
                let second = if is_of_two { group(event.numbers[1])? } else { first };
                let made =
                    group_of(event, first, second).ok_or_else(|| unknown("a rank of group", parent))?;
                let new = *event.numbers.last().unwrap_or(&EMPTY);
                state.groups.insert(new, made);
            } else {
                let known = *state.names.get(&parent).ok_or_else(|| unknown("communicator", parent))?;
                self.arrived[known] += 1;
                let is_last = self.arrived[known] == self.made.all[known].members.len();
                return Ok(is_last.then_some(known));
            }
            state.events.pop_front();
        }
    }

    /// Makes what all members of a communicator have called for.
    fn make(&mut self, parent: usize) -> Result<(), String> {
        let Known { members, sides, .. } = &self.made.all[parent];
        let (members, sides) = (Rc::clone(members), sides.clone());
        self.arrived[parent] = 0;
        let calls: Vec<Event> =
            members.iter().filter_map(|&rank| self.ranks[rank as usize].events.pop_front()).collect();
        let first = &calls[0];
        if let Some((rank, other)) = members.iter().zip(&calls).find(|(_, call)| call.name != first.name) {
            return Err(format!(
                "rank {} calls MPI_{} (call {}) where rank {rank} calls MPI_{} (call {}): all members of a communicator make the same one",
                members[0], first.name, first.call, other.name, other.call
            ));
        }
        // Members of what is made, by what distinguishes one part from another.
        let mut parts: BTreeMap<Vec<i64>, Vec<(i64, u32)>> = BTreeMap::new();
        let mut kept = sides.clone();
        for (place, (&rank, call)) in (0_i64..).zip(members.iter().zip(&calls)) {
            if call.numbers.last() == Some(&NULL) {
                continue;
            }
            let (part, key) = match call.name {
                "Comm_split" => (vec![call.numbers[1]], call.numbers[2]),
                "Comm_create" => {
                    let group = self.ranks[rank as usize].groups.get(&call.numbers[1]);
                    let group = group.ok_or_else(|| {
                        format!("rank {rank}: MPI_Comm_create (call {}): its group is not known", call.call)
                    })?;
                    let key = group.iter().position(|&member| member == rank).unwrap_or_default();
                    (group.iter().map(|&member| i64::from(member)).collect(), key as i64)
                }
                "Cart_create" => {
                    kept.clone_from(&call.lists[0]);
                    (Vec::new(), place)
                }
                "Cart_sub" => {
                    let remain = &call.lists[0];
                    let at = coordinates(place, &sides);
                    let is_kept = |dimension: &usize| remain.get(*dimension).is_some_and(|&keep| keep != 0);
                    kept = (0..sides.len()).filter(is_kept).map(|dimension| sides[dimension]).collect();
                    let fixed = (0..sides.len()).filter(|dimension| !is_kept(dimension));
                    (fixed.map(|dimension| at[dimension]).collect(), place)
                }
                _ => (Vec::new(), place),
            };
            parts.entry(part).or_default().push((key, rank));
        }
        if !matches!(first.name, "Cart_create" | "Cart_sub" | "Comm_dup") {
            kept.clear();
        }
        let mut places: BTreeMap<u32, usize> = BTreeMap::new();
        for mut part in parts.into_values() {
            // Of equal keys the order in the communicator before stays.
            part.sort_by_key(|&(key, _)| key);
            let place = self.made.all.len();
            places.extend(part.iter().map(|&(_, rank)| (rank, place)));
            let members = part.into_iter().map(|(_, rank)| rank).collect();
            // Numbers are those of places: 0 and the places of ranks alone are taken, and 1 is one of these.
            self.made.all.push(Known { number: place as u32 + 1, members, sides: kept.clone() });
            self.arrived.push(0);
        }
        for (&rank, call) in members.iter().zip(&calls) {
            let place = places.get(&rank).copied();
            self.made.of_rank[rank as usize].push_back(place);
            if let (Some(place), Some(&name)) = (place, call.numbers.last()) {
                self.ranks[rank as usize].names.insert(name, place);
            }
        }
        Ok(())
    }
}

/// Where a rank is in a grid: the last side is passed first.
fn coordinates(mut place: i64, sides: &[i64]) -> Vec<i64> {
    let mut at = vec![0; sides.len()];
    for (dimension, &side) in sides.iter().enumerate().rev() {
        (at[dimension], place) = (place % side.max(1), place / side.max(1));
    }
    at
}

/// The group that a call makes of one or two; `None` where it names a rank that is not there.
fn group_of(event: &Event, first: &Members, second: &Members) -> Option<Members> {
    let within = |group: &Members| group.iter().copied().collect::<BTreeSet<u32>>();
    let listed = || -> Option<Vec<u32>> {
        let mut places = Vec::new();
        for list in &event.lists {
            match (event.name.contains("range"), &list[..]) {
                (true, &[begin, end, stride]) if stride != 0 => {
                    let steps = (end - begin) / stride;
                    places.extend((0..=steps).map(|step| begin + step * stride));
                }
                (true, _) => return None,
                (false, list) => places.extend(list),
            }
        }
        places.into_iter().map(|place| first.get(usize::try_from(place).ok()?).copied()).collect()
    };
    Some(match event.name {
        "Group_union" => {
            let known = within(first);
            first.iter().chain(second.iter().filter(|rank| !known.contains(rank))).copied().collect()
        }
        "Group_intersection" => {
            let known = within(second);
            first.iter().filter(|rank| known.contains(rank)).copied().collect()
        }
        "Group_difference" => {
            let known = within(second);
            first.iter().filter(|rank| !known.contains(rank)).copied().collect()
        }
        "Group_incl" | "Group_range_incl" => listed()?.into(),
        _ => {
            let left: BTreeSet<u32> = listed()?.into_iter().collect();
            first.iter().filter(|rank| !left.contains(rank)).copied().collect()
        }
    })
}
