//! What `weir validate` prints.

use crate::text::aligned;
use serde_json::{Value, json};
use weir_calibrate::validation::{Choice, Goal, Reached, Rows, Standing, Table, Tally, Validation};

/// All tables but that of each algorithm, which the page has.
pub(super) fn to_text(validation: &Validation) -> String {
    let mut text = format!("{}: {}\n", validation.study.title, validation.study.source);
    for table in [
        validation.targets_table(),
        validation.jobs_table(),
        validation.collectives_table(),
        validation.best_table(),
        validation.missed_table(),
        validation.ablations_table(),
        validation.values_table(),
        validation.left_out_table(),
    ] {
        text += &shown(&table);
    }
    text
}

fn shown(table: &Table) -> String {
    if table.rows.is_empty() {
        return String::new();
    }
    let mut rows = vec![table.head.clone()];
    rows.extend(table.rows.iter().cloned());
    format!("\n{}\n{}", table.title, aligned(&rows))
}

pub(super) fn to_json(validation: &Validation) -> Value {
    let rows = validation.rows.iter().map(|predicted| {
        let row = &predicted.row;
        json!({
            "line": row.line,
            "job": row.job,
            "collective": row.operation.name(),
            "algorithm": row.algorithm,
            "bytes": row.bytes,
            "measured_s": row.seconds,
            "predicted_s": predicted.seconds,
            "error": predicted.error(),
            "fitted_to": predicted.calibrates,
            "counts": predicted.standing == Standing::Counts,
        })
    });
    let left_out = validation.left_out.reasons();
    let left_out = left_out.map(|(reason, lines)| json!({ "reason": reason, "lines": lines }));
    json!({
        "schema_version": 1,
        "study": validation.study.name,
        "targets": validation.reached().iter().map(target).collect::<Vec<_>>(),
        "groups": groups(validation),
        "choices": validation.choices(&Rows::default()).iter().map(choice).collect::<Vec<_>>(),
        "rows": rows.collect::<Vec<_>>(),
        "left_out": left_out.collect::<Vec<_>>(),
    })
}

fn target(reached: &Reached) -> Value {
    let goal = match reached.target.goal {
        Goal::Median(at_most) => json!({ "kind": "median", "at_most": at_most }),
        Goal::RowsWithin { within, at_least } => {
            json!({ "kind": "rows-within", "within": within, "at_least": at_least })
        }
        Goal::BestWithin { within, at_least } => {
            json!({ "kind": "best-within", "within": within, "at_least": at_least })
        }
    };
    json!({
        "name": reached.target.name,
        "goal": goal,
        "of": reached.of,
        "value": reached.value,
        "met": reached.is_met(),
    })
}

fn choice(choice: &Choice) -> Value {
    json!({
        "job": choice.job,
        "collective": choice.operation.name(),
        "bytes": choice.bytes,
        "algorithms": choice.algorithms,
        "called_best": choice.called_best,
        "best": choice.best,
        "takes_longer_by": choice.loss - 1.0,
    })
}

/// Errors of each job, all sizes and large ones.
fn groups(validation: &Validation) -> Vec<Value> {
    let mut jobs: Vec<&str> = validation.rows.iter().map(|predicted| predicted.row.job.as_str()).collect();
    jobs.sort_unstable();
    jobs.dedup();
    let group = |(job, from): (&str, u64)| {
        let tally = validation.tally(&Rows { jobs: vec![job.to_owned()], from, ..Rows::default() })?;
        let Tally { rows, median, ninth, within_10, within_20 } = tally;
        Some(json!({
            "job": job,
            "from_bytes": from,
            "rows": rows,
            "median": median,
            "ninth": ninth,
            "within_10": within_10,
            "within_20": within_20,
        }))
    };
    jobs.into_iter().flat_map(|job| [(job, 0), (job, validation.study.large)]).filter_map(group).collect()
}
