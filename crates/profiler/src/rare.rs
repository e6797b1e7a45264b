//! Windows and files.

use crate::collectives::without_data;
use crate::file::Call;
use crate::groups::Group;
use crate::rank::RankReader;
use weir_operations::{
    Access, AfterFence, Asks, Collective, Combining, Conflicts, Direction, ElementName, Function, Lengths,
    Lock, OperandOrder, Operation, OperationName, Over, PollFirst, Root, WindowOperation,
};
use weir_units::Duration;

/// The operation of an accumulation that changes nothing, in a record.
const NO_OPERATION: i64 = 512;

impl RankReader<'_> {
    /// A call about windows or files; `false` if it is something else.
    pub(crate) fn rare(&mut self, call: &Call<'_>) -> bool {
        match call.name {
            name if name.starts_with("File_") => self.file(call),
            name if name.starts_with("Win_create") || name.starts_with("Win_allocate") => {
                if let Some(group) = self.group(call.word("comm")) {
                    let window = self.numbers.another(&group.members, &group.others);
                    self.at(&window, WindowOperation::Open);
                    self.push(without_data(Function::Barrier, &window));
                    if name.contains("shared") {
                        self.shared.insert(window.number);
                    }
                    self.windows.insert(call.word("win"), window);
                }
            }
            name if call.has("win") => {
                let Some(window) = self.windows.get(&call.word("win")).cloned() else {
                    self.lose("calls on windows of communicators that are not recorded");
                    return true;
                };
                if name.starts_with("Win_") {
                    return self.window(call, &window);
                }
                self.access(call, &window);
            }
            _ => return false,
        }
        true
    }

    fn at(&mut self, window: &Group, operation: WindowOperation) {
        self.push(Operation::Window { communicator: window.number, operation: Box::new(operation) });
    }

    fn window(&mut self, call: &Call<'_>, window: &Group) -> bool {
        let promises = call.word("promises assert");
        let ruled_out = promises & self.constants.no_check != 0;
        let conflicts = if ruled_out { Conflicts::RuledOut } else { Conflicts::Possible };
        let rank = call.word("rank").max(0) as u32;
        let group = || {
            let place = |rank: &i64| window.members.iter().position(|&member| i64::from(member) == *rank);
            call.list("group").iter().filter_map(place).map(|place| place as u32).collect()
        };
        let asks = if self.shared.contains(&window.number) { Asks::AtOnce } else { Asks::WhenReached };
        let flush = |rank, over| WindowOperation::Flush { rank, over };
        let operation = match call.name {
            "Win_free" => {
                self.at(window, flush(None, Over::There));
                self.push(without_data(Function::Barrier, window));
                self.windows.remove(&call.word("win"));
                WindowOperation::Close
            }
            "Win_fence" => {
                self.at(window, flush(None, Over::There));
                self.push(without_data(Function::Barrier, window));
                let nothing = promises & self.constants.no_succeed != 0;
                WindowOperation::Fence {
                    after: if nothing { AfterFence::Nothing } else { AfterFence::Accesses },
                }
            }
            // MPI_PROC_NULL has no memory.
            "Win_lock" | "Win_unlock" | "Win_flush" | "Win_flush_local" if call.word("rank") < 0 => {
                return true;
            }
            "Win_lock" => {
                let exclusive = call.word("lock") == self.constants.exclusive;
                WindowOperation::Lock {
                    rank,
                    lock: if exclusive { Lock::Exclusive } else { Lock::Shared },
                    conflicts,
                }
            }
            "Win_unlock" => WindowOperation::Unlock { rank },
            "Win_lock_all" => WindowOperation::LockAll { asks, conflicts },
            "Win_unlock_all" => WindowOperation::UnlockAll,
            "Win_flush" => flush(Some(rank), Over::There),
            "Win_flush_all" => flush(None, Over::There),
            "Win_flush_local" => flush(Some(rank), Over::Here),
            "Win_flush_local_all" => flush(None, Over::Here),
            "Win_post" => WindowOperation::Post { group: group(), conflicts },
            "Win_start" => WindowOperation::Start { group: group(), conflicts },
            "Win_complete" => WindowOperation::Complete,
            "Win_wait" => WindowOperation::Wait { look: PollFirst::No },
            "Win_test" => WindowOperation::Wait { look: PollFirst::Yes },
            _ => return false,
        };
        self.at(window, operation);
        true
    }

    fn access(&mut self, call: &Call<'_>, window: &Group) {
        let name = call.name.to_lowercase();
        let nothing = call.word("op") == NO_OPERATION;
        let access = match name.strip_prefix('r').unwrap_or(&name) {
            "put" => Access::Put,
            "get" => Access::Get,
            "accumulate" => Access::Accumulate,
            "get_accumulate" | "fetch_and_op" if nothing => Access::Get,
            "get_accumulate" | "fetch_and_op" => Access::GetAccumulate,
            _ => Access::CompareAndSwap,
        };
        let bytes = match call.has("type") {
            true => call.word("type").max(0) as u64,
            false => call.bytes("target_count", "target_type target_datatype"),
        };
        match u32::try_from(call.word("target target_rank")) {
            Ok(target) if bytes > 0 && (target as usize) < window.peers() => {
                let communicator = window.number;
                self.carry_out(
                    call,
                    Operation::Access { access, target, bytes, communicator, request: None },
                );
            }
            _ if call.has("request") => self.complete_from_the_beginning(call.word("request")),
            _ => {}
        }
    }

    fn file(&mut self, call: &Call<'_>) {
        match call.name {
            "File_open" => {
                let Some(group) = self.group(call.word("comm")) else { return };
                let file = self.numbers.another(&group.members, &group.others);
                self.agree(&file, 24);
                self.files.insert(call.word("fh"), file);
            }
            "File_close" => match self.files.remove(&call.word("fh")) {
                Some(file) => self.agree(&file, 8),
                None => self.lose("calls on files of communicators that are not recorded"),
            },
            name => {
                let direction = if name.contains("read") { Direction::Read } else { Direction::Write };
                let bytes = call.bytes("count", "type");
                self.carry_out(
                    call,
                    Operation::File { direction, bytes, lasts: Duration::ZERO, request: None },
                );
            }
        }
    }

    /// The ranks of a file agree on something, as weir's do.
    fn agree(&mut self, file: &Group, bytes: u64) {
        let lengths = Lengths::Elements { bytes, element: 8, operands: OperandOrder::Commute };
        let combines =
            Combining { operation: OperationName::named("max"), element: ElementName::named("int64") };
        let function = Function::Allreduce;
        let collective = Box::new(Collective { combines, ..Collective::new(function, Root::None, lengths) });
        self.push(Operation::Collective {
            collective,
            communicator: file.number,
            persistent: None,
            request: None,
        });
    }
}
