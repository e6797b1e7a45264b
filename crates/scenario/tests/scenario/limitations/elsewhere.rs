//! Limits that tests elsewhere show, and the few that no test can show.

/// A sentence of the page, or a part of one; the file of the test that shows that it is so; and the name of the test.
pub(super) type Elsewhere = (&'static str, &'static str, &'static str);

pub(super) const ELSEWHERE: &[Elsewhere] = &[
    // Where it runs.
    ("A process runs one MPI program", "crates/capi/src/process/process_world.rs", "there_is_one"),
    (
        "`engine.threads` above 1 is for sweeps (`engine.method = \"sweep\"`) and for `--tie-sensitivity`",
        "crates/scenario/tests/scenario/runs.rs",
        "tie_sensitivity_for_any_number_of_threads",
    ),
    (
        "and several processes only with an `engine.latency`",
        "crates/cli/tests/cli/together.rs",
        "what_several_processes_cannot_run_is_refused",
    ),
    (
        "`[storage]`, `output.calls` and `output.trace` as well",
        "crates/cli/tests/cli/limits_of_programs.rs",
        "several_processes_share_no_disks_and_keep_no_calls",
    ),
    (
        "A file that several ranks open together ends the run there",
        "crates/cli/tests/cli/together.rs",
        "files_are_for_one_process",
    ),
    (
        "They have no table of calls, no trace and no profile",
        "crates/cli/tests/cli/calls.rs",
        "ranks_that_are_processes_are_refused",
    ),
    (
        "The data of all ranks on a computer must fit into its memory",
        "crates/cli/tests/cli/limits_of_programs.rs",
        "ranks_need_memory_for_their_own_data",
    ),
    (
        "an element of GraphML may have 256 attributes",
        "crates/scenario/tests/scenario/strictness.rs",
        "bad_input_ends_soon_and_in_few_words",
    ),
    (
        "but cannot read it, stop the run or keep it from ending",
        "crates/cli/tests/cli/live/strangers.rs",
        "many_connections_are_few",
    ),
    (
        "The operating system locks a results folder.",
        "crates/cli/tests/cli/results.rs",
        "two_runs_do_not_share_a_folder",
    ),
    ("readers refuse tables of another run", "python/tests/test_results.py", "test_tables_of_another_run"),
    (
        "not for MPI programs, and not beside tables that grow while a run goes on",
        "crates/cli/tests/cli/checkpoints.rs",
        "who_writes_no_checkpoints",
    ),
    (
        "Only the build of weir that wrote a checkpoint can go on from it.",
        "crates/cli/tests/cli/checkpoints.rs",
        "what_does_not_fit_is_refused",
    ),
    ("Simulated time ends after 213 days", "crates/flow/tests/flow/by_hand.rs", "beyond_representable_time"),
    (
        "on the packet engine after 26 days",
        "crates/packet/src/network/tests.rs",
        "the_end_of_what_is_counted",
    ),
    // Programs.
    (
        "no `PMPI_` names in the modules",
        "crates/compiler/src/fortran/modules.rs",
        "modules_declare_each_function_in_their_style",
    ),
    ("those that attach memory", "crates/cli/tests/cli/languages.rs", "sections_of_arrays_are_no_copies"),
    (
        "An argument `type(*), dimension(*)` cannot be passed on",
        "crates/cli/tests/cli/languages.rs",
        "arrays_of_unknown_size_and_type_are_not_passed_on_to_calls_that_go_on",
    ),
    (
        "of `class(*)` with gaps are an error in such calls",
        "crates/cli/tests/cli/languages.rs",
        "sections_of_arrays_are_no_copies",
    ),
    (
        "which the compiler writes back as a whole",
        "crates/compiler/src/fortran/modules.rs",
        "modules_declare_each_function_in_their_style",
    ),
    (
        "(`MPI_SUBARRAYS_SUPPORTED` is `.false.`)",
        "crates/compiler/src/fortran/modules.rs",
        "modules_declare_each_function_in_their_style",
    ),
    (
        "Binaries built for the own interface of another MPI cannot be run.",
        "crates/cli/tests/cli/python.rs",
        "programs_that_would_run_past_the_simulator_are_refused",
    ),
    (
        "which only weir can start",
        "crates/cli/tests/cli/limits_of_programs.rs",
        "programs_are_started_by_weir_only",
    ),
    (
        "and a call from another thread ends the run.",
        "crates/cli/tests/cli/threads.rs",
        "a_thread_that_may_not_call_mpi_ends_the_run",
    ),
    (
        "with them a call from another thread ends the run.",
        "crates/cli/tests/cli/threads.rs",
        "what_follows_one_thread_says_so",
    ),
    (
        "threads are refused with more than one rank",
        "crates/cli/tests/cli/globals.rs",
        "threads_are_refused_where_globals_are_put_in_place",
    ),
    (
        "keep one copy of their variables for all ranks, and their constructors run once",
        "crates/cli/tests/cli/limits_of_programs.rs",
        "libraries_belong_to_all_ranks_and_archives_to_each",
    ),
    (
        "A program that defines one of these names itself, in another source file than the caller's, gets weir's.",
        "crates/cli/tests/cli/limits_of_programs.rs",
        "wrapped_functions_go_by_their_names",
    ),
    (
        "`getpid` gives all the same number, `chdir` and `setenv` act on all",
        "crates/cli/tests/cli/limits_of_programs.rs",
        "ranks_are_one_process",
    ),
    (
        "It is named after ten seconds",
        "crates/cli/tests/cli/endings.rs",
        "a_rank_that_computes_for_ever_is_named",
    ),
    (
        "an overflow is found when the rank next waits",
        "crates/coroutine/tests/coroutines.rs",
        "an_overflow_without_guards_is_found_when_the_rank_waits",
    ),
    // Data and time of programs.
    (
        "With `--no-data` receive buffers stay as they are and reductions give no result.",
        "crates/cli/tests/cli/extensions.rs",
        "without_data_everything_takes_as_long",
    ),
    (
        "Work inside of reductions by functions of the program is not measured.",
        "crates/capi/src/tests/lenient.rs",
        "work_of_operations_is_not_measured",
    ),
    (
        "but not accesses to windows, files, and looks for messages",
        "crates/cli/tests/cli/limits_of_programs.rs",
        "a_skeleton_may_look_and_reach_otherwise",
    ),
    ("Sampled blocks do not nest.", "crates/capi/src/tests/sampling.rs", "blocks_that_are_refused"),
    (
        "belong to the packet engine; the others refuse them",
        "crates/cli/tests/cli/extensions.rs",
        "what_cannot_be_done_is_refused",
    ),
    (
        "`mgen-mpi.h` has the names of MPI with the prefix `MGEN_`.",
        "crates/capi/src/headers.rs",
        "mgen_mpi_h_has_every_name_of_mpi_h",
    ),
    // MPI.
    (
        "No processes are started during the run",
        "crates/cli/tests/cli/outcomes.rs",
        "every_failing_program_ends_with_its_exit_status_and_reason",
    ),
    (
        "the tools interface has no counters and no settings",
        "crates/capi/src/tests/tools.rs",
        "there_is_nothing_to_show",
    ),
    (
        "send from every rank straight to every rank it concerns",
        "crates/message/src/collective/tests/between.rs",
        "blocks_go_straight_to_the_other_group",
    ),
    ("mixing them is not found out", "crates/capi/src/tests/lenient.rs", "sessions_may_be_mixed"),
    (
        "Data representations of the program cannot have conversion functions.",
        "crates/capi/src/tests/handlers.rs",
        "representations_of_the_program",
    ),
    (
        "a file type with gaps may not have elements that are shorter there",
        "crates/message/src/file_view/tests.rs",
        "numbers_are_shorter_in_the_external_representation",
    ),
    ("Hints are kept, not taken.", "crates/capi/src/tests/files.rs", "hints_change_no_times"),
    ("`reorder` changes nothing", "crates/capi/src/tests/lenient.rs", "a_grid_keeps_the_order_of_ranks"),
    (
        "what is sent as doubles can be received as ints",
        "crates/capi/src/tests/lenient.rs",
        "types_of_both_sides_may_differ",
    ),
    (
        "`MPI_Type_create_darray` cannot deal out blocks of 19",
        "crates/capi/src/tests/lenient.rs",
        "blocks_of_nineteen_are_blocks_of_one",
    ),
    (
        "Operations of the program work on elements whose data lie within 4 GiB of each other.",
        "crates/capi/src/tests/operations.rs",
        "operations_of_the_program_see_bounds",
    ),
    (
        "a promised receive that is not there ends the run",
        "crates/cli/tests/cli/outcomes.rs",
        "every_failing_program_ends_with_its_exit_status_and_reason",
    ),
    (
        "`MPI_Cancel` withdraws sends only while they wait by rendezvous for their receive.",
        "crates/message/src/process/tests.rs",
        "a_send_that_is_taken_is_not_withdrawn",
    ),
    (
        "more than `node.eager_messages` (16,384) short messages before they receive any wait for each other",
        "crates/cli/tests/cli/eager_messages.rs",
        "a_batch_longer_than_the_bound_deadlocks_unless_that_is_raised",
    ),
    (
        "the exit status of weir is 1, whatever the error code",
        "crates/cli/tests/cli/outcomes.rs",
        "every_failing_program_ends_with_its_exit_status_and_reason",
    ),
    // Time.
    (
        "Computation between MPI calls costs nothing",
        "crates/cli/tests/cli/extensions.rs",
        "time_passes_for_computation_where_it_shall",
    ),
    (
        "and neither `MPI_Reduce_local` nor accumulating into windows",
        "crates/capi/src/tests/combining.rs",
        "what_is_not_charged",
    ),
    (
        "requests to send are answered at once",
        "crates/capi/src/tests/progress.rs",
        "a_receive_is_overlapped_if_somebody_answers",
    ),
    (
        "accesses to windows are never held up by computing",
        "crates/capi/src/tests/progress.rs",
        "windows_are_reached_while_their_owners_compute",
    ),
    (
        "All ranks share one clock, without skew or noise.",
        "crates/capi/src/tests/communicators.rs",
        "attributes_of_the_standard",
    ),
    // The network.
    (
        "for [short messages beside long ones]",
        "crates/cli/tests/cli/unseen.rs",
        "victims_of_streams_are_counted_by_flow",
    ),
    (
        "one of the two of a torus dimension of two routers unless it has several interfaces",
        "crates/scenario/tests/scenario/equal_ways.rs",
        "interfaces_take_both_cables_of_a_ring_of_two",
    ),
    (
        "Messages that share an interface have equal parts of it",
        "crates/flow/tests/flow/shared.rs",
        "messages_share_an_interface",
    ),
    (
        "is for communicators of the whole job",
        "crates/message/src/collective/tests/hardware.rs",
        "what_they_cannot_do_the_preset_decides",
    ),
    (
        "take 1.7 to 2.6 times as long on MareNostrum 5 as weir says",
        "python/tests/test_validation.py",
        "test_long_reduce_scatters_along_a_ring_take_longer_than_predicted",
    ),
    (
        "Algorithms that libraries do not publish (`3dtorus`, `3dtorus-sm`, `bintree6d` of Fujitsu MPI)",
        "crates/message/src/collective/presets/names/tests.rs",
        "every_measured_name_is_known_or_said_to_be_unpublished",
    ),
    (
        "Switches of fat trees have one cable to each switch above and no spare ports",
        "crates/topology/src/fat_tree/tests.rs",
        "every_port_of_every_switch_is_used",
    ),
    (
        "An all-to-all without synchronization amplifies every difference",
        "crates/scenario/tests/scenario/runs.rs",
        "tie_sensitivity_for_any_number_of_threads",
    ),
    (
        "It perturbs a message by up to 4 ps of its time at least",
        "crates/flow/src/ties.rs",
        "short_messages_are_perturbed_by_picoseconds",
    ),
    // Faults.
    (
        "On the flow engine no time passes until a fault is known",
        "crates/flow/tests/flow/changes.rs",
        "a_cable_fails_and_is_repaired",
    ),
    (
        "Packets with detours need [virtual channels for them]",
        "crates/scenario/tests/scenario/faults.rs",
        "too_few_virtual_channels_for_detours",
    ),
    (
        "A point of a sweep whose draw disconnects the machine stops the sweep.",
        "crates/cli/tests/cli/faults.rs",
        "a_draw_that_disconnects",
    ),
    // Packets.
    (
        "Allocators take the given time and then always find the next packet",
        "crates/packet/tests/packet/synthetic.rs",
        "a_packet_in_every_slot",
    ),
    ("A run has at most 64 threads.", "crates/packet/src/parts/tests.rs", "a_machine_is_cut_into_parts"),
    // Patterns.
    (
        "`nicam` is the halo exchange between nodes alone",
        "crates/scenario/tests/scenario/pacing.rs",
        "what_does_not_fit_is_refused",
    ),
    (
        "Where ranks drift apart, its gaps fit a contention that is no longer there.",
        "crates/papers/tests/items.rs",
        "nicam_with_imbalance",
    ),
    (
        "`weir log` ends such a run and says which call it was",
        "crates/replay/tests/replay/guards.rs",
        "calls_that_a_profile_cannot_hold",
    ),
    (
        "it takes the same message where any would do unless `--sources as-posted` says otherwise",
        "crates/replay/tests/replay/by_hand.rs",
        "wildcards_are_kept_or_not",
    ),
    // Calibration.
    (
        "place ranks on nodes: the cores, sockets and interfaces in them are passed over",
        "crates/scenario/tests/scenario/launch.rs",
        "rankfiles_name_the_host_of_each_rank",
    ),
    (
        "not sizes such as `node.eager_limit`",
        "crates/calibrate/src/parameter.rs",
        "what_cannot_be_fitted_is_refused",
    ),
    (
        "`--fold-by algorithm` shows what that does",
        "crates/calibrate/tests/calibrate.rs",
        "folds_by_algorithm",
    ),
    (
        "It reads logs of the latency tests and blocking collectives of OSU Micro-Benchmarks",
        "crates/calibrate/src/measured/tests.rs",
        "osu_logs_are_read",
    ),
    // Results.
    (
        "Messages that never arrive have no row",
        "crates/cli/tests/cli/calls.rs",
        "messages_that_never_arrive_have_no_row",
    ),
    (
        "Calls of windows and files have times, and no bytes.",
        "crates/cli/tests/cli/calls.rs",
        "calls_of_windows_have_no_bytes",
    ),
    (
        "of a long critical path [the last part]",
        "crates/cli/tests/cli/calls/trace.rs",
        "a_long_critical_path_is_drawn_from_an_instant_on",
    ),
    (
        "The collective algorithms are those listed in [collectives]",
        "crates/scenario/tests/scenario/collectives.rs",
        "the_page_has_all_algorithms_and_their_other_names",
    ),
    (
        "`auto` chooses by the rules of MPICH",
        "crates/message/src/collective/presets/tests.rs",
        "the_table_of_mpich_is_its_formulas",
    ),
    // Reports.
    (
        "A report shows up to 240 pictures in time, fewer on large machines (29 for a torus of 40,960 nodes).",
        "python/tests/test_report_limits.py",
        "test_pictures_in_time",
    ),
    (
        "Of more than 20,000 links the busiest 20,000 of each picture are drawn as lines.",
        "python/tests/test_report_limits.py",
        "test_lines_of_large_machines",
    ),
    ("can move a value by one of them", "python/tests/test_comparing.py", "test_pointing_and_turning"),
    (
        "in pages of machines of up to 128 nodes",
        "python/tests/test_report_limits.py",
        "test_routes_and_places_of_large_machines",
    ),
    (
        "The places of up to 65,536 ranks are shown",
        "python/tests/test_report_limits.py",
        "test_routes_and_places_of_large_machines",
    ),
    (
        "Routes on the busiest links need `output.pairs`",
        "python/tests/test_report.py",
        "test_parts_that_were_not_recorded_name_their_key",
    ),
    (
        "Of a run that was killed a report shows the intervals whose parts of tables are complete.",
        "python/tests/test_killed.py",
        "test_what_is_left_is_drawn",
    ),
    (
        "Flow and packet are compared where both have run the same case to its end.",
        "python/tests/test_comparing.py",
        "test_engines_that_disagree",
    ),
    (
        "The language switch does not cover what comes from the run",
        "python/tests/test_report_limits.py",
        "test_names_of_the_run_are_in_one_language",
    ),
];

/// The beginnings of points of the page that no test here can show, and why.
pub(super) const NOT_SHOWN: &[(&str, &str)] = &[
    ("weir runs on x86-64 Linux with glibc", "other systems and processors are not here"),
    ("C++ needs the static library of C++", "other compilers and linkers are not here"),
    ("Debuggers and `dladdr` know", "a debugger shows that, and none is needed to build or test"),
    (
        "With `--compute measured` or a factor",
        "how long work takes on another computer cannot be seen on this one",
    ),
    ("`weir papers` shows run times and memory", "the simulators of the papers are not to be had"),
    ("The page needs a browser of 2023 or later", "older and other browsers are not here"),
];
