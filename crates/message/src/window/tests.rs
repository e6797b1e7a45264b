//! What a rank may do at a window, and for whom it waits, epoch by epoch.

use super::*;
use Lock::{Exclusive, Shared};

const A: Rank = Rank(3);
const B: Rank = Rank(5);

fn window() -> Window {
    Window::new(CommunicatorId::WORLD, 8)
}

fn group() -> Group {
    Group::new(&[B, A])
}

fn missing(window: &Window, until: Until) -> Vec<Rank> {
    let missing: Vec<Rank> = window.missing(until).collect();
    assert_eq!(window.is_ready(until), missing.is_empty());
    missing
}

/// By epoch: whether A and another rank may be reached, and what is said where another epoch may not begin.
#[test]
fn epochs_say_who_may_be_reached() {
    let none = Err(MpiError::RmaSync(format!("an access to rank {B} outside of an epoch that allows it")));
    let locked = |conflicts| Epoch::Locked(BTreeMap::from([(A, conflicts)]));
    let cases = [
        (Epoch::None, Err(()), Err(()), Ok(())),
        (Epoch::Fence(Use::No), Ok(None), Ok(None), Ok(())),
        (Epoch::Fence(Use::Yes), Ok(None), Ok(None), Err("X before the fence that ends the accesses made")),
        (
            Epoch::Started(Group::new(&[A])),
            Ok(None),
            Err(()),
            Err("X between MPI_Win_start and MPI_Win_complete"),
        ),
        (locked(Conflicts::Possible), Ok(None), Err(()), Err("X while locks are held")),
        (locked(Conflicts::RuledOut), Ok(None), Err(()), Err("X while locks are held")),
        (
            Epoch::LockedAll(BTreeSet::from([A]), Conflicts::Possible),
            Ok(None),
            Ok(Some(Lock::Shared)),
            Err("X while locks are held"),
        ),
        (
            Epoch::LockedAll(BTreeSet::new(), Conflicts::RuledOut),
            Ok(None),
            Ok(None),
            Err("X while locks are held"),
        ),
    ];
    for (epoch, a, b, begins) in cases {
        let shown = format!("{epoch:?}");
        let mut window = Window { epoch, ..window() };
        assert_eq!(window.may_begin("X"), begins.map_err(sync), "{shown}");
        assert_eq!(window.reach(A).map_err(|_| ()), a, "{shown}");
        let reached = window.reach(B);
        assert_eq!(reached.clone().map_err(|_| ()), b, "{shown}");
        assert!(reached.is_ok() || reached == none, "{reached:?}");
        // Who has been asked once knows.
        if b.is_ok() {
            assert_eq!(window.reach(B), Ok(None), "{shown}");
        }
    }
    // An access makes use of a fence: then no other epoch may begin.
    let mut window = Window { epoch: Epoch::Fence(Use::No), ..window() };
    assert!(window.may_begin("X").is_ok() && window.reach(A).is_ok() && window.may_begin("X").is_err());
}

#[test]
fn locks_are_of_ranks_or_of_all() {
    let of = |epoch, target| Window { epoch, ..window() }.is_locked(target);
    let one = || Epoch::Locked(BTreeMap::from([(A, Conflicts::Possible)]));
    let all = || Epoch::LockedAll(BTreeSet::new(), Conflicts::Possible);
    assert_eq!([None, Some(A), Some(B)].map(|target| of(one(), target)), [true, true, false]);
    assert_eq!([None, Some(A)].map(|target| of(all(), target)), [true, true]);
    assert_eq!([None, Some(A)].map(|target| of(Epoch::Fence(Use::Yes), target)), [false, false]);
}

/// Notices that come before they are waited for count later: A's two of early, for two of the three times.
#[test]
fn notices_may_come_early() {
    let mut window = window();
    (0..2).for_each(|_| window.posted(A));
    for expected in [vec![B], vec![B], vec![A, B]] {
        window.start(group(), Conflicts::Possible);
        assert_eq!(missing(&window, Until::Posted), expected);
        if expected.len() == 1 {
            window.posted(B);
            assert_eq!(missing(&window, Until::Posted), []);
        }
    }
    window.posted(A);
    assert_eq!(missing(&window, Until::Posted), [B]);

    // Nobody is asked where the program has ruled conflicts out.
    let mut window = self::window();
    window.start(group(), Conflicts::RuledOut);
    assert_eq!(missing(&window, Until::Posted), []);
    assert!(matches!(window.epoch, Epoch::Started(_)));
}

/// A window is exposed once, until all of the group have said that they are done.
#[test]
fn an_exposed_window_waits_for_its_group() {
    let mut window = window();
    window.expose(&group()).expect("it is not exposed");
    assert!(window.expose(&group()).is_err(), "twice");
    assert_eq!(missing(&window, Until::Completed), [A, B]);
    window.completed(B);
    assert_eq!(missing(&window, Until::Completed), [A]);
    window.completed(A);
    assert_eq!(missing(&window, Until::Completed), []);
}

/// Two accesses to A, of which one waits for something here, and one to B.
#[test]
fn accesses_are_over_here_and_there() {
    let mut window = window();
    for (target, here) in [(A, true), (A, false), (B, false)] {
        window.opened(target, here);
    }
    let seen = |window: &Window| {
        [None, Some(A), Some(B)]
            .map(|to| (missing(window, Until::Done(to)), missing(window, Until::DoneHere(to))))
    };
    let (a, b, none) = (vec![A], vec![B], vec![]);
    let both = vec![A, B];
    assert_eq!(seen(&window), [(both, a.clone()), (a.clone(), a.clone()), (b.clone(), none.clone())]);
    window.over_there(B);
    assert_eq!(seen(&window), [(a.clone(), a.clone()), (a.clone(), a.clone()), (none.clone(), none.clone())]);
    window.over_there(A);
    window.over_there(A);
    assert_eq!(seen(&window)[1], (none.clone(), a.clone()), "the answer has not come");
    window.over_here(A);
    assert_eq!(
        seen(&window),
        [(none.clone(), none.clone()), (none.clone(), none.clone()), (none.clone(), none)]
    );
}

fn granted(locks: &mut Locks, from: u32) -> Vec<u32> {
    locks.release(Rank(from)).into_iter().map(|(rank, _)| rank.0).collect()
}

#[test]
fn first_come_first_served() {
    let mut locks = Locks::default();
    let mut ask = |rank, lock| locks.ask(Rank(rank), lock, Answer::Requested);
    assert!(ask(0, Shared) && ask(1, Shared));
    assert!(!ask(2, Exclusive), "two shared locks are held");
    assert!(!ask(3, Shared) && !ask(4, Shared), "they do not overtake the exclusive one");
    assert!(!ask(5, Exclusive));
    assert_eq!(granted(&mut locks, 0), []);
    assert_eq!(granted(&mut locks, 1), [2]);
    assert!(locks.waits(Rank(3)) && !locks.waits(Rank(2)));
    assert_eq!(granted(&mut locks, 2), [3, 4]);
    assert_eq!(granted(&mut locks, 4), []);
    assert_eq!(granted(&mut locks, 3), [5]);
    assert_eq!(granted(&mut locks, 5), []);
    assert!(locks.ask(Rank(9), Exclusive, Answer::NotRequested));
}
