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
    use super::*;

    fn constant(name: &str, value: i64, kind: ConstantKind) -> Constant {
        Constant { name: name.into(), value, kind }
    }

    fn constants() -> [Constant; 4] {
        [
            constant("MPI_ANY_TAG", -1, ConstantKind::Integer),
            constant("MPI_DISPLACEMENT_CURRENT", -5, ConstantKind::Offset),
            constant("MPI_COMM_WORLD", 257, ConstantKind::Handle("MPI_Comm".into())),
            constant("MPI_SOURCE", 1, ConstantKind::Integer),
        ]
    }

    /// Each part stands in the text.
    fn has(text: &str, parts: &[&str]) {
        for part in parts {
            assert!(text.contains(part), "no\n{part}\nin\n{text}");
        }
    }

    #[test]
    fn every_kind_is_declared() {
        let cases = [
            (Kind::Integer, "integer :: x", "integer :: x"),
            (Kind::Integers, "integer :: x(*)", "integer :: x(*)"),
            (Kind::Logical, "logical :: x", "logical :: x"),
            (Kind::Logicals, "logical :: x(*)", "logical :: x(*)"),
            (Kind::Wide("K"), "integer(K) :: x", "integer(K) :: x"),
            (Kind::Wides("K"), "integer(K) :: x(*)", "integer(K) :: x(*)"),
            (Kind::Handle("MPI_Op"), "integer :: x", "type(MPI_Op) :: x"),
            (Kind::Handles("MPI_Op"), "integer :: x(*)", "type(MPI_Op) :: x(*)"),
            (Kind::Status, "integer, dimension(MPI_STATUS_SIZE) :: x", "type(MPI_Status) :: x"),
            (Kind::Statuses, "integer, dimension(MPI_STATUS_SIZE, *) :: x", "type(MPI_Status) :: x(*)"),
            (Kind::Text, "character(len=*) :: x", "character(len=*) :: x"),
            (Kind::Callback, "external :: x", "external :: x"),
        ];
        for (kind, old, new) in cases {
            assert_eq!(declaration("x", kind, Style::Integers), format!("      {old}\n"));
            assert_eq!(declaration("x", kind, Style::Types), format!("      {new}\n"));
        }
        let any = "!GCC$ ATTRIBUTES NO_ARG_CHECK :: x\n      type(*), dimension(*) :: x\n";
        assert_eq!(declaration("x", Kind::Buffer, Style::Types), any);
        assert_eq!(declaration("x", Kind::Pointer, Style::Integers), any);
    }

    /// One line each, or a name would be too long for fixed form.
    #[test]
    fn mpif_h_declares_constants_and_functions() {
        let text = include_file(&constants());
        let parts = [
            "      INTEGER MPI_ANY_TAG\n      PARAMETER (MPI_ANY_TAG=-1)\n",
            "      INTEGER*8 MPI_DISPLACEMENT_CURRENT\n      PARAMETER (MPI_DISPLACEMENT_CURRENT=-5)\n",
            "      INTEGER MPI_COMM_WORLD\n      PARAMETER (MPI_COMM_WORLD=257)\n",
            "      INTEGER MPI_SOURCE\n",
            "      LOGICAL MPI_SUBARRAYS_SUPPORTED\n      PARAMETER (MPI_SUBARRAYS_SUPPORTED=.FALSE.)\n",
            "      PARAMETER (MPI_ASYNC_PROTECTS_NONBLOCKING=.FALSE.)\n",
            "      INTEGER MPI_STATUS_IGNORE(8)\n      COMMON /MPI_FSTATUS_IGNORE/ MPI_STATUS_IGNORE\n",
            "      INTEGER MPI_BOTTOM\n      COMMON /MPI_FBOTTOM/ MPI_BOTTOM\n",
            "      DOUBLE PRECISION MPI_WTIME, PMPI_WTIME\n      EXTERNAL MPI_WTIME, PMPI_WTIME\n",
            "      DOUBLE PRECISION MPI_WTICK, PMPI_WTICK\n",
            "      INTEGER*8 MPI_AINT_ADD, PMPI_AINT_ADD\n      EXTERNAL MPI_AINT_ADD, PMPI_AINT_ADD\n",
            "      INTEGER*8 MPI_AINT_DIFF, PMPI_AINT_DIFF\n",
            "      EXTERNAL MPI_COMM_DUP_FN\n",
        ];
        has(&text, &parts);
        for name in ["PMPI_WTIME", "PMPI_WTICK", "PMPI_AINT_ADD", "PMPI_AINT_DIFF"] {
            assert_eq!(text.matches(name).count(), 2, "{name} has one type, and is external");
        }
    }

    #[test]
    fn modules_declare_each_function_in_their_style() {
        let (functions, own) = (crate::fortran::functions(), constants());
        let (mpi, mpi_f08) = (mpi(&functions), mpi_f08(&functions, &own));
        for (module, text) in [("mpi", &mpi), ("mpi_f08", &mpi_f08)] {
            let count = |word: &str| text.matches(word).count();
            has(
                text,
                &[&format!("\nmodule {module}\n  implicit none\n"), &format!("\nend module {module}\n")],
            );
            let subroutines = count("    subroutine MPI_");
            let of_programs = CALLBACKS.matches("    subroutine MPI_").count();
            let declared = subroutines - if module == "mpi" { 0 } else { of_programs };
            assert_eq!(declared + 1, functions.len() - FUNCTIONS.len() + 2, "and MPI_F_sync_reg");
            assert_eq!(subroutines, count("    end subroutine\n"));
            assert_eq!(count("  interface\n"), 1);
            has(text, &["    subroutine MPI_F_sync_reg(buf)\n!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf\n"]);
            assert!(!text.contains("subroutine MPI_Wtime"));
            assert_eq!(count("subroutine MPI_Pcontrol( &\n      level)\n"), 1, "it has no ierror");
        }
        let send = |handle: &[&str; 2], optional: &str| {
            format!(
                "    subroutine MPI_Send( &\n      buf, &\n      count, &\n      datatype, &\n      dest, &\n      tag, &\n      \
                 comm, &\n      ierror)\n      import\n!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf\n      type(*), dimension(*) :: buf\n      \
                 integer :: count\n      {} :: datatype\n      integer :: dest\n      integer :: tag\n      {} :: comm\n      \
                 integer, {optional}intent(out) :: ierror\n    end subroutine\n",
                handle[0], handle[1]
            )
        };
        // Its buffer may have gaps that are there when it has returned.
        let isend = "    subroutine MPI_Isend( &\n      buf, &\n      count, &\n      datatype, &\n      dest, &\n      tag, &\n      \
                     comm, &\n      request, &\n      ierror) &\n      bind(C, name=\"mpi_isend_f08ts_\")\n      import\n      \
                     type(*), dimension(..) :: buf\n";
        has(&mpi_f08, &[isend]);
        assert!(!mpi.contains("bind(C"));
        has(&mpi, &[&send(&["integer"; 2], "")]);
        has(&mpi_f08, &[&send(&["type(MPI_Datatype)", "type(MPI_Comm)"], "optional, ")]);
        // Written by hand, and so without the arguments of C.
        has(&mpi, &["    subroutine MPI_Init( &\n      ierror)\n"]);
        let parts = [
            "  type, bind(C) :: MPI_Comm\n    integer :: MPI_VAL\n  end type\n",
            "    integer :: MPI_internal(5)\n  end type\n",
            "  integer, parameter :: MPI_ANY_TAG = -1\n",
            "  integer(8), parameter :: MPI_DISPLACEMENT_CURRENT = -5\n",
            "  type(MPI_Comm), parameter :: MPI_COMM_WORLD = MPI_Comm(257)\n",
            "  logical, parameter :: MPI_SUBARRAYS_SUPPORTED = .true.\n",
            "  logical, parameter :: MPI_ASYNC_PROTECTS_NONBLOCKING = .false.\n",
            "      type(MPI_Status) MPI_STATUSES_IGNORE(1)\n      COMMON /MPI_FSTATUSES_IGNORE/ MPI_STATUSES_IGNORE\n",
            "      INTEGER MPI_BOTTOM\n",
            "  double precision, external :: MPI_Wtime, MPI_Wtick, PMPI_Wtime, PMPI_Wtick\n",
            "  integer(8), external :: MPI_Aint_add, MPI_Aint_diff, PMPI_Aint_add, PMPI_Aint_diff\n",
            "  external :: MPI_COMM_DUP_FN\n",
            "  interface operator(==)\n    module procedure equal_MPI_",
            "    module procedure differ_MPI_Win\n  end interface\n",
            "contains\n  elemental logical function equal_MPI_",
            "    differ_MPI_Win = one%MPI_VAL /= other%MPI_VAL\n  end function\n",
        ];
        has(&mpi_f08, &parts);
        assert!(!mpi_f08.contains("parameter :: MPI_SOURCE"), "a component's name");
        assert!(!mpi_f08.contains("INTEGER MPI_STATUS_IGNORE(8)"));
    }
}
