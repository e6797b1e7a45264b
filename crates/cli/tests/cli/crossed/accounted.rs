//! What time went into, in every scenario: it adds up, and keeping account of it changes nothing.

use super::laws::{Setting, finished, same};
use crate::command::{run, weir};
use serde_json::Value;

/// The sum of the numbers of an object.
fn sum(object: &Value) -> Option<u64> {
    object.as_object()?.values().map(Value::as_u64).sum()
}

/// The causes of all ranks add up to the run, as often as there are ranks, and the critical path to the run; and the run is what it is
/// without an account. What time went into.
pub(super) fn adds_up(setting: &Setting<'_>, whole: &Value) -> Result<Value, String> {
    // Nobody waits for synthetic traffic: the key is refused.
    if setting.case.is_of_kind("synthetic") {
        return Ok(Value::Null);
    }
    let accounted = accounted(setting, &[])?;
    for key in ["outcome", "digest", "simulated_ps", "messages"] {
        same(&format!("{key}, with an account and without"), &accounted[key], &whole[key])?;
    }
    let (causes, taken) = (&accounted["causes"], accounted["simulated_ps"].as_u64());
    let all = taken.zip(accounted["ranks"].as_u64()).map(|(taken, ranks)| taken * ranks);
    let path = &causes["critical_path"];
    let calls =
        path["calls"].as_array().map(|calls| calls.iter().filter_map(|call| call["time_ps"].as_u64()).sum());
    let found = [sum(&causes["total_ps"]), sum(&path["causes_ps"]), calls];
    if found != [all, taken, taken] {
        return Err(format!("{found:?} of {taken:?} ps: {causes}"));
    }
    Ok(causes.clone())
}

/// Run by so many processes of so many threads, time went into the same.
pub(super) fn is_divided(
    setting: &Setting<'_>,
    causes: &Value,
    (processes, threads): (usize, usize),
) -> Result<(), String> {
    if causes.is_null() {
        return Ok(());
    }
    let options = [format!("--processes={processes}"), format!("--set=engine.threads={threads}")];
    let divided = accounted(setting, &options.each_ref().map(String::as_str))?;
    same(&format!("causes, in one process and in {processes}"), causes, &divided["causes"])
}

fn accounted(setting: &Setting<'_>, options: &[&str]) -> Result<Value, String> {
    let mut command = weir(["run", "-q", "--json", "--set", "output.causes=true"]);
    finished(&run(command.args(options).arg(&setting.experiment)))
}
