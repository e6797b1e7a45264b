//! What the tables of a results folder hold, and what must be true of them whatever was run.

pub(super) use crate::tables::{Cell, CellRow as Row, cell_rows as rows};

use serde_json::Value;
use std::path::Path;

pub(super) fn whole(row: &Row, column: &str) -> u64 {
    match row.get(column) {
        Some(Cell::Whole(value)) => *value,
        other => panic!("{column} is {other:?}"),
    }
}

pub(super) fn real(row: &Row, column: &str) -> f64 {
    match row.get(column) {
        Some(Cell::Real(value)) => *value,
        other => panic!("{column} is {other:?}"),
    }
}

pub(super) fn has_text(row: &Row, column: &str, text: &str) -> bool {
    row.get(column) == Some(&Cell::Text(text.to_owned()))
}

pub(super) fn sum(rows: &[Row], column: &str) -> u64 {
    rows.iter().map(|row| whole(row, column)).sum()
}

fn equal(what: &str, left: u64, right: u64) -> Result<(), String> {
    if left == right { Ok(()) } else { Err(format!("{what}: {left} and {right}")) }
}

fn close(what: &str, left: f64, right: f64) -> Result<(), String> {
    let close = (left - right).abs() <= 1e-6 * left.abs().max(right.abs()).max(1.0);
    if close { Ok(()) } else { Err(format!("{what}: {left} and {right}")) }
}

/// The tables of a run that has finished agree with its summary and with each other.
pub(super) fn agree(folder: &Path, summary: &Value) -> Result<(), String> {
    let reported = |key: &str| summary[key].as_u64().unwrap_or_else(|| panic!("{key} of the summary"));
    let synthetic = summary.get("offered_load").is_some();
    if let Some(pairs) = rows(folder, "pairs") {
        equal("messages of pairs and of the summary", sum(&pairs, "messages"), reported("messages"))?;
        equal("bytes of pairs and of the summary", sum(&pairs, "bytes"), reported("bytes"))?;
    }
    if let Some(messages) = rows(folder, "messages") {
        messages_agree(&messages, summary)?;
    }
    if let Some(latencies) = rows(folder, "latencies")
        && !synthetic
    {
        let of =
            |kind| latencies.iter().filter(|row| has_text(row, "kind", kind)).cloned().collect::<Vec<_>>();
        equal(
            "messages of latencies and of the summary",
            sum(&of("message"), "count"),
            reported("messages"),
        )?;
        if summary["engine"] == "packet" {
            equal(
                "packets of latencies and of the summary",
                sum(&of("packet"), "count"),
                reported("packets"),
            )?;
        }
    }
    if let Some(calls) = rows(folder, "calls") {
        equal("bytes sent by calls and of the summary", sum(&calls, "sent_bytes"), reported("bytes"))?;
        equal("bytes received and sent by calls", sum(&calls, "received_bytes"), reported("bytes"))?;
    }
    match rows(folder, "links") {
        Some(links) if summary["engine"] != "ideal" => links_agree(folder, &links, summary, synthetic),
        _ => Ok(()),
    }
}

fn messages_agree(messages: &[Row], summary: &Value) -> Result<(), String> {
    let (data, control): (Vec<Row>, Vec<Row>) =
        messages.iter().cloned().partition(|row| has_text(row, "class", "data"));
    equal("rows of data messages", data.len() as u64, summary["messages"].as_u64().unwrap())?;
    equal("bytes of data messages", sum(&data, "bytes"), summary["bytes"].as_u64().unwrap())?;
    equal("rows of control messages", control.len() as u64, summary["control_messages"].as_u64().unwrap())?;
    let end = summary["simulated_ps"].as_u64().unwrap();
    for row in messages {
        let times = ["posted_ps", "started_ps", "arrived_ps"].map(|column| whole(row, column));
        if !times.is_sorted() || times[2] > end {
            return Err(format!("a message's times are out of order: {row:?}"));
        }
        if let Some(Cell::Whole(matched)) = row.get("matched_ps")
            && *matched < times[2]
        {
            return Err(format!("a message is matched before it arrives: {row:?}"));
        }
    }
    Ok(())
}

fn links_agree(folder: &Path, links: &[Row], summary: &Value, synthetic: bool) -> Result<(), String> {
    let of_kind = |kind: &str| {
        links.iter().filter(|row| has_text(row, "kind", kind)).map(|row| real(row, "bytes")).sum::<f64>()
    };
    if !synthetic {
        close("bytes injected and ejected", of_kind("injection"), of_kind("ejection"))?;
    }
    let busiest = links.iter().map(|row| real(row, "utilization")).fold(0.0, f64::max);
    close("largest utilization", busiest, summary["max_link_utilization"].as_f64().unwrap())?;
    if !(0.0..=1.0 + 1e-6).contains(&busiest) {
        return Err(format!("a link is used to {busiest}"));
    }
    if let Some(series) = rows(folder, "series/links") {
        let mut carried = vec![0.0; links.len()];
        series.iter().for_each(|row| carried[whole(row, "link") as usize] += real(row, "bytes"));
        for (link, row) in links.iter().enumerate() {
            close("bytes of a link in its series and in all", carried[link], real(row, "bytes"))?;
        }
    }
    if let Some(series) = rows(folder, "series/latencies")
        && !synthetic
    {
        let messages: Vec<Row> = series.into_iter().filter(|row| has_text(row, "kind", "message")).collect();
        equal("messages of the series", sum(&messages, "count"), summary["messages"].as_u64().unwrap())?;
    }
    Ok(())
}
