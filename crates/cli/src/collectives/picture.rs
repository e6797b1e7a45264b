//! A map of the best algorithms over sizes and ranks.

use super::table::{axes, cell, operations, size};
use weir_picture::{Drawing, Field, HeatMap, Paint};
use weir_scenario::contest::{Cell, Contest};

/// A map for each collective, one below the other: sizes to the right, ranks upwards, each field in the color of the best
/// algorithm, with how much slower `auto` is.
pub(super) fn picture(contest: &Contest) -> Drawing {
    Drawing::stacked(operations(contest).iter().map(|operation| map(contest, operation).draw()).collect())
}

fn map(contest: &Contest, operation: &str) -> HeatMap {
    let (sizes, mut ranks) = axes(contest, operation);
    ranks.reverse();
    // The algorithms that are best somewhere.
    let mut names: Vec<&str> = Vec::new();
    for cell in contest.cells.iter().filter(|cell| cell.operation == operation) {
        names.extend(cell.best().map(|(name, _)| name).filter(|name| !names.contains(name)));
    }
    let places = (0..ranks.len()).flat_map(|row| (0..sizes.len()).map(move |column| (row, column)));
    let field = |place: (usize, usize)| {
        field(cell(contest, operation, sizes[place.1], ranks[place.0])?, &names, place)
    };
    HeatMap {
        title: operation.to_owned(),
        below: "in a field: how much longer auto takes".to_owned(),
        fields: places.filter_map(field).collect(),
        columns: sizes.iter().copied().map(size).collect(),
        rows: ranks.iter().map(|count| format!("{count} ranks")).collect(),
        legend: names.into_iter().map(str::to_owned).collect(),
    }
}

/// A field, with all times in its title.
fn field(cell: &Cell, names: &[&str], (row, column): (usize, usize)) -> Option<Field> {
    let ranked = cell.ranked();
    let &(best, time) = ranked.first()?;
    let times: Vec<String> = ranked.iter().map(|(name, time)| format!("{name} {time}")).collect();
    let percent = |auto: f64| 100.0 * (auto / (time.as_ps() as f64).max(1.0) - 1.0);
    let auto = cell.auto.as_ref().map(|auto| format!("+{:.0} %", percent(auto.as_ps() as f64)));
    Some(Field {
        column,
        row,
        paint: Paint::Color(names.iter().position(|name| *name == best).unwrap_or(0)),
        text: auto.unwrap_or_default(),
        title: format!("{}, {} ranks: {}", size(cell.bytes), cell.ranks, times.join(", ")),
    })
}
