//! Collectives, and those by which communicators are made.

use crate::fields::is_collective;
use crate::file::Call;
use crate::groups::Group;
use crate::rank::RankReader;
use crate::source::element;
use weir_operations::{
    Collective, Combining, ElementName, Function, Lengths, Mode, NeighborBlocks, OperandOrder, Operation,
    OperationName, ReceiveSource, Root, Wildcards,
};

/// Bytes of the message by which weir's ranks make two groups an intercommunicator.
const INTRODUCTION: u64 = 32;

impl RankReader<'_> {
    /// A call of a collective, or one that makes a communicator; `false` if it is something else.
    pub(crate) fn collective(&mut self, call: &Call<'_>) -> bool {
        match call.name {
            "Comm_split" | "Comm_split_type" => self.meet(call, "comm", Function::Split),
            "Intercomm_merge" => self.meet(call, "intercomm", Function::Merge),
            "Comm_create" => {
                let is_between = |group: &Option<Group>| group.as_ref().is_some_and(Group::is_between);
                if is_between(self.groups.get(&call.word("comm")).unwrap_or(&None)) {
                    self.meet(call, "comm", Function::Split);
                }
            }
            "Intercomm_create" => self.introduce(call),
            "Comm_idup" | "Comm_idup_with_info" => self.complete_from_the_beginning(call.word("request")),
            "Comm_dup"
            | "Comm_dup_with_info"
            | "Comm_create_group"
            | "Cart_create"
            | "Cart_sub"
            | "Graph_create"
            | "Dist_graph_create"
            | "Dist_graph_create_adjacent" => {}
            "Comm_free" | "Comm_disconnect" => _ = self.groups.remove(&call.word("comm")),
            name if is_collective(name) => {
                let Some(group) = self.group(call.word("comm")) else { return true };
                match self.collective_of(call, &group) {
                    Some(collective) => self.takes_part(call, &group, collective),
                    None => return false,
                }
            }
            _ => return false,
        }
        true
    }

    fn takes_part(&mut self, call: &Call<'_>, group: &Group, collective: Collective) {
        let communicator = group.number;
        let persistent = call.name.ends_with("_init").then(|| {
            let number = self.persistent.entry(communicator).or_default();
            *number += 1;
            *number
        });
        let collective = Box::new(collective);
        self.carry_out(call, Operation::Collective { collective, communicator, persistent, request: None });
    }

    /// A collective without data, by which a communicator is made.
    fn meet(&mut self, call: &Call<'_>, of: &str, function: Function) {
        if let Some(group) = self.group(call.word(of)) {
            self.push(without_data(function, &group));
        }
    }

    /// Two leaders introduce their groups to each other, and each passes it on to its own group.
    fn introduce(&mut self, call: &Call<'_>) {
        let Some(group) = self.group(call.word("local")) else { return };
        let leader = call.word("local_leader").max(0) as u32;
        let own = self.numbers.alone().members[0];
        if group.members.get(leader as usize) == Some(&own)
            && let Some(between) = self.group(call.word("peer"))
        {
            let (other, tag) = (call.word("remote_leader").max(0) as u32, call.word("tag").max(0) as i32);
            let (bytes, communicator) = (INTRODUCTION, between.number);
            self.push(Operation::Send {
                mode: Mode::Standard,
                to: Some(other),
                tag,
                bytes,
                communicator,
                request: None,
            });
            let from = ReceiveSource { source: Some(other), tag: Some(tag), asked: Wildcards::Both };
            self.push(Operation::Receive { from, bytes, communicator, request: None });
        }
        let told = Collective::new(Function::Bcast, Root::Rank(leader), Lengths::Bytes(INTRODUCTION));
        self.push(Operation::Collective {
            collective: Box::new(told),
            communicator: group.number,
            persistent: None,
            request: None,
        });
    }

    fn collective_of(&self, call: &Call<'_>, group: &Group) -> Option<Collective> {
        let lower = call.name.to_lowercase();
        let plain = lower.strip_suffix("_init").unwrap_or(&lower);
        let name = if is_waiting(plain) { plain } else { plain.strip_prefix('i')? };
        let data = Data { call, group };
        let (function, lengths) = if name.starts_with("neighbor_") {
            (Function::Neighbors, data.neighbors())
        } else if group.is_between() {
            data.between(name, self.root(call, group))?
        } else {
            data.within(name)?
        };
        let root = if call.has("root") { self.root(call, group) } else { Root::None };
        let combines = if call.has("op") { data.combines() } else { Combining::default() };
        Some(Collective { function, root, lengths, combines })
    }

    fn root(&self, call: &Call<'_>, group: &Group) -> Root {
        let root = call.word("root");
        match u32::try_from(root) {
            _ if group.is_between() && root == self.constants.root => Root::Here,
            _ if group.is_between() && root == self.constants.nobody => Root::Elsewhere,
            Ok(root) => Root::Rank(root),
            Err(_) => Root::Elsewhere,
        }
    }
}

/// A collective without data.
pub(crate) fn without_data(function: Function, group: &Group) -> Operation {
    let collective = Box::new(Collective::new(function, Root::None, Lengths::None));
    Operation::Collective { collective, communicator: group.number, persistent: None, request: None }
}

/// Returns whether this is the name of a collective that waits, in small letters.
fn is_waiting(name: &str) -> bool {
    !name.starts_with('i')
}

/// The data of a collective.
struct Data<'a, 'c> {
    call: &'a Call<'c>,
    group: &'a Group,
}

impl Data<'_, '_> {
    fn sent(&self) -> u64 {
        self.call.bytes("sendcount", "sendtype")
    }

    fn received(&self) -> u64 {
        self.call.bytes("recvcount", "recvtype")
    }

    /// A block of a collective in which all have one length; the side that does not count says 0.
    fn block(&self) -> Lengths {
        Lengths::Bytes(self.sent().max(self.received()))
    }

    /// The size of an element that is combined.
    fn element(&self) -> u64 {
        (self.call.word("type") & 0xffff_ffff_ffff) as u64
    }

    fn combined(&self) -> u64 {
        (self.call.word("count").max(0) as u64).saturating_mul(self.element())
    }

    fn operands(&self) -> OperandOrder {
        // The operation of a rank that has no part is not known.
        match self.call.word("op") {
            op if op != 0 && op & 256 == 0 => OperandOrder::Ordered,
            _ => OperandOrder::Commute,
        }
    }

    fn elements(&self) -> Lengths {
        let element = u32::try_from(self.element()).unwrap_or(u32::MAX);
        Lengths::Elements { bytes: self.combined(), element, operands: self.operands() }
    }

    fn combines(&self) -> Combining {
        let operation = (self.call.word("op") & 255) as usize;
        let name = operation.checked_sub(1).and_then(|place| OperationName::ALL.get(place).map(|all| all.1));
        let element = element((self.call.word("type") >> 48) as usize);
        Combining { operation: name, element: element.and_then(ElementName::named) }
    }

    /// The blocks of a list of counts, of one datatype or of one for each.
    fn blocks(&self, side: &str) -> Vec<u64> {
        let counts = self.call.list(&format!("{side}counts")).iter().map(|&count| count.max(0) as u64);
        match self.call.list(&format!("{side}types")) {
            [] => {
                let each = if self.call.has("type") { self.element() } else { self.size(side) };
                counts.map(|count| count * each).collect()
            }
            types => counts.zip(types).map(|(count, &size)| count * size.max(0) as u64).collect(),
        }
    }

    fn size(&self, side: &str) -> u64 {
        self.call.word(&format!("{side}type")).max(0) as u64
    }

    /// Blocks of a rooted collective: all of them at the root, elsewhere the own one.
    fn rooted(&self, side: &str, own: u64) -> Lengths {
        match self.blocks(side) {
            list if list.is_empty() => Lengths::Bytes(own),
            list => Lengths::Blocks(short(list)),
        }
    }

    fn exchanged(&self) -> (Vec<u64>, Vec<u64>) {
        let into = self.blocks("recv");
        let out = if self.call.word("sendbuf") == 1 { into.clone() } else { self.blocks("send") };
        (out, into)
    }

    fn scattered(&self) -> Lengths {
        let (blocks, element) = match self.call.list("recvcounts") {
            [] => (vec![self.call.word("recvcount").max(0) as u64 * self.element()], self.element()),
            _ => (self.blocks("recv"), self.element()),
        };
        let element = u32::try_from(element).unwrap_or(u32::MAX);
        Lengths::Combined { blocks: short(blocks), element, operands: self.operands() }
    }

    /// A collective of the ranks of one group.
    fn within(&self, name: &str) -> Option<(Function, Lengths)> {
        Some(match name {
            "barrier" => (Function::Barrier, Lengths::None),
            "bcast" => (Function::Bcast, Lengths::Bytes(self.call.bytes("count", "type"))),
            "reduce" => (Function::Reduce, self.elements()),
            "allreduce" => (Function::Allreduce, self.elements()),
            "gather" => (Function::Gather, self.block()),
            "gatherv" => (Function::Gatherv, self.rooted("recv", self.sent())),
            "scatter" => (Function::Scatter, self.block()),
            "scatterv" => (Function::Scatterv, self.rooted("send", self.received())),
            "allgather" => (Function::Allgather, self.block()),
            "allgatherv" => (Function::Allgatherv, Lengths::Blocks(short(self.blocks("recv")))),
            "alltoall" => (Function::Alltoall, self.block()),
            "alltoallv" | "alltoallw" => {
                let (out, into) = self.exchanged();
                let lengths = match (even(&out), even(&into)) {
                    (true, true) => Lengths::Exchange { out: short(out), into: short(into) },
                    _ => Lengths::Exchange { out: out.into(), into: into.into() },
                };
                (Function::Alltoallv, lengths)
            }
            "scan" => (Function::Scan, Lengths::Bytes(self.combined())),
            "exscan" => (Function::Exscan, Lengths::Bytes(self.combined())),
            "reduce_scatter" | "reduce_scatter_block" => (Function::ReduceScatter, self.scattered()),
            _ => return None,
        })
    }

    /// A collective between two groups: those with blocks stand for those whose blocks are equal.
    fn between(&self, name: &str, root: Root) -> Option<(Function, Lengths)> {
        let others = self.group.peers();
        let each = |bytes: u64| vec![bytes; others];
        let rooted = |at_root: Vec<u64>, own: u64| match root {
            Root::Here => Lengths::Blocks(short(at_root)),
            Root::Elsewhere => Lengths::Bytes(0),
            _ => Lengths::Bytes(own),
        };
        let gathered = |into: Vec<u64>| match self.sent() {
            0 => Lengths::Blocks(short(into)),
            bytes => Lengths::Given { bytes, into: short(into) },
        };
        Some(match name {
            "gather" => (Function::Gatherv, rooted(each(self.received()), self.sent())),
            "gatherv" => (Function::Gatherv, rooted(self.blocks("recv"), self.sent())),
            "scatter" => (Function::Scatterv, rooted(each(self.sent()), self.received())),
            "scatterv" => (Function::Scatterv, rooted(self.blocks("send"), self.received())),
            "allgather" => (Function::Allgatherv, gathered(each(self.received()))),
            "allgatherv" => (Function::Allgatherv, gathered(self.blocks("recv"))),
            "alltoall" => {
                let (out, into) = (each(self.sent()).into(), each(self.received()).into());
                (Function::Alltoallv, Lengths::Exchange { out, into })
            }
            "alltoallv" | "alltoallw" => {
                let (out, into) = (self.blocks("send").into(), self.blocks("recv").into());
                (Function::Alltoallv, Lengths::Exchange { out, into })
            }
            "bcast" if root == Root::Elsewhere => (Function::Bcast, Lengths::Bytes(0)),
            "scan" | "exscan" => return None,
            name => return self.within(name),
        })
    }

    /// The neighbors of the rank, and the blocks for and from them.
    fn neighbors(&self) -> Lengths {
        let all = self.call.list("neighbors");
        let (first, ranks) = all.split_at_checked(3).unwrap_or((&[0; 3], &[]));
        let (is_grid, incoming) = (first[0] != 0, first[1].max(0) as usize);
        let (sources, destinations) = ranks.split_at_checked(incoming).unwrap_or((ranks, &[]));
        let known = |ranks: &[i64]| ranks.iter().map(|&rank| u32::try_from(rank).ok()).collect::<Vec<_>>();
        // Nothing goes beyond an open end, or comes from there.
        let blocks = |side: &str, each: u64, ranks: &[i64]| -> Vec<u64> {
            let all = match self.call.list(&format!("{side}counts")) {
                [] => vec![each; ranks.len()],
                _ => self.blocks(side),
            };
            all.into_iter().zip(ranks).map(|(bytes, &rank)| if rank < 0 { 0 } else { bytes }).collect()
        };
        Lengths::Neighbors(Box::new(NeighborBlocks {
            out: blocks("send", self.sent(), destinations),
            into: blocks("recv", self.received(), sources),
            // What is sent forward in a grid two ranks long arrives from behind.
            arrival: (0..sources.len() as u32).map(|block| block ^ u32::from(is_grid)).collect(),
            sources: known(sources),
            destinations: known(destinations),
        }))
    }
}

fn even(blocks: &[u64]) -> bool {
    blocks.windows(2).all(|pair| pair[0] == pair[1])
}

/// One number where all are equal.
fn short(mut blocks: Vec<u64>) -> Box<[u64]> {
    if even(&blocks) {
        blocks.truncate(1);
    }
    blocks.into()
}
