//! What interfaces carry out by themselves: the data, when it is there, and where they cannot.

use super::*;
use weir_units::Duration;

fn chosen(key: &str, sides: &[u32]) -> Choice {
    Choice { grid: JobGrid::from(sides.to_vec()), ..super::chosen(key, "hardware") }
}

/// On any grid everybody gets the operands of all in the order of ranks, from any root, whatever the costs of messages.
#[test]
fn data_are_those_of_all() {
    for sides in [&[1][..], &[2], &[3], &[5, 2], &[2, 3, 2], &[1, 4, 1, 2], &[4, 4]] {
        let size = sides.iter().product::<u32>() as usize;
        for (root, commutes) in (0..size).flat_map(|root| [(root, Commutes::Yes), (root, Commutes::No)]) {
            let call = Called { size, root, amount: 5, eager: 100, commutes };
            let choice = chosen("allreduce", sides);
            assert!(
                call.plan("allreduce", &choice, Place { rank: 0, size }).call.is_of_interfaces(),
                "{sides:?}"
            );
            call.check("allreduce", &choice);
            call.check("reduce", &chosen("reduce", sides));
            Called { amount: 32, ..call }.check("bcast", &chosen("bcast", sides));
        }
    }
}

/// Longer data, and ranks that are not those of the grid, go as the preset has it.
#[test]
fn what_they_cannot_do_the_preset_decides() {
    let place = Place { rank: 1, size: 8 };
    let is_theirs = |plan: Plan| plan.call.is_of_interfaces();
    let (all, one) = (chosen("allreduce", &[4, 2]), chosen("bcast", &[4, 2]));
    let allreduce = |elements, place| Plan::allreduce(&all, place, elements, 4, Commutes::Yes);
    assert!(is_theirs(allreduce(3, place)) && !is_theirs(allreduce(4, place)));
    assert!(!is_theirs(allreduce(3, Place { rank: 1, size: 4 })));
    assert!(is_theirs(Plan::bcast(&one, place, 0, 32)) && !is_theirs(Plan::bcast(&one, place, 0, 33)));
    assert!(!is_theirs(Plan::barrier(&chosen("barrier", &[]), place)));
    let preset = Plan::barrier(&Choice::default(), place).schedule.rounds();
    assert_eq!(Plan::barrier(&chosen("barrier", &[]), place).schedule.rounds(), preset);
}

/// A rank enters for 300 ns; 1000 ns later the messages of its row are there, and take 7 ns each: on a grid of 3 x 2, 300 + 1014 + 1007. All else that
/// messages and collectives cost is not for it.
#[test]
fn times_are_those_of_the_interfaces() {
    let costs = Costs {
        hardware: Duration::from_ns(300),
        hardware_message: Duration::from_ns(7),
        collective: Duration::from_ns(5000),
        unexpected: Duration::from_ns(3000),
        gap: Duration::from_ns(2000),
        pack_overhead: Duration::from_ns(1000),
        eager_limit: Bytes(0),
        ..Costs::of_overhead(Duration::from_ns(1000))
    };
    let choice = chosen("barrier", &[3, 2]);
    assert_eq!(times::clocks_at(&costs, 6, |place| Plan::barrier(&choice, place)), [2321.0; 6]);
    let choice = chosen("bcast", &[3, 2]);
    let bcast = |place| Plan::bcast(&choice, place, 0, 0);
    assert_eq!(times::clocks_at(&costs, 6, bcast), [300.0, 1307.0, 1307.0, 1307.0, 2314.0, 2314.0]);
}
