//! Collectives along several trees: what they follow, and that they share no link.

use crate::load;
use std::collections::BTreeSet;
use weir_collectives::choice::Bcast;
use weir_collectives::{Choice, Parameters, ParametersOfAll, Place, Plan, Round};
use weir_experiment::Scenario;

/// One collective on a machine.
fn of(operation: &str, machine: &str, keys: &str) -> String {
    format!("{machine}[workload]\nkind = 'collective'\noperation = '{operation}'\n{keys}\n")
}

fn torus(shape: &str, rest: &str) -> String {
    format!("[topology]\nkind = 'torus'\nshape = {shape}\nbandwidth = '1 GB/s'\n{rest}\n")
}

const TOFU: &str = "[topology]\nkind = 'tofu'\nbandwidth = '1 GB/s'\n[mapping]\nkind = 'folded'\n";

const TREES: &str = "algorithm = 'disjoint-trees'\nmessage_size = '1 MB'";

/// The grid is the job's own torus, in the order in which ranks go along its sides, or the torus that ranks fill.
#[test]
fn the_grid_is_that_of_the_job() {
    let grid = |text: &str| load(text).unwrap().collectives.grid.clone();
    assert_eq!(grid(&of("bcast", &torus("[4, 2, 3]", ""), TREES)), [4, 2, 3]);
    let job = format!("{TOFU}job = [8, 4, 2]\nrank_order = 'yzx'\n");
    assert_eq!(grid(&of("reduce", &job, TREES)), [4, 2, 8]);
    let written = format!("{}\n[collectives]\ngrid = [6, 2]\n", of("bcast", &torus("[4, 3]", ""), TREES));
    assert_eq!(grid(&written), [6, 2]);
    // A row of the table follows it as well; where nothing does, there is none.
    let row = "[[selection]]\ncollective = 'allreduce'\nalgorithm = 'disjoint-trees'\ntrees = 2\n";
    assert_eq!(grid(&format!("{}{row}", of("bcast", &torus("[4, 3]", ""), "message_size = '1 MB'"))), [4, 3]);
    assert_eq!(grid(&of("bcast", &torus("[4, 3]", ""), "message_size = '1 MB'")), [0_u32; 0]);
}

/// The links between routers that the parts of a broadcast pass, each with the number of its part.
fn links_of_parts(scenario: &Scenario, root: usize, trees: u32) -> Vec<(u32, usize)> {
    const BYTES: usize = 60_000;
    let parameters = Parameters { trees: std::num::NonZeroU32::new(trees), ..Parameters::default() };
    let choice = Choice {
        bcast: Bcast::DisjointTrees,
        parameters: ParametersOfAll { bcast: parameters, ..ParametersOfAll::default() },
        grid: scenario.collectives.grid.clone().into(),
        ..Choice::default()
    };
    let (machine, placement) = (scenario.topology().unwrap(), scenario.placement());
    let size = scenario.workload.ranks;
    let (mut route, mut passed) = (Vec::new(), Vec::new());
    for rank in 0..size {
        let plan = Plan::bcast(&choice, Place { rank, size }, root, BYTES);
        for index in 0..plan.schedule.rounds() {
            let mut round = Round::default();
            plan.schedule.round(index, &mut round);
            for send in round.sends {
                let nodes =
                    [rank, send.peer as usize].map(|rank| placement.node(weir_units::Rank::new(rank)));
                machine.route(nodes[0], nodes[1], &mut route);
                let part = send.range.start * trees as usize / BYTES;
                passed.extend(route[1..route.len() - 1].iter().map(|link| (link.0, part)));
            }
        }
    }
    passed
}

/// On the machine's own torus, and on that of a job that is folded into a Tofu: every message goes over one link between routers, and
/// over none goes another.
#[test]
fn trees_share_no_link_of_the_machine() {
    let job = format!("{TOFU}job = [8, 4, 6]\nrank_order = 'yzx'\naxes = 'xzy'\n");
    for (machine, trees) in [
        (torus("[5, 4, 3]", ""), 6),
        (torus("[4, 4]", ""), 4),
        (torus("[2, 6]", ""), 3),
        (torus("[4, 2, 3]", ""), 2),
        (torus("[3, 3, 3, 4]", ""), 8),
        (job, 6),
    ] {
        let scenario = load(&of("bcast", &machine, TREES)).unwrap();
        let ranks = scenario.workload.ranks;
        for root in [0, ranks / 3] {
            let passed = links_of_parts(&scenario, root, trees);
            assert_eq!(passed.len(), trees as usize * (ranks - 1), "{machine}");
            let links: BTreeSet<u32> = passed.iter().map(|(link, _)| *link).collect();
            assert_eq!(links.len(), passed.len(), "{machine}");
        }
    }
}
