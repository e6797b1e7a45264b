use super::*;
use crate::{CommunicatorId, Costs, Data, Mode, Process};
use weir_network::{Actions, Class, Message};

/// Notes in words what it gets; ends the run at the first call or not.
#[derive(Default)]
struct Notes {
    seen: Vec<String>,
    stops: bool,
}

impl Notes {
    fn shared(stops: bool) -> Arc<Mutex<Self>> {
        Arc::new(Mutex::new(Self { seen: Vec::new(), stops }))
    }

    fn note(&mut self, rank: Rank, at: Time, what: &str) -> Result<(), String> {
        self.seen.push(format!("{rank} at {} {what}", at.as_ps()));
        if self.stops { Err("enough".into()) } else { Ok(()) }
    }
}

impl Observer for Notes {
    fn begins(&mut self, rank: Rank, call: &'static str, at: Time) -> Result<(), String> {
        self.note(rank, at, call)
    }

    fn does(&mut self, _: &dyn Watched, operation: &Operation) {
        self.seen.push(match operation {
            Operation::Send { to, tag, bytes, request, .. } => {
                format!("send {to:?} {tag} {bytes} {request:?}")
            }
            Operation::Receive { from, bytes, .. } => {
                format!("receive {:?} {:?} {bytes}", from.source, from.tag)
            }
            _ => "something else".into(),
        });
    }

    fn notices(&mut self, _: &dyn Watched, observation: Observation<'_>) {
        self.seen.push(match observation {
            Observation::Completed(_) => "completed".into(),
            Observation::Finished(_, status) => format!("finish {} {}", status.source, status.bytes),
            _ => "something else".into(),
        });
    }

    fn ends(&mut self, rank: Rank, at: Time) -> Result<(), String> {
        self.note(rank, at, "ends")
    }

    fn over(&mut self, rank: Rank, at: Time) {
        _ = self.note(rank, at, "is over");
    }

    fn waits(&mut self, rank: Rank, from: Time, until: Time) {
        _ = self.note(rank, from, &format!("waits to {}", until.as_ps()));
    }

    fn posts(&mut self, rank: Rank, at: Time, message: Posted) {
        _ = self.note(rank, at, &format!("{message:?}"));
    }

    fn takes(&mut self, rank: Rank, at: Time, message: Taken) {
        _ = self.note(rank, at, &format!("{message:?}"));
    }
}

/// A rank that several observers watch.
fn watched(rank: u32, costs: Costs, observers: &[Arc<Mutex<Notes>>]) -> Process {
    let shared = observers.iter().map(|each| Arc::clone(each) as SharedObserver).collect();
    Process::new(Rank(rank), 2, costs).observed_by(Arc::new(Mutex::new(Observers(shared))))
}

#[test]
fn an_observer_gets_what_a_rank_does_between_the_ends_of_a_call() {
    let costs = Costs { eager_limit: weir_units::Bytes(100), ..Costs::default() };
    let notes = Notes::shared(false);
    let mut process = watched(1, costs, &[Arc::clone(&notes)]);
    let mut actions = Actions::elsewhere(Time::ZERO, Rank(1), 0);
    let world = CommunicatorId::WORLD;
    assert_eq!(process.begin_call("MPI_Isend", ""), Ok(()));
    let sent = process.send(&mut actions, Mode::Standard, world, 0, 7, Data::Length(20));
    assert_eq!(sent, Ok(None));
    let done = process.completed();
    assert_eq!(process.end_call(), Ok(()));
    process.finish(done).expect("it is complete");
    process.receive(&mut actions, world, crate::PROC_NULL, 3, 8).expect("it is a receive");
    process.end_program();
    let expected = [
        "1 at 0 MPI_Isend",
        "1 at 0 Posted { to: Rank(0), sequence: 0, bytes: 20 }",
        "send Some(0) 7 20 None",
        "completed",
        "1 at 0 ends",
        "finish -1 0",
        "receive None None 8",
        "1 at 0 is over",
    ];
    assert_eq!(notes.lock().unwrap().seen, expected);
}

/// Two observers get a message that is sent, of one that is taken, and the waiting for it.
#[test]
fn observers_get_messages_and_waiting() {
    let both = [Notes::shared(false), Notes::shared(false)];
    let mut process = watched(1, Costs::of_overhead(weir_units::Duration::from_ps(5)), &both);
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
        "receive Some(0) Some(7) 20",
        "1 at 5 Posted { to: Rank(0), sequence: 3, bytes: 9 }",
        "send Some(0) 8 9 None",
        "1 at 100 Taken { from: Rank(0), sequence: 2, bytes: 20, request: RequestId(0) }",
        "1 at 5 waits to 100",
        "finish 0 20",
    ];
    for each in both {
        assert_eq!(each.lock().unwrap().seen, expected);
    }
    assert_eq!(process.clock(), Time::from_ps(105));
}

/// All observers get the end, and of calls until one of them asks for the end of the run.
#[test]
fn the_first_observer_that_asks_for_the_end_gets_it() {
    let each = [false, true, false].map(Notes::shared);
    let mut process = watched(0, Costs::default(), &each);
    assert_eq!(process.begin_call("MPI_Send", ""), Err("enough".into()));
    process.open();
    assert_eq!(process.end_call(), Err("enough".into()));
    process.end_program();
    let called = "0 at 0 MPI_Send, something else, 0 at 0 ends, 0 at 0 is over";
    let seen = each.map(|each| each.lock().unwrap().seen.join(", "));
    assert_eq!(seen, [called, called, "something else, 0 at 0 is over"]);
}

#[test]
fn nothing_is_made_without_an_observer() {
    let mut process = Process::new(Rank(0), 1, Costs::default());
    assert!(!process.is_observed());
    assert_eq!((process.begin_call("MPI_Send", ""), process.end_call()), (Ok(()), Ok(())));
}
