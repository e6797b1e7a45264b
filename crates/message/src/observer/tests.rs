use super::*;
use crate::{CommunicatorId, Costs, Data, Mode};
use weir_network::{Actions, Class, Message};

/// Notes in words what it gets.
#[derive(Default)]
struct Notes(Vec<String>);

impl Observer for Notes {
    fn begins(&mut self, rank: Rank, call: &'static str, at: Time) -> Result<(), String> {
        self.0.push(format!("{rank} begins {call} at {}", at.as_ps()));
        Ok(())
    }

    fn does(&mut self, _: Rank, _: Time, deed: Deed<'_>) {
        self.0.push(match deed {
            Deed::Send { to, tag, bytes, request, .. } => {
                format!("send {to} {tag} {bytes} {request:?}")
            }
            Deed::Receive { source, tag, capacity, .. } => format!("receive {source} {tag} {capacity}"),
            Deed::Completed(_) => "completed".into(),
            Deed::Finish { status, .. } => format!("finish {} {}", status.source, status.bytes),
            _ => "something else".into(),
        });
    }

    fn ends(&mut self, _: Rank, _: Time) -> Result<(), String> {
        Err("enough".into())
    }

    fn over(&mut self, rank: Rank, _: Time) {
        self.0.push(format!("{rank} is over"));
    }
}

#[test]
fn an_observer_gets_what_a_rank_does_between_the_ends_of_a_call() {
    let costs = Costs { eager_limit: weir_units::Bytes(100), ..Costs::default() };
    let notes = Rc::new(RefCell::new(Notes::default()));
    let mut process = Process::new(Rank(1), 2, costs).observed_by(Rc::clone(&notes) as SharedObserver);
    let mut actions = Actions::elsewhere(Time::ZERO, Rank(1), 0);
    let world = CommunicatorId::WORLD;
    assert_eq!(process.begin_call("MPI_Isend", ""), Ok(()));
    let sent = process.send(&mut actions, Mode::Standard, world, 0, 7, Data::Length(20));
    assert_eq!(sent, Ok(None));
    let done = process.completed();
    assert_eq!(process.end_call(), Err("enough".into()));
    process.finish(done).expect("it is complete");
    process.receive(&mut actions, world, crate::PROC_NULL, 3, 8).expect("it is a receive");
    process.end_program();
    let expected = [
        "1 begins MPI_Isend at 0",
        "send 0 7 20 None",
        "completed",
        "finish -1 0",
        "receive -2 3 8",
        "1 is over",
    ];
    let any = crate::ANY_SOURCE.to_string();
    let nobody = crate::PROC_NULL.to_string();
    let expected = expected.map(|line| line.replace("finish -1", &format!("finish {any}")));
    let expected = expected.map(|line| line.replace("receive -2", &format!("receive {nobody}")));
    assert_eq!(notes.borrow().0, expected);
}

/// Two observers get a message that is sent, of one that is taken, and the waiting for it.
#[test]
fn observers_get_messages_and_waiting() {
    #[derive(Default)]
    struct Notes(Vec<String>);
    impl Observer for Notes {
        fn begins(&mut self, _: Rank, _: &'static str, _: Time) -> Result<(), String> {
            Ok(())
        }
        fn does(&mut self, _: Rank, _: Time, _: Deed<'_>) {}
        fn ends(&mut self, _: Rank, _: Time) -> Result<(), String> {
            Ok(())
        }
        fn over(&mut self, _: Rank, _: Time) {}
        fn waits(&mut self, rank: Rank, from: Time, until: Time) {
            self.0.push(format!("{rank} waits {} to {}", from.as_ps(), until.as_ps()));
        }
        fn posts(&mut self, rank: Rank, at: Time, message: Posted) {
            self.0.push(format!("{rank} at {} {message:?}", at.as_ps()));
        }
        fn takes(&mut self, rank: Rank, at: Time, message: Taken) {
            self.0.push(format!("{rank} at {} {message:?}", at.as_ps()));
        }
    }
    let both = [Rc::new(RefCell::new(Notes::default())), Rc::new(RefCell::new(Notes::default()))];
    let shared = both.iter().map(|each| Rc::clone(each) as SharedObserver).collect();
    let costs = Costs::of_overhead(weir_units::Duration::from_ps(5));
    let observers = Rc::new(RefCell::new(Observers(shared)));
    let mut process = Process::new(Rank(1), 2, costs).observed_by(observers);
    let world = CommunicatorId::WORLD;
    let mut actions = Actions::elsewhere(Time::ZERO, Rank(1), 3);
    let id = process.receive(&mut actions, world, 0, 7, 20).expect("it is a receive");
    process.send(&mut actions, Mode::Standard, world, 0, 8, Data::Length(9)).expect("it is a send");
    let now = Time::from_ps(100);
    let mut actions = Actions::elsewhere(now, Rank(1), 4);
    let envelope = crate::Envelope { context: 0, source: 0, tag: 7 };
    let body = crate::Body::Eager { envelope, data: Data::Length(20) };
    let meant = process.meant(&body);
    assert_eq!(meant, Some(crate::AwaitedMessage::Request(id)));
    let message = Message {
        from: Rank(0),
        to: Rank(1),
        bytes: weir_units::Bytes(20),
        class: Class::Data,
        sequence: 2,
        replies_to: None,
        posted: Time::ZERO,
        started: Time::ZERO,
        way: None,
        trail: None,
        body,
    };
    process.arrived(&mut actions, message);
    process.finish(id).expect("it is complete");
    let expected = [
        "1 at 5 Posted { to: Rank(0), sequence: 3, bytes: 9 }",
        "1 at 100 Taken { from: Rank(0), sequence: 2, bytes: 20, request: RequestId(0) }",
        "1 waits 5 to 100",
    ];
    for each in both {
        assert_eq!(each.borrow().0, expected);
    }
    assert_eq!(process.clock(), Time::from_ps(105));
}

/// All observers get the end, and of calls until one of them asks for the end of the run.
#[test]
fn the_first_observer_that_asks_for_the_end_gets_it() {
    struct Stops(Vec<&'static str>, bool);
    impl Observer for Stops {
        fn begins(&mut self, _: Rank, call: &'static str, _: Time) -> Result<(), String> {
            self.0.push(call);
            if self.1 { Err(format!("no {call}")) } else { Ok(()) }
        }
        fn does(&mut self, _: Rank, _: Time, _: Deed<'_>) {
            self.0.push("does");
        }
        fn ends(&mut self, _: Rank, _: Time) -> Result<(), String> {
            self.0.push("ends");
            if self.1 { Err("no more".into()) } else { Ok(()) }
        }
        fn over(&mut self, _: Rank, _: Time) {
            self.0.push("over");
        }
    }
    let each = [false, true, false].map(|stops| Rc::new(RefCell::new(Stops(Vec::new(), stops))));
    let shared = each.iter().map(|each| Rc::clone(each) as SharedObserver).collect();
    let observers = Rc::new(RefCell::new(Observers(shared)));
    let mut process = Process::new(Rank(0), 1, Costs::default()).observed_by(observers);
    assert_eq!(process.begin_call("MPI_Send", ""), Err("no MPI_Send".into()));
    process.open();
    assert_eq!(process.end_call(), Err("no more".into()));
    process.end_program();
    let expected = each.map(|each| each.borrow().0.join(" "));
    assert_eq!(expected, ["MPI_Send does ends over", "MPI_Send does ends over", "does over"]);
}

#[test]
fn nothing_is_made_without_an_observer() {
    let mut process = Process::new(Rank(0), 1, Costs::default());
    assert!(!process.is_observed());
    assert_eq!((process.begin_call("MPI_Send", ""), process.end_call()), (Ok(()), Ok(())));
}
