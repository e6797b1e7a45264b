//! Groups of ranks.

use crate::calls::output_arguments::{give, out};
use crate::mpi::prelude::*;
use std::cmp::Ordering;
use weir_message::{Group, UNDEFINED};
use weir_units::Rank;

pub(crate) fn get(context: &mut Context, handle: Handle) -> Result<Group> {
    if handle as usize == MPI_GROUP_EMPTY {
        return Ok(Group::new(&[]));
    }
    context.rank().groups.get(handle).cloned().ok_or(MpiError::Group)
}

pub(crate) fn add(context: &mut Context, group: Group) -> Handle {
    if group.size() == 0 {
        return abi::predefined(MPI_GROUP_EMPTY);
    }
    context.rank().groups.add(group)
}

pub(crate) fn compare(a: &Group, b: &Group) -> c_int {
    if a.members().eq(b.members()) {
        MPI_IDENT
    } else if a.size() == b.size() && a.members().all(|member| b.rank_of(member).is_some()) {
        MPI_SIMILAR
    } else {
        MPI_UNEQUAL
    }
}

/// The program's array of ints, which is only read.
pub(crate) fn ints(array: *const c_int, count: c_int) -> Result<Array<c_int>> {
    Array::new(array.cast_mut(), count, "of ints")
}

fn member(group: &Group, rank: c_int) -> Result<Rank> {
    let found = u32::try_from(rank).ok().and_then(|rank| group.member(rank));
    found.ok_or(MpiError::Rank { rank, size: group.size() })
}

fn rank_in(group: &Group, rank: Rank) -> c_int {
    group.rank_of(rank).map_or(UNDEFINED, |rank| rank as c_int)
}

arguments! { Handle => Group: |context, _, given| get(context, given); }

answers! { context;
    group_size(group: Group) -> c_int = group.size() as c_int;
    group_rank(group: Group) -> c_int = rank_in(&group, context.rank().process.rank());
    group_compare(a: Group, b: Group) -> c_int = compare(&a, &b);
}

/// Gives the program a group of these members.
fn make(context: &mut Context, members: &[Rank], new: Out<Handle>) -> Done {
    let mut sorted = members.to_vec();
    sorted.sort_unstable();
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        let rank = pair[0];
        return Err(MpiError::Argument(format!("rank {rank} of the world would be in the group twice")));
    }
    new.give(add(context, Group::new(members)))
}

/// Makes a group of those members of another one that are chosen.
fn filter(context: &mut Context, group: &Group, is_chosen: impl Fn(Rank) -> bool, new: Out<Handle>) -> Done {
    let members: Vec<Rank> = group.members().filter(|&member| is_chosen(member)).collect();
    make(context, &members, new)
}

fn listed(group: &Group, n: c_int, ranks: *const c_int) -> Result<Vec<Rank>> {
    ints(ranks, n)?.iter().map(|rank| member(group, rank)).collect()
}

pub(crate) fn group_incl(context: &mut Context, args: GroupIncl) -> Done {
    make(context, &listed(&args.group, args.n, args.ranks)?, args.newgroup)
}

pub(crate) fn group_excl(context: &mut Context, args: GroupExcl) -> Done {
    let others = listed(&args.group, args.n, args.ranks)?;
    filter(context, &args.group, |member| !others.contains(&member), args.newgroup)
}

pub(crate) fn group_range_incl(context: &mut Context, args: GroupRangeIncl) -> Done {
    make(context, &in_ranges(&args.group, args.n, args.ranges)?, args.newgroup)
}

/// The members in ranges: first rank, last rank, stride.
fn in_ranges(group: &Group, n: c_int, ranges: *mut c_int) -> Result<Vec<Rank>> {
    let mut members = Vec::new();
    for [first, last, stride] in Array::new(ranges.cast::<[c_int; 3]>(), n, "of ints")?.iter() {
        let is_inside: fn(&c_int, &c_int) -> bool = match stride.cmp(&0) {
            Ordering::Greater => c_int::le,
            Ordering::Less => c_int::ge,
            Ordering::Equal => return Err(MpiError::Argument("a range with stride 0".into())),
        };
        let mut next = Some(first);
        while let Some(rank) = next.filter(|rank| is_inside(rank, &last)) {
            members.push(member(group, rank)?);
            next = rank.checked_add(stride);
        }
    }
    Ok(members)
}

pub(crate) fn group_range_excl(context: &mut Context, args: GroupRangeExcl) -> Done {
    let mut out = in_ranges(&args.group, args.n, args.ranges)?;
    out.sort_unstable();
    filter(context, &args.group, |member| out.binary_search(&member).is_err(), args.newgroup)
}

pub(crate) fn group_union(context: &mut Context, a: Group, b: Group, new: Out<Handle>) -> Done {
    let others = b.members().filter(|&member| a.rank_of(member).is_none());
    make(context, &a.members().chain(others).collect::<Vec<Rank>>(), new)
}

pub(crate) fn group_intersection(context: &mut Context, a: Group, b: Group, new: Out<Handle>) -> Done {
    filter(context, &a, |member| b.rank_of(member).is_some(), new)
}

pub(crate) fn group_difference(context: &mut Context, a: Group, b: Group, new: Out<Handle>) -> Done {
    filter(context, &a, |member| b.rank_of(member).is_none(), new)
}

pub(crate) fn group_translate_ranks(_: &mut Context, args: GroupTranslateRanks) -> Done {
    let ranks = ints(args.ranks1, args.n)?;
    if ranks.len() > 0 {
        out(args.ranks2, "ranks2")?;
    }
    for (index, rank) in ranks.iter().enumerate() {
        let found = if rank == weir_message::PROC_NULL {
            rank
        } else {
            rank_in(&args.group2, member(&args.group1, rank)?)
        };
        give(args.ranks2.wrapping_add(index), "ranks2", found)?;
    }
    Ok(())
}

pub(crate) fn group_free(context: &mut Context, group: Out<Handle>) -> Done {
    let handle = group.get();
    get(context, handle)?;
    context.rank().groups.remove(handle);
    group.give(abi::predefined(MPI_GROUP_NULL))
}
