//! A record holds of a call one word or a list of words for each argument that counts, in the order of the parameters that
//! the headers declare. The recorder in C is written by these rules, and its files are read by them.

use weir_capi::headers::{Function, Parameter};

/// Says what the recorder does about the calls of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Care {
    /// They are recorded with their arguments.
    Recorded,
    /// They are counted: a profile cannot hold them.
    Counted,
    /// They do nothing with messages: they stay as they are, and become part of the time between calls.
    Nothing,
}

/// An argument in a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    /// The name of its parameter.
    pub(crate) name: String,
    /// The form that it has.
    pub(crate) form: Form,
}

/// The form of an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A word, by an expression of C that is computed behind the call, and only if a condition holds (otherwise 0).
    Word { text: String, condition: Option<String> },
    /// A word, by an expression that is computed before the call.
    Before(String),
    /// A list: its length, and the expression of its item `i`, both behind the call.
    List { length: String, item: String },
    /// Handles of requests as they are before the call, and how many.
    Requests(String),
    /// The neighbors of the rank in its communicator.
    Neighbors,
    /// Ranks of a group in the world.
    Group,
}

/// Functions with a single word in their names that are recorded; those of other kinds follow from their names.
const RECORDED: &str = " Send Ssend Rsend Bsend Recv Sendrecv Sendrecv_replace Isend Issend Irsend Ibsend Irecv Isendrecv \
    Isendrecv_replace Wait Waitall Waitany Waitsome Test Testall Testany Testsome Request_get_status Request_free Cancel Probe Iprobe \
    Mprobe Improbe Mrecv Imrecv Start Startall Buffer_detach Buffer_flush Comm_dup Comm_dup_with_info Comm_split Comm_split_type \
    Comm_create Comm_create_group Comm_free Comm_disconnect Comm_idup Comm_idup_with_info Intercomm_create Intercomm_merge \
    Cart_create Cart_sub Graph_create Dist_graph_create Dist_graph_create_adjacent Win_create Win_allocate Win_allocate_shared \
    Win_create_dynamic Win_free Put Get Accumulate Get_accumulate Fetch_and_op Compare_and_swap Rput Rget Raccumulate \
    Rget_accumulate Win_fence Win_lock Win_unlock Win_lock_all Win_unlock_all Win_flush Win_flush_all Win_flush_local \
    Win_flush_local_all Win_post Win_start Win_complete Win_wait Win_test Pready Pready_list Pready_range Grequest_start \
    Grequest_complete File_open File_close ";

/// Functions whose calls are counted.
const COUNTED: &str = " Comm_spawn Comm_spawn_multiple Comm_accept Comm_connect Comm_join Comm_create_from_group \
    Intercomm_create_from_groups Session_init Buffer_iflush Comm_iflush_buffer Session_iflush_buffer Comm_attach_buffer \
    Session_attach_buffer Request_get_status_all Request_get_status_any Request_get_status_some File_sync File_set_size \
    File_preallocate File_set_view File_read_all_end File_read_at_all_end File_read_ordered_end File_write_all_end \
    File_write_at_all_end File_write_ordered_end ";

/// The name without the ending of the forms for large counts.
pub(crate) fn short(name: &str) -> &str {
    name.strip_suffix("_c").unwrap_or(name)
}

/// Returns whether a function is a collective that moves data, waits or not, or is prepared by this call.
pub(crate) fn is_collective(name: &str) -> bool {
    const COLLECTIVES: &str = " barrier bcast reduce allreduce gather gatherv scatter scatterv allgather allgatherv alltoall \
        alltoallv alltoallw scan exscan reduce_scatter reduce_scatter_block neighbor_allgather neighbor_allgatherv \
        neighbor_alltoall neighbor_alltoallv neighbor_alltoallw ";
    let lower = short(name).to_lowercase();
    let plain = lower.strip_suffix("_init").unwrap_or(&lower);
    let is = |name: &str| COLLECTIVES.contains(&format!(" {name} "));
    is(plain) || plain.strip_prefix('i').is_some_and(is)
}

/// Returns what the recorder does about the calls of this function.
pub(crate) fn care(name: &str) -> Care {
    let is_in = |list: &str| list.contains(&format!(" {} ", short(name)));
    let of_file =
        ["File_read", "File_write", "File_iread", "File_iwrite"].iter().any(|begin| name.starts_with(begin));
    if is_in(COUNTED) {
        Care::Counted
    } else if is_in(RECORDED)
        || is_collective(name)
        || of_file
        || short(name).ends_with("_init") && name != "Session_init"
    {
        Care::Recorded
    } else {
        Care::Nothing
    }
}

/// Returns whether a function sets a handle: its value counts behind the call, not before.
fn sets(function: &str, parameter: &Parameter) -> bool {
    const READ_ONLY: &str =
        " Wait Test Request_free Cancel Start Mrecv Imrecv Win_free Comm_free Comm_disconnect File_close ";
    let reads = READ_ONLY.contains(&format!(" {} ", short(function)));
    !(reads && (parameter.kind != "MPI_Request" || short(function) != "Imrecv"))
}

/// The fields of a function that is recorded.
pub(crate) fn fields(function: &Function) -> Vec<Field> {
    let mut fields: Vec<Field> = function
        .parameters
        .iter()
        .filter_map(|parameter| {
            let form = form(function, parameter)?;
            Some(Field { name: parameter.name.clone(), form })
        })
        .collect();
    if function.name.to_lowercase().contains("neighbor_") {
        fields.push(Field { name: "neighbors".into(), form: Form::Neighbors });
    }
    fields
}

fn word(text: impl Into<String>) -> Option<Form> {
    Some(Form::Word { text: text.into(), condition: None })
}

fn form(function: &Function, parameter: &Parameter) -> Option<Form> {
    let name = parameter.name.as_str();
    let has = |kind: &str| function.parameters.iter().any(|other| other.kind == kind);
    let is_value = parameter.stars == 0 && !parameter.is_array;
    let handle = || format!("HANDLE({name})");
    match parameter.kind.as_str() {
        "int" | "MPI_Count" | "MPI_Aint" | "MPI_Offset" if is_value => word(format!("(int64_t){name}")),
        "int" | "MPI_Count" if ["recvcounts", "sendcounts"].contains(&name) => {
            Some(Form::List { length: length(function, name), item: format!("(int64_t){name}[i]") })
        }
        "int" if ["array_of_partitions"].contains(&name) => {
            Some(Form::List { length: "length".into(), item: format!("(int64_t){name}[i]") })
        }
        "int" if ["indices", "array_of_indices"].contains(&name) => {
            Some(Form::List { length: "*outcount".into(), item: format!("(int64_t){name}[i]") })
        }
        "int" if ["flag", "index", "indx", "outcount"].contains(&name) => word(format!("(int64_t)*{name}")),
        "void" if ["sendbuf", "recvbuf"].contains(&name) => word(format!("{name} == MPI_IN_PLACE")),
        "MPI_Datatype" if is_value => {
            let combines = has("MPI_Op") && !has("MPI_Win");
            let text = format!("{}({name})", if combines { "element_of" } else { "size_of" });
            Some(Form::Word { text, condition: counts_if(function, name) })
        }
        "MPI_Datatype" if ["sendtypes", "recvtypes"].contains(&name) => {
            Some(Form::List { length: length(function, name), item: format!("size_of({name}[i])") })
        }
        "MPI_Op" if is_value => {
            let condition = has_root(function).then(|| "part".to_owned());
            Some(Form::Word { text: format!("operation_of({name})"), condition })
        }
        "MPI_Comm" | "MPI_Win" | "MPI_File" | "MPI_Request" | "MPI_Message" if is_value => word(handle()),
        "MPI_Request" if parameter.is_array => {
            let has_in = function.parameters.iter().any(|other| other.name == "incount");
            Some(Form::Requests(if has_in { "incount" } else { "count" }.into()))
        }
        "MPI_Comm" | "MPI_Win" | "MPI_File" | "MPI_Request" | "MPI_Message" if parameter.stars == 1 => {
            let text = format!("HANDLE(*{name})");
            if sets(&function.name, parameter) { word(text) } else { Some(Form::Before(text)) }
        }
        "MPI_Status" if parameter.is_array => {
            let length = if function.name.ends_with("some") { "*outcount" } else { "count" };
            Some(Form::List { length: length.into(), item: format!("STATUS(&{name}[i])") })
        }
        "MPI_Status" => word(format!("STATUS({name})")),
        "MPI_Group" if has("MPI_Win") => Some(Form::Group),
        _ => None,
    }
}

/// Returns whether a function is a collective with a root.
pub(crate) fn has_root(function: &Function) -> bool {
    is_collective(&function.name) && function.parameters.iter().any(|parameter| parameter.name == "root")
}

/// When a datatype of a collective counts: others need not be one.
fn counts_if(function: &Function, name: &str) -> Option<String> {
    let lower = function.name.to_lowercase();
    let rooted = has_root(function);
    let of = |side: &str| {
        let is_root_side = lower.contains("gather") == (side == "recv");
        match (rooted, is_root_side) {
            (true, true) => "(part & 1) && ",
            (true, false) => "(part & 2) && ",
            _ => "",
        }
    };
    match name {
        "sendtype" if is_collective(&function.name) => Some(format!("{}sendbuf != MPI_IN_PLACE", of("send"))),
        "recvtype" if is_collective(&function.name) && rooted => {
            Some(format!("{}recvbuf != MPI_IN_PLACE", of("recv")))
        }
        "type" if rooted => Some("part".to_owned()),
        _ => None,
    }
}

/// The length of the list of blocks of a collective, as far as it counts.
fn length(function: &Function, name: &str) -> String {
    let lower = function.name.to_lowercase();
    let sends = name.starts_with("send");
    let in_place = if sends { "sendbuf == MPI_IN_PLACE ? 0 : " } else { "" };
    if lower.contains("neighbor_") {
        return if sends { "neighbors_out" } else { "neighbors_in" }.to_owned();
    }
    if lower.contains("reduce_scatter") {
        return "members(comm)".to_owned();
    }
    if has_root(function) {
        "part & 1 ? peers(comm) : 0".to_owned()
    } else {
        format!("{in_place}peers(comm)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_capi::headers::functions;

    #[test]
    fn every_function_that_goes_on_or_moves_data_is_recorded_or_counted() {
        let moves = |function: &&Function| {
            let has = |kind: &str| function.parameters.iter().any(|parameter| parameter.kind == kind);
            let name = function.name.as_str();
            let local = [
                "Test_cancelled",
                "Parrived",
                "Pack",
                "Unpack",
                "Type_",
                "Status_",
                "Get_",
                "Request_",
                "Reduce_local",
                "T_",
                "File_get_",
                "Message_",
            ];
            (has("MPI_Request") || has("MPI_Datatype") || has("MPI_Message"))
                && !local.iter().any(|begin| name.starts_with(begin) && !name.starts_with("Get_acc"))
        };
        let all: Vec<Function> = functions().collect();
        let lost: Vec<&str> = all
            .iter()
            .filter(moves)
            .map(|function| function.name.as_str())
            .filter(|name| care(name) == Care::Nothing)
            .collect();
        assert_eq!(lost, Vec::<&str>::new());
    }
}
