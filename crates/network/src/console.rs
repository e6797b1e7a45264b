//! Output of programs, where several processes run them together.

use crate::Moment;
use serde::{Deserialize, Serialize};
use weir_units::Time;

/// Something that a rank has printed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Print {
    /// The event to which the rank reacts.
    pub moment: Moment,
    /// The printed bytes.
    pub text: Vec<u8>,
}

/// Output of the ranks of a process, for the engine to bring to the first process.
pub trait Console {
    /// Takes all that was printed since the last call, in the order of printing.
    fn take(&self) -> Vec<Print>;

    /// Takes the rest when all is over: beginnings of lines, by rank.
    fn rest(&self) -> Vec<Print>;

    /// Writes what ranks of any process have printed to where it belongs.
    fn show(&self, text: &[u8]);
}

/// In the first process: what has come, to be shown in the order of events.
#[derive(Debug, Default)]
pub struct Prints(Vec<Print>);

impl Prints {
    /// Adds prints of the ranks of one process, in the order of printing.
    pub fn add(&mut self, prints: impl IntoIterator<Item = Print>) {
        self.0.extend(prints);
    }

    /// Leaves out what was printed at events after this one, which has ended the run.
    pub fn forget_after(&mut self, moment: Moment) {
        self.0.retain(|print| print.moment <= moment);
    }

    /// Shows all that was printed before an instant, of which nothing will come any more, in the order of events.
    pub fn show_before(&mut self, instant: Time, console: &dyn Console) {
        // What one rank has printed at one event keeps its order.
        self.0.sort_by_key(|print| print.moment);
        let later = self.0.partition_point(|print| print.moment.at < instant);
        for print in self.0.drain(..later) {
            console.show(&print.text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EventKind;
    use std::cell::RefCell;
    use weir_units::Rank;

    struct Shown(RefCell<String>);

    impl Console for Shown {
        fn take(&self) -> Vec<Print> {
            Vec::new()
        }

        fn rest(&self) -> Vec<Print> {
            Vec::new()
        }

        fn show(&self, text: &[u8]) {
            self.0.borrow_mut().push_str(std::str::from_utf8(text).expect("it is text"));
        }
    }

    /// By instant, round, kind and rank, however it comes; what may be preceded by something waits.
    #[test]
    fn prints_come_in_the_order_of_events() {
        let in_round = |at, round, kind, rank, text: &str| Print {
            moment: Moment { at: Time::from_ps(at), round, kind, rank: Rank(rank) },
            text: text.into(),
        };
        let print = |at, kind, rank, text| in_round(at, 0, kind, rank, text);
        let (mut prints, shown) = (Prints::default(), Shown(RefCell::default()));
        prints.add([print(7, EventKind::Arrived, 4, "c"), print(7, EventKind::Arrived, 4, "d")]);
        prints.add([print(5, EventKind::Timer, 9, "a"), print(7, EventKind::Departed, 9, "b")]);
        prints.add([in_round(7, 1, EventKind::Start, 0, "e"), print(8, EventKind::Start, 0, "f")]);
        prints.show_before(Time::from_ps(5), &shown);
        assert_eq!(*shown.0.borrow(), "");
        prints.show_before(Time::from_ps(8), &shown);
        assert_eq!(*shown.0.borrow(), "abcde");
        prints.show_before(Time::MAX, &shown);
        assert_eq!(*shown.0.borrow(), "abcdef");
    }
}
