//! Messages, and the ends of what goes on.

use crate::file::Call;
use crate::groups::Group;
use crate::rank::{Prepared, RankReader};
use weir_operations::{
    Mode, Operation, PollFirst, ReceiveSource, RequestId, Requests, Side, WORLD, Wildcards,
};

/// The mode of a send by the name of its function.
fn mode(name: &str) -> Option<Mode> {
    let lower = name.to_lowercase();
    let plain = lower.strip_suffix("_init").unwrap_or(&lower);
    Some(match plain.strip_prefix('i').unwrap_or(plain) {
        "send" => Mode::Standard,
        "bsend" => Mode::Buffered,
        "ssend" => Mode::Synchronous,
        "rsend" => Mode::Ready,
        _ => return None,
    })
}

impl RankReader<'_> {
    /// A call that sends or receives; `false` if it is something else.
    pub(crate) fn point_to_point(&mut self, call: &Call<'_>) -> bool {
        match call.name {
            name if mode(name).is_some() => self.send(call, mode(name).unwrap_or(Mode::Standard)),
            "Recv" | "Irecv" | "Recv_init" => self.receive(call),
            "Sendrecv" | "Sendrecv_replace" | "Isendrecv" | "Isendrecv_replace" => self.exchange(call),
            "Probe" | "Iprobe" | "Mprobe" | "Improbe" => self.probe(call),
            "Mrecv" | "Imrecv" => self.receive_matched(call),
            "Psend_init" | "Precv_init" => self.channel(call),
            "Start" => self.activate(call.word("request")),
            "Startall" => {
                call.list("requests array_of_requests")
                    .to_vec()
                    .into_iter()
                    .for_each(|handle| self.activate(handle));
            }
            "Pready" => self.ready(call, [call.word("partition")]),
            "Pready_range" => self.ready(call, call.word("partition_low")..=call.word("partition_high")),
            "Pready_list" => self.ready(call, call.list("array_of_partitions").iter().copied()),
            _ => return false,
        }
        true
    }

    fn peer(&self, rank: i64) -> Option<u32> {
        u32::try_from(rank).ok().filter(|_| rank != self.constants.nobody)
    }

    /// The communicator of a message, if it has this rank; libraries that do not check their arguments take any.
    fn group_with(&mut self, handle: i64, peer: Option<u32>) -> Option<Group> {
        let group = self.group(handle)?;
        if peer.is_some_and(|peer| peer as usize >= group.peers()) {
            self.lose("messages to and from ranks that their communicator does not have");
            return None;
        }
        Some(group)
    }

    fn send_act(&mut self, call: &Call<'_>, mode: Mode, tag: &str) -> Option<Operation> {
        let to = self.peer(call.word("dest"));
        let communicator = self.group_with(call.word("comm"), to)?.number;
        let sends = if call.has("sendcount") { ("sendcount", "sendtype") } else { ("count", "type") };
        let bytes = call.bytes(sends.0, sends.1);
        let tag = call.word(tag).max(0) as i32;
        Some(Operation::Send { mode, to, tag, bytes, communicator, request: None })
    }

    fn receive_act(&mut self, call: &Call<'_>, from: ReceiveSource) -> Option<Operation> {
        let communicator = self.group_with(call.word("comm"), from.source)?.number;
        let receives = if call.has("recvcount") { ("recvcount", "recvtype") } else { ("count", "type") };
        Some(Operation::Receive {
            from,
            bytes: call.bytes(receives.0, receives.1),
            communicator,
            request: None,
        })
    }

    /// Hands on an operation by what the name of its function says: it waits, goes on, or is prepared.
    pub(crate) fn carry_out(&mut self, call: &Call<'_>, operation: Operation) {
        if call.name.ends_with("_init") {
            self.prepared.insert(call.word("request"), Prepared::Operation(operation));
        } else if call.has("request") {
            let operation = self.numbered(operation);
            self.start(call.word("request"), [operation]);
        } else {
            self.push(operation);
        }
    }

    /// The same operation, going on under a new number.
    fn numbered(&mut self, mut operation: Operation) -> Operation {
        let number = self.take_number();
        match &mut operation {
            Operation::Send { request, .. }
            | Operation::Receive { request, .. }
            | Operation::Collective { request, .. }
            | Operation::File { request, .. }
            | Operation::Access { request, .. } => *request = Some(RequestId(number)),
            _ => {}
        }
        operation
    }

    /// A request that is complete from the beginning, of something that a profile has no event for.
    pub(crate) fn complete_from_the_beginning(&mut self, handle: i64) {
        let operation = Operation::Send {
            mode: Mode::Standard,
            to: None,
            tag: 0,
            bytes: 0,
            communicator: WORLD,
            request: None,
        };
        let operation = self.numbered(operation);
        self.start(handle, [operation]);
    }

    fn send(&mut self, call: &Call<'_>, mode: Mode) {
        if let Some(operation) = self.send_act(call, mode, "tag") {
            self.carry_out(call, operation);
        }
    }

    fn receive(&mut self, call: &Call<'_>) {
        let (source, tag) = (call.word("source"), call.word("tag"));
        let from = if call.name == "Recv" {
            self.found(source, tag, call.word("status"))
        } else {
            self.asked(source, tag)
        };
        if let Some(operation) = self.receive_act(call, from) {
            self.carry_out(call, operation);
        }
    }

    fn exchange(&mut self, call: &Call<'_>) {
        let (source, tag) = (call.word("source"), call.word("recvtag"));
        let from = match call.has("status") {
            true => self.found(source, tag, call.word("status")),
            false => self.asked(source, tag),
        };
        let Some(receive) = self.receive_act(call, from) else { return };
        let Some(send) = self.send_act(call, Mode::Standard, "sendtag") else { return };
        let receive = self.numbered(receive);
        let send = self.numbered(send);
        let handle = if call.has("request") { call.word("request") } else { self.constants.no_request };
        self.start(handle, [receive, send]);
        if !call.has("request")
            && let Some(started) = self.requests.remove(&handle)
        {
            let ended: Vec<_> = started.into_iter().flatten().rev().collect();
            self.wait(&ended, PollFirst::No);
        }
    }

    fn probe(&mut self, call: &Call<'_>) {
        let Some(group) = self.group(call.word("comm")) else { return };
        let from = self.found(call.word("source"), call.word("tag"), call.word("status"));
        let look = if call.has("flag") { PollFirst::Yes } else { PollFirst::No };
        let communicator = group.number;
        if from.asked == Wildcards::Nobody {
            return;
        }
        if !call.has("message") {
            return self.push(Operation::Probe { from, communicator, look });
        }
        let number = self.take_number();
        self.messages.entry(call.word("message")).or_default().push_back(number);
        self.push(Operation::Match { from, communicator, look, message: RequestId(number) });
    }

    fn receive_matched(&mut self, call: &Call<'_>) {
        let (handle, bytes) = (call.word("message"), call.bytes("count", "type"));
        let number = self.messages.get_mut(&handle).and_then(|numbers| numbers.pop_front());
        let Some(number) = number else {
            if handle == self.constants.message_of_nobody {
                let from = ReceiveSource { source: None, tag: None, asked: Wildcards::Nobody };
                return self.carry_out(
                    call,
                    Operation::Receive { from, bytes: 0, communicator: WORLD, request: None },
                );
            }
            return self.lose("messages of probes that are not recorded");
        };
        let message = RequestId(number);
        if call.has("request") {
            return self.start(
                call.word("request"),
                [Operation::ReceiveMatched { message, bytes, request: Some(message) }],
            );
        }
        self.push(Operation::ReceiveMatched { message, bytes, request: None });
        self.free_number(number);
    }

    fn channel(&mut self, call: &Call<'_>) {
        let Some(group) = self.group(call.word("comm")) else { return };
        let (handle, channel) = (call.word("request"), self.channels);
        let bytes = call.bytes("count", "type");
        let partitions = call.word("partitions").max(0) as u32;
        let (side, prepared) = match call.name {
            "Psend_init" => (Side::Send, Prepared::Sends { channel, partitions, bytes }),
            _ => (Side::Receive, Prepared::Receives { channel, bytes: bytes * u64::from(partitions) }),
        };
        self.channels += 1;
        self.prepared.insert(handle, prepared);
        let (peer, tag) = (self.peer(call.word("dest")), call.word("tag").max(0) as i32);
        self.push(Operation::Channel { channel, side, peer, tag, communicator: group.number });
    }

    /// Starts what is prepared under a handle.
    fn activate(&mut self, handle: i64) {
        let operation = match self.prepared.get(&handle).cloned() {
            Some(Prepared::Operation(operation)) => self.numbered(operation),
            Some(Prepared::Sends { channel, partitions, .. }) => {
                let request = RequestId(self.take_number());
                Operation::StartSend { channel, partitions, request }
            }
            Some(Prepared::Receives { channel, bytes }) => {
                Operation::StartReceive { channel, bytes, request: RequestId(self.take_number()) }
            }
            None => return self.lose("starts of requests that are not recorded"),
        };
        self.start(handle, [operation]);
    }

    fn ready(&mut self, call: &Call<'_>, partitions: impl IntoIterator<Item = i64>) {
        let handle = call.word("request");
        let started = self.requests.get(&handle).and_then(|queue| queue.front()?.first().copied());
        match (self.prepared.get(&handle), started) {
            (Some(&Prepared::Sends { bytes, .. }), Some(started)) => {
                for partition in partitions {
                    let number = partition.max(0) as u32;
                    self.push(Operation::Ready { request: RequestId(started.number), number, bytes });
                }
            }
            _ => self.lose("partitions of requests that are not recorded"),
        }
    }

    /// A call that ends requests, or looks at them; `false` if it is something else. Those that have looked in vain are no calls.
    pub(crate) fn completion(&mut self, call: &Call<'_>) -> bool {
        let requests = call.list("requests array_of_requests");
        let statuses = call.list("statuses array_of_statuses");
        let look = if call.name == "Wait" || call.name == "Waitall" { PollFirst::No } else { PollFirst::Yes };
        let ended: Vec<(i64, Option<i64>)> = match call.name {
            "Wait" | "Test" => vec![(call.word("request"), Some(call.word("status")))],
            "Waitall" | "Testall" => {
                requests.iter().copied().zip(statuses.iter().map(|status| Some(*status))).collect()
            }
            "Waitany" | "Testany" => {
                let place = usize::try_from(call.word("index indx")).ok();
                let handle = place.and_then(|place| requests.get(place));
                handle.map(|handle| (*handle, Some(call.word("status")))).into_iter().collect()
            }
            "Waitsome" | "Testsome" => {
                let indices = call.list("indices array_of_indices").iter();
                let handle = |place: &i64| requests.get(usize::try_from(*place).ok()?).copied();
                indices
                    .zip(statuses)
                    .filter_map(|(place, status)| Some((handle(place)?, Some(*status))))
                    .collect()
            }
            "Request_get_status" => {
                self.see(call.word("request"));
                return true;
            }
            "Request_free" => {
                self.release(call.word("request"));
                return true;
            }
            "Cancel" => {
                self.cancel(call.word("request"));
                return true;
            }
            "Grequest_complete" => {
                if let Some(request) = self.request_of(call.word("request")) {
                    self.push(Operation::Fulfil { request });
                }
                return true;
            }
            "Grequest_start" => {
                let request = RequestId(self.take_number());
                self.start(call.word("request"), [Operation::Open { request }]);
                return true;
            }
            "Buffer_detach" | "Buffer_flush" => {
                self.push(Operation::Flush);
                return true;
            }
            _ => return false,
        };
        let mut started = Vec::new();
        for (handle, status) in ended {
            // A receive and a send under one request end in the other order.
            started.extend(self.end_request(handle, status).into_iter().rev());
        }
        self.wait(&started, look);
        true
    }

    fn request_of(&self, handle: i64) -> Option<RequestId> {
        let started = self.requests.get(&handle)?.front()?;
        started.first().map(|started| RequestId(started.number))
    }

    fn see(&mut self, handle: i64) {
        if let Some(request) = self.request_of(handle) {
            self.push(Operation::See { requests: Requests::One(request) });
        }
    }

    fn cancel(&mut self, handle: i64) {
        match self.request_of(handle) {
            Some(request) => self.push(Operation::Cancel { request }),
            None => self.lose("calls of MPI_Cancel for requests that are not recorded"),
        }
    }

    fn release(&mut self, handle: i64) {
        let is_active = self.requests.contains_key(&handle);
        if is_active || !self.prepared.contains_key(&handle) {
            for started in self.end_request(handle, None) {
                self.push(Operation::Release { request: RequestId(started.number) });
                self.free_number(started.number);
            }
        }
        self.prepared.remove(&handle);
    }
}
