//! `[[upgrades]]`: what is accepted, what is refused and how, and what faster links make of runs and of their lower bounds.

use crate::{TORUS, check_problems, load, table};

fn with(rows: &str) -> String {
    format!("{TORUS}\n{rows}\n")
}

#[test]
fn what_is_refused() {
    let cases = r#"
        [upgrades]; x = 1 => upgrades: must be a list of tables begin each with [[upgrades]]
        [[upgrades]] => upgrades.0.speed: is missing write speed = 2 && upgrades.0.link: is missing: an upgrade is of something
        [[upgrades]]; router = '3'; speed = 0.5 => upgrades.0.speed: must be a number from 1 to 1,000,000
        [[upgrades]]; router = '3'; link = 'x'; speed = 2 => upgrades.0.link: does not go with router
        [[upgrades]]; link = 'router (0,0) -> router (1,00)'; speed = 2 => upgrades.0.link: there is no such link did you mean "router (0,0) -> router (1,0)"?
        [[upgrades]]; link = 'router (0,0) - router (1,0)'; speed = 2 => upgrades.0.link: is a cable write cable
    "#;
    for (rows, expected) in table(cases) {
        check_problems(load(&with(&rows)), expected);
    }
    // Rows multiply, and each is within what is allowed: the first that makes a link too fast is named, however many there are.
    let row = "[[upgrades]]\nlink = 'router (1,1) -> router (2,1)'\nspeed = 1000\n";
    let too_much = "is too much with the rows before it for router (1,1) -> router (2,1)";
    check_problems(load(&with(&row.repeat(3))), &format!("upgrades.2.speed: {too_much}"));
    let many = row.replace("1000", "1000000").repeat(60);
    assert_eq!(load(&with(&many)).unwrap_err().list().len(), 59);
    load(&with(&row.repeat(2))).unwrap();
    let ideal =
        "[workload]\nkind = 'ring'\nranks = 2\nmessage_size = '1 B'\n[[upgrades]]\nrouter = '3'\nspeed = 2\n";
    let need = "need a [topology]: without it there are no links that could be faster";
    check_problems(load(ideal), &format!("upgrades: {need}"));
}
