//! What breaks a program ends its coroutine, not the process.
//!
//! A handler for the signals of broken programs runs on a stack of its own. If the signal hit while a coroutine of
//! this thread was running, it makes the coroutine return [`Ended::Crashed`] (`Coroutine::trap_handler` of
//! `corosensei`); else the signal is the simulator's own, and takes its usual course.

use crate::coroutine::{self, Ended};
use std::cell::{Cell, UnsafeCell};
use std::fmt;
use std::sync::Once;

/// What broke a program.
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

const SIGNALS: [libc::c_int; 5] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGABRT];

/// Enough for the handler; the kernel needs some of it for the registers of large vector units.
const HANDLER_STACK: usize = 64 * 1024;

struct HandlerStack(UnsafeCell<Option<Box<[u8; HANDLER_STACK]>>>);

thread_local! {
    static HANDLER: HandlerStack = const { HandlerStack(UnsafeCell::new(None)) };
    static HAS_HANDLER_STACK: Cell<bool> = const { Cell::new(false) };
}

/// Makes sure the handler is installed, and that this thread has a stack for it.
pub(crate) fn install() {
    static ONCE: Once = Once::new();
    if HAS_HANDLER_STACK.get() {
        return;
    }
    HANDLER.with(|stack| {
        let memory = Box::new([0; HANDLER_STACK]);
        // SAFETY: only this thread sees its own cell, and only here.
        let memory = unsafe { (*stack.0.get()).insert(memory) };
        let stack = libc::stack_t { ss_sp: memory.as_mut_ptr().cast(), ss_flags: 0, ss_size: HANDLER_STACK };
        // SAFETY: the memory lives as long as the thread.
        unsafe { libc::sigaltstack(&raw const stack, std::ptr::null_mut()) };
    });
    ONCE.call_once(|| {
        for signal in SIGNALS {
            // SAFETY: an all-zero sigaction is valid, and the handler has the signature that SA_SIGINFO asks for.
            unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) = handle;
                action.sa_sigaction = handler as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
                libc::sigaction(signal, &raw const action, std::ptr::null_mut());
            }
        }
    });
    HAS_HANDLER_STACK.set(true);
}

extern "C" fn handle(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let running = coroutine::running();
    // SAFETY: the kernel gives a valid context of the interrupted code.
    let registers = unsafe { &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
    if !running.is_null() {
        // SAFETY: the coroutine that owns it is running.
        let facts = unsafe { &*running };
        if let Some(trap) = facts.trap.get() {
            // SAFETY: for these signals the kernel fills in the address.
            let address = unsafe { (*info).si_addr() } as usize;
            let stack_pointer = registers[libc::REG_RSP as usize] as usize;
            let (low, high) = facts.guard;
            let overflow = (low..high).contains(&address) || (low..high).contains(&stack_pointer);
            if overflow || trap.stack_ptr_in_bounds(stack_pointer) {
                let crash = match signal {
                    _ if overflow => Crash::StackOverflow,
                    libc::SIGFPE => Crash::Arithmetic,
                    libc::SIGILL => Crash::Instruction,
                    libc::SIGABRT => Crash::Abort,
                    _ => Crash::Memory { address },
                };
                // SAFETY: the stack pointer is within the coroutine, and the registers are set as asked for. The
                // run ends with this crash, so that nothing the program left half done is used again.
                let new = unsafe { trap.setup_trap_handler(move || Ended::Crashed(crash)) };
                registers[libc::REG_RIP as usize] = new.rip as i64;
                registers[libc::REG_RSP as usize] = new.rsp as i64;
                registers[libc::REG_RBP as usize] = new.rbp as i64;
                registers[libc::REG_RDI as usize] = new.rdi as i64;
                registers[libc::REG_RSI as usize] = new.rsi as i64;
                return;
            }
        }
    }
    const WORD: &str = "error: weir itself was ended by a signal; unless an operation made by MPI_Op_create did it, \
                        this is a mistake in weir\n";
    // SAFETY: our own bytes. The signal is ours: back to its usual course, which it takes when the instruction is
    // tried again.
    unsafe {
        libc::write(2, WORD.as_ptr().cast(), WORD.len());
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}
