//! Attributes of communicators and datatypes (MPI 5.0, section 7.7): values that a program hangs on them under keys of its
//! own, and functions of it that are called when the communicator or datatype is duplicated or freed.

use crate::calls::Of;
use crate::calls::abi::DeleteFunction;
use crate::calls::output_arguments::{give, out};
use crate::mpi::prelude::*;
use crate::mpi::{datatypes, windows};
use std::ptr;
use weir_message::{ANY_SOURCE, PROC_NULL, TAG_UPPER_BOUND};

/// `MPI_Comm_copy_attr_function`
type CopyFunction =
    unsafe extern "C" fn(Handle, c_int, *mut c_void, *mut c_void, *mut c_void, *mut c_int) -> c_int;

/// Keys of the program begin here; those of the library are below.
const FIRST_KEY: c_int = 0x1_0000;
/// The attributes that every communicator has, in the order of their keys: `MPI_TAG_UB`, `MPI_IO`, `MPI_HOST`,
/// `MPI_WTIME_IS_GLOBAL`, `MPI_APPNUM`, `MPI_LASTUSEDCODE`, `MPI_UNIVERSE_SIZE`.
const PREDEFINED: std::ops::RangeInclusive<c_int> = 501..=507;
const LAST_USED_CODE: usize = 5;

/// Fate of an attribute when its communicator is duplicated.
#[derive(Clone, Copy)]
enum OnCopy {
    /// `MPI_COMM_NULL_COPY_FN`: the duplicate has none.
    Nothing,
    /// `MPI_COMM_DUP_FN`: the duplicate has the same value.
    Same,
    Call(CopyFunction),
}

impl OnCopy {
    /// The function that a program gives; the standard's own ones are small numbers.
    fn new(function: *const c_void) -> Self {
        match function as usize {
            0 => Self::Nothing,
            1 => Self::Same,
            // SAFETY: the program says that this is such a function.
            _ => Self::Call(unsafe { std::mem::transmute::<*const c_void, CopyFunction>(function) }),
        }
    }
}

#[derive(Clone, Copy)]
struct Keyval {
    copy: OnCopy,
    delete: Option<DeleteFunction>,
    extra: *mut c_void,
    /// A freed key sets no more attributes; those that it has set live on.
    is_freed: bool,
    of: Of,
}

/// Object that an attribute belongs to: a communicator (or the window that has it), or a datatype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holder {
    Communicator(CommunicatorId),
    Type(Handle),
}

impl Holder {
    fn handle(self) -> Handle {
        match self {
            Self::Communicator(communicator) => abi::communicator_handle(Some(communicator)),
            Self::Type(datatype) => datatype,
        }
    }
}

#[derive(Clone, Copy)]
struct Attribute {
    holder: Holder,
    key: c_int,
    value: *mut c_void,
}

#[derive(Default)]
pub(crate) struct Attributes {
    keyvals: Vec<Keyval>,
    /// In the order in which they were set.
    set: Vec<Attribute>,
    /// Values of the attributes of the library.
    predefined: [c_int; 7],
}

impl Attributes {
    fn keyval(&self, key: c_int) -> Result<Keyval> {
        let index = key.checked_sub(FIRST_KEY).and_then(|index| usize::try_from(index).ok());
        index.and_then(|index| self.keyvals.get(index)).copied().ok_or(MpiError::Keyval(key))
    }

    /// Refuses a key that attributes of these objects may not be set with.
    fn usable(&self, key: c_int, of: Of) -> Done {
        let keyval = self.keyval(key)?;
        if keyval.of == of && !keyval.is_freed { Ok(()) } else { Err(MpiError::Keyval(key)) }
    }

    /// Refuses a key that they may not be asked for and taken away with: a freed one lives as long as its attributes do.
    fn alive(&self, key: c_int, of: Of) -> Done {
        let is_set = self.keyval(key)?.of == of && self.set.iter().any(|known| known.key == key);
        if is_set { Ok(()) } else { self.usable(key, of) }
    }

    fn find(&self, holder: Holder, key: c_int) -> Option<usize> {
        self.set.iter().position(|known| known.holder == holder && known.key == key)
    }

    /// The largest error code has changed; a program may hold a pointer to it.
    pub(crate) fn set_last_used_code(&mut self, code: c_int) {
        self.predefined[LAST_USED_CODE] = code;
    }
}

/// Takes away attribute number `index`, unless the program's delete function objects.
fn delete(context: &mut Context, index: usize) -> Done {
    let Attribute { holder, key, value } = context.of::<Attributes>().set[index];
    let keyval = context.of::<Attributes>().keyval(key)?;
    if let Some(function) = keyval.delete {
        // SAFETY: the program's function, with what it has asked to get.
        abi::returned(context.callback(|| unsafe { function(holder.handle(), key, value, keyval.extra) }))?;
    }
    // The function may have changed other attributes.
    let attributes = context.of::<Attributes>();
    if let Some(index) = attributes.find(holder, key) {
        attributes.set.remove(index);
    }
    Ok(())
}

/// Takes away all attributes of a communicator or datatype, those set last first.
pub(crate) fn delete_all(context: &mut Context, holder: Holder) -> Done {
    loop {
        let Some(known) = context.rank().known::<Attributes>() else { return Ok(()) };
        let last = known.set.iter().rposition(|known| known.holder == holder);
        match last {
            Some(index) => delete(context, index)?,
            None => return Ok(()),
        }
    }
}

/// Gives a duplicate the attributes of the original, as their copy functions say.
pub(crate) fn copy_all(context: &mut Context, from: Holder, to: Holder) -> Done {
    let Some(known) = context.rank().known::<Attributes>() else { return Ok(()) };
    let known: Vec<Attribute> = known.set.iter().copied().filter(|known| known.holder == from).collect();
    for Attribute { key, value, .. } in known {
        let keyval = context.of::<Attributes>().keyval(key)?;
        let copied = match keyval.copy {
            OnCopy::Nothing => None,
            OnCopy::Same => Some(value),
            OnCopy::Call(function) => {
                let (mut copied, mut keep) = (ptr::null_mut::<c_void>(), 0);
                let out = (&raw mut copied).cast();
                // SAFETY: the program's function, with what it has asked to get.
                abi::returned(context.callback(|| unsafe {
                    function(from.handle(), key, keyval.extra, value, out, &raw mut keep)
                }))?;
                (keep != 0).then_some(copied)
            }
        };
        if let Some(value) = copied {
            context.of::<Attributes>().set.push(Attribute { holder: to, key, value });
        }
    }
    Ok(())
}

pub(crate) fn create_keyval(context: &mut Context, of: Of, args: CreateKeyval) -> Done {
    let keyvals = &mut context.of::<Attributes>().keyvals;
    let (copy, delete, extra) = (OnCopy::new(args.copy), args.del, args.extra);
    keyvals.push(Keyval { copy, delete, extra, is_freed: false, of });
    args.key.give(FIRST_KEY + keyvals.len() as c_int - 1)
}

pub(crate) fn free_keyval(context: &mut Context, of: Of, key: Out<c_int>) -> Done {
    let number = key.get();
    let attributes = context.of::<Attributes>();
    attributes.alive(number, of)?;
    attributes.keyvals[(number - FIRST_KEY) as usize].is_freed = true;
    key.give(MPI_KEYVAL_INVALID)
}

fn holder(context: &mut Context, of: Of, handle: Handle) -> Result<Holder> {
    Ok(match of {
        Of::Comm => {
            let id = abi::communicator(handle)?;
            context.communicator(id)?;
            Holder::Communicator(id)
        }
        Of::Win => Holder::Communicator(windows::id(context, handle)?),
        _ => datatypes::type_of(context, handle).map(|_| Holder::Type(handle))?,
    })
}

pub(crate) fn set_attr(context: &mut Context, of: Of, args: SetAttr) -> Done {
    let holder = holder(context, of, args.object)?;
    context.of::<Attributes>().usable(args.key, of)?;
    if let Some(index) = context.of::<Attributes>().find(holder, args.key) {
        delete(context, index)?;
    }
    context.of::<Attributes>().set.push(Attribute { holder, key: args.key, value: args.value });
    Ok(())
}

/// The value of an attribute of the library: where it lies.
fn predefined(context: &mut Context, key: c_int) -> *mut c_void {
    let rank = context.rank();
    let own = rank.process.rank();
    let job = rank.job();
    let first = job.member(0).unwrap_or(own);
    let [number, first] = [own, first].map(|rank_of| rank.world.options.number_of_program(rank_of));
    let number = (number - first) as c_int;
    let ranks = job.size() as c_int;
    let predefined = &mut context.of::<Attributes>().predefined;
    // Error codes of the program come behind those of MPI.
    let last_used = predefined[LAST_USED_CODE].max(MPI_ERR_LASTCODE);
    // Every rank may print, and all clocks are one; programs of one job have numbers.
    *predefined = [TAG_UPPER_BOUND, ANY_SOURCE, PROC_NULL, 1, number, last_used, ranks];
    (&raw mut predefined[(key - PREDEFINED.start()) as usize]).cast()
}

pub(crate) fn get_attr(context: &mut Context, of: Of, args: GetAttr) -> Done {
    let holder = holder(context, of, args.object)?;
    let of_library = match (of, holder) {
        (Of::Comm, _) if PREDEFINED.contains(&args.key) => Some(predefined(context, args.key)),
        (Of::Win, Holder::Communicator(window)) => windows::attribute(context, window, args.key)?,
        _ => None,
    };
    let found = match of_library {
        Some(known) => Some(known),
        None => {
            let attributes = context.of::<Attributes>();
            attributes.alive(args.key, of)?;
            attributes.find(holder, args.key).map(|index| attributes.set[index].value)
        }
    };
    // A value is of any pointer type.
    let value = args.value_address.cast();
    if of == Of::Win {
        out(value, "attribute_val")?;
    }
    args.flag.set(c_int::from(found.is_some()));
    found.map_or(Ok(()), |found| give(value, "attribute_val", found))
}

pub(crate) fn delete_attr(context: &mut Context, of: Of, object: Handle, key: c_int) -> Done {
    let holder = holder(context, of, object)?;
    context.of::<Attributes>().alive(key, of)?;
    let index = context.of::<Attributes>().find(holder, key);
    delete(context, index.ok_or_else(|| MpiError::Other("the attribute is not set".into()))?)
}
