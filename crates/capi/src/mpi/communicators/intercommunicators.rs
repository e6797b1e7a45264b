//! Communicators of two groups that talk to each other, and how two groups come together: their leaders introduce them.

use crate::mpi::collectives::{place, place_of_all, run};
use crate::mpi::communicators::{groups, room_for_another};
use crate::mpi::point_to_point::checked;
use crate::mpi::prelude::*;
use crate::rank::Blocked;
use weir_collectives::{Choice, Plan};
use weir_message::{Data, Group, Mode, Packed, RequestId, Status};
use weir_units::Rank;

/// Description of a group that it sends to the other one.
pub(crate) struct Introduction {
    /// Its half of the context.
    half: u64,
    group: Group,
}

/// Bytes of the beginning of an introduction: `half`, what the rest is, and a strided group, or else a list is behind it.
const HEADER: usize = 32;

const STRIDED: u32 = 0;
const LIST: u32 = 1;
/// There is no introduction: the leaders have not come together.
const NOTHING: u32 = 2;

impl Introduction {
    fn header(&self) -> [u8; HEADER] {
        let (kind, first, stride, size) = match &self.group {
            Group::Strided { first, stride, size } => (STRIDED, *first, *stride, *size),
            Group::List(members) => (LIST, 0, 0, members.len() as u32),
        };
        let mut header = [0; HEADER];
        header[..8].copy_from_slice(&self.half.to_ne_bytes());
        header[8..16].copy_from_slice(&stride.to_ne_bytes());
        for (place, word) in header[16..].chunks_exact_mut(4).zip([kind, first, size]) {
            place.copy_from_slice(&word.to_ne_bytes());
        }
        header
    }

    fn list(&self) -> Vec<u8> {
        match &self.group {
            Group::Strided { .. } => Vec::new(),
            Group::List(members) => members.iter().flat_map(|member| member.0.to_ne_bytes()).collect(),
        }
    }

    fn kind(header: &[u8]) -> u32 {
        word(header, 16)
    }

    fn list_bytes(header: &[u8]) -> usize {
        if Self::kind(header) == LIST { 4 * word(header, 24) as usize } else { 0 }
    }

    fn read(header: &[u8], list: &[u8]) -> Self {
        let stride = i64::from(word(header, 8)) | i64::from(word(header, 12)) << 32;
        let half = u64::from(word(header, 0)) | u64::from(word(header, 4)) << 32;
        let group = match Self::kind(header) {
            STRIDED => Group::Strided { first: word(header, 20), stride, size: word(header, 24) },
            _ => Group::List(list.chunks_exact(4).map(|member| Rank(word(member, 0))).collect()),
        };
        Self { half, group }
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

pub(crate) fn send(context: &mut Context, to: Peer, own: &Introduction) -> Result<Vec<RequestId>> {
    let mut requests = Vec::new();
    for data in [own.header().to_vec(), own.list()] {
        if !data.is_empty() {
            let (rank, actions) = context.both();
            let id = rank.process.send(actions, Mode::Standard, to.comm, to.rank, to.tag, data)?;
            requests.extend(id);
        }
    }
    Ok(requests)
}

fn receive_part(context: &mut Context, from: Peer, bytes: usize) -> Result<(Status, Packed)> {
    let (rank, actions) = context.both();
    let id = rank.process.receive(actions, from.comm, from.rank, from.tag, bytes as u64)?;
    let completion = context.wait_for(id)?;
    let status = checked(completion.status)?;
    let Data::Bytes(data) = completion.data else {
        return Err(MpiError::Other("an introduction without data".into()));
    };
    if data.len() < bytes {
        let found = data.len();
        return Err(MpiError::Other(format!(
            "a message of {found} bytes came, which is not one that a leader sends to introduce its group"
        )));
    }
    Ok((status, data))
}

/// Waits for an introduction; also says which rank has sent it.
pub(crate) fn receive(context: &mut Context, from: Peer) -> Result<(c_int, Introduction)> {
    let (status, header) = receive_part(context, from, HEADER)?;
    let list = match Introduction::list_bytes(&header) {
        0 => Packed::zeros(0),
        bytes => receive_part(context, Peer { rank: status.source, ..from }, bytes)?.1,
    };
    Ok((status.source, Introduction::read(&header, &list)))
}

pub(crate) fn sent(context: &mut Context, requests: Vec<RequestId>) -> Done {
    requests.into_iter().try_for_each(|id| context.wait_for(id).map(|_| ()))
}

/// Hands data of `leader` to everybody of a communicator; all know how many there are.
fn share(context: &mut Context, local: CommunicatorId, leader: usize, data: &mut [u8]) -> Done {
    let place = place(context, local)?;
    let plan = Plan::bcast(&Choice::default(), place, leader, data.len());
    let got = run(context, local, &plan, None, |into| into.copy_from_slice(&data[..into.len()]))?;
    if place.rank != leader {
        data.copy_from_slice(&got);
    }
    Ok(())
}

/// Makes an intercommunicator from `local`. Its leader calls `introduce`, which gives the other group an introduction
/// and gets theirs; what it says goes to everybody.
pub(crate) fn come_together(
    context: &mut Context,
    local: CommunicatorId,
    leader: c_int,
    introduce: impl FnOnce(&mut Context, &Introduction) -> Result<Introduction>,
) -> Result<CommunicatorId> {
    let place = place(context, local)?;
    let size = place.size;
    let known = usize::try_from(leader).ok().filter(|&known| known < size);
    let leader = known.ok_or(MpiError::Rank { rank: leader, size })?;
    let half = context.rank().process.half_context(local)?;
    let mut header = [0; HEADER];
    header[16..20].copy_from_slice(&NOTHING.to_ne_bytes());
    let (mut list, mut failure) = (Vec::new(), None);
    if place.rank == leader {
        let group = context.communicator(local)?.group.clone();
        match introduce(context, &Introduction { half, group }) {
            Ok(theirs) => (header, list) = (theirs.header(), theirs.list()),
            Err(error) => failure = Some(error),
        }
    }
    share(context, local, leader, &mut header)?;
    if let Some(failure) = failure {
        return Err(failure);
    }
    if Introduction::kind(&header) == NOTHING {
        return Err(MpiError::Other(
            "the leader of the group has not come together with the other group".into(),
        ));
    }
    list.resize(Introduction::list_bytes(&header), 0);
    if !list.is_empty() {
        share(context, local, leader, &mut list)?;
    }
    let theirs = Introduction::read(&header, &list);
    let made = context.rank().process.create_between(local, [half, theirs.half], theirs.group)?;
    context.rank().inherit_errors(local, Some(made));
    Ok(made)
}

/// Both leaders introduce their groups to each other, at the same time.
pub(crate) fn exchange(context: &mut Context, with: Peer, own: &Introduction) -> Result<Introduction> {
    let requests = send(context, with, own)?;
    let (_, theirs) = receive(context, with)?;
    sent(context, requests)?;
    Ok(theirs)
}

pub(crate) fn intercomm_create(context: &mut Context, args: IntercommCreate) -> Done {
    let made = come_together(context, args.local, args.local_leader, |context, own| {
        // Only at the leader do these arguments matter.
        let comm = abi::communicator(args.peer)?;
        if args.remote_leader < 0 {
            let size = context.communicator(comm)?.group.size();
            return Err(MpiError::Rank { rank: args.remote_leader, size });
        }
        exchange(context, Peer { comm, rank: args.remote_leader, tag: args.tag }, own)
    })?;
    args.newcomm.give(abi::communicator_handle(Some(made)))
}

pub(crate) fn intercomm_merge(context: &mut Context, args: IntercommMerge) -> Done {
    let sides = context.communicator(args.intercomm)?.sides().ok_or(MpiError::Communicator)?;
    room_for_another(context, args.intercomm)?;
    // Everybody of a group says the same; that the two rank 0 have said it is enough, but all have to know.
    let plan = Plan::merge(place_of_all(context, args.intercomm)?);
    let said = run(context, args.intercomm, &plan, None, |into| into[0] = u8::from(args.high != 0))?;
    let own = &said[sides.before..sides.before + sides.local.size];
    if own.iter().any(|&other| other != u8::from(args.high != 0)) {
        return Err(MpiError::Argument(
            "the ranks of one group do not all give the same value of high".into(),
        ));
    }
    let order =
        context.rank().process.order(args.intercomm, args.high != 0, said[sides.remote_before] != 0)?;
    let made = context.rank().process.merge(args.intercomm, order)?;
    context.rank().inherit_errors(args.intercomm, Some(made));
    args.newcomm.give(abi::communicator_handle(Some(made)))
}

fn remote(context: &mut Context, comm: CommunicatorId) -> Result<Group> {
    let known = context.communicator(comm)?;
    known.remote.as_ref().map(|remote| remote.group.clone()).ok_or(MpiError::Communicator)
}

answers! { context;
    comm_remote_size(comm: CommunicatorId) -> c_int = remote(context, comm)?.size() as c_int;
    comm_test_inter(comm: CommunicatorId) -> c_int = context.communicator(comm)?.remote.is_some().into();
}

pub(crate) fn comm_remote_group(context: &mut Context, comm: CommunicatorId, group: Out<Handle>) -> Done {
    let remote = remote(context, comm)?;
    group.give(groups::add(context, remote))
}

/// Waits until the program's requests on a communicator are complete. They stay to be finished by the program.
pub(crate) fn wait_for_pending(context: &mut Context, id: CommunicatorId) {
    let requests = context.rank().process.pending(id);
    if !requests.is_empty() {
        context.wait(Blocked::All { requests, next: 0 });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn introductions_come_as_they_go() {
        let far =
            |first: u32, stride: i64| (0..3).map(|rank| (i64::from(first) + rank * stride) as u32).collect();
        for members in [
            vec![0, 1, 2],
            vec![9, 4, 5],
            vec![7],
            vec![8, 6, 4],
            far(0x0102_0304, 0x0506_0708),
            far(0x7102_0304, -0x0506_0708),
            vec![0x0102_0304, 7, 0x4506_0708],
        ] {
            let members: Vec<Rank> = members.into_iter().map(Rank).collect();
            let own = Introduction { half: 0x1234_5678_9abc_def0, group: Group::new(&members) };
            let (header, list) = (own.header(), own.list());
            assert_eq!(Introduction::list_bytes(&header), list.len());
            let read = Introduction::read(&header, &list);
            assert_eq!(read.half, own.half);
            assert_eq!(read.group.members().collect::<Vec<_>>(), members);
        }
    }
}
