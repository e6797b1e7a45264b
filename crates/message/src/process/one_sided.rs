//! Accesses to the windows of others, and those of others to this rank's windows. When they may be made and when they
//! are over is in the file `epochs`.

use super::Process;
use super::sending::{CONTROL_BYTES, Copies};
use crate::request::{About, Owner, Request, Slab, State};
use crate::window::{Access, Part, What, Window, WindowMessage};
use crate::{
    ANY_TAG, Actions, Body, CommunicatorId, Completion, Data, MpiError, PROC_NULL, RequestId, Result, Status,
};
use std::collections::VecDeque;
use weir_network::causes::Cause;
use weir_network::{Class, Notice, Send};
use weir_units::{Bytes, Rank};

/// The way in which the program learns of the end of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By the synchronization that follows.
    Synchronised,
    /// By a request of its own.
    Requested,
}

/// An access that has been made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Started {
    /// Its number, under which data come back; `None`: it was over at once.
    pub operation: Option<u32>,
    /// The request that was asked for.
    pub request: Option<RequestId>,
}

/// Whom an answer goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asker {
    pub(super) rank: Rank,
    context: u64,
    pub(super) operation: u32,
}

/// Work of the owner of a process with the memory it owns.
#[derive(Debug)]
pub enum MemoryWork {
    /// Another rank reaches into a window: do what it asks for, and [answer](Process::answer).
    Access {
        /// The window.
        window: CommunicatorId,
        /// Who asks.
        asker: Asker,
        /// The access.
        access: Access,
    },
    /// The data for this rank's access of this number have come.
    Fetched {
        /// The number.
        operation: u32,
        /// The data; none if something went wrong.
        data: Data,
    },
}

/// An access of this rank that is not over.
#[derive(Clone, Copy, Debug)]
struct Operation {
    window: CommunicatorId,
    target: Rank,
    request: Option<RequestId>,
    here: Here,
    answered: bool,
}

/// The event that the origin of an access waits for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Here {
    /// Nothing more.
    Over,
    /// That its data have left.
    Leaving,
    /// That data have come.
    Fetching,
}

/// All windows of a rank, and what is under way between them and others.
#[derive(Debug, Default)]
pub(super) struct OneSided {
    pub(super) windows: Vec<Window>,
    operations: Slab<Operation>,
    /// Data on their way out of the node: number of the message, and the operation.
    leaving: VecDeque<(u64, u32)>,
    work: VecDeque<MemoryWork>,
}

impl OneSided {
    fn window(&mut self, id: CommunicatorId) -> Option<&mut Window> {
        self.windows.iter_mut().find(|window| window.communicator == id)
    }
}

impl Process {
    /// Makes an access, to the window of `target` (a rank of the window; nobody, if it is the null process).
    pub fn access(
        &mut self,
        actions: &mut Actions,
        window: CommunicatorId,
        target: i32,
        access: Access,
        ending: Ending,
    ) -> Result<Started> {
        self.wake(actions.now());
        let asked = ending == Ending::Requested;
        if target == PROC_NULL || access.layout.bytes() == 0 {
            self.window(window)?;
            let request = asked.then(|| self.completed());
            return Ok(Started { operation: None, request });
        }
        let to = self.window_rank(window, target)?;
        let known = self.window_mut(window)?;
        let context = known.context;
        if asked && !known.is_locked(Some(to)) {
            return Err(MpiError::RmaSync("an access with a request where no lock is held".into()));
        }
        let join = known.reach(to)?;
        let bytes = Bytes(access.data.length());
        let (what, reached) = (access.what, access.layout.bytes() as u64);
        let copied = bytes <= self.eager_limit(to);
        let here = match access.what.fetches() {
            true => Here::Fetching,
            false if copied => Here::Over,
            false => Here::Leaving,
        };
        self.window_mut(window)?.opened(to, here != Here::Over);
        if let Some(lock) = join {
            self.ask_for_lock(actions, context, to, lock);
        }
        let request = asked.then(|| match here {
            Here::Over => self.completed(),
            _ => {
                let about = About { communicator: window, peer: target, tag: ANY_TAG };
                self.requests.add(Request { state: State::Leaving, owner: Owner::Program, about })
            }
        });
        let reported = request.filter(|_| here != Here::Over);
        let operation = Operation { window, target: to, request: reported, here, answered: false };
        let number = self.one_sided().operations.add(operation);
        let copies = if copied { Copies::One } else { Copies::None };
        self.spend(self.handing_time(to, copies, bytes), Cause::StartUp);
        let notice = if here == Here::Leaving { Notice::Departed } else { Notice::None };
        let class = if bytes == CONTROL_BYTES { Class::Control } else { Class::Data };
        let part = Part::Access { operation: number, access };
        let body = Body::Window(Box::new(WindowMessage { window: context, part }));
        let way = self.chosen_way();
        let sequence = actions.send_by(Send { at: self.clock, to, bytes, class, notice, body }, way);
        self.account_for_send(actions);
        if here == Here::Leaving {
            self.one_sided().leaving.push_back((sequence, number));
        }
        self.observe(|| {
            let access = match what {
                // It fetches and changes nothing.
                What::GetAccumulate if bytes == CONTROL_BYTES => What::Get,
                what => what,
            };
            let (target, communicator) = (target as u32, window.0);
            weir_operations::Operation::Access {
                access,
                target,
                bytes: reached,
                communicator,
                request: reported,
            }
        });
        Ok(Started { operation: Some(number), request })
    }

    /// The next work of the owner of this process with its memory, in the order in which it was asked for.
    pub fn next_memory_work(&mut self) -> Option<MemoryWork> {
        self.rare.as_mut()?.one_sided.work.pop_front()
    }

    /// The owner has done what was asked of its memory: here is what is to be sent back.
    pub fn answer(&mut self, actions: &mut Actions, asker: Asker, answer: Result<Data>) {
        let (data, error) = match answer {
            Ok(data) => (data, None),
            Err(error) => (Data::default(), Some(error)),
        };
        let bytes = Bytes(data.length());
        let class = if bytes == CONTROL_BYTES { Class::UnorderedControl } else { Class::UnorderedData };
        let part = Part::Answer { operation: asker.operation, data, error };
        let body = Body::Window(Box::new(WindowMessage { window: asker.context, part }));
        let (at, to) = (actions.now(), asker.rank);
        actions.send_by(Send { at, to, bytes, class, notice: Notice::None, body }, self.chosen_way());
        self.account_for_reply(actions);
    }

    /// A window of another rank has something to say to one of this rank's. One that is closed does not listen: what
    /// still comes then is locks given back.
    pub(super) fn window_message(&mut self, actions: &mut Actions, from: Rank, message: WindowMessage) {
        let WindowMessage { window: context, part } = message;
        if let Part::Answer { operation, data, error } = part {
            return self.answered(actions, operation, data, error);
        }
        let one_sided = self.one_sided();
        let Some(window) = one_sided.windows.iter_mut().find(|window| window.context == context) else {
            return;
        };
        match part {
            Part::Access { operation, access } => {
                if window.locks.waits(from) {
                    window.held_back.push_back((from, operation, access));
                } else {
                    let asker = Asker { rank: from, context, operation };
                    let window = window.communicator;
                    one_sided.work.push_back(MemoryWork::Access { window, asker, access });
                }
            }
            Part::Granted => drop(window.ungranted.remove(&from)),
            Part::Posted => window.posted(from),
            Part::Completed => window.completed(from),
            Part::Lock { lock, answer } => {
                if window.locks.ask(from, lock, answer) {
                    self.grant(actions, context, from, answer);
                }
            }
            Part::Unlock => {
                for (rank, answer) in window.locks.release(from) {
                    self.let_in(context, rank);
                    self.grant(actions, context, rank, answer);
                }
            }
            Part::Answer { .. } => {}
        }
    }

    /// The accesses of a rank that has its lock now are carried out.
    fn let_in(&mut self, context: u64, rank: Rank) {
        let one_sided = self.one_sided();
        let Some(window) = one_sided.windows.iter_mut().find(|window| window.context == context) else {
            return;
        };
        let id = window.communicator;
        for (from, operation, access) in std::mem::take(&mut window.held_back) {
            if from == rank {
                let asker = Asker { rank, context, operation };
                one_sided.work.push_back(MemoryWork::Access { window: id, asker, access });
            } else {
                window.held_back.push_back((from, operation, access));
            }
        }
    }

    fn answered(&mut self, actions: &mut Actions, number: u32, data: Data, error: Option<MpiError>) {
        let one_sided = self.one_sided();
        let operation = one_sided.operations.get_mut(number).expect("an access lives until it is answered");
        operation.answered = true;
        let Operation { window: id, target, here, request, .. } = *operation;
        if here == Here::Fetching {
            one_sided.work.push_back(MemoryWork::Fetched { operation: number, data });
        }
        if here != Here::Leaving {
            one_sided.operations.remove(number);
        }
        let window = one_sided.window(id).expect("a window waits for the answers to its accesses");
        if here == Here::Fetching {
            window.over_here(target);
        }
        window.over_there(target);
        match request {
            Some(request) if here == Here::Fetching => {
                let status = Status { error: error.map(Box::new), ..Status::empty() };
                let completion = Completion { status, ..Completion::empty() };
                self.complete(actions, request, actions.now(), completion);
            }
            _ => window.error = window.error.take().or(error),
        }
    }

    /// A message of this rank has left its node: perhaps data for a window.
    pub(super) fn access_departed(&mut self, actions: &mut Actions, sequence: u64) {
        let Some(rare) = self.rare.as_mut() else { return };
        let one_sided = &mut rare.one_sided;
        let Some(index) = one_sided.leaving.iter().position(|&(left, _)| left == sequence) else { return };
        let Some((_, number)) = one_sided.leaving.remove(index) else { return };
        let operation =
            one_sided.operations.get_mut(number).expect("an access lives until its data have left");
        operation.here = Here::Over;
        let Operation { window: id, target, request, answered, .. } = *operation;
        if answered {
            one_sided.operations.remove(number);
        }
        if let Some(window) = one_sided.window(id) {
            window.over_here(target);
        }
        self.changes += 1;
        if let Some(request) = request {
            let completion = Completion::empty();
            self.complete(actions, request, actions.now(), completion);
        }
    }

    pub(super) fn one_sided(&mut self) -> &mut OneSided {
        &mut self.rare.get_or_insert_default().one_sided
    }
}
