//! A library of MPI, found and loaded when the program runs, and those of its functions that are used here.

use super::launcher::{Family, Launcher, folders};
use crate::Error;
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use std::error::Error as _;
use std::ffi::{CStr, OsString, c_char, c_int, c_void};
use std::fmt::{self, Write};
use std::mem::ManuallyDrop;

/// Names the library, in place of looking for it.
const VARIABLE: &str = "WEIR_MPI_LIBRARY";
/// Only weir's own `libmpi_abi.so.1` has it, which is for simulated programs.
const OF_WEIR: &str = "weir_simulated_mpi";

macro_rules! functions {
    ($($name:ident: $symbol:literal ($($argument:ty),*);)*) => {
        /// The functions by short names; all return an error code.
        pub(super) struct Functions {
            $(pub(super) $name: unsafe extern "C" fn($($argument),*) -> c_int,)*
        }

        impl Functions {
            fn load(library: &Library) -> Result<Self, libloading::Error> {
                // SAFETY: all interfaces of MPI declare them so, with handles in a register each.
                Ok(unsafe { Self { $($name: *library.get($symbol)?,)* } })
            }
        }
    };
}

functions! {
    init_thread: "MPI_Init_thread" (*mut c_int, *mut c_void, c_int, *mut c_int);
    finalize: "MPI_Finalize" ();
    abort: "MPI_Abort" (Handle, c_int);
    get_library_version: "MPI_Get_library_version" (*mut c_char, *mut c_int);
    error_string: "MPI_Error_string" (c_int, *mut c_char, *mut c_int);
    comm_dup: "MPI_Comm_dup" (Handle, *mut Handle);
    comm_set_errhandler: "MPI_Comm_set_errhandler" (Handle, Handle);
    comm_rank: "MPI_Comm_rank" (Handle, *mut c_int);
    comm_size: "MPI_Comm_size" (Handle, *mut c_int);
    issend: "MPI_Issend" (*const c_void, c_int, Handle, c_int, c_int, Handle, *mut Handle);
    iprobe: "MPI_Iprobe" (c_int, c_int, Handle, *mut c_int, *mut c_void);
    get_count: "MPI_Get_count" (*const c_void, Handle, *mut c_int);
    recv: "MPI_Recv" (*mut c_void, c_int, Handle, c_int, c_int, Handle, *mut c_void);
    test: "MPI_Test" (*mut Handle, *mut c_int, *mut c_void);
    iallreduce: "MPI_Iallreduce" (*const c_void, *mut c_void, c_int, Handle, Handle, Handle, *mut Handle);
}

/// A loaded library with its constants. It stays loaded: some have threads, and work for the end of the process.
pub(super) struct Mpi {
    pub(super) call: Functions,
    pub(super) flavor: &'static Flavor,
    pub(super) world: Handle,
    pub(super) errors_return: Handle,
    pub(super) byte: Handle,
    pub(super) word: Handle,
    pub(super) least: Handle,
    /// By what name it was found.
    pub(super) name: String,
}

impl fmt::Debug for Mpi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mpi").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Mpi {
    /// The library that belongs to a launcher: what the environment names, else one beside the programs that have started
    /// this process, else what the loader finds.
    pub(super) fn find(launcher: &Launcher) -> Result<Self, Error> {
        let places: Vec<OsString> = match std::env::var_os(VARIABLE) {
            Some(library) => vec![library],
            None => {
                let folders = folders();
                let names = launcher.libraries().iter();
                names
                    .flat_map(|name| {
                        let beside = folders.iter().map(move |folder| folder.join(name));
                        let beside = beside.filter(|path| path.exists()).map(OsString::from);
                        beside.chain([OsString::from(name)])
                    })
                    .collect()
            }
        };
        let mut looked_for = String::new();
        for place in places {
            let name = place.to_string_lossy().into_owned();
            match Self::load(&place, name.clone()).and_then(|mpi| mpi.fits(launcher)) {
                Ok(mpi) => return Ok(mpi),
                // Writing into a text cannot fail.
                Err(why) => _ = write!(looked_for, "\n  {name}: {why}"),
            }
        }
        let looked_for = looked_for.trim_start_matches('\n').to_owned();
        Err(Error::NoLibrary { launcher: launcher.name(), looked_for })
    }

    fn load(place: &OsString, name: String) -> Result<Self, String> {
        // SAFETY: a library of MPI does nothing when it is loaded but prepare itself.
        let library = unsafe { Library::open(Some(place), RTLD_NOW | RTLD_LOCAL) };
        let library = library.map_err(|error| {
            let why = error.source().map_or_else(|| error.to_string(), ToString::to_string);
            // The loader begins with the name, too.
            why.strip_prefix(&format!("{name}: ")).map(str::to_owned).unwrap_or(why)
        })?;
        // SAFETY: only whether it is there is asked.
        if unsafe { library.get::<*const u8>(OF_WEIR) }.is_ok() {
            return Err("is weir's own library, for simulated programs".to_owned());
        }
        let library = ManuallyDrop::new(library);
        let flavor = flavor_of(&library);
        let handle = |constant| match constant {
            Constant::Number(number) => Ok(number),
            // SAFETY: its address is taken; what is there is not looked at.
            Constant::AddressOf(symbol) => unsafe { library.get::<*const c_void>(symbol) }
                .map(|symbol| symbol.as_raw_ptr().addr())
                .map_err(|why| why.to_string()),
        };
        Ok(Self {
            call: Functions::load(&library).map_err(|why| why.to_string())?,
            flavor,
            world: handle(flavor.world)?,
            errors_return: handle(flavor.errors_return)?,
            byte: handle(flavor.byte)?,
            word: handle(flavor.word)?,
            least: handle(flavor.least)?,
            name,
        })
    }

    /// Refuses a library that cannot speak with the launcher, and would end this process when it is started.
    fn fits(self, launcher: &Launcher) -> Result<Self, String> {
        let says_open_mpi = || self.version().is_some_and(|version| version.contains("Open MPI"));
        if launcher.family != Family::OpenMpi || std::ptr::eq(self.flavor, &OPEN_MPI) || says_open_mpi() {
            return Ok(self);
        }
        Err("is no library of Open MPI, which the launcher belongs to".to_owned())
    }

    /// The library's own name and version.
    fn version(&self) -> Option<String> {
        // MPI_MAX_LIBRARY_VERSION_STRING is 8192 in the standard's interface and in MPICH, 256 in Open MPI.
        let mut text = [0_u8; 1 << 14];
        let mut length = 0;
        // SAFETY: there is room for the longest text; it may be called at any time (MPI 4.1, section 9.1.1).
        let code = unsafe { (self.call.get_library_version)(text.as_mut_ptr().cast(), &raw mut length) };
        let text = CStr::from_bytes_until_nul(&text).ok().filter(|_| code == 0)?;
        Some(text.to_string_lossy().into_owned())
    }

    /// An error of MPI as one of Rust, with the meaning of its code.
    pub(super) fn check(&self, function: &str, code: c_int) -> Result<(), String> {
        if code == 0 {
            return Ok(());
        }
        // Standard: MPI_MAX_ERROR_STRING, 512; it is no more in the others.
        let mut text = [0_u8; 1024];
        let mut length = 0;
        // SAFETY: there is room for the longest text.
        let known = unsafe { (self.call.error_string)(code, text.as_mut_ptr().cast(), &raw mut length) } == 0;
        let text = CStr::from_bytes_until_nul(&text).ok().filter(|_| known).unwrap_or_default();
        Err(format!("{function} of {} fails: {} ({code})", self.name, text.to_string_lossy()))
    }
}

/// Which binary interface a library has, by what it says itself: names of files differ.
fn flavor_of(library: &Library) -> &'static Flavor {
    if let Constant::AddressOf(symbol) = OPEN_MPI.world
        // SAFETY: only whether it is there is asked.
        && unsafe { library.get::<*const c_void>(symbol) }.is_ok()
    {
        return &OPEN_MPI;
    }
    type AbiGetVersion = unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int;
    let (mut major, mut minor) = (-1, -1);
    // SAFETY: MPI 5.0, section 20.2 declares it so; it may be called at any time. What has no such interface says -1.
    if let Ok(version) = unsafe { library.get::<AbiGetVersion>("MPI_Abi_get_version") }
        && unsafe { version(&raw mut major, &raw mut minor) } == 0
        && major >= 1
    {
        return &STANDARD;
    }
    &MPICH
}

/// A handle as all interfaces pass it: in a register of the machine. MPICH's have 32 bits, which are the lower ones.
pub(super) type Handle = usize;

/// A handle in the table: what it is, or the name of a variable of the library whose address it is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Constant {
    Number(Handle),
    AddressOf(&'static str),
}

/// The constants of a binary interface of MPI that are used here.
///
/// Numbers are from these headers:
/// - of the standard: MPI 5.0, chapter 20 and appendix A; `mpi_abi.h` of MPICH 5.0
/// - of MPICH, which Intel MPI, MVAPICH and Cray MPICH share (the MPICH ABI compatibility initiative): `mpi.h` of MPICH 5.0
/// - of Open MPI: `mpi.h` of Open MPI 4.1.4 and 5.0.11, which say the same
#[derive(Debug)]
pub(super) struct Flavor {
    /// `MPI_COMM_WORLD`
    pub(super) world: Constant,
    /// `MPI_ERRORS_RETURN`
    pub(super) errors_return: Constant,
    /// `MPI_BYTE`
    pub(super) byte: Constant,
    /// `MPI_UINT64_T`
    pub(super) word: Constant,
    /// `MPI_MIN`
    pub(super) least: Constant,
    /// `MPI_ANY_SOURCE`
    pub(super) any_source: c_int,
    /// `MPI_THREAD_FUNNELED`
    pub(super) funneled: c_int,
    /// Where `MPI_SOURCE` is in a status, in numbers of 32 bits.
    pub(super) source: usize,
}

pub(super) static STANDARD: Flavor = Flavor {
    world: Constant::Number(0x101),
    errors_return: Constant::Number(0x143),
    byte: Constant::Number(0x247),
    word: Constant::Number(0x259),
    least: Constant::Number(0x22),
    any_source: -1,
    funneled: 1024,
    source: 0,
};

pub(super) static MPICH: Flavor = Flavor {
    world: Constant::Number(0x4400_0000),
    errors_return: Constant::Number(0x5400_0001),
    byte: Constant::Number(0x4c00_010d),
    word: Constant::Number(0x4c00_083e),
    least: Constant::Number(0x5800_0002),
    any_source: -2,
    funneled: 1,
    source: 2,
};

pub(super) static OPEN_MPI: Flavor = Flavor {
    world: Constant::AddressOf("ompi_mpi_comm_world"),
    errors_return: Constant::AddressOf("ompi_mpi_errors_return"),
    byte: Constant::AddressOf("ompi_mpi_byte"),
    word: Constant::AddressOf("ompi_mpi_uint64_t"),
    least: Constant::AddressOf("ompi_mpi_op_min"),
    any_source: -1,
    funneled: 1,
    source: 0,
};

/// The largest status has 32 bytes, in the standard's interface. There is room for larger ones.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(16))]
pub(super) struct Status(pub(super) [c_int; 16]);

impl Status {
    pub(super) fn pointer(&mut self) -> *mut c_void {
        self.0.as_mut_ptr().cast()
    }
}
