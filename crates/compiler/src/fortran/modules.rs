//! `mpif.h` and the modules `mpi` and `mpi_f08`.

use super::bindings;
use super::constants::{Constant, ConstantKind};
use super::rules::{self, Kind, Passed};
use std::fmt::Write;
use weir_capi::headers::Function;

/// Functions, which `mpif.h` declares by their results; subroutines that Fortran alone has.
const FUNCTIONS: [&str; 4] = ["Wtime", "Wtick", "Aint_add", "Aint_diff"];

/// Procedures to give to functions of attributes.
const READY_MADE: [&str; 13] = [
    "MPI_COMM_NULL_COPY_FN",
    "MPI_COMM_DUP_FN",
    "MPI_COMM_NULL_DELETE_FN",
    "MPI_TYPE_NULL_COPY_FN",
    "MPI_TYPE_DUP_FN",
    "MPI_TYPE_NULL_DELETE_FN",
    "MPI_WIN_NULL_COPY_FN",
    "MPI_WIN_DUP_FN",
    "MPI_WIN_NULL_DELETE_FN",
    "MPI_NULL_COPY_FN",
    "MPI_DUP_FN",
    "MPI_NULL_DELETE_FN",
    "MPI_CONVERSION_FN_NULL",
];

/// Arguments that are known by their address: declaration and common block.
const ADDRESSES: [(&str, &str, &str); 10] = [
    ("INTEGER", "MPI_BOTTOM", "MPI_FBOTTOM"),
    ("INTEGER", "MPI_IN_PLACE", "MPI_FIN_PLACE"),
    ("INTEGER", "MPI_BUFFER_AUTOMATIC", "MPI_FBUFFER_AUTOMATIC"),
    ("INTEGER", "MPI_ERRCODES_IGNORE(1)", "MPI_FERRCODES_IGNORE"),
    ("INTEGER", "MPI_UNWEIGHTED(1)", "MPI_FUNWEIGHTED"),
    ("INTEGER", "MPI_WEIGHTS_EMPTY(1)", "MPI_FWEIGHTS_EMPTY"),
    ("CHARACTER*1", "MPI_ARGV_NULL(1)", "MPI_FARGV_NULL"),
    ("CHARACTER*1", "MPI_ARGVS_NULL(1,1)", "MPI_FARGVS_NULL"),
    ("INTEGER", "MPI_STATUS_IGNORE(8)", "MPI_FSTATUS_IGNORE"),
    ("INTEGER", "MPI_STATUSES_IGNORE(8,1)", "MPI_FSTATUSES_IGNORE"),
];

/// The text of `mpif.h`, in fixed and free form at once.
pub(super) fn include_file(constants: &[Constant]) -> String {
    let mut text = String::from("! mpif.h: MPI for Fortran programs, made by weir from mpi.h.\n");
    for Constant { name, value, kind } in constants {
        let of_kind = if *kind == ConstantKind::Offset { "INTEGER*8" } else { "INTEGER" };
        _ = write!(text, "      {of_kind} {name}\n      PARAMETER ({name}={value})\n");
    }
    for name in ["MPI_SUBARRAYS_SUPPORTED", "MPI_ASYNC_PROTECTS_NONBLOCKING"] {
        _ = write!(text, "      LOGICAL {name}\n      PARAMETER ({name}=.FALSE.)\n");
    }
    text.push_str(&addresses(&ADDRESSES));
    for (result, names) in [("DOUBLE PRECISION", &FUNCTIONS[..2]), ("INTEGER*8", &FUNCTIONS[2..])] {
        for name in names.iter().map(|name| name.to_uppercase()) {
            _ = write!(
                text,
                "      {result} MPI_{name}, PMPI_{name}\n      EXTERNAL MPI_{name}, PMPI_{name}\n"
            );
        }
    }
    for name in READY_MADE {
        _ = writeln!(text, "      EXTERNAL {name}");
    }
    text
}

fn addresses(list: &[(&str, &str, &str)]) -> String {
    let mut text = String::new();
    for (kind, declaration, block) in list {
        let name = declaration.split('(').next().unwrap_or_default();
        _ = write!(text, "      {kind} {declaration}\n      COMMON /{block}/ {name}\n");
    }
    text
}

pub(super) fn mpi(functions: &[Function]) -> String {
    let mut text = String::from(
        "! The module mpi, made by weir from mpi.h.\nmodule mpi\n  implicit none\n  private :: sizeof_any\n      include 'mpif.h'\n",
    );
    text.push_str(&interfaces(functions, Style::Integers));
    text.push_str(&sizeof("mpi"));
    text
}

pub(super) fn mpi_f08(functions: &[Function], constants: &[Constant]) -> String {
    let mut text = String::from(
        "! The module mpi_f08, made by weir from mpi.h.\nmodule mpi_f08\n  implicit none\n  private :: sizeof_any\n",
    );
    for kind in rules::HANDLES {
        _ = write!(text, "  type, bind(C) :: {kind}\n    integer :: MPI_VAL\n  end type\n");
    }
    text.push_str(
        "  type, bind(C) :: MPI_Status\n    integer :: MPI_SOURCE\n    integer :: MPI_TAG\n    integer :: MPI_ERROR\n    \
         integer :: MPI_internal(5)\n  end type\n",
    );
    for Constant { name, value, kind } in constants {
        _ = match kind {
            // Names of components here.
            _ if matches!(name.as_str(), "MPI_SOURCE" | "MPI_TAG" | "MPI_ERROR") => Ok(()),
            ConstantKind::Integer => writeln!(text, "  integer, parameter :: {name} = {value}"),
            ConstantKind::Offset => writeln!(text, "  integer(8), parameter :: {name} = {value}"),
            ConstantKind::Handle(handle) => {
                writeln!(text, "  type({handle}), parameter :: {name} = {handle}({value})")
            }
        };
    }
    text.push_str("  logical, parameter :: MPI_SUBARRAYS_SUPPORTED = .true.\n");
    text.push_str("  logical, parameter :: MPI_ASYNC_PROTECTS_NONBLOCKING = .false.\n");
    text.push_str(&addresses(&ADDRESSES[..8]));
    text.push_str(&addresses(&[
        ("type(MPI_Status)", "MPI_STATUS_IGNORE", "MPI_FSTATUS_IGNORE"),
        ("type(MPI_Status)", "MPI_STATUSES_IGNORE(1)", "MPI_FSTATUSES_IGNORE"),
    ]));
    text.push_str("  double precision, external :: MPI_Wtime, MPI_Wtick, PMPI_Wtime, PMPI_Wtick\n");
    text.push_str("  integer(8), external :: MPI_Aint_add, MPI_Aint_diff, PMPI_Aint_add, PMPI_Aint_diff\n");
    for name in READY_MADE {
        _ = writeln!(text, "  external :: {name}");
    }
    let mut procedures = String::new();
    for (sign, start) in [("==", "equal"), ("/=", "differ")] {
        _ = writeln!(text, "  interface operator({sign})");
        for kind in rules::HANDLES {
            _ = writeln!(text, "    module procedure {start}_{kind}");
            _ = write!(
                procedures,
                "  elemental logical function {start}_{kind}(one, other)\n    type({kind}), intent(in) :: one, other\n    \
                 {start}_{kind} = one%MPI_VAL {sign} other%MPI_VAL\n  end function\n"
            );
        }
        text.push_str("  end interface\n");
    }
    text.push_str(CALLBACKS);
    text.push_str(&interfaces(functions, Style::Types));
    text + &sizeof("mpi_f08").replace("contains\n", &format!("contains\n{procedures}"))
}

/// Procedures that programs give to functions of MPI (MPI 5.0, appendix A.1.3): `procedure(MPI_User_function)`.
const CALLBACKS: &str = include_str!("../../runtime/callbacks.f90");

/// The end of a module.
fn sizeof(module: &str) -> String {
    format!(
        "  interface MPI_Sizeof\n    module procedure sizeof_any\n  end interface\ncontains\n  \
         subroutine sizeof_any(x, size, ierror)\n    class(*), dimension(..), intent(in) :: x\n    \
         integer, intent(out) :: size\n    integer, optional, intent(out) :: ierror\n    \
         size = storage_size(x) / 8\n    if (present(ierror)) ierror = 0\n  end subroutine\nend module {module}\n"
    )
}

/// Declaration of handles and statuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// Integers, and `ierror` must be there.
    Integers,
    /// Types of their own, and `ierror` may be left out.
    Types,
}

fn interfaces(functions: &[Function], style: Style) -> String {
    let mut text = String::from("  interface\n");
    for function in functions.iter().filter(|function| !FUNCTIONS.contains(&function.name.as_str())) {
        let of_c = || {
            let all = function.parameters.iter();
            all.map(|parameter| (rules::name(parameter), rules::of(parameter).0)).collect()
        };
        let parameters: Vec<(&str, Kind)> = rules::by_hand(&function.name).unwrap_or_else(of_c);
        let has_descriptors = style == Style::Types && rules::passed(function) != Passed::Addresses;
        let bound_to = has_descriptors.then(|| bindings::name_with_descriptors(function));
        text.push_str(&interface(&function.name, &parameters, style, bound_to.as_deref()));
    }
    text.push_str("    subroutine MPI_F_sync_reg(buf)\n");
    text.push_str(&buffer("buf"));
    text.push_str("    end subroutine\n  end interface\n");
    text
}

/// A subroutine; `bound_to` is the name by which it is called if its buffers have descriptors.
fn interface(name: &str, parameters: &[(&str, Kind)], style: Style, bound_to: Option<&str>) -> String {
    // Only this one has no ierror.
    let has_error = name != "Pcontrol";
    let names = parameters.iter().map(|(name, _)| *name).chain(has_error.then_some("ierror"));
    let mut text = format!(
        "    subroutine MPI_{name}( &\n      {}){}\n      import\n",
        names.collect::<Vec<_>>().join(", &\n      "),
        bound_to.map(|symbol| format!(" &\n      bind(C, name=\"{symbol}\")")).unwrap_or_default()
    );
    for (name, kind) in parameters {
        text.push_str(&match kind {
            Kind::Buffer if bound_to.is_some() => format!("      type(*), dimension(..) :: {name}\n"),
            _ => declaration(name, *kind, style),
        });
    }
    if has_error {
        let optional = if style == Style::Types { "optional, " } else { "" };
        _ = writeln!(text, "      integer, {optional}intent(out) :: ierror");
    }
    text.push_str("    end subroutine\n");
    text
}

fn declaration(name: &str, kind: Kind, style: Style) -> String {
    let simple = |kind: &str| format!("      {kind} :: {name}\n");
    let list = |kind: &str| format!("      {kind} :: {name}(*)\n");
    let handle = |kind: &str| if style == Style::Types { format!("type({kind})") } else { "integer".into() };
    match (kind, style) {
        (Kind::Integer, _) => simple("integer"),
        (Kind::Integers, _) => list("integer"),
        (Kind::Logical, _) => simple("logical"),
        (Kind::Logicals, _) => list("logical"),
        (Kind::Wide(kind), _) => simple(&format!("integer({kind})")),
        (Kind::Wides(kind), _) => list(&format!("integer({kind})")),
        (Kind::Handle(kind), _) => simple(&handle(kind)),
        (Kind::Handles(kind), _) => list(&handle(kind)),
        (Kind::Buffer | Kind::Pointer, _) => buffer(name),
        (Kind::Status, Style::Integers) => simple("integer, dimension(MPI_STATUS_SIZE)"),
        (Kind::Statuses, Style::Integers) => simple("integer, dimension(MPI_STATUS_SIZE, *)"),
        (Kind::Status, Style::Types) => simple("type(MPI_Status)"),
        (Kind::Statuses, Style::Types) => list("type(MPI_Status)"),
        (Kind::Text, _) => simple("character(len=*)"),
        (Kind::Texts, _) => list("character(len=*)"),
        (Kind::TextTable, _) => format!("      character(len=*) :: {name}(count, *)\n"),
        (Kind::Callback, _) => simple("external"),
    }
}

/// An argument of any type and rank.
fn buffer(name: &str) -> String {
    format!("!GCC$ ATTRIBUTES NO_ARG_CHECK :: {name}\n      type(*), dimension(*) :: {name}\n")
}

#[cfg(test)]
mod tests {
    use crate::fortran::constants;
    use crate::fortran::tests::{check, named};

    /// Every kind of argument and constant; without what stands in `callbacks.f90`.
    #[test]
    fn the_texts_of_some_functions_and_constants() {
        let functions = named(
            "Address Cart_create Comm_spawn_multiple Errhandler_create File_write_at Grequest_start Info_create_env Init Isend \
             Op_create Pcontrol Send Type_create_hindexed Type_struct Waitall Win_allocate Win_get_attr Wtime",
        );
        let mut constants = constants::all();
        let names = "ANY_TAG DISPLACEMENT_CURRENT COMM_WORLD SOURCE STATUS_SIZE ADDRESS_KIND OFFSET_KIND";
        constants.retain(|constant| names.split(' ').any(|name| constant.name[4..] == *name));
        check("mpif.h", &super::include_file(&constants));
        check("mpi.f90", &super::mpi(&functions));
        check("mpi_f08.f90", &super::mpi_f08(&functions, &constants).replace(super::CALLBACKS, ""));
    }
}
