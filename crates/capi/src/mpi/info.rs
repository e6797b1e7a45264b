//! Info objects (MPI 5.0, chapter 10): pairs of key and value. Nothing here takes a hint; communicators keep them.

use crate::calls::Of;
use crate::calls::output_arguments::{copy_text, out, text};
use crate::mpi::prelude::*;
use crate::mpi::{environment, memory_kinds};
use crate::rank::ErrorHandler;
use crate::rank::objects::Numbered;
use crate::world::ProgramToRun;
use std::collections::BTreeMap;
use std::ffi::{CStr, CString, OsString};
use std::os::unix::ffi::OsStringExt;

/// Pairs of key and value, in the order in which the keys were first set.
#[derive(Clone, Default)]
pub(crate) struct Info(Vec<(CString, CString)>);

impl Info {
    pub(crate) fn get(&self, key: &CStr) -> Option<&CStr> {
        self.0.iter().find(|(known, _)| known.as_c_str() == key).map(|(_, value)| value.as_c_str())
    }

    fn set(&mut self, key: &CStr, value: &CStr) {
        match self.0.iter_mut().find(|(known, _)| known.as_c_str() == key) {
            Some((_, old)) => *old = value.into(),
            None => self.0.push((key.into(), value.into())),
        }
    }

    /// Sets a pair unless a text cannot be one of C, or is too long.
    fn set_text(&mut self, key: &CStr, value: &[u8]) {
        if let Ok(value) = CString::new(value)
            && value.count_bytes() < MPI_MAX_INFO_VAL as usize
        {
            self.set(key, &value);
        }
    }

    /// Takes over what another one says.
    pub(crate) fn merge(&mut self, other: &Self) {
        other.0.iter().for_each(|(key, value)| self.set(key, value));
    }

    /// The same with the kinds of memory that are there, of those that are `requested` and always; and of those that the program
    /// promises to use alone, the ones that are there.
    pub(crate) fn with_memory_kinds(mut self, requested: &CStr) -> Self {
        self.set_text(memory_kinds::KINDS, memory_kinds::granted(requested).as_bytes());
        if let Some(asserted) = self.get(memory_kinds::ASSERTED).map(memory_kinds::offered) {
            self.0.retain(|(key, _)| key.as_c_str() != memory_kinds::ASSERTED);
            if !asserted.is_empty() {
                self.set_text(memory_kinds::ASSERTED, asserted.as_bytes());
            }
        }
        self
    }

    /// Each key with its value behind it, apart by blanks.
    pub(crate) fn of_words(words: &str) -> Self {
        let words: Vec<&str> = words.split(' ').collect();
        let text = |word: &str| CString::new(word).unwrap_or_default();
        Self(words.chunks(2).map(|pair| (text(pair[0]), text(pair[1]))).collect())
    }

    /// Returns the facts about its start that a program can know (MPI 5.0, section 10.4).
    fn of_start(program: &ProgramToRun, threads: &'static str) -> Self {
        let mut info = Self::default();
        info.set_text(c"command", program.path.as_os_str().as_encoded_bytes());
        if !program.args.is_empty() {
            let words: Vec<&[u8]> = program.args.iter().map(|word| word.as_encoded_bytes()).collect();
            info.set_text(c"argv", &words.join(&b' '));
        }
        info.set_text(c"maxprocs", program.ranks.to_string().as_bytes());
        if let Ok(folder) = std::env::current_dir() {
            info.set_text(c"wdir", folder.as_os_str().as_encoded_bytes());
        }
        info.set_text(c"thread_level", threads.as_bytes());
        info
    }
}

#[derive(Default)]
pub(crate) struct Infos {
    pub(crate) made: Numbered<Info>,
    hints: BTreeMap<CommunicatorId, Info>,
}

impl Infos {
    fn of_communicator(&self, communicator: CommunicatorId) -> Info {
        self.hints.get(&communicator).cloned().unwrap_or_default()
    }
}

/// The info object behind a handle, to be changed.
fn own(context: &mut Context, handle: Handle) -> Result<&mut Info> {
    context.of::<Infos>().made.get_mut(handle).ok_or(MpiError::Info)
}

pub(crate) fn get(context: &mut Context, handle: Handle) -> Result<Info> {
    if handle as usize == MPI_INFO_ENV {
        let threads = environment::name_of_level(environment::most_threads(context));
        let rank = context.rank();
        return Ok(Info::of_start(rank.world.program_of(rank.process.rank()).1, threads));
    }
    own(context, handle).cloned()
}

/// The info object behind a handle, copied; an empty one for none.
pub(crate) fn hints(context: &mut Context, handle: Handle) -> Result<Info> {
    if handle as usize == MPI_INFO_NULL { Ok(Info::default()) } else { get(context, handle) }
}

pub(crate) fn add(context: &mut Context, info: Info) -> Handle {
    context.of::<Infos>().made.add(info)
}

/// Returns the value of a key in an info object, which may be none.
pub(crate) fn value(context: &mut Context, handle: Handle, key: &CStr) -> Result<Option<CString>> {
    if handle as usize == MPI_INFO_NULL {
        return Ok(None);
    }
    Ok(get(context, handle)?.get(key).map(CString::from))
}

/// Gives the program a hint in an info object of its own; nothing if it has given none.
pub(crate) fn give_hint(context: &mut Context, handle: Handle, key: &CStr, value: &CStr) -> Done {
    if handle as usize != MPI_INFO_NULL {
        own(context, handle)?.set(key, value);
    }
    Ok(())
}

fn key(given: *const c_char) -> Result<CString> {
    let key = text(given).ok_or(MpiError::InfoKey(0))?;
    let length = key.count_bytes();
    if (1..MPI_MAX_INFO_KEY as usize).contains(&length) { Ok(key) } else { Err(MpiError::InfoKey(length)) }
}

arguments! { Handle => Info: |context, _, given| get(context, given); }

answers! { context;
    info_create() -> Handle = add(context, Info::default());
    info_dup(info: Info) -> Handle = add(context, info);
    info_get_nkeys(info: Info) -> c_int = info.0.len() as c_int;
}

pub(crate) fn info_create_env(context: &mut Context, args: InfoCreateEnv) -> Done {
    let count = usize::try_from(args.argc).unwrap_or(0);
    let mut words = (0..count).take_while(|_| !args.argv.is_null()).map(|index| {
        // SAFETY: the program's array of strings.
        OsString::from_vec(text(unsafe { *args.argv.add(index) }).unwrap_or_default().into_bytes())
    });
    let path = words.next().unwrap_or_default().into();
    let ranks = context.rank().job().size();
    let program = ProgramToRun { path, args: words.collect(), ranks };
    let threads = environment::name_of_level(environment::most_threads(context));
    let made = Info::of_start(&program, threads);
    args.info.give(add(context, made))
}

pub(crate) fn info_set(context: &mut Context, args: InfoSet) -> Done {
    let info = own(context, args.info)?;
    let key = key(args.key)?;
    let value = text(args.value).ok_or(MpiError::InfoValue(0))?;
    if value.count_bytes() >= MPI_MAX_INFO_VAL as usize {
        return Err(MpiError::InfoValue(value.count_bytes()));
    }
    info.set(&key, &value);
    Ok(())
}

pub(crate) fn info_get(context: &mut Context, args: InfoGet) -> Done {
    let info = get(context, args.info)?;
    let length = usize::try_from(args.length)
        .map_err(|_| MpiError::Argument(format!("the length {} is negative", args.length)))?;
    let found = info.get(&key(args.key)?);
    out(args.value, "value")?;
    args.flag.set(c_int::from(found.is_some()));
    if let Some(found) = found {
        // There is room for the closing NUL behind the length.
        copy_text(found.to_bytes(), length + 1, args.value)?;
    }
    Ok(())
}

pub(crate) fn info_get_string(context: &mut Context, args: InfoGetString) -> Done {
    let info = get(context, args.info)?;
    let found = info.get(&key(args.key)?);
    // The length counts the closing NUL, and none asks for it alone.
    let room = usize::try_from(args.length.get()).unwrap_or(0);
    if room > 0 {
        out(args.value, "value")?;
    }
    args.flag.set(c_int::from(found.is_some()));
    if let Some(found) = found {
        if room > 0 {
            copy_text(found.to_bytes(), room, args.value)?;
        }
        args.length.set(found.count_bytes() as c_int + 1);
    }
    Ok(())
}

pub(crate) fn info_get_valuelen(context: &mut Context, args: InfoGetValuelen) -> Done {
    let info = get(context, args.info)?;
    let found = info.get(&key(args.key)?);
    args.flag.set(c_int::from(found.is_some()));
    if let Some(found) = found {
        args.length.set(found.count_bytes() as c_int);
    }
    Ok(())
}

pub(crate) fn info_get_nthkey(_: &mut Context, info: Info, n: c_int, key: *mut c_char) -> Done {
    let found = usize::try_from(n).ok().and_then(|n| info.0.get(n));
    let (found, _) = found.ok_or_else(|| MpiError::Argument(format!("there is no key number {n}")))?;
    copy_text(found.to_bytes(), MPI_MAX_INFO_KEY as usize, key).map(|_| ())
}

pub(crate) fn info_delete(context: &mut Context, info: Handle, name: *const c_char) -> Done {
    let info = own(context, info)?;
    let key = key(name)?;
    let place = info.0.iter().position(|(known, _)| *known == key);
    info.0.remove(place.ok_or_else(|| MpiError::InfoNoKey(key.to_string_lossy().into_owned()))?);
    Ok(())
}

pub(crate) fn info_free(context: &mut Context, info: Out<Handle>) -> Done {
    let handle = info.get();
    context.of::<Infos>().made.remove(handle).ok_or(MpiError::Info)?;
    info.give(abi::predefined(MPI_INFO_NULL))
}

/// Hints that the standard knows (MPI 5.0, sections 7.4.4, 8.7, 12.2, 14.2.8), by their names or beginnings.
const KNOWN_HINTS: &str = "\
    access_style accumulate_ alloc_ cb_ chunked collective_buffering file_perm filename io_node_list ip_ \
    mpi_ nb_proc no_locks num_io_nodes appnum arch host path same_disp_unit same_size soft striping_ \
    thread_level wdir";

/// A communicator is freed: nothing is kept for it any longer.
pub(crate) fn forget(context: &mut Context, communicator: CommunicatorId) {
    context.rank().set_error_handler(communicator, ErrorHandler::Fatal);
    if context.rank().known::<Infos>().is_some() {
        context.of::<Infos>().hints.remove(&communicator);
    }
}

/// Adds hints to those of a communicator. Unknown ones are ignored, and not returned.
pub(crate) fn add_hints(context: &mut Context, communicator: CommunicatorId, hints: &Info) {
    if hints.0.is_empty() {
        return;
    }
    let merged = context.of::<Infos>().hints.entry(communicator).or_default();
    let is_known =
        |key: &CStr| KNOWN_HINTS.split(' ').any(|beginning| key.to_bytes().starts_with(beginning.as_bytes()));
    let known = hints.0.iter().filter(|(key, _)| is_known(key));
    known.for_each(|(key, value)| merged.set(key, value));
}

/// The same for a communicator that has just been made, if it has, of the hints that a program gives, which may be none.
pub(crate) fn keep_hints(context: &mut Context, made: Option<CommunicatorId>, handle: Handle) -> Done {
    let hints = hints(context, handle)?;
    if let Some(made) = made {
        add_hints(context, made, &hints);
    }
    Ok(())
}

/// A new info object with the hints of a communicator, or of the window or file that has it; of a window also with what the
/// standard says of those that were not given (MPI 5.0, section 12.2.1).
pub(crate) fn handle_of_hints(context: &mut Context, of: Of, communicator: CommunicatorId) -> Handle {
    const DEFAULTS: [(&CStr, &CStr); 6] = [
        (c"no_locks", c"false"),
        (c"accumulate_ordering", c"rar,raw,war,waw"),
        (c"accumulate_ops", c"same_op_no_op"),
        (c"same_size", c"false"),
        (c"same_disp_unit", c"false"),
        (c"alloc_shared_noncontig", c"false"),
    ];
    let mut hints = context.of::<Infos>().of_communicator(communicator);
    for (key, value) in DEFAULTS.into_iter().filter(|_| of == Of::Win) {
        if hints.get(key).is_none() {
            hints.set(key, value);
        }
    }
    add(context, hints.with_memory_kinds(memory_kinds::ALWAYS))
}
