//! The kernels of `crates/gpu/kernels`, compiled as C++ for this processor.
#![allow(unsafe_code, reason = "a library that is compiled here, and memory that it writes")]

use libloading::Library;
use proptest::prelude::*;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::convert::Infallible;
use std::process::Command;
use std::sync::LazyLock;
use weir_network::Limits;
use weir_network::record::Recorder;
use weir_packet::{
    FlatRun, Injected, Memory, PacketNetwork, PlacedMessages, PlacedRun, Region, RemoteCounts, RemoteRouters,
    RemoteWindow, SyntheticEnded,
};

/// Memory of this process, as the library sees it.
#[derive(Default)]
struct HostMemory(Vec<(*mut u8, Layout)>);

impl Memory for HostMemory {
    type Error = Infallible;

    fn put(&mut self, bytes: &[u8]) -> Result<Region, Infallible> {
        let region = self.zeros(bytes.len())?;
        let (place, _) = self.0.last().expect("it has been added");
        // SAFETY: there is room for as many bytes, and nothing else uses them.
        unsafe { place.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Ok(region)
    }

    fn zeros(&mut self, bytes: usize) -> Result<Region, Infallible> {
        let layout = Layout::from_size_align(bytes.max(1), 64).expect("small");
        // SAFETY: the layout has a byte at least.
        let place = unsafe { alloc_zeroed(layout) };
        assert!(!place.is_null(), "there is memory for a small machine");
        self.0.push((place, layout));
        Ok(Region { address: place.expose_provenance() as u64, bytes })
    }

    fn read(&self, region: Region) -> Result<Vec<u8>, Infallible> {
        let place = std::ptr::with_exposed_provenance::<u8>(region.address as usize);
        // SAFETY: the region was made by `zeros`, and the library does not run now.
        Ok(unsafe { std::slice::from_raw_parts(place, region.bytes) }.to_vec())
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        for &(place, layout) in &self.0 {
            // SAFETY: it was made with this layout.
            unsafe { dealloc(place, layout) };
        }
    }
}

/// The compiled kernels.
static KERNELS: LazyLock<Library> = LazyLock::new(|| {
    let kernels = concat!(env!("CARGO_MANIFEST_DIR"), "/../gpu/kernels/packet.cu");
    let library = tempfile::Builder::new().prefix("kernels").suffix(".so").tempfile().expect("a file");
    let flags = ["-O2", "-std=c++17", "-ffp-contract=off", "-shared", "-fPIC", "-w", "-x", "c++"];
    let mut compiler = Command::new("c++");
    let compiled = compiler.args(flags).arg(kernels).arg("-o").arg(library.path()).output();
    let compiled = compiled.expect("a C++ compiler");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    // SAFETY: the library has nothing that runs when it is loaded.
    unsafe { Library::new(library.path()) }.expect("what was compiled can be loaded")
});

/// The function that runs a window of so many points, in an order of routers; the last numbers say whether rules decide and samples are taken,
/// and how many threads run each router.
type RunWindow = unsafe extern "C" fn(u64, u64, u64, u64, u64, u64);

/// How the kernels are run: routers in an order that a number says, each by so many threads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Threads {
    pub(crate) order: u64,
    pub(crate) of_router: u64,
}

/// Any order, with threads of which there are kernels here.
pub(crate) fn threads() -> impl Strategy<Value = Threads> {
    let of_router = prop_oneof![8 => Just(1), 1 => Just(4), 1 => Just(32)];
    (any::<u64>(), of_router).prop_map(|(order, of_router)| Threads { order, of_router })
}

/// Routers that the kernels run.
struct HostRouters<'a> {
    memory: HostMemory,
    placed: PlacedMessages<'a>,
    point: Region,
    threads: Threads,
    decides: bool,
}

// SAFETY: the memory is its own.
unsafe impl Send for HostRouters<'_> {}

/// Routers of a network for programs.
pub(crate) fn routers(network: &PacketNetwork, limits: Limits, threads: Threads) -> impl RemoteRouters {
    let mut memory = HostMemory::default();
    let flat = network.flat_messages(limits).expect("it fits");
    let Ok(arrays) = network.place(&mut memory);
    let Ok(region) = memory.put(&arrays.words);
    let Ok(placed) = flat.place(region.address, &mut memory);
    let Ok(point) = memory.put(&placed.words);
    HostRouters { memory, placed, point, threads, decides: arrays.decides }
}

impl RemoteRouters for HostRouters<'_> {
    fn window(&mut self, number: u64, injected: &[&[u8]]) -> RemoteWindow {
        let Ok(packets) = self.memory.put(&injected.concat());
        let count = (packets.bytes / Injected::BYTES) as u64;
        let (point, lists) = (self.point.address, self.placed.lists);
        let Threads { order, of_router } = self.threads;
        // SAFETY: the functions have these arguments, and what these lead to was made for them; the lists are memory of so many bytes.
        unsafe {
            let inject = KERNELS.get::<unsafe extern "C" fn(u64, u64, u64)>(b"weir_inject");
            let window = KERNELS.get::<RunWindow>(b"weir_window").expect("it is in the library");
            std::ptr::with_exposed_provenance_mut::<u8>(lists.address as usize).write_bytes(0, lists.bytes);
            // Routers that run before packets come in are none the wiser.
            if number.is_multiple_of(2) {
                window(point, 1, number, order, self.decides.into(), of_router);
            }
            inject.expect("it is in the library")(point, packets.address, count);
            if !number.is_multiple_of(2) {
                window(point, 1, number, order, self.decides.into(), of_router);
            }
        }
        let Ok(window) = self.placed.window(&self.memory);
        window
    }

    fn counts(&mut self) -> RemoteCounts {
        let Ok(counts) = self.placed.counts(&self.memory);
        counts
    }
}

/// Runs synthetic traffic by the kernels, all runs side by side. A limit
/// stops the last one before a window; a recorder gets the samples of the only run.
pub(super) fn run(
    runs: Vec<FlatRun<'_>>,
    (Threads { order, of_router }, stop): (Threads, Option<u64>),
    recorder: Option<&mut dyn Recorder>,
) -> Vec<SyntheticEnded> {
    let mut memory = HostMemory::default();
    let (mut placed, mut decides) = (Vec::new(), false);
    let is_sampled = runs[0].is_sampled();
    for run in runs {
        let Ok(network) = run.network().place(&mut memory);
        decides |= network.decides;
        let Ok(region) = memory.put(&network.words);
        let Ok(run) = run.place(region.address, &mut memory);
        placed.push(run);
    }
    let words =
        |placed: &[PlacedRun<'_>]| placed.iter().flat_map(|run| run.words.clone()).collect::<Vec<_>>();
    let Ok(mut points) = memory.put(&words(&placed));
    let windows = placed.iter().map(|run| run.windows).max().unwrap_or(0);
    // SAFETY: the function has these arguments.
    let window = unsafe { KERNELS.get::<RunWindow>(b"weir_window") };
    let window = window.expect("it is in the library");
    // SAFETY: the function has these arguments.
    let close = unsafe { KERNELS.get::<unsafe extern "C" fn(u64, u64, u64)>(b"weir_close") };
    let close = close.expect("it is in the library");
    let kind = u64::from(decides) + 2 * u64::from(is_sampled);
    for number in 0..=windows {
        if let Some(last) = placed.last_mut().filter(|run| stop == Some(number) && !run.is_over(number)) {
            last.stop(number, "a limit".into());
            let Ok(others) = memory.put(&words(&placed));
            points = others;
        }
        if let Some((interval, until)) = placed[0].over_before(number) {
            // SAFETY: as for a window, of the only run.
            unsafe { close(points.address, interval, until) };
        }
        if number < windows {
            // SAFETY: the points and all that they lead to were made for it.
            unsafe { window(points.address, placed.len() as u64, number, order, kind, of_router) };
        }
    }
    if let Some(recorder) = recorder {
        let Ok(()) = placed[0].report(&memory, recorder);
    }
    // SAFETY: the function has these arguments.
    let end =
        unsafe { KERNELS.get::<unsafe extern "C" fn(u64, u64)>(b"weir_end") }.expect("it is in the library");
    // SAFETY: as above.
    unsafe { end(points.address, placed.len() as u64) };
    let ended = placed.iter().map(|run| {
        let Ok(ended) = run.ended(&memory);
        ended
    });
    ended.collect()
}

/// The logarithm of a number, as the kernels have it.
pub(super) fn logarithm(number: f64) -> f64 {
    // SAFETY: the function has this argument and this result.
    unsafe {
        let logarithm = KERNELS.get::<unsafe extern "C" fn(f64) -> f64>(b"weir_logarithm");
        logarithm.expect("it is in the library")(number)
    }
}
