//! Limits that tests elsewhere show, and the few that no test can show.

/// The file of the test that shows that a sentence is so, the name of the test, and the sentence of the page, or a part of one. The
/// name of a case in a table is the beginning of what it is about.
const ELSEWHERE: &str = r#"
# Where it runs.
crates/capi/src/process.rs there_is_one A process runs one MPI program
crates/run/tests/run/runs.rs tie_sensitivity_for_any_number_of_threads `engine.threads` above 1 is for sweeps (`engine.method = "sweep"`) and for `--tie-sensitivity`
crates/cli/tests/cli/together.rs what_several_processes_cannot_run_is_refused and several processes only with an `engine.latency`
crates/cli/tests/cases/limits_of_programs.toml simulated_disks,_and_calls_of_all_ranks_in_one_table `[storage]`, `output.calls` and `output.trace` as well
crates/cli/tests/cli/together.rs files_are_for_one_process A file that several ranks open together ends the run there
crates/cli/tests/cases/calls.toml where_there_are_no_calls They have no table of calls, no trace and no profile
crates/cli/tests/cases/limits_of_programs.toml ranks_need_memory_for_their_own_data The data of all ranks on a computer must fit into its memory
crates/experiment/tests/experiment/strictness.rs bad_input_ends_soon_and_in_few_words an element of GraphML may have 256 attributes
crates/cli/tests/cli/live/strangers.rs many_connections_are_few but cannot read it, stop the run or keep it from ending
crates/cli/tests/cli/results.rs two_runs_do_not_share_a_folder The operating system locks a results folder.
python/tests/test_results.py test_tables_of_another_run readers refuse tables of another run
crates/cli/tests/cases/runs.toml who_writes_no_checkpoints not for MPI programs, and not beside tables that grow while a run goes on
crates/cli/tests/cli/checkpoints.rs what_does_not_fit_is_refused Only the build of weir that wrote a checkpoint can go on from it.
crates/flow/tests/flow/by_hand.rs beyond_representable_time Simulated time ends after 213 days
crates/experiment/tests/experiment/strictness.rs files_without_an_end Devices such as `/dev/zero` are refused; pipes are read.
# Programs.
crates/packet/src/network/tests.rs the_end_of_what_is_counted on the packet engine after 26 days
crates/compiler/src/fortran/modules.rs the_texts_of_some_functions_and_constants no `PMPI_` names in the modules
crates/cli/tests/cases/languages.toml sections_of_arrays_are_no_copies_in_calls_of_mpi_f08_that_go_on those that attach memory
crates/cli/tests/cases/languages.toml arrays_of_unknown_size_and_type_are_not_passed_on_to_calls_that_go_on An argument `type(*), dimension(*)` cannot be passed on
crates/cli/tests/cases/languages.toml sections_of_arrays_are_no_copies_in_calls_of_mpi_f08_that_go_on of `class(*)` with gaps are an error in such calls
crates/compiler/src/fortran/modules.rs the_texts_of_some_functions_and_constants which the compiler writes back as a whole
crates/compiler/src/fortran/modules.rs the_texts_of_some_functions_and_constants (`MPI_SUBARRAYS_SUPPORTED` is `.false.`)
crates/cli/tests/cases/processes.toml programs_that_would_run_past_the_simulator_are_refused Binaries built for the own interface of another MPI cannot be run.
crates/cli/tests/cases/limits_of_programs.toml programs_are_started_by_weir_only which only weir can start
crates/cli/tests/cases/programs.toml threads_that_may_not_call_mpi and a call from another thread ends the run.
crates/cli/tests/cases/programs.toml threads_that_may_not_call_mpi with them a call from another thread ends the run.
crates/cli/tests/cases/programs.toml threads_are_refused_where_globals_are_put_in_place threads are refused with more than one rank
crates/cli/tests/cases/limits_of_programs.toml a_variable_of_a_shared_library_counts_all_ranks keep one copy of their variables for all ranks, and their constructors run once
crates/cli/tests/cases/limits_of_programs.toml a_`rand`_of_the_program_is_its_own A program that defines one of these names itself, in another source file than the caller's, gets weir's.
crates/cli/tests/cases/limits_of_programs.toml ranks_are_one_process `getpid` gives all the same number, `chdir` and `setenv` act on all
crates/cli/tests/cli/endings.rs a_rank_that_computes_for_ever_is_named It is named after ten seconds
# Data and time of programs.
crates/coroutine/tests/coroutines.rs an_overflow_without_guards_is_found_when_the_rank_waits an overflow is found when the rank next waits
crates/cli/tests/cases/extensions.toml without_data_everything_takes_as_long With `--no-data` receive buffers stay as they are and reductions give no result.
crates/capi/src/tests/edges.rs work_of_operations_is_not_measured Work inside of reductions by functions of the program is not measured.
crates/cli/tests/cases/limits_of_programs.toml a_skeleton_that_looks_more_often but not accesses to windows, files, and looks for messages
crates/capi/src/tests/sampling.rs blocks_that_are_refused Sampled blocks do not nest.
crates/cli/tests/cases/programs.toml what_cannot_be_done_is_refused belong to the packet engine; the others refuse them
# MPI.
crates/capi/src/headers.rs mgen_mpi_h_has_every_name_of_mpi_h `mgen-mpi.h` has the names of MPI with the prefix `MGEN_`.
crates/cli/tests/cli/outcomes.rs every_failing_program_ends_with_its_exit_status_and_reason No processes are started during the run
crates/capi/src/tests/tools.rs there_is_nothing_to_show the tools interface has no counters and no settings
crates/collectives/tests/plans/parameters.rs blocks_go_straight_to_the_other_group send from every rank straight to every rank it concerns
crates/capi/src/tests/edges.rs sessions_may_be_mixed mixing them is not found out
crates/capi/src/tests/handlers.rs representations_of_the_program Data representations of the program cannot have conversion functions.
crates/message/src/file_view/tests.rs numbers_are_shorter_in_the_external_representation a file type with gaps may not have elements that are shorter there
crates/capi/src/tests/files.rs hints_change_no_times Hints are kept, not taken.
crates/capi/src/tests/edges.rs a_grid_keeps_the_order_of_ranks `reorder` changes nothing
crates/capi/src/tests/edges.rs types_of_both_sides_may_differ what is sent as doubles can be received as ints
crates/capi/src/tests/edges.rs blocks_of_nineteen_are_blocks_of_one `MPI_Type_create_darray` cannot deal out blocks of 19
crates/capi/src/tests/operations.rs operations_of_the_program_see_bounds Operations of the program work on elements whose data lie within 4 GiB of each other.
crates/cli/tests/cli/outcomes.rs every_failing_program_ends_with_its_exit_status_and_reason a promised receive that is not there ends the run
crates/message/src/process/tests.rs a_send_that_nobody_has_taken_is_withdrawn `MPI_Cancel` withdraws sends only while they wait by rendezvous for their receive.
crates/cli/tests/cases/programs.toml ranks_that_send_and_receive_in_turn_never_wait_for_room more than `node.eager_messages` (16,384) short messages before they receive any wait for each other
# Time.
crates/cli/tests/cli/outcomes.rs every_failing_program_ends_with_its_exit_status_and_reason the exit status of weir is 1, whatever the error code
crates/cli/tests/cases/programs.toml time_passes_for_computation_where_it_shall Computation between MPI calls costs nothing
crates/capi/src/tests/operations.rs what_is_not_charged and neither `MPI_Reduce_local` nor accumulating into windows
crates/message/src/process/tests/progress.rs a_receiver_that_computes requests to send are answered at once
crates/message/src/process/tests/windows.rs puts_and_gets_need_no_help_of_their_target accesses to windows are never held up by computing
# The network.
crates/capi/src/tests/communicators.rs attributes_of_the_standard All ranks share one clock, without skew or noise.
crates/cli/tests/cases/runs.toml victims_of_streams_are_counted_by_flow for [short messages beside long ones]
crates/run/tests/run/planes.rs interfaces_take_both_cables_of_a_ring_of_two one of the two of a torus dimension of two routers unless it has several interfaces
crates/flow/tests/flow/shared.rs the_engine_is_a_fluid Messages that share an interface have equal parts of it
crates/collectives/tests/plans/parameters.rs what_interfaces_cannot_do_the_preset_decides is for communicators of the whole job
python/tests/test_validation.py test_long_reduce_scatters_along_a_ring_take_longer_than_predicted take 1.7 to 2.6 times as long on MareNostrum 5 as weir says
crates/collectives/src/presets/tests.rs every_measured_name_is_known_or_said_to_be_unpublished Algorithms that libraries do not publish (`3dtorus`, `3dtorus-sm`, `bintree6d` of Fujitsu MPI)
crates/topology/src/fat_tree/tests.rs every_port_of_every_switch_is_used Switches of fat trees have one cable to each switch above and no spare ports
crates/run/tests/run/runs.rs tie_sensitivity_for_any_number_of_threads An all-to-all without synchronization amplifies every difference
crates/experiment/tests/experiment/cases.rs experiments_are_refused_or_read_as_the_table_says Pauses between packets are for the packet engine.
crates/network/tests/network/ideal.rs ranks_of_a_node_share_its_interface On the ideal engine an interface sends one message after the other (LogGP).
crates/experiment/tests/experiment/topologies.rs tofu A Tofu is what its six dimensions say: x, y, z and b closed to rings unless `wrap` says otherwise.
# Faults.
crates/experiment/tests/experiment/cases.rs experiments_are_refused_or_read_as_the_table_says Faults that begin or end while a run goes on need the packet engine, or the flow engine without `engine.method`.
crates/analysis/tests/analysis/faults.rs who_is_cut_off all ranks must reach each other, also those that never send to each other
crates/flow/src/ties.rs short_messages_are_perturbed_by_picoseconds It perturbs a message by up to 4 ps of its time at least
crates/flow/tests/flow/changes.rs a_cable_fails_and_is_repaired On the flow engine no time passes until a fault is known
crates/analysis/tests/analysis/faults.rs too_few_virtual_channels_for_detours Packets with detours need [virtual channels for them]
# Packets.
crates/cli/tests/cases/machines.toml a_point_that_cannot_be_run_stops_the_sweep A point of a sweep whose draw disconnects the machine stops the sweep.
crates/packet/tests/packet/synthetic.rs a_packet_in_every_slot Allocators take the given time and then always find the next packet
crates/experiment/tests/experiment/cases.rs experiments_are_refused_or_read_as_the_table_says Synthetic traffic is for the packet engine, with one rank and one interface on each node, linearly mapped.
crates/experiment/tests/experiment/cases.rs experiments_are_refused_or_read_as_the_table_says Wormhole routers with buffers smaller than a packet cannot be described.
# Patterns.
crates/analysis/tests/analysis/packets.rs synthetic_traffic_needs_the_packet_engine there is none for MPI programs and synthetic traffic
crates/analysis/tests/analysis/packets.rs synthetic_traffic_needs_the_packet_engine `weir pattern` can write neither the messages of an MPI program nor synthetic traffic.
crates/experiment/tests/experiment/bad_input.rs mistakes_in_a_pattern_file_have_their_own_file_and_line Ranks of a pattern file do not send to themselves.
crates/packet/src/shared/tests.rs a_machine_is_cut_into_parts A run has at most 64 threads.
crates/experiment/tests/experiment/cases.rs experiments_are_refused_or_read_as_the_table_says `nicam` is the halo exchange between nodes alone
python/tests/test_papers.py test_item Where ranks drift apart, its gaps fit a contention that is no longer there.
crates/replay/tests/replay/logger.rs what_cannot_be_logged `weir log` ends such a run and says which call it was
# Calibration.
crates/replay/tests/replay/by_hand.rs wildcards_are_kept_or_not it takes the same message where any would do unless `--sources as-posted` says otherwise
crates/experiment/tests/experiment/launch.rs rankfiles_name_the_host_of_each_rank place ranks on nodes: the cores, sockets and interfaces in them are passed over
crates/calibrate/src/parameter.rs what_cannot_be_fitted_is_refused not sizes such as `node.eager_limit`
crates/calibrate/tests/calibrate.rs folds_by_algorithm `--fold-by algorithm` shows what that does
# Results.
crates/calibrate/src/measured/tests.rs osu_logs_are_read It reads logs of the latency tests and blocking collectives of OSU Micro-Benchmarks
crates/cli/tests/cases/calls.toml messages_that_never_arrive_have_no_row Messages that never arrive have no row
crates/cli/tests/cases/calls.toml calls_of_windows_have_no_bytes Calls of windows and files have times, and no bytes.
crates/cli/tests/cli/calls/trace.rs a_long_critical_path_is_drawn_from_an_instant_on of a long critical path [the last part]
crates/experiment/tests/experiment/collectives.rs the_page_has_all_algorithms_and_their_other_names The collective algorithms are those listed in [collectives]
# Reports.
crates/collectives/src/presets/tests.rs the_table_of_mpich_is_its_formulas `auto` chooses by the rules of MPICH
python/tests/test_report_limits.py test_pictures_in_time A report shows up to 240 pictures in time, fewer on large machines (29 for a torus of 40,960 nodes).
python/tests/test_report_limits.py test_lines_of_large_machines Of more than 20,000 links the busiest 20,000 of each picture are drawn as lines.
python/tests/test_comparing.py test_pointing_and_turning can move a value by one of them
python/tests/test_report_limits.py test_routes_and_places_of_large_machines in pages of machines of up to 128 nodes
python/tests/test_report_limits.py test_routes_and_places_of_large_machines The places of up to 65,536 ranks are shown
python/tests/test_report.py test_parts_that_were_not_recorded_name_their_key Routes on the busiest links need `output.pairs`
python/tests/test_killed.py test_what_is_left_is_drawn Of a run that was killed a report shows the intervals whose parts of tables are complete.
python/tests/test_comparing.py test_engines_that_disagree Flow and packet are compared where both have run the same case to its end.
python/tests/test_report_limits.py test_names_of_the_run_are_in_one_language The language switch does not cover what comes from the run
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
    ("Debuggers and `dladdr` know", "a debugger shows that, and none is needed to build or test"),
    (
        "With `--compute measured` or a factor",
        "how long work takes on another computer cannot be seen on this one",
    ),
    ("`make papers` shows run times and memory", "the simulators of the papers are not to be had"),
    ("The page needs a browser of 2023 or later", "older and other browsers are not here"),
];
