use super::*;

/// Cells that no text stands for, but a table may have.
#[test]
fn cells_that_are_missing_or_make_no_sense_are_refused() {
    let row = Row { peer: Some(1), tag: Some(1), request: Some(1), bytes: 8, ..Row::default() };
    let listed = |list: &[i64]| Row { list: Some(list.to_vec()), ..row.clone() };
    let alone = |list: &[i64]| Row { request: None, ..listed(list) };
    let flags = |flags| Row { flags, ..row.clone() };
    let no_tag = Row { tag: None, ..row.clone() };
    let no_request = Row { request: None, ..row.clone() };
    let no_peer = |flags| Row { peer: None, flags, ..row.clone() };
    for (kind, row, why) in [
        ("send", no_tag.clone(), "needs a tag"),
        ("isend", no_request.clone(), "needs a request"),
        ("recv", no_tag.clone(), "needs a tag, or any"),
        ("recv", Row { flags: ANY_SOURCE, ..no_tag.clone() }, "needs a tag, or any"),
        ("irecv", no_request.clone(), "needs a request"),
        ("probe", no_peer(ANY_TAG), "needs a source, or any"),
        ("wait", no_request.clone(), "needs a request or a list"),
        ("test", listed(&[1, 2]), "needs a request or a list"),
        ("see", alone(&[1, -1]), "numbers from 0"),
        ("release", no_request.clone(), "needs a request"),
        ("poll", listed(&[1, 2, 3]), "one number behind it at most"),
        ("poll", listed(&[-1]), "not -1"),
        ("ibarrier", no_request.clone(), "needs a request"),
        ("barrier", Row { tag: Some(0), ..row.clone() }, "at least 1, or none"),
        ("reduce", flags(14 << 16), "no operation or element"),
        ("bcast", flags(1 << 16), "combines nothing"),
        ("gatherv", listed(&[8, -8]), "less than 0 bytes"),
        ("reduce-scatter", row.clone(), "needs a list of blocks"),
        ("alltoallv", listed(&[1, 2, 3]), "as many blocks"),
        ("alltoallv", listed(&[]), "as many blocks"),
        ("neighbors", listed(&[1, 0, 1, 0, 1, 8, 8]), "makes no sense"),
        ("neighbors", listed(&[1, -2, 1, 0, 0, 8, 8]), "makes no sense"),
        ("mrecv", no_request.clone(), "needs a request"),
        ("choose", listed(&[0, 0, -1]), "needs protocol"),
        ("choose", listed(&[3, 0, -1, -1]), "needs protocol"),
        ("read", row.clone(), "how long it lasts"),
        ("write", listed(&[-1]), "times run backwards"),
        ("iwrite", alone(&[1]), "needs a request"),
        ("put", no_peer(0), "needs a rank"),
        ("rget", no_request.clone(), "needs a request"),
        ("psend-init", no_tag, "needs a tag"),
        ("precv-init", no_request.clone(), "needs a channel"),
        ("psend", Row { bytes: 1 << 32, ..row.clone() }, "too many"),
        ("precv", no_peer(0), "the number of its channel"),
        ("pready", no_peer(0), "needs a partition"),
        ("win-lock", no_peer(0), "needs a rank"),
        ("win-post", row.clone(), "the ranks of a group"),
        ("win-start", listed(&[1, -1]), "a rank that is no number"),
    ] {
        let found = Row { kind, ..row }.step().expect_err(why);
        assert!(found.contains(why), "{kind}: {found}");
    }
}

#[test]
fn cells_of_tasks_that_would_be_ignored_are_refused() {
    let compute = Row { kind: "compute", compute_ps: 7, ..Row::default() };
    assert_eq!(compute.clone().task(), Ok(Operation::Compute { time: Duration::from_ps(7) }));
    let send = Row { kind: "send", peer: Some(1), tag: Some(0), bytes: 8, ..Row::default() };
    assert_eq!(Row::of_task(0, send.clone().task().expect("it is a task")), send);
    for (row, why) in [
        (Row { list: Some(vec![7]), ..compute.clone() }, "its time in compute_ps, and nothing in other"),
        (Row { bytes: 1, ..compute.clone() }, "nothing in other columns"),
        (Row { took_ps: Some(7), ..compute }, "nothing in other columns"),
        (Row { compute_ps: 1, ..send.clone() }, "work before send is a task of its own"),
        (Row { took_ps: Some(0), ..send.clone() }, "no task has took_ps"),
        (Row { request: Some(0), ..send.clone() }, "a task has no request"),
        (Row { tag: None, ..send }, "needs a tag"),
    ] {
        let found = row.task().expect_err(why);
        assert!(found.contains(why), "{found}");
    }
}

#[test]
fn looks_in_vain_of_older_tables_have_their_time_in_place_of_what_they_took() {
    let step = Row { kind: "poll", took_ps: Some(7), ..Row::default() }.step().expect("it is a step");
    let operation = Operation::Poll { time: Duration::from_ps(7), after: None };
    assert_eq!(step, Step { compute: Duration::ZERO, took: None, operation });
    assert!(Row { kind: "poll", ..Row::default() }.step().is_err());
}

#[test]
fn flags_of_reductions_are_read_back() {
    for (place, (name, operation)) in OperationName::ALL.into_iter().enumerate() {
        let element = Some(ElementName::ALL[2 * place % ElementName::ALL.len()].1);
        let combining = Combining { operation: Some(operation), element };
        assert_eq!(combining_of(flags_of(combining) | 0xffff), Ok(combining), "{name}");
    }
    assert_eq!((flags_of(Combining::default()), combining_of(1023)), (0, Ok(Combining::default())));
    let sum_of_doubles =
        Combining { operation: OperationName::named("sum"), element: ElementName::named("double") };
    assert_eq!(flags_of(sum_of_doubles), 65_536 + 10 * 1_048_576);
    assert!(combining_of(14 << 16).is_err() && combining_of(27 << 20).is_err());
}
