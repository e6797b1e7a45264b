use super::*;
use crate::{Format, Mistakes};
use proptest::prelude::*;
use weir_units::Bytes;
use weir_workload::Script;

fn send(to: u32, bytes: u64, wait: u64) -> Entry {
    Entry::Send { to: Rank(to), bytes: Bytes(bytes), wait: Duration::from_ps(wait) }
}

fn receive(from: u32) -> Entry {
    Entry::Await { from: Rank(from) }
}

#[track_caller]
fn check(text: &str, title: &str, expected: &[&[Entry]]) {
    let file = read(text.as_bytes()).unwrap();
    let script = Script::new(expected.iter().map(|list| list.to_vec()).collect()).unwrap();
    assert_eq!((file.title.as_str(), file.script), (title, script));
}

#[test]
fn what_people_write() {
    let text = "# by hand\n\nweir-pattern 1\r\n\ttitle  a # b \nranks 3 # three\n\n0 send 1 20 kB wait 3us # c\n\
                0 await 2\n  2 send 0 1.5KiB\n0 send 2 0 wait 0\n2 send 1 7 wait 1.5 ns\n";
    let expected: [&[Entry]; 3] = [
        &[send(1, 20_000, 3_000_000), receive(2), send(2, 0, 0)],
        &[],
        &[send(0, 1536, 0), send(1, 7, 1500)],
    ];
    check(text, "a # b", &expected);
    check("weir-pattern 1\nranks 1", "", &[&[]]);
}

#[test]
fn an_order_may_be_said() {
    let text = "weir-pattern 1\nranks 2\n0 send 1 3 order 30\n0 send 1 1 order 4 wait 1 ns\n1 await 0\n\
                0 await 1 order 5\n1 send 0 1\n";
    check(text, "", &[&[send(1, 1, 1000), receive(1), send(1, 3, 0)], &[receive(0), send(0, 1, 0)]]);
}

/// The mistakes of a text, as `line: what`.
#[track_caller]
fn check_mistakes(text: &str, expected: &[&str]) {
    let Err(ReadError::Mistakes(mistakes)) = read(text.as_bytes()) else { panic!("accepted") };
    let shown: Vec<String> =
        mistakes.list().iter().map(|mistake| format!("{}: {}", mistake.place, mistake.what)).collect();
    let agree = shown.len() == expected.len() && shown.iter().zip(expected).all(|(a, b)| a.starts_with(b));
    assert!(agree, "expected {expected:#?}\ngot {shown:#?}");
}

#[test]
fn all_mistakes_are_reported_at_once() {
    let entries = "0 send 0 1\n0 send 4 1\n9 await 0\n0 send x 1\n0 send 1 -1 B wait 3\n0 recv 1\n\
                   0 send 1\n0 send\n0\n0 await 1 wait 3 us\n0 send 1 5 wait 1 us wait 2 us\nzero send 1 1\n\
                   0 send 1 18446744073709551615 \n0 send 1 1\n0 send 1 1 order\nranks 5\n";
    check_mistakes(
        &format!("weir-pattern 1\nranks 4\n{entries}"),
        &[
            "line 3: rank 0 cannot exchange messages with itself",
            "line 4: there is no rank 4: the file has 4 ranks, counted from 0",
            "line 5: there is no rank 9",
            "line 6: \"x\" must be the number of a rank",
            "line 7: size: must not be negative",
            "line 7: wait: the unit is missing; write one of ps, ns, us",
            "line 8: unknown word \"recv\": must be send, post, await or pause",
            "line 9: the size is missing",
            "line 10: send needs the number of another rank",
            "line 11: an entry is RANK send RANK SIZE, or RANK await RANK",
            "line 12: an await has neither size nor wait",
            "line 13: wait is there twice",
            "line 14: unknown word \"zero\"",
            "line 15: sizes that overflow",
            "line 17: order needs a whole number",
            "line 18: ranks has been said before",
        ],
    );
}

#[test]
fn orders_are_distinct_and_complete() {
    let header = "weir-pattern 1\nranks 2\n";
    check_mistakes(
        &format!("{header}0 send 1 1 order 2\n0 send 1 1 order 1\n0 send 1 1 order 2\n"),
        &["line 5: rank 0 has an entry of order 2 already, in line 3"],
    );
    let both = "either all entries of a rank have an order or none; rank 0 has both";
    check_mistakes(&format!("{header}0 send 1 1 order 2\n0 send 1 1\n"), &[&format!("line 4: {both}")]);
    check_mistakes(&format!("{header}0 send 1 1\n0 send 1 1 order 2\n"), &[&format!("line 4: {both}")]);
}

#[test]
fn the_header_is_needed() {
    let missing = "the header is missing: the first line must be weir-pattern 1";
    check_mistakes("ranks 2\n0 send 0 1\n", &[&format!("line 1: {missing}"), "line 2: rank 0 cannot"]);
    check_mistakes("", &[&format!("line 1: {missing}"), "line 1: ranks is missing"]);
    check_mistakes(
        "weir-pattern 2\nwhatever\n",
        &["line 1: must be weir-pattern 1: weir knows no other version"],
    );
    check_mistakes(
        "weir-pattern 1\n0 send 7 1\n0 send 1 x\n",
        &["line 2: ranks is missing", "line 3: size: not a number"],
    );
    check_mistakes(
        "weir-pattern 1\nranks 0\n",
        &["line 2: must be ranks and a whole number from 1 to 16777216"],
    );
    check_mistakes(
        "weir-pattern 1\nranks 2\n\n\u{e9}\n0 send \u{e9} 1\n",
        &["line 4: unknown word", "line 5: "],
    );
    let Err(ReadError::Mistakes(mistakes)) = read(&b"weir-pattern 1\nranks 2\n\xff\n"[..]) else { panic!() };
    assert_eq!(mistakes.list()[0].what, "is not UTF-8");
}

#[test]
fn a_long_list_of_mistakes_is_cut() {
    let text = "weir-pattern 1\nranks 2\n".to_owned() + &"0 send 0 1\n".repeat(50);
    let Err(ReadError::Mistakes(mistakes)) = read(text.as_bytes()) else { panic!() };
    assert_eq!((mistakes.list().len(), mistakes.more()), (Mistakes::MOST, 30));
    assert!(mistakes.to_string().ends_with("\nand 30 more mistakes"), "{mistakes}");
}

#[test]
fn what_weir_writes() {
    let script =
        Script::new(vec![vec![send(1, 20_000, 3_000_000), receive(1)], vec![send(0, 1, 0)]]).unwrap();
    let mut out = Vec::new();
    let written = crate::write(Format::Text, &script, "two\nranks", &mut out).unwrap();
    let expected =
        "weir-pattern 1\ntitle two ranks\nranks 2\n0 send 1 20000 wait 3 us\n0 await 1\n1 send 0 1\n";
    assert_eq!(String::from_utf8(out).unwrap(), expected);
    assert_eq!(written, Written { entries: 3, messages: 2 });
}

#[test]
fn messages_may_be_posted_and_have_gaps() {
    let text = "weir-pattern 1\nranks 2\n0 pause 1.5 us\n0 post 1 20 kB wait 1 ns gap 2.125\n0 await 1\n\
                0 send 1 4 gap 0\n0 send 1 5\n1 post 0 3\n";
    let file = read(text.as_bytes()).unwrap();
    let post =
        |to, bytes, wait| Entry::Post { to: Rank(to), bytes: Bytes(bytes), wait: Duration::from_ps(wait) };
    let pause = Entry::Pause { time: Duration::from_ps(1_500_000) };
    let lists = vec![
        vec![pause, post(1, 20_000, 1000), receive(1), send(1, 4, 0), send(1, 5, 0)],
        vec![post(0, 3, 0)],
    ];
    let gaps = vec![vec![None, Gap::new(2.125), None, Gap::new(0.0)]];
    let expected = Script::new(lists).unwrap().with_gaps(gaps);
    let same = |rank, index| {
        file.script.entry(rank, index) == expected.entry(rank, index)
            && file.script.gap(rank, index) == expected.gap(rank, index)
    };
    assert!((0..6).all(|index| same(Rank(0), index) && same(Rank(1), index)), "{:?}", file.script);
    let mut out = Vec::new();
    crate::write(Format::Text, &file.script, "", &mut out).unwrap();
    let written = String::from_utf8(out).unwrap();
    assert!(written.contains("\n0 pause 1500 ns\n0 post 1 20000 wait 1 ns gap 2.125\n"), "{written}");
    assert_eq!(read(written.as_bytes()).unwrap().script, file.script);
}

#[test]
fn gaps_that_cannot_be_are_refused() {
    let entries = "0 send 1 1 gap -1\n0 send 1 1 gap x\n0 send 1 1 gap 1e7\n0 post 1 1 gap nan\n0 await 1 gap 1\n\
                   0 pause\n0 pause 3\n0 pause 3 us gap 1\n0 send 1 1 gap\n0 post 1\n";
    let gap = "gap needs a number from 0 to 1000000";
    check_mistakes(
        &format!("weir-pattern 1\nranks 4\n{entries}"),
        &[
            &format!("line 3: {gap}"),
            &format!("line 4: {gap}"),
            &format!("line 5: {gap}"),
            &format!("line 6: {gap}"),
            "line 7: an await has neither size nor wait nor gap",
            "line 8: pause needs a time",
            "line 9: pause: the unit is missing",
            "line 10: a pause has neither wait nor gap",
            &format!("line 11: {gap}"),
            "line 12: the size is missing: an entry is RANK post RANK SIZE",
        ],
    );
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "(weir-pattern 1\nranks [1-9]\n)?([0-9] (send|await|x) [0-9] ?[0-9kB.-]{0,5}( wait [0-9]{1,3} ?[nu]s)?( order [0-9])?\n|\\PC*\n){0,6}") {
        _ = read(text.as_bytes());
    }
}
