//! Limits that tests elsewhere show, and the few that no test can show.

/// The file of the test that shows that a sentence is so, the name of the test, and the sentence of the page, or a part of one. The
/// name of a case in a table is the beginning of what it is about.
const ELSEWHERE: &str = r#"
# Where it runs
crates/run/tests/run/runs.rs tie_sensitivity_for_any_number_of_threads `engine.threads` above 1 is for sweeps (`engine.method = "sweep"`) and for `--tie-sensitivity`
crates/cli/tests/cli/together.rs what_several_processes_cannot_run_is_refused and several processes only with an `engine.latency`
crates/cli/tests/cases/gpu.toml what_does_not_fit_is_named_at_once A GPU runs synthetic traffic and patterns of the packet engine only, and gives what is counted at its end
crates/packet/src/shared/tests.rs a_machine_is_cut_into_parts A run on packets has at most 64 threads.
crates/cli/tests/cases/limits_of_programs.toml simulated_disks,_and_calls_of_all_ranks_in_one_table refuse `[storage]`, `output.calls` and `output.trace`.
crates/cli/tests/cli/together.rs files_are_for_one_process A file that several ranks open together ends the run there
# Your program
crates/cli/tests/cases/processes.toml programs_that_would_run_past_the_simulator_are_refused Binaries built for the own interface of another MPI cannot be run.
crates/cli/tests/cases/limits_of_programs.toml programs_are_started_by_weir_only which only weir can start
crates/cli/tests/cases/calls.toml where_there_are_no_calls They have no table of calls, no trace and no profile
crates/cli/tests/cases/limits_of_programs.toml ranks_need_memory_for_their_own_data The data of all ranks on a computer must fit into its memory
crates/cli/tests/cases/extensions.toml without_data_everything_takes_as_long With `--no-data` receive buffers stay as they are and reductions give no result.
crates/capi/src/process.rs there_is_one A process runs one MPI program
crates/cli/tests/cases/limits_of_programs.toml ranks_are_one_process `getpid` gives all the same number, `chdir` and `setenv` act on all
crates/cli/tests/cli/endings.rs a_rank_that_computes_for_ever_is_named A rank that computes forever without calling MPI stops the whole run.
crates/cli/tests/cases/programs.toml threads_that_may_not_call_mpi Elsewhere, in Python too, a call from another thread ends the run.
crates/cli/tests/cases/programs.toml threads_that_may_not_call_mpi and not where causes, a trace, a table of calls or a profile are recorded.
crates/cli/tests/cases/programs.toml threads_are_refused_where_globals_are_put_in_place threads are refused with more than one rank
crates/cli/tests/cases/limits_of_programs.toml a_variable_of_a_shared_library_counts_all_ranks keep one copy of their variables for all ranks, and their constructors run once
crates/cli/tests/cases/limits_of_programs.toml a_`rand`_of_the_program_is_its_own gets weir's in other source files.
crates/compiler/src/fortran/modules.rs the_texts_of_some_functions_and_constants no `PMPI_` names in the modules
# MPI
crates/cli/tests/cli/outcomes.rs every_failing_program_ends_with_its_exit_status_and_reason No processes are started during the run
crates/capi/src/tests/tools.rs there_is_nothing_to_show the tools interface has no counters and no settings
crates/experiment/tests/experiment/collectives.rs the_page_has_all_algorithms_and_their_other_names The collective algorithms are those listed in [collectives]
crates/collectives/src/presets/tests.rs the_table_of_mpich_is_its_formulas `auto` chooses by the rules of MPICH
crates/collectives/src/presets/tests.rs every_measured_name_is_known_or_said_to_be_unpublished Algorithms that libraries do not publish (`3dtorus`, `3dtorus-sm`, `bintree6d` of Fujitsu MPI)
crates/cli/tests/cases/programs.toml ranks_that_send_and_receive_in_turn_never_wait_for_room more than `node.eager_messages` (16,384) short messages before they receive any.
crates/capi/src/tests/files.rs disks_take_time An access to a file does not go through the network, caches nothing, and reads as fast as it writes.
# Time and computation
crates/cli/tests/cases/programs.toml time_passes_for_computation_where_it_shall Computation between MPI calls costs nothing
crates/capi/src/tests/operations.rs what_is_not_charged and neither `MPI_Reduce_local` nor accumulating into windows
crates/message/src/process/tests/progress.rs a_receiver_that_computes requests to send are answered at once
crates/capi/src/tests/communicators.rs attributes_of_the_standard All ranks share one clock, without skew or noise.
python/tests/test_validation.py test_long_reduce_scatters_along_a_ring_take_longer_than_predicted take 1.3 to 2.0 times as long on MareNostrum 5 as weir says
# Networks and routes
crates/flow/tests/flow/shared.rs the_engine_is_a_fluid Messages of one [class](../guide/classes.md) that share an interface have equal parts of it
crates/flow/tests/flow/services.rs weights_divide_a_link On the flow engine the weight of a class is that of each of its messages
crates/topology/src/fat_tree/tests.rs every_port_of_every_switch_is_used Switches of fat trees have as many cables to each switch above and no spare ports
crates/collectives/tests/plans/parameters.rs what_interfaces_cannot_do_the_preset_decides How a Tofu carries out [barriers]
# The engines
crates/cli/tests/cases/runs.toml victims_of_streams_are_counted_by_flow for [short messages beside long ones]
crates/experiment/tests/experiment/cases.rs experiments_are_refused_or_read_as_the_table_says Only the packet engine uses `[packet]` and has pauses between packets.
crates/experiment/tests/experiment/cases.rs experiments_are_refused_or_read_as_the_table_says Wormhole routers with buffers smaller than a packet cannot be described.
crates/run/tests/run/runs.rs tie_sensitivity_for_any_number_of_threads an all-to-all without synchronization amplifies every difference
# Faults
crates/experiment/tests/experiment/cases.rs experiments_are_refused_or_read_as_the_table_says Faults that begin or end while a run goes on need the packet engine, or the flow engine without `engine.method`.
crates/flow/tests/flow/changes.rs a_cable_fails_and_is_repaired On the flow engine no time passes until a fault is known
crates/analysis/tests/analysis/faults.rs who_is_cut_off All ranks must reach each other, also those that never send to each other.
crates/analysis/tests/analysis/faults.rs too_few_virtual_channels_for_detours Packets with detours need [virtual channels for them]
# Long and large runs
crates/flow/tests/flow/by_hand.rs beyond_representable_time Simulated time ends after 213 days
crates/packet/src/network/tests.rs the_end_of_what_is_counted on the packet engine after 26 days
crates/cli/tests/cases/runs.toml who_writes_no_checkpoints not for MPI programs, and not beside tables that grow while a run goes on
crates/cli/tests/cli/checkpoints.rs what_does_not_fit_is_refused Only the build of weir that wrote a checkpoint can go on from it.
crates/coroutine/tests/coroutines.rs an_overflow_without_guards_is_found_when_the_rank_waits an overflow is found when the rank next waits
# Patterns, profiles and placement
crates/experiment/tests/experiment/cases.rs experiments_are_refused_or_read_as_the_table_says Synthetic traffic is for the packet engine, with one rank and one interface on each node, linearly mapped.
crates/replay/tests/replay/by_hand.rs wildcards_are_kept_or_not it takes the same message where any would do unless `--sources as-posted` says otherwise
crates/cli/tests/cases/skeletons.toml functions_of_other_files_stay functions of other files stay, and with them what they may read
crates/extrapolate/tests/extrapolate/patterns.rs what_no_form_fits_is_named_with_its_place Partners, lengths and loops that hang on data are refused, and so are communicators between two groups and a number of communicators that hangs on the number of ranks.
crates/extrapolate/tests/extrapolate/patterns.rs what_begins_beyond_the_profiles_is_not_seen What a program does only beyond the sizes that were recorded (another algorithm, a least length of a message) no profile of fewer ranks shows: `weir profile extrapolate` carries on what it did before, and may say nothing.
crates/extrapolate/tests/extrapolate/patterns.rs what_is_left_out It leaves out looks in vain, and takes whoever comes first where no form says from whom a receive from any source is. Times of ranks of a class become one.
crates/cli/tests/cases/limits_of_programs.toml a_skeleton_that_looks_more_often but not accesses to windows, files, and looks for messages
python/tests/test_papers.py test_item Where ranks drift apart, its gaps fit a contention that is no longer there.
crates/experiment/tests/experiment/launch.rs rankfiles_name_the_host_of_each_rank place ranks on nodes: the cores, sockets and interfaces in them are passed over
# Calibration
crates/calibrate/src/parameter.rs what_cannot_be_fitted_is_refused not sizes such as `node.eager_limit`
crates/calibrate/src/measured/tests.rs osu_logs_are_read It reads logs of the latency tests and blocking collectives of OSU Micro-Benchmarks
# Results
crates/cli/tests/cases/calls.toml messages_that_never_arrive_have_no_row Messages that never arrive have no row
crates/cli/tests/cli/calls/trace.rs a_long_critical_path_is_drawn_from_an_instant_on of a long critical path [the last part]
crates/analysis/tests/analysis/packets.rs synthetic_traffic_needs_the_packet_engine for MPI programs and synthetic traffic.
# Reports
python/tests/test_report_limits.py test_pictures_in_time A report shows up to 240 pictures in time, fewer on large machines (29 for a torus of 40,960 nodes).
python/tests/test_report_limits.py test_lines_of_large_machines Of more than 20,000 links the busiest 20,000 are drawn as lines.
python/tests/test_report_limits.py test_routes_and_places_of_large_machines Routes between any two nodes are in pages of up to 128 nodes
python/tests/test_report_limits.py test_routes_and_places_of_large_machines and the places of up to 65,536 ranks.
python/tests/test_killed.py test_what_is_left_is_drawn Of a run that was killed a report shows the intervals whose parts of tables are complete.
python/tests/test_report_limits.py test_names_of_the_run_are_in_one_language The language switch does not cover what comes from the run
# Several jobs, files of other tools, recorded programs
crates/run/tests/run/job_lists.rs jobs_are_served_in_their_order first come, first served, or with
crates/packet/src/routers/waiting.rs a_packet_waits_for_who_has_the_output A packet that waits for room in the next buffer counts as one that waits for whoever had the link last.
crates/run/tests/run/job_lists.rs what_is_on_its_way_still_arrives what is on its
crates/experiment/tests/experiment/cases.rs experiments_are_refused_or_read_as_the_table_says A list does not go with `[[jobs]]`
crates/experiment/tests/experiment/cases.rs experiments_are_refused_or_read_as_the_table_says `[[work]]`, `output.calls`, `output.trace` and advice on mappings are for one job.
crates/experiment/tests/experiment/foreign/platforms.rs what_cannot_be_said_is_named_with_its_line_or_left_out_and_counted are refused, unless `weir convert --skip` leaves them out.
crates/cli/tests/cli/recorded.rs what_is_not_in_a_profile_is_said `--mpicc` names its compiler
crates/cli/tests/cli/recorded.rs recorded_programs_are_those_that_weir_logs Collectives in a profile have the algorithms of the machine file.
crates/cli/tests/cli/recorded.rs what_is_not_in_a_profile_is_said Not in the profile, and counted by name: calls that return an error
"#;

/// The sentences, each with its file and its test.
pub(super) fn elsewhere() -> Vec<(&'static str, &'static str, &'static str)> {
    let lines = ELSEWHERE.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let row = |line: &'static str| {
        let mut parts = line.splitn(3, ' ');
        let mut next = || parts.next().unwrap();
        let (file, test) = (next(), next());
        (next(), file, test)
    };
    lines.map(row).collect()
}

/// The beginnings of points of the page that no test here can show, and why.
pub(super) const NOT_SHOWN: &[(&str, &str)] = &[
    ("weir runs on x86-64 Linux with glibc", "other systems and processors are not here"),
    ("C++ needs the static library of C++", "other compilers and linkers are not here"),
    (
        "With `--compute measured` or a factor",
        "how long work takes on another computer cannot be seen on this one",
    ),
    ("The page needs a browser of 2023 or later", "older and other browsers are not here"),
    ("A program that has its MPI linked into itself", "no MPI here has static libraries"),
    ("Calls that several threads make at once", "which of them overlap is not known before"),
    ("The time of a file access that goes on", "how long a disk of this computer takes is not known"),
    ("Looks in vain less than a microsecond apart", "how often a program looks hangs on the computer"),
    ("Where the recorder is called in Fortran", "the bindings of each MPI have names of their own for it"),
    ("Ranks of a run that the system put aside", "how busy this computer is hangs on others"),
];
