//! The functions that DUMPI records, in the order of their numbers, and the arguments that it stores of each.
//!
//! Letters of arguments: `i` 32 bits, `h` 16, `b` 8, `q` 64; `I`, `H`, `B` lists of these, `M` lists of lists of 32 bits; `s` a text, `S` a list of texts, `T` lists of lists of texts; `t`
//! states of messages, which are there if the call says so. `m` and `r` are 32 bits as well: the own rank, and the root. What stands between `?` and `.` (or the end) is stored by the root only.
//! A `-` is never stored. Source: `common/funclabels.h` and `common/dumpiio.c` of sst-dumpi.

/// Names without `MPI_`, each with its arguments.
const TABLE: &str = "
Send ihiih, Recv ihiiht, Get_count thi, Bsend ihiih, Ssend ihiih, Rsend ihiih, Buffer_attach i, Buffer_detach i, Isend ihiihi, Ibsend ihiihi, Issend ihiihi, Irsend ihiihi,
Irecv ihiihi, Wait it, Test iit, Request_free i, Waitany iIit, Testany iIiit, Waitall iIt, Testall iIit, Waitsome iIiIt, Testsome iIiIt, Iprobe iihit, Probe iiht, Cancel i,
Test_cancelled ti, Send_init ihiihi, Bsend_init ihiihi, Ssend_init ihiihi, Rsend_init ihiihi, Recv_init ihiihi, Start i, Startall iI, Sendrecv ihiiihiiht, Sendrecv_replace ihiiiiht,
Type_contiguous ihh, Type_vector iiihh, Type_hvector iiihh, Type_indexed iIIhh, Type_hindexed iIIhh, Type_struct iIIHh, Address i, Type_extent hi, Type_size hi, Type_lb hi, Type_ub hi,
Type_commit h, Type_free h, Get_elements thi, Pack ihiiih, Unpack iiiihh, Pack_size ihhi, Barrier h, Bcast ihih, Gather mihrh?ih, Gatherv miihrh?II.h, Scatter mihrh?ih,
Scatterv mihihrh?II, Allgather ihihh, Allgatherv iihIIhh, Alltoall ihihh, Alltoallv iIIhIIhh, Reduce ihbih, Op_create ib, Op_free b, Allreduce ihbh, Reduce_scatter iIhbh, Scan ihbh,
Group_size hi, Group_rank hi, Group_translate_ranks hiIhI, Group_compare hhb, Comm_group hh, Group_union hhh, Group_intersection hhh, Group_difference hhh, Group_incl hiIh,
Group_excl hiIh, Group_range_incl hiMh, Group_range_excl hiMh, Group_free h, Comm_size hi, Comm_rank hi, Comm_compare hhb, Comm_dup hh, Comm_create hhh, Comm_split hiih, Comm_free h,
Comm_test_inter hi, Comm_remote_size hi, Comm_remote_group hh, Intercomm_create hihiih, Intercomm_merge hih, Keyval_create h, Keyval_free h, Attr_put hi, Attr_get hii, Attr_delete hi,
Topo_test hb, Cart_create hiIIih, Dims_create iiII, Graph_create ihiIIih, Graphdims_get hii, Graph_get iihiiII, Cartdim_get hi, Cart_get ihiIII, Cart_rank ihIi, Cart_coords ihiiI,
Graph_neighbors_count hii, Graph_neighbors ihiiI, Cart_shift hiiii, Cart_sub ihIh, Cart_map hiIIi, Graph_map ihiIIi, Get_processor_name si, Get_version ii, Errhandler_create h,
Errhandler_set hh, Errhandler_get hh, Errhandler_free h, Error_string isi, Error_class ii, Wtime , Wtick , Init S, Finalize , Initialized i, Abort hi, Pcontrol -, Close_port s,
Comm_accept shihh, Comm_connect shihh, Comm_disconnect h, Comm_get_parent h, Comm_join ih, Comm_spawn mrhh?sSihI, Comm_spawn_multiple imrhh?iSTIHI, Lookup_name shs, Open_port hs,
Publish_name shs, Unpublish_name shs, Accumulate ihiiihbh, Get ihiiihh, Put ihiiihh, Win_complete h, Win_create iihhh, Win_fence bh, Win_free h, Win_get_group hh, Win_lock bibh,
Win_post hbh, Win_start hbh, Win_test hi, Win_unlock ih, Win_wait h, Alltoallw iIIHIIHh, Exscan ihbh, Add_error_class i, Add_error_code ii, Add_error_string is,
Comm_call_errhandler hi, Comm_create_keyval h, Comm_delete_attr hh, Comm_free_keyval h, Comm_get_attr hhi, Comm_get_name hsi, Comm_set_attr hh, Comm_set_name hs,
File_call_errhandler hi, Grequest_complete i, Grequest_start i, Init_thread Sbb, Is_thread_main i, Query_thread b, Status_set_cancelled ti, Status_set_elements thi,
Type_create_keyval h, Type_delete_attr hh, Type_dup hh, Type_free_keyval h, Type_get_attr hhi, Type_get_contents iiihiiiIIH, Type_get_envelope hiiib, Type_get_name hsi,
Type_set_attr hh, Type_set_name hs, Type_match_size bih, Win_call_errhandler hi, Win_create_keyval h, Win_delete_attr hh, Win_free_keyval h, Win_get_attr hhi, Win_get_name hsi,
Win_set_attr hh, Win_set_name hs, Alloc_mem ih, Comm_create_errhandler h, Comm_get_errhandler hh, Comm_set_errhandler hh, File_create_errhandler h, File_get_errhandler hh,
File_set_errhandler hh, Finalized i, Free_mem , Get_address i, Info_create h, Info_delete hs, Info_dup hh, Info_free h, Info_get hsisi, Info_get_nkeys hi, Info_get_nthkey his,
Info_get_valuelen hsii, Info_set hss, Pack_external sihiii, Pack_external_size sihi, Request_get_status iit, Type_create_darray iiiIBIIbhh, Type_create_hindexed iIIhh,
Type_create_hvector iiihh, Type_create_indexed_block iiIhh, Type_create_resized hiih, Type_create_struct iIIHh, Type_create_subarray iIIIbhh, Type_get_extent hii,
Type_get_true_extent hii, Unpack_external siiiih, Win_create_errhandler h, Win_get_errhandler hh, Win_set_errhandler hh, File_open hsbhh, File_close h, File_delete sh,
File_set_size hq, File_preallocate hq, File_get_size hq, File_get_group hh, File_get_amode hb, File_set_info hh, File_get_info hh, File_set_view hqhhsh, File_get_view hqhhs,
File_read_at hqiht, File_read_at_all hqiht, File_write_at hqiht, File_write_at_all hqiht, File_iread_at hqihi, File_iwrite_at hqihi, File_read hiht, File_read_all hiht,
File_write hiht, File_write_all hiht, File_iread hihi, File_iwrite hihi, File_seek hqb, File_get_position hq, File_get_byte_offset hqq, File_read_shared hiht, File_write_shared hiht,
File_iread_shared hihi, File_iwrite_shared hihi, File_read_ordered hiht, File_write_ordered hiht, File_seek_shared hqb, File_get_position_shared hq, File_read_at_all_begin hqih,
File_read_at_all_end ht, File_write_at_all_begin hqih, File_write_at_all_end ht, File_read_all_begin hih, File_read_all_end ht, File_write_all_begin hih, File_write_all_end ht,
File_read_ordered_begin hih, File_read_ordered_end ht, File_write_ordered_begin hih, File_write_ordered_end ht, File_get_type_extent hhi, Register_datarep s, File_set_atomicity hi,
File_get_atomicity hi, File_sync h, IO_Test iit, IO_Wait it, IO_Testall iIit, IO_Waitall iIt, IO_Testany iIiit, IO_Waitany iIit, IO_Waitsome iIiIt, IO_Testsome iIiIt";

/// The number of functions. Behind their numbers come one that is not used, the beginning and the end of a function of the program, and the end of the calls.
pub(super) const FUNCTIONS: u16 = 290;
/// The beginning and the end of a function of the program: its address.
pub(super) const OF_PROGRAM: [u16; 2] = [FUNCTIONS + 1, FUNCTIONS + 2];
/// The end of the calls.
pub(super) const END: u16 = FUNCTIONS + 3;

/// A function: its name without `MPI_`, and its arguments.
pub(super) type Function = (&'static str, &'static str);

/// All functions, in the order of their numbers.
pub(super) fn functions() -> Vec<Function> {
    TABLE.split(',').map(|row| row.trim_start().split_once(' ').unwrap_or((row.trim(), ""))).collect()
}

/// Functions that have an effect on who is in which communicator.
pub(super) const ABOUT_GROUPS: [&str; 15] = [
    "Comm_group",
    "Group_union",
    "Group_intersection",
    "Group_difference",
    "Group_incl",
    "Group_excl",
    "Group_range_incl",
    "Group_range_excl",
    "Comm_dup",
    "Comm_create",
    "Comm_split",
    "Cart_create",
    "Cart_sub",
    "Graph_create",
    "Comm_free",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole() {
        let all = functions();
        assert_eq!(all.len(), usize::from(FUNCTIONS));
        assert_eq!((all[8], all[289].0), (("Isend", "ihiihi"), "IO_Testsome"));
        let known = |letter: char| "ihbqIHBMsSTtmr?.-".contains(letter);
        assert!(all.iter().all(|(_, arguments)| arguments.chars().all(known)), "{all:?}");
        assert!(ABOUT_GROUPS.iter().all(|name| all.iter().any(|(known, _)| known == name)));
    }
}
