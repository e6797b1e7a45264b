//! Groups of ranks.

use crate::calls::abi::{self, GROUP_EMPTY, GROUP_NULL, Handle};
use crate::calls::output_arguments::{Array, give, give_new, out};
use crate::rank::context::Context;
use crate::rank::mpi_call::call;
use std::cmp::Ordering;
use std::ffi::c_int;
use std::ptr;
use weir_message::{Group, MpiError, UNDEFINED};
use weir_units::Rank;

/// The group behind a handle of the running rank.
pub(crate) fn get(context: &mut Context, handle: Handle) -> Result<Group, MpiError> {
    if handle as usize == GROUP_EMPTY {
        return Ok(Group::new(&[]));
    }
    context.rank().groups.get(handle).cloned().ok_or(MpiError::Group)
}

/// A handle for a new group.
pub(crate) fn add(context: &mut Context, group: Group) -> Handle {
    if group.size() == 0 {
        return abi::predefined(GROUP_EMPTY);
    }
    context.rank().groups.add(group)
}

/// What two groups have in common.
pub(crate) fn compare(a: &Group, b: &Group) -> c_int {
    if a.members().eq(b.members()) {
        abi::IDENT
    } else if a.size() == b.size() && a.members().all(|member| b.rank_of(member).is_some()) {
        abi::SIMILAR
    } else {
        abi::UNEQUAL
    }
}

/// The program's array of ints, which is only read.
pub(crate) fn ints(array: *const c_int, count: c_int) -> Result<Array<c_int>, MpiError> {
    Array::new(array.cast_mut(), count, "of ints")
}

fn member(group: &Group, rank: c_int) -> Result<Rank, MpiError> {
    let found = u32::try_from(rank).ok().and_then(|rank| group.member(rank));
    found.ok_or(MpiError::Rank { rank, size: group.size() })
}

pub(crate) unsafe extern "C" fn group_size(group: Handle, size: *mut c_int) -> c_int {
    call("MPI_Group_size", ptr::null_mut(), |context| {
        give(size, "size", get(context, group)?.size() as c_int)
    })
}

pub(crate) unsafe extern "C" fn group_rank(group: Handle, rank: *mut c_int) -> c_int {
    call("MPI_Group_rank", ptr::null_mut(), |context| {
        let own = get(context, group)?.rank_of(context.rank().process.rank());
        give(rank, "rank", own.map_or(UNDEFINED, |rank| rank as c_int))
    })
}

/// Makes a group of the members that `choose` names.
fn make(
    name: &'static str,
    new: *mut Handle,
    choose: impl FnOnce(&mut Context) -> Result<Vec<Rank>, MpiError>,
) -> c_int {
    call(name, ptr::null_mut(), |context| {
        out(new, "newgroup")?;
        let members = choose(context)?;
        let mut sorted = members.clone();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(MpiError::Argument(format!(
                "rank {} of the world would be in the group twice",
                pair[0]
            )));
        }
        give_new(new, "new", || add(context, Group::new(&members)))
    })
}

pub(crate) unsafe extern "C" fn group_incl(
    group: Handle,
    n: c_int,
    ranks: *const c_int,
    new: *mut Handle,
) -> c_int {
    make("MPI_Group_incl", new, |context| {
        let group = get(context, group)?;
        ints(ranks, n)?.iter().map(|rank| member(&group, rank)).collect()
    })
}

pub(crate) unsafe extern "C" fn group_excl(
    group: Handle,
    n: c_int,
    ranks: *const c_int,
    new: *mut Handle,
) -> c_int {
    make("MPI_Group_excl", new, |context| {
        let group = get(context, group)?;
        let others = ints(ranks, n)?.iter().map(|rank| member(&group, rank));
        let others = others.collect::<Result<Vec<Rank>, _>>()?;
        Ok(group.members().filter(|member| !others.contains(member)).collect())
    })
}

pub(crate) unsafe extern "C" fn group_range_incl(
    group: Handle,
    n: c_int,
    ranges: *const [c_int; 3],
    new: *mut Handle,
) -> c_int {
    make("MPI_Group_range_incl", new, |context| in_ranges(&get(context, group)?, n, ranges))
}

/// The members in ranges: first rank, last rank, stride.
fn in_ranges(group: &Group, n: c_int, ranges: *const [c_int; 3]) -> Result<Vec<Rank>, MpiError> {
    let mut members = Vec::new();
    for [first, last, stride] in Array::new(ranges.cast_mut(), n, "of ints")?.iter() {
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

pub(crate) unsafe extern "C" fn group_range_excl(
    group: Handle,
    n: c_int,
    ranges: *const [c_int; 3],
    new: *mut Handle,
) -> c_int {
    make("MPI_Group_range_excl", new, |context| {
        let group = get(context, group)?;
        let mut out = in_ranges(&group, n, ranges)?;
        out.sort_unstable();
        Ok(group.members().filter(|member| out.binary_search(member).is_err()).collect())
    })
}

pub(crate) unsafe extern "C" fn group_union(a: Handle, b: Handle, new: *mut Handle) -> c_int {
    make("MPI_Group_union", new, |context| {
        let (a, b) = (get(context, a)?, get(context, b)?);
        Ok(a.members().chain(b.members().filter(|&member| a.rank_of(member).is_none())).collect())
    })
}

pub(crate) unsafe extern "C" fn group_intersection(a: Handle, b: Handle, new: *mut Handle) -> c_int {
    make("MPI_Group_intersection", new, |context| {
        let (a, b) = (get(context, a)?, get(context, b)?);
        Ok(a.members().filter(|&member| b.rank_of(member).is_some()).collect())
    })
}

pub(crate) unsafe extern "C" fn group_difference(a: Handle, b: Handle, new: *mut Handle) -> c_int {
    make("MPI_Group_difference", new, |context| {
        let (a, b) = (get(context, a)?, get(context, b)?);
        Ok(a.members().filter(|&member| b.rank_of(member).is_none()).collect())
    })
}

pub(crate) unsafe extern "C" fn group_compare(a: Handle, b: Handle, result: *mut c_int) -> c_int {
    call("MPI_Group_compare", ptr::null_mut(), |context| {
        give(result, "result", compare(&get(context, a)?, &get(context, b)?))
    })
}

pub(crate) unsafe extern "C" fn group_translate_ranks(
    from: Handle,
    n: c_int,
    ranks: *const c_int,
    to: Handle,
    translated: *mut c_int,
) -> c_int {
    call("MPI_Group_translate_ranks", ptr::null_mut(), |context| {
        let (from, to) = (get(context, from)?, get(context, to)?);
        let ranks = ints(ranks, n)?;
        if ranks.len() > 0 {
            out(translated, "ranks2")?;
        }
        for (index, rank) in ranks.iter().enumerate() {
            let found = if rank == weir_message::PROC_NULL {
                rank
            } else {
                to.rank_of(member(&from, rank)?).map_or(UNDEFINED, |rank| rank as c_int)
            };
            give(translated.wrapping_add(index), "ranks2", found)?;
        }
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn group_free(group: *mut Handle) -> c_int {
    call("MPI_Group_free", ptr::null_mut(), |context| {
        let handle = out(group, "group")?.get();
        get(context, handle)?;
        context.rank().groups.remove(handle);
        give(group, "group", abi::predefined(GROUP_NULL))
    })
}
