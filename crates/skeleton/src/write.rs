//! The text of a skeleton, and of the program that measures its blocks.

use crate::blocks::{Selection, reads_any};
use crate::charges::Cut;
use crate::unit::{Kind, Unit};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

/// This is what becomes of the blocks.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// Each is replaced by its time: seconds of an iteration, by name of the block. A block without is charged nothing.
    Charged(BTreeMap<String, f64>),
    /// Each is measured whenever it is executed.
    Measured,
    /// The first executions of each rank are measured, the others charged the mean.
    Sampled(u32),
}

/// A change of the file.
struct Edit {
    at: Range<usize>,
    text: String,
}

/// The name of the macro that holds the time of a block, as `weir skeleton estimate` writes it.
pub(crate) fn macro_name(block: &str) -> String {
    let letters = block.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' });
    format!("WEIR_SECONDS_{}", letters.collect::<String>())
}

/// The file with its cuts in the form.
pub(crate) fn written(name: &str, cuts: &[Cut], selection: &Selection, unit: &Unit, form: &Form) -> String {
    let file = unit.expanded.file.as_str();
    let mut edits = Vec::new();
    for cut in cuts {
        match form {
            Form::Charged(_) => charge(file, cut, unit, &mut edits),
            Form::Measured => surround(file, cut, unit, "WEIR_MEASURE", "", &mut edits),
            Form::Sampled(first) => {
                surround(file, cut, unit, "WEIR_SAMPLE_LOOP", &format!("{first}, "), &mut edits);
            }
        }
    }
    if matches!(form, Form::Charged(_)) {
        edits.extend(returns(selection, unit));
    }
    edits.sort_by_key(|edit| (edit.at.start, edit.at.end));
    let mut made = head(name, cuts, form);
    let mut at = 0;
    for edit in edits.iter().filter(|edit| edit.at.start <= edit.at.end) {
        if edit.at.start < at {
            continue;
        }
        made.push_str(&file[at..edit.at.start]);
        made.push_str(&edit.text);
        at = edit.at.end;
    }
    made.push_str(&file[at..]);
    made
}

const TRIPS: &str = "/* Iterations of a loop from one value to another. */
static inline double weir_trips(double first, double end, double step)
{
    double trips = (end - first) / step, whole = trips > 0 ? (double)(long long)trips : 0;
    return trips > whole ? whole + 1 : whole;
}
";

fn head(name: &str, cuts: &[Cut], form: &Form) -> String {
    let what = match form {
        Form::Charged(_) => "The skeleton of",
        Form::Measured => "This measures the blocks that a skeleton leaves out of",
        Form::Sampled(_) => "A skeleton, which samples what it leaves out, of",
    };
    let mut made = format!("/* {what} {name}, by weir skeleton make. */\n");
    let unused = [
        "unused-variable",
        "unused-but-set-variable",
        "unused-function",
        "unused-label",
        "empty-body",
        "maybe-uninitialized",
    ];
    if *form != Form::Measured {
        made.push_str("#if defined __GNUC__\n");
        for warning in unused {
            _ = writeln!(made, "#pragma GCC diagnostic ignored \"-W{warning}\"");
        }
        made.push_str("#endif\n");
    }
    made.push_str("#include <weir.h>\n");
    if let Form::Charged(times) = form {
        for name in cuts.iter().filter_map(|cut| cut.name.as_ref()) {
            let (macro_name, seconds) = (macro_name(name), times.get(name).copied().unwrap_or(0.0));
            _ = writeln!(made, "#ifndef {macro_name}\n#define {macro_name} {seconds:e}\n#endif");
        }
    }
    if cuts.iter().any(|cut| cut.trips.is_some()) {
        made.push_str(TRIPS);
    }
    made.push('\n');
    made
}

/// The lines of a cut, as a comment says them.
fn lines(cut: &Cut) -> String {
    match cut.first_line == cut.last_line {
        true => format!("line {}", cut.first_line),
        false => format!("lines {} to {}", cut.first_line, cut.last_line),
    }
}

fn clock_call(cut: &Cut) -> String {
    let (lines, level) = (lines(cut), cut.level);
    match (&cut.name, &cut.trips) {
        (None, _) => format!("/* {lines}: too short for a clock call */"),
        (Some(name), None) => format!("/* {lines}, level {level} */ weir_compute({});", macro_name(name)),
        (Some(name), Some(trips)) => {
            format!("/* {lines}, level {level} */ weir_compute_iterations({}, {trips});", macro_name(name))
        }
    }
}

fn charge(file: &str, cut: &Cut, unit: &Unit, edits: &mut Vec<Edit>) {
    let call = clock_call(cut);
    let Some(initial) = &cut.initial else {
        let start = unit.expanded.start_with_pragmas(cut.source.start);
        let end = if cut.name.is_none() { " ;" } else { "" };
        edits.push(Edit { at: start..cut.source.end, text: format!("{call}{end}") });
        return;
    };
    let stripped = file[cut.source.start..initial.value.start].trim_end().trim_end_matches('=').trim_end();
    edits.push(Edit { at: cut.source.start + stripped.len()..initial.value.end, text: String::new() });
    edits.push(Edit { at: initial.end..initial.end, text: format!(" {call}") });
}

/// Puts a macro before a block, which then is what the macro repeats.
fn surround(file: &str, cut: &Cut, unit: &Unit, name: &str, first: &str, edits: &mut Vec<Edit>) {
    let Some(block) = &cut.name else { return };
    let trips = cut.trips.as_deref().unwrap_or("1");
    let call = format!("{name}(\"{block}\", {first}{trips})");
    if let Some(initial) = &cut.initial {
        let stripped =
            file[cut.source.start..initial.value.start].trim_end().trim_end_matches('=').trim_end();
        edits.push(Edit { at: cut.source.start + stripped.len()..initial.value.end, text: String::new() });
        let value = &file[initial.value.clone()];
        let text = format!(" {call} {} = {value};", initial.variable);
        edits.push(Edit { at: initial.end..initial.end, text });
        return;
    }
    let start = unit.expanded.start_with_pragmas(cut.source.start);
    let line = file[..start].rfind('\n').map_or(0, |end| end + 1);
    let indent: String = file[line..start].chars().take_while(|c| c.is_whitespace()).collect();
    if cut.is_list {
        edits.push(Edit { at: start..start, text: format!("{call} {{\n{indent}") });
        edits.push(Edit { at: cut.source.end..cut.source.end, text: format!("\n{indent}}}") });
    } else {
        edits.push(Edit { at: start..start, text: format!("{call}\n{indent}") });
    }
}

/// Values that functions return though they are not needed are zero where they would be computed from what is left out.
fn returns(selection: &Selection, unit: &Unit) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (number, statement) in unit.statements.iter().enumerate() {
        let function = &unit.functions[statement.function];
        let is_walked = selection.slice.effective[statement.function] || function.name == "main";
        let Kind::Return(Some(value)) = &statement.kind else { continue };
        let is_wrong = is_walked
            && selection.slice.live.contains(&statement.function)
            && !selection.slice.is_needed(function.result.place, unit)
            && statement.facts.mpi.is_empty()
            && reads_any(number, &selection.wrong, selection, unit);
        let calls_effective = statement
            .facts
            .calls
            .iter()
            .any(|call| call.function.is_none_or(|callee| selection.slice.effective[callee]));
        let Some(source) = unit.expanded.source(value).filter(|_| is_wrong && !calls_effective) else {
            continue;
        };
        let is_plain = !function.result.of.steps.is_empty() || !function.result.of.may_point;
        let zero = if is_plain { "0".to_owned() } else { format!("({}){{0}}", function.type_words) };
        edits.push(Edit { at: source, text: format!("{zero} /* a value that is left out */") });
    }
    edits
}
