//! Files of launchers: what each form says, what is noted, what is refused, and that a placement survives each of them.

use crate::{Folder, again, check_problems, table};
use proptest::prelude::*;
use weir_experiment::{Problems, Scenario, Source};

/// A ring on a mesh of eight nodes, with these keys of the mapping and these files.
fn load_in(folder: &Folder, ranks: Option<usize>) -> Result<Scenario, Problems> {
    Scenario::load(&Source { ranks, ..folder.source("e.toml") })
}

fn folder(topology: &str, keys: &str, files: &[(&str, &str)]) -> Folder {
    let experiment = format!(
        "[topology]\n{topology}\nbandwidth = '1 GB/s'\n[mapping]\nkind = 'file'\nfile = 'launch'\n{keys}\n[workload]\nkind = 'ring'\n\
         message_size = '1 kB'\n"
    );
    Folder::with(&[&[("e.toml", experiment.as_str())], files].concat())
}

const EIGHT: &str = "kind = 'mesh'\nshape = [4, 2]";

fn nodes(scenario: &Scenario) -> Vec<usize> {
    scenario.placement().nodes().iter().map(|node| node.index()).collect()
}

/// What a launch file comes to on eight nodes: the node of each rank, and what is noted.
#[track_caller]
fn check_with(keys: &str, files: &[(&str, &str)], expected: &[usize], notes: &[&str]) {
    let folder = folder(EIGHT, keys, files);
    let scenario = load_in(&folder, None).unwrap_or_else(|problems| panic!("{files:?}: {problems}"));
    assert_eq!(nodes(&scenario), expected, "{files:?}");
    let warnings = scenario.warnings();
    let said =
        warnings.len() == notes.len() && warnings.iter().zip(notes).all(|(said, part)| said.contains(part));
    assert!(said, "{files:?}: {warnings:#?}");
    // What is resolved places ranks the same.
    let again = again(&scenario);
    assert_eq!(again, scenario);
    assert_eq!(again.placement(), scenario.placement());
}

#[track_caller]
fn check(text: &str, expected: &[usize], notes: &[&str]) {
    check_with("", &[("launch", text)], expected, notes);
}

const BY_NUMBER: &str = "by the numbers in which their names end (";
const IN_ORDER: &str = "in the order in which they come first (";

#[test]
fn host_lists_fill_one_host_after_the_other() {
    let text = "node2 slots=2\nnode0 slots=1 # one\n\nnode5 slots = 3 max_slots=4\n";
    check(text, &[2, 2, 0, 5, 5, 5], &[BY_NUMBER]);
    check("c\na max-slots=2\nb:1\n", &[0, 1, 1, 2], &["line 1: c has no slots", IN_ORDER]);
    let text = "n1:2\nn3:2 ifname=ib0\nn4\n";
    check(text, &[1, 1, 3, 3, 4], &["\"ifname=ib0\" is passed over", "n4 has no slots", BY_NUMBER]);
    // Host names of another numbering than the nodes of the machine.
    check("node101:1\nnode102:1\n", &[0, 1], &["node101 is node 0, node102 is node 1"]);
    check("rack1-a2\nrack2-a1\n", &[0, 1], &[IN_ORDER]);
    check("10.0.0.7\n10.0.0.5\n", &[0, 1], &[IN_ORDER]);
    check("node3.cluster.org:2\nnode1.cluster.org:1", &[3, 3, 1], &[BY_NUMBER]);
    // prrte/src/docs/prrte-rst-content/detail-hostfiles.rst (BSD-3-Clause), with less slots.
    let prrte = "# This is a comment line, and will be ignored\nnode01  slots=2\nnode13  slots=1\n\nnode15\nnode16\nnode17  slots=3\n";
    check(prrte, &[0, 0, 1, 2, 3, 4, 4, 4], &["node15 and 1 more has no slots", IN_ORDER]);
    // superbenchmark/tests/data/ib_traffic_topo_aware_hostfile (MIT), the first lines.
    check("vma414bbc00005I\nvma414bbc00005J\nvma414bbc00005K\n", &[0, 1, 2], &[IN_ORDER]);
    check_with("ranks_per_node = 2", &[("launch", "a\nb\n")], &[0, 0, 1, 1], &[IN_ORDER]);
    check_with("distribution = 'cyclic'", &[("launch", "a:1\nb:3\nc:2")], &[0, 1, 2, 1, 2, 1], &[IN_ORDER]);
}

#[test]
fn a_host_a_line_is_a_rank_a_line_where_hosts_come_again() {
    check("n1\nn1\nn0\nn0\n", &[1, 1, 0, 0], &[BY_NUMBER]);
    check("n1\nn0\nn1\nn0\n", &[1, 0, 1, 0], &[BY_NUMBER]);
    check_with("distribution = 'block'", &[("launch", "n1\nn0\nn1\nn0\n")], &[1, 1, 0, 0], &[BY_NUMBER]);
}

#[test]
fn slurm_lists_are_expanded() {
    check(
        "node[001-003,7]\n",
        &[1, 2, 3, 7],
        &[
            "node001 is node 1, node002 is node 2); if they count from 1: --set 'mapping.hosts={\"node[001-008]\"=0}'",
        ],
    );
    // One host has the number of all nodes: they count from 1, in whatever order they come.
    let text = "node[8,6-7]\n";
    check(text, &[7, 5, 6], &["counted from 1 (node8 is node 7, node6 is node 5); mapping.hosts can"]);
    check("n8\nn0\n", &[0, 1], &[IN_ORDER]);
    check("a,b[1-2]-ib,c\n", &[0, 1, 2, 3], &[IN_ORDER]);
    check("r[0-1]n[1-2]\n", &[0, 1, 2, 3], &["r0n1 is node 0, r0n2 is node 1"]);
    check("node[6-7] slots=2\n", &[6, 6, 7, 7], &[BY_NUMBER]);
    let variables = |more: &str| {
        format!("SLURM_JOB_ID=17\nSLURM_JOB_NODELIST=node[1-2,4]\nSLURM_TASKS_PER_NODE=2(x2),1\n{more}")
    };
    check(&variables(""), &[1, 1, 2, 2, 4], &[BY_NUMBER]);
    check(&variables("SLURM_DISTRIBUTION=cyclic"), &[1, 2, 4, 1, 2], &[BY_NUMBER]);
    let text = "export SLURM_NODELIST=\"node[1-2]\"\nexport SLURM_NTASKS_PER_NODE=2\n";
    check(text, &[1, 1, 2, 2], &[BY_NUMBER]);
    check("0: node1\n2: node1\n 1: node4\n", &[1, 4, 1], &[BY_NUMBER]);
}

#[test]
fn rankfiles_name_the_host_of_each_rank() {
    // prrte/src/docs/prrte-rst-content/detail-placement-rankfiles.rst (BSD-3-Clause): cores and relative hosts.
    let cores = "rank 0=aa slot=10-12\nrank 1=bb slot=0,1,4\nrank 2=cc slot=1-2\n";
    check(cores, &[0, 1, 2], &["\"slot=10-12\" and the like on 3 lines are passed over", IN_ORDER]);
    let relative = "rank 0=+n0 slot=10-12\nrank 1=+n1 slot=0,1,4\nrank 2=+n2 slot=1-2\n";
    check(relative, &[0, 1, 2], &["passed over", "+n0, +n1, ... are taken for nodes 0, 1"]);
    let hosts = ("hosts", "node5 slots=2\nnode3\nnode1\n");
    check_with("hosts = 'hosts'", &[("launch", relative), hosts], &[5, 3, 1], &["passed over", BY_NUMBER]);
    check("rank 1=n2 slot=0:0-1\nrank 0=n2 slot=0:2\n", &[2, 2], &["passed over", BY_NUMBER]);
    // openpmix/prrte, test/offline/golden/turin-4gpu/matrix.turin-4gpu.even.m-node.r-slot.b-none.n7.map (BSD-3-Clause), shortened.
    let map = "\n========================   JOB MAP   ========================\nData for JOB prterun-JOBID@N offset 0 Total slots allocated N\n    \
               Mapping policy: BYNODE:NOOVERSUBSCRIBE  Ranking policy: SLOT Binding policy: NONE\n    Cpu set: N/A  PPR: N/A\n\n\nData for node: \
               node0\tNum slots: 8\tMax slots: 0\tNum procs: 2\n        Process jobid: prterun-JOBID@N App: 0 Process rank: 0 Bound: N/A\n        \
               Process jobid: prterun-JOBID@N App: 0 Process rank: 1 Bound: N/A\n\nData for node: node2\tNum slots: 8\tMax slots: 0\tNum procs: \
               1\n        Process jobid: prterun-JOBID@N App: 0 Process rank: 2 Bound: N/A\n";
    check(map, &[0, 0, 2], &[BY_NUMBER]);
    check("0 node3\n1 node1\n", &[3, 1], &[BY_NUMBER]);
    check_with("ranks_per_node = 2", &[("launch", "0, 2, 4\n1,3,5\n")], &[0, 1, 0, 2, 1, 2], &[]);
    check("3,0-2\n", &[1, 2, 3, 0], &[]);
}

#[test]
fn tables_say_which_nodes_hosts_are() {
    let launch = ("launch", "node[101-103]\n");
    check_with("hosts = { 'node[101-104]' = 4 }", &[launch], &[4, 5, 6], &[]);
    check_with("hosts = { node101 = 0, node102 = '(1,1)', node103 = 7 }", &[launch], &[0, 5, 7], &[]);
    let file = ("hosts", "# host node\nnode[101-102] 6\nnode103 (0,1)\n");
    check_with("hosts = 'hosts'", &[launch, file], &[6, 7, 4], &[]);
    check_with("hosts = { a = 3 }", &[("launch", "0 a\n1 a\n")], &[3, 3], &[]);
    check_with("hosts = { a = 3 }", &[("launch", "a.b.org:2\n")], &[3, 3], &[]);
    // Vertices of a graph by their names, with or without a domain.
    let csv = "source,target\nnode7,s\nnode5,s\nnode6,s\n";
    let folder =
        folder("kind = 'graph'\nfile = 'm.csv'", "", &[("m.csv", csv), ("launch", "node5\nnode7.here\n")]);
    let scenario = load_in(&folder, Some(2)).unwrap();
    let names: Vec<String> =
        scenario.placement().nodes().iter().map(|&node| scenario.topology().unwrap().address(node)).collect();
    assert_eq!(names, ["node5", "node7"]);
    assert!(!scenario.warnings().iter().any(|warning| warning.contains("are taken for nodes")));
}

/// A job of 4 x 2 in a Tofu lies as a folded one does: the file lists its places backwards.
#[test]
fn coordinates_are_of_the_job_or_of_the_machine() {
    check("(3,1)\n(0,0) core=3\n(0,0)\n", &[7, 0, 0], &["\"core=3\" is passed over"]);
    let line = "kind = 'torus'\nshape = [5]";
    let folder_of = |topology: &str, keys: &str, text: &str| folder(topology, keys, &[("launch", text)]);
    assert_eq!(nodes(&load_in(&folder_of(line, "", "(4)\n(2)\n"), None).unwrap()), [4, 2]);
    let backwards: String = (0..8).rev().map(|place| format!("({},{})\n", place % 4, place / 4)).collect();
    for topology in ["kind = 'tofu'", "kind = 'tofu'\nshape = [4, 4, 4]"] {
        let of_job = folder_of(topology, "job = [4, 2]", &backwards);
        let filed = load_in(&of_job, None).unwrap();
        let folded = format!(
            "[topology]\n{topology}\nbandwidth = '1 GB/s'\n[mapping]\nkind = 'folded'\njob = [4, 2]\n[workload]\nkind = 'ring'\n\
             message_size = '1 kB'\n"
        );
        let folded = crate::load(&folded).unwrap();
        let expected: Vec<usize> = nodes(&folded).into_iter().rev().collect();
        assert_eq!((nodes(&filed), filed.nodes()), (expected, folded.nodes()));
        assert_eq!(again(&filed), filed);
    }
}

#[test]
fn mistakes_are_named_all_at_once_with_their_lines() {
    // Keys | launch file | ranks | lines.
    let cases = r#"
        | a slots=2; b slots=x; c[3-1]; d slots; ^e; f:0; g slots=3 max_slots=2 | 2 | 2 3 4 5 6 7 => mapping.file: "x" is no number of ranks && mapping.file: "3-1" is no range && mapping.file: "slots" is no part of a host list && mapping.file: takes a host out && mapping.file: "0" is no number of ranks && mapping.file: has 3 slots, and at most 2
        | a[1-2; b(2) | 2 | 1 2 => mapping.file: has no ] for its [ && mapping.file: is no host
        | rank 0=a slot=0; rnk 1=b; rank x=c | 2 | 2 3 => mapping.file: a line of a rankfile && mapping.file: a line of a rankfile
        | rank 0=a slot=0; rank 0=b slot=0; rank 7=b | 3 | 2 3 => mapping.file: ranks 1 to 2 have no node && mapping.file: rank 0 has a node already, from line 1 && mapping.file: "7" is not a rank; expected one from 0 to 2
        | 0: a; x | 2 | 2 => mapping.file: a rank and its host
        | (0,0); 0,1; (1,x) | 2 | 2 3 => mapping.file: the place of a rank && mapping.file: the place of a rank
        | (0,0); (4,0) | 2 | 2 => mapping.file: coordinates from (0,0) to (3,1) coordinates are those of the machine, or with mapping.job
        | a:2; b:1 | 4 | => mapping.file: has room for 3 ranks on 2 hosts: too few for 4 write behind a host
        ranks_per_node = 1 | a:2; b:1 | 2 | 1 => mapping.file: node a is full; expected at most 1 ranks on a node set mapping
        | SLURM_NTASKS=3; PATH=x | 2 | 2 => mapping.file: has no SLURM_JOB_NODELIST && mapping.file: is not a variable of Slurm
        | SLURM_JOB_NODELIST=n[1-3]; SLURM_TASKS_PER_NODE=2(x2); SLURM_DISTRIBUTION=plane=2 | 2 | 2 3 => mapping.file: has 2 numbers of ranks for 3 hosts && mapping.file: "plane=2" is not block or cyclic
        | 1,0; x,2 | 3 | 2 => mapping.file: "x" is no rank
        | a; b; c; d; e; f; g; h; i | 8 | 9 => mapping.file: "i" is not one of 8 hosts, as many as the machine has nodes
        hosts = { a = 0 } | a; b | 2 | 2 => mapping.file: "b" is not a host of mapping.hosts
        hosts = { a = 8, 'b[0-7]' = 1 } | a | 1 | => mapping.hosts: "8" is not a node from 0 to 7 && mapping.hosts: has 8 hosts from node 1 on, and there are 8 nodes
        hosts = { a = true } | a | 1 | 8 => mapping.hosts: a: must be a node
        job = [4, 2] | a; b | 2 | => mapping.job: says nothing beside this file
        distribution = 'cyclic' | 0 1; 1 0 | 2 | => mapping.distribution: says nothing beside this file
        job = [3, 2] | (0,0); (3,0) | 2 | 2 => mapping.file: not a place of the job, from (0,0) to (2,1)
    "#;
    for (text, expected) in table(cases) {
        let parts: Vec<&str> = text.split('|').map(str::trim).collect();
        let [keys, text, ranks, lines] = parts[..] else { panic!("{text}") };
        let launch = format!("{text}\n");
        let result = load_in(&folder(EIGHT, keys, &[("launch", &launch)]), ranks.parse().ok());
        let problems = result.as_ref().err().map_or(&[][..], Problems::list);
        let found: Vec<String> =
            problems.iter().filter_map(|problem| Some(problem.line?.to_string())).collect();
        assert_eq!(found.join(" "), lines, "{text:?}");
        check_problems(result, expected);
    }
}

/// All forms of one placement; those of hosts with a name for each node, which is found again by its number.
fn forms(nodes: &[usize]) -> Vec<String> {
    let each = |line: &dyn Fn(usize, usize) -> String| -> String {
        nodes.iter().enumerate().map(|(rank, &node)| line(rank, node)).collect()
    };
    let mut map = "Data for node: none Num slots: 0\n".to_owned();
    for (rank, node) in nodes.iter().enumerate() {
        map.push_str(&format!("Data for node: h-{node:03}\tNum slots: 9\n    Process jobid: x App: 0 Process rank: {rank} Bound: N/A\n"));
    }
    vec![
        each(&|rank, node| format!("{rank} {node}\n")),
        each(&|rank, node| format!("{rank} h-{node:03}\n")),
        each(&|rank, node| format!("rank {rank}=h-{node:03} slot=0:{rank}\n")),
        each(&|rank, node| format!("rank {rank}=+n{node} slot=0\n")),
        each(&|rank, node| format!("{rank:>3}: h-{node:03}.cluster\n")),
        each(&|_, node| format!("({},{}) core=1\n", node % 4, node / 4)),
        map,
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Whatever the order of lines: all forms that name ranks come to the same nodes.
    #[test]
    fn a_placement_is_the_same_in_every_form(nodes_of in proptest::collection::vec(0_usize..8, 1..14), turn in 0_usize..14) {
        for (form, text) in forms(&nodes_of).into_iter().enumerate() {
            let mut lines: Vec<&str> = text.lines().collect();
            if form < 5 {
                let turn = turn % lines.len();
                lines.rotate_left(turn);
            }
            let keys = if form == 0 { "ranks_per_node = 14" } else { "" };
            let folder = folder(EIGHT, keys, &[("launch", &(lines.join("\n") + "\n"))]);
            let ranks = (form == 0).then_some(nodes_of.len());
            let scenario = load_in(&folder, ranks).map_err(|problems| TestCaseError::fail(format!("{text}\n{problems}")))?;
            prop_assert_eq!(nodes(&scenario), nodes_of.clone(), "{}", text);
        }
    }

    /// Lists with rooms: a host with its number, a line for each rank, and Slurm's counts come to the same, and ranks in turn are sorted
    /// by how often their node has come before.
    #[test]
    fn rooms_are_the_same_in_every_form(rooms in proptest::collection::vec(1_usize..5, 1..8), first in 0_usize..8) {
        let hosts: Vec<usize> = (0..rooms.len()).map(|host| (first + host) % 8).collect();
        let pairs = || hosts.iter().zip(&rooms);
        let expected: Vec<usize> = pairs().flat_map(|(&host, &room)| vec![host; room]).collect();
        let names: Vec<String> = hosts.iter().map(|host| format!("n{host}")).collect();
        let counts: Vec<String> = rooms.iter().map(|room| format!("{room}(x1)")).collect();
        let slurm = format!("SLURM_JOB_NODELIST={}\nSLURM_TASKS_PER_NODE={}\n", names.join(","), counts.join(","));
        let slots: String = pairs().map(|(host, room)| format!("n{host} slots={room}\n")).collect();
        let hydra: String = pairs().map(|(host, room)| format!("n{host}:{room}\n")).collect();
        let lines: String = expected.iter().map(|host| format!("n{host}\n")).collect();
        for text in [&slots, &hydra, &slurm, &lines] {
            let scenario = load_in(&folder(EIGHT, "", &[("launch", text)]), None).unwrap();
            prop_assert_eq!(nodes(&scenario), expected.clone(), "{}", text);
        }
        let mut before = [0; 8];
        let mut in_turn: Vec<(usize, usize, usize)> = Vec::new();
        for &host in &expected {
            let place = hosts.iter().position(|other| *other == host).unwrap();
            in_turn.push((before[host], place, host));
            before[host] += 1;
        }
        in_turn.sort_unstable();
        let in_turn: Vec<usize> = in_turn.into_iter().map(|(_, _, host)| host).collect();
        let dealt = load_in(&folder(EIGHT, "distribution = 'cyclic'", &[("launch", &slots)]), None).unwrap();
        prop_assert_eq!(nodes(&dealt), in_turn);
    }
}
