//! A run of the bare experiment.

use crate::router::{Machine, Router};
use crate::share::{Share, Tally, Window};
use crate::slots::{CHANNELS, DEPTH, Slot};
use crate::{Case, SERIALIZATION, WINDOW};
use memmap2::{MmapMut, MmapOptions};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Instant;
use zerocopy::FromBytes;

/// Routers are numbered in cubes with edges of so many, so that most neighbors are near in memory.
const EDGE: u32 = 4;

/// The number of the router that has these coordinates.
fn number_of(shape: [u32; 3], coordinates: [u32; 3]) -> u32 {
    let edges = shape.map(|size| EDGE.min(size));
    let (mut cube, mut inside) = (0, 0);
    for dimension in [2, 1, 0] {
        let (size, edge) = (shape[dimension], edges[dimension]);
        cube = cube * (size / edge) + coordinates[dimension] / edge;
        inside = inside * edge + coordinates[dimension] % edge;
    }
    cube * edges.iter().product::<u32>() + inside
}

/// All routers, in the order of their numbers.
fn routers(machine: &Machine<'_>) -> Vec<Router> {
    let shape = machine.shape;
    let [x, y, z] = shape;
    let router = |index: u32| {
        let coordinates = [index % x, index / x % y, index / x / y];
        let neighbor = |link: usize| {
            let (mut to, dimension) = (coordinates, link / 2);
            let step = if link.is_multiple_of(2) { 1 } else { shape[dimension] - 1 };
            to[dimension] = (to[dimension] + step) % shape[dimension];
            number_of(shape, to)
        };
        let position = coordinates[0] | coordinates[1] << 8 | coordinates[2] << 16;
        (number_of(shape, coordinates), Router::new(machine, position, std::array::from_fn(neighbor)))
    };
    let mut numbered: Vec<_> = (0..x * y * z).map(router).collect();
    numbered.sort_by_key(|(number, _)| *number);
    numbered.into_iter().map(|(_, router)| router).collect()
}

/// Memory that is all zero: free slots. It has huge pages where the system gives some, and is touched before the clock starts.
fn free_slots(bytes: usize) -> MmapMut {
    let mut memory = MmapOptions::new().len(bytes).map_anon().unwrap();
    #[cfg(target_os = "linux")]
    let _ = memory.advise(memmap2::Advice::HugePage);
    memory.iter_mut().step_by(4096).for_each(|byte| *byte = 0);
    memory
}

/// All threads wait here for each other after each window.
#[derive(Default)]
struct Barrier {
    waiting: AtomicU32,
    passed: AtomicU32,
}

/// How often a thread looks for the others before it lets something else run.
const LOOKS: u32 = 20_000;

impl Barrier {
    fn wait(&self, threads: usize) {
        let passed = self.passed.load(Ordering::Acquire);
        if self.waiting.fetch_add(1, Ordering::AcqRel) as usize + 1 == threads {
            self.waiting.store(0, Ordering::Relaxed);
            self.passed.store(passed.wrapping_add(1), Ordering::Release);
            return;
        }
        let mut looks = 0;
        while self.passed.load(Ordering::Acquire) == passed {
            looks += 1;
            if looks > LOOKS {
                std::thread::yield_now();
            }
            std::hint::spin_loop();
        }
    }
}

/// Runs the bare experiment. Returns what has happened, and how many seconds it has taken on the wall.
pub(crate) fn run(case: Case, threads: usize) -> (Tally, f64) {
    let Case { shape, load, until, .. } = case;
    let count = shape.iter().product::<u32>() as usize;
    let mut memory = free_slots(count * CHANNELS * DEPTH * size_of::<Slot>());
    let slots = <[Slot]>::mut_from_bytes(&mut memory).unwrap();
    let machine = Machine { shape, gap: f64::from(SERIALIZATION) / load, until, slots };
    let mut routers = routers(&machine);
    let arrivals: Vec<_> = std::iter::repeat_with(AtomicU64::default).take(count).collect();
    let (mut rest, mut shares) = (&mut routers[..], Vec::new());
    for thread in 0..threads {
        let [first, end] = [thread, thread + 1].map(|thread| count * thread / threads);
        let routers = rest.split_off_mut(..end - first).unwrap();
        let from_others = (threads > 1).then_some(&arrivals[..]);
        shares.push(Share::new(&machine, (first, routers), from_others));
    }
    let (barrier, windows) = (Barrier::default(), (until as u32).div_ceil(WINDOW as u32));
    let start = Instant::now();
    std::thread::scope(|scope| {
        for share in &mut shares {
            scope.spawn(|| {
                for number in 0..windows {
                    share.run_window(Window::new(number));
                    barrier.wait(threads);
                }
            });
        }
    });
    let wall = start.elapsed().as_secs_f64();
    let mut tally = Tally::default();
    shares.iter().for_each(|share| tally.join(share.tally));
    (tally, wall)
}
