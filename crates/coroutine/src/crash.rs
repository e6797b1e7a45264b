//! Crashes: a program that breaks ends its coroutine, not the process.
//!
//! A handler for the signals of broken programs runs on a stack of its own. If the signal hit while a coroutine of
//! this thread was running, it makes the coroutine return [`CoroutineEnd::Crashed`] (`Coroutine::trap_handler` of
//! `corosensei`). If it hit a thread of the program, that one leaves word ([`own_threads`]). Else the signal is the
//! simulator's own, and takes its usual course.

use crate::coroutine::{self, CoroutineEnd, Trap};
use crate::own_threads::{self, ThreadDeed, ThreadEnd};
use crate::standing::this_thread;
use libc::{c_int, c_void};
use std::cell::Cell;
use std::fmt;
use std::io::Write;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

/// The cause of a crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crash {
    /// It used memory that is not its own, at this address.
    Memory {
        /// The address.
        address: usize,
    },
    /// It used more stack than it has.
    StackOverflow,
    /// It divided an integer by zero, or the like.
    Arithmetic,
    /// It came to an instruction that does not exist.
    Instruction,
    /// It called `abort`, or an assertion failed.
    Abort,
}

/// Where a coroutine has broken, for who can read the program: its stack stays as it was until it is used anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrashPlace {
    /// The instruction that broke it.
    pub instruction: usize,
    /// The part of its stack that was in use.
    pub stack: std::ops::Range<usize>,
}

impl fmt::Display for Crash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory { address: 0..4096 } => write!(f, "segmentation fault: it used a null pointer"),
            Self::Memory { address } => write!(f, "segmentation fault at address {address:#x}"),
            Self::StackOverflow => write!(f, "stack overflow: it used more stack than it has"),
            Self::Arithmetic => write!(f, "arithmetic exception, such as an integer division by zero"),
            Self::Instruction => write!(f, "illegal instruction"),
            Self::Abort => write!(f, "abort, such as by a failed assertion"),
        }
    }
}

const SIGNALS: [c_int; 5] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGABRT];

/// Enough for the handler; the kernel needs some of it for the registers of large vector units.
const HANDLER_STACK: usize = 64 * 1024;

/// Set when a program, or a thread of one, has been ended in the midst of something.
static HAS_CRASHED: AtomicBool = AtomicBool::new(false);

/// The thread whose signal is being handled; 0: none.
static HANDLING: AtomicI32 = AtomicI32::new(0);

thread_local! {
    static HAS_HANDLER_STACK: Cell<bool> = const { Cell::new(false) };
    /// Instruction, stack pointer and end of the stack of the last coroutine of this thread that has broken.
    static PLACE: Cell<Option<(usize, usize, usize)>> = const { Cell::new(None) };
}

/// Where the last coroutine of this thread that has crashed has done so; once for each.
pub fn crash_place() -> Option<CrashPlace> {
    PLACE.take().map(|(instruction, start, end)| CrashPlace { instruction, stack: start..end })
}

/// Returns whether a program of this process has crashed. It may have done so in the allocator of the C library, which would wait
/// for ever for what it left half done.
#[inline]
pub fn has_crashed() -> bool {
    HAS_CRASHED.load(Ordering::Relaxed)
}

/// Says that something was ended in the midst of something: memory comes from the kernel from now on, on all threads.
pub(crate) fn note() {
    HAS_CRASHED.store(true, Ordering::Relaxed);
}

/// Makes sure the handler is installed, and that this thread has a stack for it.
pub(crate) fn install() {
    static ONCE: Once = Once::new();
    if HAS_HANDLER_STACK.get() {
        return;
    }
    // Not from the allocator: a program may have damaged or unmapped what that gives. Few threads need one, and none of them
    // ends before the process.
    let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a new mapping, not known elsewhere.
    unsafe {
        let memory = libc::mmap(std::ptr::null_mut(), HANDLER_STACK, access, kind, -1, 0);
        if memory != libc::MAP_FAILED {
            let stack = libc::stack_t { ss_sp: memory, ss_flags: 0, ss_size: HANDLER_STACK };
            libc::sigaltstack(&raw const stack, std::ptr::null_mut());
        }
    }
    ONCE.call_once(|| {
        // SAFETY: the function has the signature that is asked for.
        unsafe { on_exit(end_at_once, std::ptr::null_mut()) };
        SIGNALS.iter().for_each(|&signal| handle_signal(signal, handle, 0));
    });
    HAS_HANDLER_STACK.set(true);
}

/// Installs a handler, which runs on the thread's stack for handlers.
pub(crate) fn handle_signal(
    signal: c_int,
    handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void),
    flags: c_int,
) {
    // SAFETY: an all-zero sigaction is valid, and the handler has the signature that SA_SIGINFO asks for.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER | flags;
        libc::sigaction(signal, &raw const action, std::ptr::null_mut());
    }
}

unsafe extern "C" {
    /// The C library's: runs a function at the end of the process, which is given the status.
    fn on_exit(function: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
}

/// The process ends. After a crash the last functions of programs are not run: they may wait for what it left half done.
extern "C" fn end_at_once(status: c_int, _: *mut c_void) {
    if has_crashed() {
        // SAFETY: ends the process.
        unsafe { libc::_exit(status) }
    }
}

/// The status that the process ends with, once it does, and a bit that says so.
static ENDING: AtomicI32 = AtomicI32::new(0);
const ENDS: i32 = 1 << 8;

/// The program has run. The C library calls what libraries have left to do at the end of the process, which ends as it
/// would if they break in it: there is no run any more that they could end.
pub(crate) fn expect_end() {
    extern "C" fn ends(status: c_int, _: *mut c_void) {
        ENDING.store(status & 0xff | ENDS, Ordering::Relaxed);
    }
    // SAFETY: the function has the signature that is asked for.
    unsafe { on_exit(ends, std::ptr::null_mut()) };
}

/// The crash of a signal that does not mean that a stack is too small.
fn crash(signal: c_int, address: usize) -> Crash {
    match signal {
        libc::SIGFPE => Crash::Arithmetic,
        libc::SIGILL => Crash::Instruction,
        libc::SIGABRT => Crash::Abort,
        _ => Crash::Memory { address },
    }
}

/// The registers of code that a signal has interrupted.
type Registers = [libc::greg_t; 23];

/// Makes a coroutine return this as soon as the handler of the signal does.
///
/// # Safety
/// The registers are those of the interrupted code of the coroutine, whose stack pointer is within it, and nothing that it
/// has left half done is used again.
pub(crate) unsafe fn leave(registers: &mut Registers, trap: Trap, ended: CoroutineEnd) {
    // SAFETY: the caller's promise.
    let new = unsafe { trap.setup_trap_handler(move || ended) };
    registers[libc::REG_RIP as usize] = new.rip as i64;
    registers[libc::REG_RSP as usize] = new.rsp as i64;
    registers[libc::REG_RBP as usize] = new.rbp as i64;
    registers[libc::REG_RDI as usize] = new.rdi as i64;
    registers[libc::REG_RSI as usize] = new.rsi as i64;
}

extern "C" fn handle(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let thread = this_thread();
    if HANDLING.swap(thread, Ordering::Relaxed) == thread {
        // What the handler looks at is damaged, too.
        give_up(signal);
    }
    handle_first(signal, info, context);
    HANDLING.store(0, Ordering::Relaxed);
}

fn handle_first(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let running = coroutine::running();
    // SAFETY: for these signals the kernel fills in the address, and the sender for those that are sent.
    let (code, address) = unsafe { ((*info).si_code, (*info).si_addr() as usize) };
    let is_sent = signal == libc::SIGSEGV && code == libc::SI_TKILL;
    // SAFETY: the kernel gives a valid context of the interrupted code.
    let registers = unsafe { &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
    let stack_pointer = registers[libc::REG_RSP as usize] as usize;
    if is_sent && own_threads::has_sent() && (running.is_null() || !own_threads::waits()) {
        // The word has been found, or will be when a rank is resumed.
        return;
    }
    if !running.is_null() {
        // SAFETY: the coroutine that owns it is running.
        let facts = unsafe { &*running };
        // A program may have written over what lies at the beginning of its stack, and then there is no way back.
        if let Some(trap) = facts.trap.get().filter(|_| !facts.is_ended.replace(true)) {
            let (low, high) = facts.guard;
            let overflow = (low..high).contains(&address) || (low..high).contains(&stack_pointer);
            let ended = match own_threads::waits() {
                true if is_sent => CoroutineEnd::ByThread,
                _ if overflow => CoroutineEnd::Crashed(Crash::StackOverflow),
                _ => CoroutineEnd::Crashed(crash(signal, address)),
            };
            // What lies below the stack was never used.
            let start = stack_pointer.clamp(high, facts.top.max(high));
            PLACE.set(Some((registers[libc::REG_RIP as usize] as usize, start, facts.top.max(high))));
            note();
            // SAFETY: this thread runs the coroutine: all that it runs now was called by it, on its stack or another. The run
            // ends with this, so that nothing the program left half done is used again.
            unsafe { leave(registers, trap, ended) };
            return;
        }
    }
    if own_threads::is_of_program(registers[libc::REG_RIP as usize] as usize, stack_pointer) {
        let is_near = address.abs_diff(stack_pointer) < HANDLER_STACK && signal == libc::SIGSEGV;
        let crash = if is_near { Crash::StackOverflow } else { crash(signal, address) };
        own_threads::leave_word(ThreadEnd { rank: own_threads::owner(), what: ThreadDeed::Crashed(crash) });
    }
    give_up(signal);
}

/// The signal is the simulator's. Where ranks have run, it is most likely what one of them has done to its memory, and the run
/// ends as one that a rank has broken. Else it takes its usual course, when the instruction is tried again.
fn give_up(signal: c_int) {
    const OWN: &str = "error: weir itself was ended by a signal; this is a mistake in weir\n";
    let mut text = [0; 512];
    let mut rest = text.as_mut_slice();
    let rank = coroutine::last();
    let ending = ENDING.load(Ordering::Relaxed);
    if ending != 0 && own_threads::ranks_have_run() {
        // SAFETY: ends the process.
        unsafe { libc::_exit(ending & !ENDS) }
    }
    let written = write!(
        rest,
        "error: memory of weir was damaged, most likely by the program, which shares it: by what it wrote out of bounds, or \
         unmapped (rank {rank} ran last). If the program is right, this is a mistake in weir\n\nhint: build the program with \
         another MPI and -fsanitize=address, and see whether it is clean\n"
    );
    let left = rest.len();
    // SAFETY: our own bytes; and nothing else is done.
    unsafe {
        if own_threads::ranks_have_run() && written.is_ok() {
            libc::write(2, text.as_ptr().cast(), text.len() - left);
            libc::_exit(1);
        }
        libc::write(2, OWN.as_ptr().cast(), OWN.len());
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}
