//! Windows between ranks on a network without latency: the memory of each is eight bytes.

use super::*;
use crate::Data;
use crate::Group;
use crate::datatype::Piece;
use crate::process::{Ending, MemoryWork, Started};
use crate::window::{
    Access, AfterFence, Answer, Conflicts, Layout, Lock, Part, Until, Update, What, WindowMessage,
};

/// The window is the third communicator of a rank, behind world and self.
pub(super) const WINDOW: CommunicatorId = CommunicatorId(2);

/// Does the work of the owner of a memory: here, bytes are put, got and swapped.
pub(super) fn serve(process: &mut Process, actions: &mut Actions<Body>, notes: &mut Notes) {
    while let Some(work) = process.next_memory_work() {
        match work {
            MemoryWork::Fetched { data, .. } => notes.fetched.extend(data.bytes()),
            MemoryWork::Access { asker, access, .. } => {
                process.answer(actions, asker, carry_out(&mut notes.memory, &access));
            }
        }
    }
}

fn carry_out(memory: &mut [u8], access: &Access) -> Result<Data, MpiError> {
    let start = access.displacement as usize;
    let place = memory.get_mut(start..start + access.layout.bytes());
    let place = place.ok_or_else(|| MpiError::RmaRange("outside".into()))?;
    let before: Box<[u8]> = (&*place).into();
    match access.what {
        What::Put => place.copy_from_slice(access.data.bytes()),
        What::CompareAndSwap if *before == access.data.bytes()[before.len()..] => {
            place.copy_from_slice(&access.data.bytes()[..before.len()]);
        }
        _ => {}
    }
    Ok(if access.what.fetches() { before.into() } else { Data::default() })
}

/// A step that is right.
fn act(mut run: impl FnMut(&mut Process, &mut Actions<Body>) -> Result<(), MpiError> + 'static) -> Step {
    step(move |process, actions, _| run(process, actions).expect("the step is right"))
}

fn ready(until: Until) -> Step {
    Box::new(move |process, _, _| process.window_is_ready(WINDOW, until))
}

/// An access to so many bytes, with these data but where it gets some.
pub(super) fn access_of(what: What, displacement: i64, data: &[u8], bytes: usize) -> Access {
    let data = if what == What::Get { Data::default() } else { data.into() };
    Access { what, update: Update::default(), displacement, layout: Layout::contiguous(bytes), data }
}

fn access(what: What, target: i32, displacement: i64, data: &'static [u8]) -> Step {
    act(move |process, actions| {
        let bytes = if what == What::CompareAndSwap { data.len() / 2 } else { data.len() };
        let access = access_of(what, displacement, data, bytes);
        process.access(actions, WINDOW, target, access, Ending::Synchronised).map(|_| ())
    })
}

fn put(target: i32, displacement: i64, data: &'static [u8]) -> Step {
    access(What::Put, target, displacement, data)
}

fn lock(target: i32, kind: Lock) -> [Step; 2] {
    let ask =
        act(move |process, actions| process.lock_window(actions, WINDOW, target, kind, Conflicts::Possible));
    [ask, ready(Until::Granted)]
}

fn unlock(target: i32) -> [Step; 2] {
    let give_back = act(move |process, actions| process.unlock_window(actions, WINDOW, target));
    [ready(Until::Done(None)), give_back]
}

/// Runs the ranks with these steps, after each has opened the window; the outcome, and what each has seen.
fn run(eager_limit: u64, scripts: Vec<Vec<Step>>) -> (Outcome, Vec<Notes>) {
    let costs = Costs { eager_limit: Bytes(eager_limit), ..Costs::default() };
    let open = || act(|process, _| process.open_window(WORLD).map(|id| assert_eq!(id, WINDOW)));
    let scripts = scripts.into_iter().map(|steps| [open()].into_iter().chain(steps).collect()).collect();
    let mut ranks = scripted(&costs, scripts, &Notes::default);
    let placement = Placement::one_per_node(ranks.len());
    let ended = Ideal::default().run(&mut ranks, RunContext::new(&placement));
    (ended.outcome, ranks.into_iter().map(|rank| rank.notes).collect())
}

fn steps(parts: impl IntoIterator<Item = impl IntoIterator<Item = Step>>) -> Vec<Step> {
    parts.into_iter().flatten().collect()
}

#[test]
fn puts_and_gets_need_no_help_of_their_target() {
    // Both when data are copied, and when they have to leave first.
    for eager_limit in [100, 1] {
        let first = steps([
            lock(1, Lock::Exclusive).into(),
            vec![
                put(1, 2, &[7, 8, 9]),
                access(What::Get, 1, 1, &[0; 4]),
                ready(Until::DoneHere(Some(Rank(1)))),
            ],
            vec![access(What::CompareAndSwap, 1, 3, &[5, 8]), access(What::CompareAndSwap, 1, 3, &[6, 8])],
            unlock(1).into(),
        ]);
        let (outcome, ranks) = run(eager_limit, vec![first, vec![]]);
        assert_eq!(outcome, Outcome::Finished);
        assert_eq!(ranks[1].memory, [0, 0, 7, 5, 9, 0, 0, 0], "the second swap finds 5");
        assert_eq!(ranks[0].fetched, [0, 7, 8, 9, 8, 5]);
    }
}

#[test]
fn accesses_wait_behind_a_lock() {
    // Rank 1 locks all, which asks for the lock with its first access; rank 0 holds it until it has put.
    let first = steps([
        lock(0, Lock::Exclusive).into(),
        vec![put(2, 0, &[])],
        vec![put(0, 0, &[1, 1]), put(0, 2, &[1])],
        unlock(0).into(),
    ]);
    let second = vec![
        act(|process, actions| process.lock_all(actions, WINDOW, &[], Conflicts::Possible)),
        put(0, 1, &[2, 2]),
        ready(Until::Done(None)),
        act(|process, actions| process.unlock_all(actions, WINDOW)),
    ];
    let third = steps([lock(0, Lock::Exclusive), unlock(0)]);
    let (outcome, ranks) = run(100, vec![first, second, third]);
    assert_eq!(outcome, Outcome::Finished);
    assert_eq!(ranks[0].memory[..3], [1, 2, 2]);
}

#[test]
fn a_lock_that_is_never_given_back_is_explained() {
    let (outcome, _) = run(100, vec![lock(1, Lock::Shared).into(), vec![], lock(1, Lock::Exclusive).into()]);
    let Outcome::Deadlock(waiting) = outcome else { panic!("{outcome:?}") };
    assert_eq!((waiting[0].rank, waiting[0].peer), (Rank(2), Peer::Rank(Rank(1))));
    assert_eq!(waiting[0].details[0], ("waits for", "the lock".to_owned()));
}

#[test]
fn posts_and_completions() {
    let to = |rank| Group::new(&[Rank(rank)]);
    let origin = vec![
        act(move |process, _| process.start_window(WINDOW, to(1), Conflicts::Possible)),
        ready(Until::Posted),
        put(1, 0, &[4]),
        ready(Until::Done(None)),
        act(|process, actions| process.complete_window(actions, WINDOW)),
    ];
    let target = vec![
        act(move |process, actions| process.post_window(actions, WINDOW, &to(0), Conflicts::Possible)),
        ready(Until::Completed),
        act(|process, _| process.end_exposure(WINDOW)),
        act(|process, _| process.may_close_window(WINDOW)),
    ];
    let (outcome, ranks) = run(100, vec![origin, target]);
    assert_eq!((outcome, ranks[1].memory[0]), (Outcome::Finished, 4));
}

#[test]
fn mistakes() {
    let is_sync =
        |result: Result<(), MpiError>| assert!(matches!(result, Err(MpiError::RmaSync(_))), "{result:?}");
    let first = steps([
        vec![act(move |process, actions| {
            is_sync(process.unlock_window(actions, WINDOW, 1));
            is_sync(process.complete_window(actions, WINDOW));
            is_sync(process.is_exposed(WINDOW));
            let layout = Layout::new(vec![Piece { offset: 0, length: 1, count: 1, stride: 0 }]);
            let access = Access { layout, ..access_of(What::Put, 0, &[1], 1) };
            let outside = process.access(actions, WINDOW, 1, access.clone(), Ending::Synchronised);
            is_sync(outside.map(|_| ()));
            process.end_fence(WINDOW, AfterFence::Accesses)?;
            is_sync(process.access(actions, WINDOW, 1, access, Ending::Requested).map(|_| ()));
            assert_eq!(process.is_window(WORLD), Err(MpiError::Window));
            Ok(())
        })],
        lock(1, Lock::Shared).into(),
        vec![
            act(move |process, actions| {
                is_sync(process.lock_window(actions, WINDOW, 1, Lock::Shared, Conflicts::Possible));
                is_sync(process.begin_fence(WINDOW));
                is_sync(process.may_close_window(WINDOW));
                Ok(())
            }),
            put(1, 7, &[1, 2]),
            ready(Until::Done(None)),
            act(|process, _| {
                assert_eq!(process.window_outcome(WINDOW), Err(MpiError::RmaRange("outside".into())));
                process.window_outcome(WINDOW)
            }),
        ],
        unlock(1).into(),
    ]);
    let (outcome, ranks) = run(100, vec![first, vec![]]);
    assert_eq!((outcome, ranks[1].memory), (Outcome::Finished, [0; 8]));
}

/// Rank 0 of three with an open window, which nobody answers: up to four bytes are copied.
fn alone() -> (Process, Actions<Body>) {
    let costs = Costs { eager_limit: Bytes(4), ..Costs::default() };
    let mut process = Process::new(Rank(0), 3, costs);
    assert_eq!(process.open_window(WORLD), Ok(WINDOW));
    (process, Actions::elsewhere(Time::ZERO, Rank(0), 0))
}

/// An access with a request to the memory of rank 1.
fn requested(process: &mut Process, actions: &mut Actions<Body>, what: What, bytes: usize) -> Started {
    let access = access_of(what, 0, &vec![7; bytes], bytes);
    process.access(actions, WINDOW, 1, access, Ending::Requested).expect("it is locked")
}

/// What rank 1 sends back.
fn answer(process: &mut Process, actions: &mut Actions<Body>, operation: u32, error: Option<MpiError>) {
    let window = process.window_context(WINDOW).expect("a window");
    let part = Part::Answer { operation, data: vec![1, 2].into(), error };
    process.window_message(actions, Rank(1), WindowMessage { window, part });
}

/// The request of a put is complete when its data are copied or have left, that of a get when the data have come; an access is
/// over when it is answered as well, in whatever order, and its number is free again.
#[test]
fn accesses_with_requests() {
    let (mut process, mut actions) = alone();
    process.lock_window(&mut actions, WINDOW, 1, Lock::Shared, Conflicts::RuledOut).expect("no epoch");
    let is_done = |process: &Process| {
        [Until::DoneHere(Some(Rank(1))), Until::Done(None)]
            .map(|until| process.window_is_ready(WINDOW, until))
    };
    let complete = |process: &Process, started: Started| process.is_complete(started.request.expect("asked"));

    let copied = requested(&mut process, &mut actions, What::Put, 4);
    assert_eq!(
        (copied.operation, complete(&process, copied), is_done(&process)),
        (Some(0), Ok(true), [true, false])
    );
    let long = requested(&mut process, &mut actions, What::Put, 5);
    assert_eq!(
        (long.operation, complete(&process, long), is_done(&process)),
        (Some(1), Ok(false), [false; 2])
    );
    let get = requested(&mut process, &mut actions, What::Get, 2);
    assert_eq!((get.operation, complete(&process, get)), (Some(2), Ok(false)));

    answer(&mut process, &mut actions, 0, None);
    answer(&mut process, &mut actions, 1, None);
    assert_eq!((complete(&process, long), is_done(&process)), (Ok(false), [false; 2]));
    let changes = process.changes();
    // The lock was not asked for: the put of five bytes is the second message.
    process.departed(&mut actions, 1);
    assert_eq!((complete(&process, long), complete(&process, get)), (Ok(true), Ok(false)));
    assert!(process.changes() > changes);
    answer(&mut process, &mut actions, 2, None);
    assert_eq!((complete(&process, get), is_done(&process)), (Ok(true), [true; 2]));
    let fetched = process.next_memory_work();
    assert!(matches!(fetched, Some(MemoryWork::Fetched { operation: 2, .. })), "{fetched:?}");
    // All three numbers are free.
    let mut again: Vec<_> =
        (0..3).map(|_| requested(&mut process, &mut actions, What::Put, 1).operation).collect();
    again.sort_unstable();
    assert_eq!(again, [Some(0), Some(1), Some(2)]);
}

/// The other order: its data have left before the answer comes. Then the number is free with the answer, not before.
#[test]
fn numbers_of_accesses_are_free_when_both_sides_are_through() {
    let (mut process, mut actions) = alone();
    process.lock_window(&mut actions, WINDOW, 1, Lock::Shared, Conflicts::RuledOut).expect("no epoch");
    let long = requested(&mut process, &mut actions, What::Put, 5);
    process.departed(&mut actions, 0);
    assert_eq!(process.is_complete(long.request.expect("asked")), Ok(true));
    assert_eq!(requested(&mut process, &mut actions, What::Put, 1).operation, Some(1));
    answer(&mut process, &mut actions, 0, None);
    assert_eq!(requested(&mut process, &mut actions, What::Put, 1).operation, Some(0));
}

/// What goes wrong at a get with a request is an error of the request; of a put that nobody asks for any more, of the window.
#[test]
fn errors_of_accesses_with_requests() {
    let (mut process, mut actions) = alone();
    process.lock_window(&mut actions, WINDOW, 1, Lock::Shared, Conflicts::RuledOut).expect("no epoch");
    let (get, put) = (
        requested(&mut process, &mut actions, What::Get, 2),
        requested(&mut process, &mut actions, What::Put, 2),
    );
    let error = || Some(MpiError::RmaRange("outside".into()));
    answer(&mut process, &mut actions, 0, error());
    assert_eq!(process.window_outcome(WINDOW), Ok(()));
    let ended = [get, put]
        .map(|access| process.finish(access.request.expect("asked")).expect("it is complete").status.error);
    assert_eq!(ended, [error().map(Box::new), None]);
    answer(&mut process, &mut actions, 1, error());
    assert_eq!(process.window_outcome(WINDOW).err(), error());
    assert_eq!(process.window_outcome(WINDOW), Ok(()), "it is reported once");
}

/// Ranks 1 and 2 put without waiting for their locks, which rank 0 holds itself: each is carried out when its own lock is
/// granted, exclusively one after the other.
#[test]
fn accesses_of_several_ranks_wait_behind_a_lock() {
    let (mut process, mut actions) = alone();
    let context = process.window_context(WINDOW).expect("a window");
    let mut deliver = |process: &mut Process, from: u32, part: Part| {
        process.window_message(&mut actions, Rank(from), WindowMessage { window: context, part });
    };
    let lock = |lock| Part::Lock { lock, answer: Answer::NotRequested };
    let put = |operation| Part::Access { operation, access: access_of(What::Put, 0, &[operation as u8], 1) };
    let work = |process: &mut Process| {
        let next = process.next_memory_work()?;
        let MemoryWork::Access { asker, .. } = next else { panic!("{next:?}") };
        Some((asker.rank.0, asker.operation))
    };
    deliver(&mut process, 0, lock(Lock::Exclusive));
    for from in [1, 2] {
        deliver(&mut process, from, lock(Lock::Exclusive));
    }
    for (from, operation) in [(1, 3), (2, 4), (1, 5), (2, 6)] {
        deliver(&mut process, from, put(operation));
    }
    assert_eq!(work(&mut process), None);
    for (gives_back, expected) in [(0, [(1, 3), (1, 5)]), (1, [(2, 4), (2, 6)])] {
        deliver(&mut process, gives_back, Part::Unlock);
        assert_eq!([work(&mut process), work(&mut process)], expected.map(Some));
        assert_eq!(work(&mut process), None);
    }
}

/// Which epochs may begin, be flushed and end; and what remains of a window that is closed.
#[test]
fn epochs_of_a_window() {
    let (mut process, mut actions) = alone();
    let other = process.open_window(WORLD).expect("the world");
    let contexts = [WINDOW, other].map(|id| process.window_context(id).expect("a window"));
    assert_ne!(contexts[0], contexts[1]);
    assert_eq!(process.communicator(WINDOW).map(|comm| comm.context), Ok(contexts[0]));
    // Fences follow each other, also when they were made use of; locks do not follow these.
    process.end_fence(WINDOW, AfterFence::Accesses).expect("a window");
    assert_eq!(process.begin_fence(WINDOW), Ok(()));
    let access = access_of(What::Put, 0, &[1], 1);
    let mut later = Actions::elsewhere(Time::from_ps(700), Rank(0), 0);
    process.access(&mut later, WINDOW, 1, access, Ending::Synchronised).expect("between fences");
    assert_eq!(process.clock(), Time::from_ps(700), "it is made now");
    assert_eq!((process.begin_fence(WINDOW), process.may_close_window(WINDOW)), (Ok(()), Ok(())));
    let lock = |process: &mut Process, actions: &mut Actions<Body>, rank| {
        process.lock_window(actions, WINDOW, rank, Lock::Shared, Conflicts::RuledOut)
    };
    assert!(lock(&mut process, &mut actions, 1).is_err());
    process.end_fence(WINDOW, AfterFence::Nothing).expect("a window");
    // Locks of two ranks are one epoch; each is flushed and given back by itself.
    assert!(process.may_flush(WINDOW, None).is_err());
    assert_eq!([1, 2].map(|rank| lock(&mut process, &mut actions, rank)), [Ok(()), Ok(())]);
    assert!(lock(&mut process, &mut actions, 2).is_err());
    assert_eq!(process.may_flush(WINDOW, Some(2)), Ok(Some(Rank(2))));
    assert_eq!(process.may_flush(WINDOW, None), Ok(None));
    assert!(process.may_flush(WINDOW, Some(0)).is_err());
    process.unlock_window(&mut actions, WINDOW, 1).expect("it is locked");
    assert!(process.may_flush(WINDOW, Some(1)).is_err() && process.may_close_window(WINDOW).is_err());
    process.unlock_window(&mut actions, WINDOW, 2).expect("it is locked");
    assert!(process.unlock_all(&mut actions, WINDOW).is_err());
    // A window that is closed is none, and no communicator; the other one stays.
    assert_eq!(process.close_window(WORLD), Err(MpiError::Window));
    assert_eq!(process.close_window(WINDOW), Ok(()));
    assert_eq!([WINDOW, other].map(|id| process.is_window(id)), [Err(MpiError::Window), Ok(())]);
    assert_eq!(process.communicator(WINDOW).err(), Some(MpiError::Communicator));
    assert_eq!(process.window_context(other), Ok(contexts[1]));
}
