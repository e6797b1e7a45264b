//! All functions a program can call, by name, and how a loaded program is connected to them.
//!
//! `weir cc` gives every program a jump table with a slot for each function, and the list of their names
//! ([`runtime_source`]). When the program is loaded, [`connect`] fills the slots by name. So a program needs no
//! symbol of the simulator's, and one compiled by an older weir still runs.

use crate::context::not_offered;
use crate::point_to_point;
use crate::world::WorldError;
use crate::{attributes, cartesian, error_handlers, graph, info, neighbourhood};
use crate::{
    collectives, communicators, completion, counts, environment, groups, libc_calls, operations, packing,
    type_constructors, type_queries,
};
use std::ffi::{CStr, c_void};
use std::fmt::Write;
use std::path::Path;
use weir_coroutine::Program;

/// The public header, as programs see it.
pub(crate) const HEADER: &str = include_str!("../../../include/mpi.h");

macro_rules! functions {
    ($($prefix:literal { $($name:literal $function:path,)* })*) => {
        /// Name and function, in the order of the jump table.
        fn functions() -> Vec<(&'static str, *const c_void)> {
            vec![$($((concat!($prefix, $name), $function as *const c_void),)*)*]
        }
    };
}

functions! {
    "MPI_" {
        "Init" environment::init,
        "Init_thread" environment::init_thread,
        "Initialized" environment::initialized,
        "Finalize" environment::finalize,
        "Finalized" environment::finalized,
        "Abort" environment::abort,
        "Query_thread" environment::query_thread,
        "Is_thread_main" environment::is_thread_main,
        "Comm_rank" environment::comm_rank,
        "Comm_size" environment::comm_size,
        "Get_processor_name" environment::get_processor_name,
        "Get_version" environment::get_version,
        "Get_library_version" environment::get_library_version,
        "Wtime" environment::wtime,
        "Wtick" environment::wtick,
        "Alloc_mem" environment::alloc_mem,
        "Free_mem" environment::free_mem,
        "Send" point_to_point::send,
        "Ssend" point_to_point::ssend,
        "Rsend" point_to_point::rsend,
        "Bsend" point_to_point::bsend,
        "Buffer_attach" point_to_point::buffer_attach,
        "Buffer_detach" point_to_point::buffer_detach,
        "Recv" point_to_point::recv,
        "Sendrecv" point_to_point::sendrecv,
        "Sendrecv_replace" point_to_point::sendrecv_replace,
        "Isend" point_to_point::isend,
        "Issend" point_to_point::issend,
        "Irsend" point_to_point::irsend,
        "Ibsend" point_to_point::ibsend,
        "Irecv" point_to_point::irecv,
        "Probe" point_to_point::probe,
        "Iprobe" point_to_point::iprobe,
        "Wait" completion::wait,
        "Waitall" completion::waitall,
        "Waitany" completion::waitany,
        "Waitsome" completion::waitsome,
        "Test" completion::test,
        "Testall" completion::testall,
        "Testany" completion::testany,
        "Testsome" completion::testsome,
        "Request_get_status" completion::request_get_status,
        "Request_free" completion::request_free,
        "Cancel" completion::cancel,
        "Test_cancelled" completion::test_cancelled,
        "Get_count" counts::get_count,
        "Get_elements" counts::get_elements,
        "Get_elements_x" counts::get_elements_x,
        "Status_set_elements" counts::status_set_elements,
        "Status_set_elements_x" counts::status_set_elements_x,
        "Barrier" collectives::barrier,
        "Bcast" collectives::bcast,
        "Reduce" collectives::reduce,
        "Allreduce" collectives::allreduce,
        "Gather" collectives::gather,
        "Gatherv" collectives::gatherv,
        "Scatter" collectives::scatter,
        "Scatterv" collectives::scatterv,
        "Allgather" collectives::allgather,
        "Allgatherv" collectives::allgatherv,
        "Alltoall" collectives::alltoall,
        "Alltoallv" collectives::alltoallv,
        "Scan" collectives::scan,
        "Exscan" collectives::exscan,
        "Reduce_scatter" collectives::reduce_scatter,
        "Reduce_scatter_block" collectives::reduce_scatter_block,
        "Reduce_local" operations::reduce_local,
        "Op_create" operations::op_create,
        "Op_free" operations::op_free,
        "Op_commutative" operations::op_commutative,
        "Comm_dup" communicators::comm_dup,
        "Comm_split" communicators::comm_split,
        "Comm_create" communicators::comm_create,
        "Comm_free" communicators::comm_free,
        "Comm_compare" communicators::comm_compare,
        "Comm_group" communicators::comm_group,
        "Comm_test_inter" communicators::comm_test_inter,
        "Comm_set_name" communicators::comm_set_name,
        "Comm_get_name" communicators::comm_get_name,
        "Group_size" groups::group_size,
        "Group_rank" groups::group_rank,
        "Group_incl" groups::group_incl,
        "Group_excl" groups::group_excl,
        "Group_range_incl" groups::group_range_incl,
        "Group_union" groups::group_union,
        "Group_intersection" groups::group_intersection,
        "Group_difference" groups::group_difference,
        "Group_compare" groups::group_compare,
        "Group_translate_ranks" groups::group_translate_ranks,
        "Group_free" groups::group_free,
        "Type_size" type_queries::size,
        "Type_size_x" type_queries::size_x,
        "Type_get_extent" type_queries::get_extent,
        "Type_get_extent_x" type_queries::get_extent_x,
        "Type_get_true_extent" type_queries::get_true_extent,
        "Type_get_true_extent_x" type_queries::get_true_extent_x,
        "Type_set_name" type_queries::set_name,
        "Type_get_name" type_queries::get_name,
        "Type_get_envelope" type_queries::get_envelope,
        "Type_get_contents" type_queries::get_contents,
        "Type_match_size" type_queries::match_size,
        "Type_contiguous" type_constructors::contiguous,
        "Type_vector" type_constructors::vector,
        "Type_create_hvector" type_constructors::hvector,
        "Type_indexed" type_constructors::indexed,
        "Type_create_hindexed" type_constructors::hindexed,
        "Type_create_indexed_block" type_constructors::indexed_block,
        "Type_create_hindexed_block" type_constructors::hindexed_block,
        "Type_create_struct" type_constructors::structure,
        "Type_create_subarray" type_constructors::subarray,
        "Type_create_darray" type_constructors::darray,
        "Type_create_resized" type_constructors::resized,
        "Type_dup" type_constructors::dup,
        "Type_commit" type_constructors::commit,
        "Type_free" type_constructors::free,
        "Get_address" type_constructors::get_address,
        "Pack" packing::pack,
        "Unpack" packing::unpack,
        "Pack_size" packing::pack_size,
        "Pack_external" packing::pack_external,
        "Unpack_external" packing::unpack_external,
        "Pack_external_size" packing::pack_external_size,
        // Attributes
        "Comm_create_keyval" attributes::comm_create_keyval,
        "Comm_free_keyval" attributes::comm_free_keyval,
        "Comm_set_attr" attributes::comm_set_attr,
        "Comm_get_attr" attributes::comm_get_attr,
        "Comm_delete_attr" attributes::comm_delete_attr,
        "Keyval_create" attributes::keyval_create,
        "Keyval_free" attributes::keyval_free,
        "Attr_put" attributes::attr_put,
        "Attr_get" attributes::attr_get,
        "Attr_delete" attributes::attr_delete,
        // Info objects
        "Info_create" info::info_create,
        "Info_create_env" info::info_create_env,
        "Info_set" info::info_set,
        "Info_get" info::info_get,
        "Info_get_string" info::info_get_string,
        "Info_get_valuelen" info::info_get_valuelen,
        "Info_get_nkeys" info::info_get_nkeys,
        "Info_get_nthkey" info::info_get_nthkey,
        "Info_delete" info::info_delete,
        "Info_dup" info::info_dup,
        "Info_free" info::info_free,
        "Comm_set_info" info::comm_set_info,
        "Comm_get_info" info::comm_get_info,
        "Comm_dup_with_info" info::comm_dup_with_info,
        // Errors
        "Comm_create_errhandler" error_handlers::comm_create_errhandler,
        "Comm_set_errhandler" error_handlers::comm_set_errhandler,
        "Comm_get_errhandler" error_handlers::comm_get_errhandler,
        "Comm_call_errhandler" error_handlers::comm_call_errhandler,
        "Errhandler_free" error_handlers::errhandler_free,
        "Error_class" error_handlers::error_class,
        "Error_string" error_handlers::error_string,
        "Add_error_class" error_handlers::add_error_class,
        "Add_error_code" error_handlers::add_error_code,
        "Add_error_string" error_handlers::add_error_string,
        "Remove_error_class" error_handlers::remove_error_class,
        "Remove_error_code" error_handlers::remove_error_code,
        "Remove_error_string" error_handlers::remove_error_string,
        // Virtual topologies
        "Dims_create" cartesian::dims_create,
        "Topo_test" cartesian::topo_test,
        "Cart_create" cartesian::cart_create,
        "Cart_map" cartesian::cart_map,
        "Cart_sub" cartesian::cart_sub,
        "Cartdim_get" cartesian::cartdim_get,
        "Cart_get" cartesian::cart_get,
        "Cart_coords" cartesian::cart_coords,
        "Cart_rank" cartesian::cart_rank,
        "Cart_shift" cartesian::cart_shift,
        "Graph_create" graph::graph_create,
        "Graph_map" graph::graph_map,
        "Graphdims_get" graph::graphdims_get,
        "Graph_get" graph::graph_get,
        "Graph_neighbors_count" graph::graph_neighbors_count,
        "Graph_neighbors" graph::graph_neighbors,
        "Dist_graph_create" graph::dist_graph_create,
        "Dist_graph_create_adjacent" graph::dist_graph_create_adjacent,
        "Dist_graph_neighbors_count" graph::dist_graph_neighbors_count,
        "Dist_graph_neighbors" graph::dist_graph_neighbors,
        "Neighbor_allgather" neighbourhood::neighbor_allgather,
        "Neighbor_allgatherv" neighbourhood::neighbor_allgatherv,
        "Neighbor_alltoall" neighbourhood::neighbor_alltoall,
        "Neighbor_alltoallv" neighbourhood::neighbor_alltoallv,
        "Neighbor_alltoallw" neighbourhood::neighbor_alltoallw,
        // Other ways to make communicators and groups
        "Comm_split_type" communicators::comm_split_type,
        "Comm_create_group" communicators::comm_create_group,
        "Comm_idup" communicators::comm_idup,
        "Comm_idup_with_info" communicators::comm_idup_with_info,
        "Comm_remote_size" communicators::comm_remote_size,
        "Comm_remote_group" communicators::comm_remote_group,
        "Group_range_excl" groups::group_range_excl,
    }
    "__wrap_" {
        "exit" libc_calls::exit,
        "_exit" libc_calls::exit,
        "_Exit" libc_calls::exit,
        "sleep" libc_calls::sleep,
        "usleep" libc_calls::usleep,
        "nanosleep" libc_calls::nanosleep,
        "time" libc_calls::time,
        "gettimeofday" libc_calls::gettimeofday,
        "clock_gettime" libc_calls::clock_gettime,
        "clock" libc_calls::clock_,
        "rand" libc_calls::rand,
        "srand" libc_calls::srand,
        "random" libc_calls::random_,
        "srandom" libc_calls::srand,
        "srand48" libc_calls::srand48_,
        "drand48" libc_calls::drand48_,
        "lrand48" libc_calls::lrand48_,
        "mrand48" libc_calls::mrand48_,
        "strtok" libc_calls::strtok_,
        "getopt" libc_calls::getopt_,
        "getopt_long" libc_calls::getopt_long_,
        "getopt_long_only" libc_calls::getopt_long_only_,
    }
}

/// Names of C library functions that `weir cc` has the linker wrap.
pub(crate) fn wrapped() -> impl Iterator<Item = &'static str> {
    functions().into_iter().filter_map(|(name, _)| name.strip_prefix("__wrap_"))
}

/// Functions that the header declares, with the prefix `MPI_`.
fn declared() -> impl Iterator<Item = String> {
    let declarations = HEADER.lines().filter_map(|line| line.strip_prefix("WEIR_MPI("));
    declarations.filter_map(|line| Some(format!("MPI_{}", line.split(',').nth(1)?.trim())))
}

/// Functions that the header declares and nobody offers yet.
pub(crate) fn declared_only() -> Vec<String> {
    let offered = functions();
    declared().filter(|name| !offered.iter().any(|(known, _)| known == name)).collect()
}

/// What marks a file as a program of ours.
pub(crate) const MARK: &str = "weir program, runtime 1";

/// The runtime of a program, in assembly: a jump for every function, as `MPI_x` (weak, so that a profiling library
/// may stand before it) and `PMPI_x`; the slots they jump through; and the names, in the order of the slots.
pub(crate) fn runtime_source() -> String {
    let mut text = String::from("    .text\n");
    let functions = functions();
    let mut jump = |name: &str, code: &str| {
        let strong = name.strip_prefix("MPI_").map_or_else(|| name.to_owned(), |rest| format!("PMPI_{rest}"));
        _ = write!(text, "    .globl {strong}\n    .type {strong}, @function\n{strong}:\n{code}");
        if strong != name {
            _ = write!(text, "    .weak {name}\n    .set {name}, {strong}\n");
        }
    };
    for (slot, (name, _)) in functions.iter().enumerate() {
        jump(name, &format!("    jmp *.Lslots+{}(%rip)\n", 8 * slot));
    }
    let missing = declared_only();
    for (number, name) in missing.iter().enumerate() {
        jump(name, &format!("    leaq .Lmissing{number}(%rip), %rdi\n    jmp *.Lnot_offered(%rip)\n"));
    }
    text.push_str("    .section .rodata\n");
    for (number, name) in missing.iter().enumerate() {
        _ = writeln!(text, ".Lmissing{number}: .asciz \"{name}\"");
    }
    text.push_str("    .globl weir_names\nweir_names:\n");
    for (name, _) in &functions {
        _ = writeln!(text, "    .asciz \"{name}\"");
    }
    let (count, size) = (functions.len(), 8 * functions.len() + 8);
    _ = write!(
        text,
        "    .asciz \"\"\n    .asciz \"{MARK}\"\n    .bss\n    .balign 8\n    .globl weir_slots\n    \
         .type weir_slots, @object\n    .size weir_slots, {size}\nweir_slots:\n.Lslots: .skip {}\n.Lnot_offered: .skip 8\n    \
         .section .note.GNU-stack,\"\",@progbits\n",
        8 * count
    );
    for name in &missing {
        text.push_str(&link_warning(name));
    }
    text
}

/// Has the linker say so where a program mentions a function that is not offered (the linker prints the contents of a
/// section of this name when it meets the symbol).
fn link_warning(name: &str) -> String {
    let what = format!("{name} is not offered by this version of weir: a run that calls it ends there");
    let section =
        |symbol: &str| format!("    .section .gnu.warning.{symbol},\"\",@progbits\n    .string \"{what}\"\n");
    section(name) + &section(&format!("P{name}"))
}

/// The program's slots: address and bytes. All ranks share them.
pub(crate) fn slots(program: &Program) -> Result<(*mut u8, usize), WorldError> {
    let start = program.symbol("weir_slots")?.cast();
    Ok((start, 8 * (names(program)?.len() + 1)))
}

fn names(program: &Program) -> Result<Vec<String>, WorldError> {
    let mut next = program.symbol("weir_names")?.cast_const().cast();
    let mut names = Vec::new();
    loop {
        // SAFETY: the runtime's list: strings one behind the other, the last one empty.
        let name = unsafe { CStr::from_ptr(next) };
        if name.is_empty() {
            return Ok(names);
        }
        names.push(name.to_string_lossy().into_owned());
        // SAFETY: as above: the next string begins behind this one's end.
        next = unsafe { next.add(name.count_bytes() + 1) };
    }
}

/// Fills the program's slots.
///
/// # Errors
/// When the program was not built by `weir cc`, or needs functions that this version does not know.
pub(crate) fn connect(program: &Program, path: &Path) -> Result<(), WorldError> {
    let functions = functions();
    let names = names(program)?;
    let slots: *mut *const c_void = slots(program)?.0.cast();
    let mut unknown = Vec::new();
    for (slot, name) in names.iter().enumerate() {
        match functions.iter().find(|(known, _)| known == name) {
            // SAFETY: the runtime has a slot for each name.
            Some((_, function)) => unsafe { *slots.add(slot) = *function },
            None => unknown.push(name.as_str()),
        }
    }
    // SAFETY: the slot behind the last name's.
    unsafe { *slots.add(names.len()) = not_offered as *const c_void };
    if unknown.is_empty() {
        return Ok(());
    }
    Err(WorldError::Newer { program: path.to_owned(), functions: unknown.join(", ") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_we_offer_is_declared() {
        let declared: Vec<String> = declared().collect();
        for (name, _) in functions().iter().filter(|(name, _)| name.starts_with("MPI_")) {
            assert!(declared.iter().any(|known| known == name), "{name} is not in mpi.h");
        }
        assert!(declared.len() > functions().len());
    }
}
