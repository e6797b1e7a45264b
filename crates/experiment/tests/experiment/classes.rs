//! Rows of `[[classes]]`: how they are read, what is resolved, and what is refused.

use crate::{TORUS, again, check_problems, load, load_with};
use weir_network::{Class, ServiceClasses};
use weir_units::{Bytes, Rank};

const RING: &str = "[topology]\nkind = 'torus'\nshape = [4, 2]\nbandwidth = '1 GB/s'\n[workload]\nkind = 'ring'\n\
                    message_size = '20 kB'\n";
const PACKETS: &str = "[engine]\nkind = 'packet'\n";

/// The same in any order; with one class alone nothing is another.
#[test]
fn rows_of_classes() {
    let rows = [
        "[[classes]]\nname = 'few'\nranks = ['0-1', 3]\nweight = 3\n",
        "[[classes]]\nname = 'short'\nranks = '4-7'\nmessages_from = '1 B'\nmessages_below = '2 kB'\n",
        "[[classes]]\nname = 'rest'\nchannels = 5\n",
        "[[classes]]\nname = 'protocol'\ncontrol = true\npriority = 9\n",
    ];
    let scenario = load(&format!("{RING}{PACKETS}{}", rows.concat())).unwrap();
    assert_eq!(again(&scenario), scenario);
    let services = scenario.services().unwrap();
    let of =
        |rank, bytes, class| services.all()[services.of_one(Rank(rank), Bytes(bytes), class)].name.as_str();
    assert_eq!(of(3, 5_000, Class::Data), "few");
    assert_eq!(of(5, 1_999, Class::Data), "short");
    assert_eq!(of(5, 0, Class::Data), "rest");
    assert_eq!(of(2, 1_999, Class::Data), "rest");
    assert_eq!(of(3, 0, Class::Control), "protocol");
    let turned: String = rows.iter().rev().copied().collect();
    let other = load(&format!("{RING}{PACKETS}{turned}")).unwrap();
    assert_eq!(other.services().as_ref().map(ServiceClasses::all), Some(services.all()));
    assert!(load(&format!("{RING}{PACKETS}{}", rows[2])).unwrap().services().is_none());
    assert!(load(TORUS).unwrap().resolved().get("classes").is_none());
    let set = load_with(&format!("{RING}{}", rows.concat()), &["classes.0.weight=7"]).unwrap();
    assert_eq!(set.classes[0].weight, 7);
}

/// A run says where a class does not do what it does elsewhere.
#[test]
fn engines_say_what_they_do_with_classes() {
    let two = "[[classes]]\nname = 'few'\nranks = 0\n[[classes]]\nname = 'rest'\n";
    let warned = |text: String, words: &str| {
        let warnings = load(&text).unwrap().warnings();
        assert_eq!(warnings.iter().any(|warning| warning.contains(words)), !words.is_empty(), "{warnings:?}");
    };
    warned(
        format!("{RING}[engine]\nkind = 'ideal'\n{two}"),
        "classes have no effect with engine.kind = \"ideal\"",
    );
    warned(format!("{RING}{two}"), "the weight of a class is that of each of its messages");
    let ranked = two.replace("ranks = 0", "ranks = 0\npriority = 1");
    assert!(load(&format!("{RING}{ranked}")).unwrap().warnings().is_empty());
}

fn check(text: &str, said: &str) {
    check_problems(load(text), said);
}

#[test]
fn classes_that_do_not_fit_are_refused() {
    let with = |rows: &str| format!("{RING}{PACKETS}{rows}");
    let rest = "[[classes]]\nname = 'rest'\n";
    check(&with("[[classes]]\nranks = 0\n"), "classes.0.name: is missing write name = \"bulk\"");
    check(
        &with(&format!("[[classes]]\nname = 'a'\nweight = 0\npriority = 300\nchannels = 0\n{rest}")),
        "classes.0.weight: must be && classes.0.priority: must be && classes.0.channels: must be",
    );
    check(
        &with(&format!("{rest}[[classes]]\nname = 'other'\n")),
        "classes.1.name: takes all messages that are in no other class, and \"rest\" does already write which",
    );
    check(
        &with("[[classes]]\nname = 'a'\nranks = 0\n[[classes]]\nname = 'b'\nranks = 1\n"),
        "classes.1.name: is the last class, and none takes the messages that are in no other write a class without",
    );
    check(
        &with(&format!(
            "{rest}[[classes]]\nname = 'a'\nranks = '0-3'\n[[classes]]\nname = 'b'\nranks = [3, 5]\n"
        )),
        "classes.2.name: has messages that are in \"a\", too a message is in one class",
    );
    check(
        &with(&format!("{rest}[[classes]]\nname = 'rest'\nranks = 8\n")),
        "classes.1.name: is the name of an earlier class, too",
    );
    check(
        &with(&format!("{rest}[[classes]]\nname = 'a'\nranks = 8\n")),
        "classes.1.ranks: there is no rank 8: there are 8, counted from 0",
    );
    check(
        &with(&format!("{rest}[[classes]]\nname = 'a'\nmessages_from = '2 kB'\nmessages_below = '1 kB'\n")),
        "classes.1.messages_below: leaves no message",
    );
    let control = "[[classes]]\nname = 'c'\ncontrol = true\n[[classes]]\nname = 'd'\ncontrol = true\n";
    check(
        &with(&format!("{rest}{control}")),
        "classes.2.control: does not fit: \"c\" has what protocols need already",
    );
    let many =
        "[[classes]]\nname = 'a'\nranks = 0\nchannels = 200\n[[classes]]\nname = 'rest'\nchannels = 100\n";
    check(&with(many), "classes.0.channels: are 300 in all classes together a link has 1 to 256");
    let flow = format!("{RING}[engine]\nsharing = 'single-pass'\n{rest}[[classes]]\nname = 'a'\nranks = 0\n");
    check(
        &flow,
        "engine.sharing: does not fit [[classes]]: only max-min shares links by classes leave it out",
    );
    let memory = format!("{RING}[node]\nmemory_limit = '1 GB/s'\n{rest}[[classes]]\nname = 'a'\nranks = 0\n");
    check(&memory, "node.memory_limit: does not fit [[classes]] with engine.kind = \"flow\"");
}
