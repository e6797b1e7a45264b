//! Rare events as rows: matched probes, requests of the program's own, files, windows, partitioned messages.

use super::kinds::FIRST_ACCESS;
use super::one_sided::ACCESSES;
use super::row::{AT_ONCE, EXCLUSIVE, LOCAL, LOOKS, NO_CHECK, NOTHING, Row};
use super::{
    Act, AfterFence, Asks, Choices, Conflicts, Direction, Lock, Over, PollFirst, Request, Side, WindowAct,
};
use weir_units::Duration;

impl Row {
    pub(super) fn put_rare(&mut self, act: &Act) {
        self.request = act.request().map(|request| request.0);
        match act {
            Act::Match { from, communicator, look, message } => {
                self.put_from(*from);
                (self.communicator, self.request) = (*communicator, Some(message.0));
                self.flags |= if *look == PollFirst::Yes { LOOKS } else { 0 };
            }
            Act::ReceiveMatched { message, bytes, .. } => {
                (self.request, self.bytes) = (Some(message.0), *bytes);
            }
            Act::Cancel { request } | Act::Fulfil { request } => self.request = Some(request.0),
            Act::See { requests } => self.put_requests(requests),
            Act::Choose(choices) => self.list = Some(choices.to_list()),
            Act::File { bytes, lasts, .. } => {
                (self.bytes, self.list) = (*bytes, Some(vec![lasts.as_ps().cast_signed()]));
            }
            Act::Access { target, bytes, communicator, .. } => {
                (self.peer, self.bytes, self.communicator) = (Some(*target), *bytes, *communicator);
            }
            Act::Window { communicator, act } => {
                self.communicator = *communicator;
                self.put_window(act);
            }
            Act::Channel { channel, peer, tag, communicator, .. } => {
                (self.peer, self.tag, self.communicator) = (*peer, Some(*tag), *communicator);
                self.request = Some(*channel);
            }
            Act::StartSend { channel, partitions, .. } => {
                (self.peer, self.bytes) = (Some(*channel), u64::from(*partitions));
            }
            Act::StartReceive { channel, bytes, .. } => (self.peer, self.bytes) = (Some(*channel), *bytes),
            Act::Ready { request, number, bytes } => {
                (self.request, self.peer, self.bytes) = (Some(request.0), Some(*number), *bytes);
            }
            _ => {}
        }
    }

    fn put_window(&mut self, act: &WindowAct) {
        let list = |group: &[u32]| Some(group.iter().map(|&rank| i64::from(rank)).collect());
        let mut flag = |set: bool, flag: u32| self.flags |= if set { flag } else { 0 };
        match act {
            WindowAct::Flush { rank, over } => {
                flag(*over == Over::Here, LOCAL);
                self.peer = *rank;
            }
            WindowAct::Fence { after } => flag(*after == AfterFence::Nothing, NOTHING),
            WindowAct::Post { group, conflicts } | WindowAct::Start { group, conflicts } => {
                flag(*conflicts == Conflicts::RuledOut, NO_CHECK);
                self.list = list(group);
            }
            WindowAct::Wait { look } => flag(*look == PollFirst::Yes, LOOKS),
            WindowAct::Lock { rank, lock, conflicts } => {
                flag(*lock == Lock::Exclusive, EXCLUSIVE);
                flag(*conflicts == Conflicts::RuledOut, NO_CHECK);
                self.peer = Some(*rank);
            }
            WindowAct::Unlock { rank } => self.peer = Some(*rank),
            WindowAct::LockAll { asks, conflicts } => {
                flag(*asks == Asks::AtOnce, AT_ONCE);
                flag(*conflicts == Conflicts::RuledOut, NO_CHECK);
            }
            WindowAct::Open | WindowAct::Close | WindowAct::Complete | WindowAct::UnlockAll => {}
        }
    }

    /// The act of a kind that few programs have, or what is wrong with the cells.
    pub(super) fn rare_act(mut self) -> Result<Act, String> {
        let name = self.name();
        let needs = |what: &str| format!("{name} needs {what}");
        let (bytes, communicator, request) = (self.bytes, self.communicator, self.request.map(Request));
        let number = || request.ok_or_else(|| needs("a request"));
        let target = || self.peer.ok_or_else(|| needs("a rank"));
        let channel = || self.peer.ok_or_else(|| needs("the number of its channel (in a table: as peer)"));
        let look = if self.flags & LOOKS == 0 { PollFirst::No } else { PollFirst::Yes };
        let later = |goes_on: bool| if goes_on { number().map(Some) } else { Ok(None) };
        if let Some(place) = self.kind.0.checked_sub(FIRST_ACCESS).filter(|&place| place < 9) {
            let (access, target) = (ACCESSES[place % 5], target()?);
            return Ok(Act::Access { access, target, bytes, communicator, request: later(place >= 5)? });
        }
        Ok(match name {
            "mprobe" => Act::Match { from: self.from()?, communicator, look, message: number()? },
            "mrecv" => Act::ReceiveMatched { message: number()?, bytes, request: None },
            "imrecv" => Act::ReceiveMatched { message: number()?, bytes, request: Some(number()?) },
            "cancel" => Act::Cancel { request: number()? },
            "see" => Act::See { requests: self.requests()? },
            "open" => Act::Open { request: number()? },
            "choose" => {
                let choices = Choices::of_list(self.listed());
                let what = "protocol, copying, interface and gap (in a table: a list of four numbers)";
                Act::Choose(Box::new(choices.ok_or_else(|| needs(what))?))
            }
            "fulfil" => Act::Fulfil { request: number()? },
            "read" | "iread" | "write" | "iwrite" => {
                let direction = if name.ends_with("read") { Direction::Read } else { Direction::Write };
                let lasts = match self.list.as_deref() {
                    Some([time]) => u64::try_from(*time).map_err(|_| format!("{name}: times run backwards")),
                    _ => Err(needs("how long it lasts (in a table: a list of one number)")),
                };
                let (lasts, request) = (Duration::from_ps(lasts?), later(name.starts_with('i'))?);
                Act::File { direction, bytes, lasts, request }
            }
            "psend-init" | "precv-init" => {
                let side = if name == "psend-init" { Side::Send } else { Side::Receive };
                let (peer, tag) = (self.peer, self.tag.ok_or_else(|| needs("a tag"))?);
                let channel = self.request.ok_or_else(|| needs("a channel (in a table: as request)"))?;
                Act::Channel { channel, side, peer, tag, communicator }
            }
            "psend" => {
                let partitions = u32::try_from(bytes).map_err(|_| format!("{bytes} partitions are too many"));
                Act::StartSend { channel: channel()?, partitions: partitions?, request: number()? }
            }
            "precv" => Act::StartReceive { channel: channel()?, bytes, request: number()? },
            "pready" => {
                let number_of = self.peer.ok_or_else(|| needs("a partition (in a table: as peer)"))?;
                Act::Ready { request: number()?, number: number_of, bytes }
            }
            _ => Act::Window { communicator, act: Box::new(self.window_act(name)?) },
        })
    }

    fn window_act(&self, name: &str) -> Result<WindowAct, String> {
        let has = |flag: u32| self.flags & flag != 0;
        let conflicts = if has(NO_CHECK) { Conflicts::RuledOut } else { Conflicts::Possible };
        let rank = || self.peer.ok_or_else(|| format!("{name} needs a rank"));
        let group = || {
            let list = self.list.as_deref().ok_or_else(|| format!("{name} needs the ranks of a group"))?;
            let ranks = list.iter().map(|&rank| u32::try_from(rank)).collect::<Result<Box<[u32]>, _>>();
            ranks.map_err(|_| format!("{name}: a rank that is no number"))
        };
        Ok(match name {
            "win-open" => WindowAct::Open,
            "win-close" => WindowAct::Close,
            "win-flush" => {
                WindowAct::Flush { rank: self.peer, over: if has(LOCAL) { Over::Here } else { Over::There } }
            }
            "win-fence" => {
                let after = if has(NOTHING) { AfterFence::Nothing } else { AfterFence::Accesses };
                WindowAct::Fence { after }
            }
            "win-post" => WindowAct::Post { group: group()?, conflicts },
            "win-start" => WindowAct::Start { group: group()?, conflicts },
            "win-complete" => WindowAct::Complete,
            "win-wait" => WindowAct::Wait { look: if has(LOOKS) { PollFirst::Yes } else { PollFirst::No } },
            "win-lock" => {
                let lock = if has(EXCLUSIVE) { Lock::Exclusive } else { Lock::Shared };
                WindowAct::Lock { rank: rank()?, lock, conflicts }
            }
            "win-unlock" => WindowAct::Unlock { rank: rank()? },
            "win-lock-all" => {
                let asks = if has(AT_ONCE) { Asks::AtOnce } else { Asks::WhenReached };
                WindowAct::LockAll { asks, conflicts }
            }
            _ => WindowAct::UnlockAll,
        })
    }
}
