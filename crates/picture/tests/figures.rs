//! Figures with all that there is in them, beside files that a person has looked at.

use weir_picture::{Field, HeatMap, Paint};

/// A figure is that of the file. If it is not, it is in the folder of temporary files.
#[track_caller]
fn check(name: &str, found: &str) {
    let drawn = format!("{}/{name}", env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(&drawn, found).expect("there is room for it");
    let expected = std::fs::read_to_string(format!("{}/tests/{name}", env!("CARGO_MANIFEST_DIR")));
    assert!(expected.is_ok_and(|expected| expected == found), "{drawn} is not crates/picture/tests/{name}");
}

#[test]
fn plots_of_all_kinds() {
    check("plots.svg", &weir_picture::draw(include_str!("plots.json")).unwrap());
}

#[test]
fn heat_maps_with_colors_and_shades() {
    let texts = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let field = |(column, row, paint)| Field {
        column,
        row,
        paint,
        text: format!("{column}{row}"),
        title: format!("{column} & {row}"),
    };
    let map = |legend: &[&str], fields: &[_]| HeatMap {
        title: "a title that is wider than all of the fields below it".into(),
        below: "bytes".into(),
        columns: texts(&["8 B", "1 KiB"]),
        rows: texts(&["4 nodes", "16 nodes", "64 nodes"]),
        legend: texts(legend),
        fields: fields.iter().copied().map(field).collect(),
    };
    let colors =
        map(&["ring", "tree", "<flat>", "a", "b", "c"], &[(0, 0, Paint::Color(2)), (1, 2, Paint::Color(0))]);
    let shades =
        map(&[], &[(1, 0, Paint::Shade(0.25)), (0, 1, Paint::Shade(0.5)), (1, 2, Paint::Shade(0.75))]);
    check(
        "heat_maps.html",
        &weir_picture::Drawing::stacked(vec![colors.draw(), shades.draw()]).to_page("a & b"),
    );
}
