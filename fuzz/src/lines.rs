//! Patterns and profiles made of lines that are right but for what is in them: bytes alone hardly ever come to a second line.

use crate::traces;
use libfuzzer_sys::arbitrary::{Result, Unstructured};

/// Capital letters stand for what is filled in: R rank, S size, T time, N small number.
const PATTERN: &[&str] = &[
    "R send R S",
    "R send R S wait T",
    "R post R S gap G",
    "R post R S wait T gap G",
    "R pause T",
    "R await R",
];
const PROFILE: &[&str] = &[
    "R compute T",
    "R send R S tag N",
    "R bsend R S comm N",
    "R ssend nobody S",
    "R isend R S tag N request N",
    "R issend R S request N took T",
    "R ibsend R S request N",
    "R irsend R S comm N request N",
    "R recv R S tag N",
    "R recv any S tag any from R tagged N",
    "R irecv R S tag N request N",
    "R irecv any S tag any request N from R tagged N",
    "R wait N",
    "R wait N N",
    "R wait",
    "R test N",
    "R test N N took T",
    "R see N N",
    "R release N",
    "R probe R tag N",
    "R probe any tag any looks",
    "R probe any from R",
    "R poll T",
    "R poll T after N",
    "R flush",
    "R end",
    "R cancel N",
    "R open N",
    "R fulfil N",
    "R mprobe R tag N request N",
    "R mprobe any tag any from R request N looks",
    "R mrecv N S",
    "R imrecv N S request N",
    "R barrier",
    "R ibarrier request N",
    "R bcast S root R",
    "R ibcast S root R tag N request N",
    "R reduce S root R element S",
    "R allreduce S element S ordered",
    "R allreduce S element S op sum type double",
    "R allreduce S element S comm N took T",
    "R gather S root R",
    "R gatherv S root R blocks S S",
    "R gatherv S root R",
    "R scatter S root R",
    "R scatterv root R blocks N N",
    "R allgather S",
    "R allgatherv blocks N N",
    "R alltoall S comm N",
    "R ialltoall S request N",
    "R alltoallv out N N in N N",
    "R alltoallv out N in N",
    "R scan S element S",
    "R exscan S element S",
    "R reduce-scatter blocks N N element S",
    "R neighbors list 1 R 1 R 0 S S",
    "R neighbors list N N N N N N N",
    "R split S",
    "R merge S",
    "R bcast S root here comm N",
    "R bcast S root nobody comm N",
    "R choose protocol eager copy zero nic N gap G",
    "R choose gap G",
    "R choose",
    "R read S lasts T",
    "R write S lasts T",
    "R iread S lasts T request N",
    "R iwrite S request N",
    "R win-open comm N",
    "R win-close comm N",
    "R win-fence comm N",
    "R win-fence comm N nosucceed",
    "R win-flush comm N",
    "R win-flush R comm N local",
    "R win-post comm N ranks R",
    "R win-start comm N ranks R R nocheck",
    "R win-complete comm N",
    "R win-wait comm N",
    "R win-lock R comm N exclusive",
    "R win-unlock R comm N",
    "R win-lock-all comm N at-once",
    "R win-unlock-all comm N",
    "R put R S comm N",
    "R get R S comm N",
    "R accumulate R S comm N",
    "R get-accumulate R S comm N",
    "R compare-and-swap R S comm N",
    "R rput R S comm N request N",
    "R rget R S comm N request N",
    "R psend-init R channel N",
    "R precv-init R channel N",
    "R psend N partitions N request N",
    "R precv N S request N",
    "R pready N S partition N",
    "communicator N: R R",
    "communicator N: 0-R",
    "communicator N: R | R",
];
const SIZES: &[&str] = &["0", "1", "8", "8 B", "1 kB", "20 kB", "100 kB", "1 MB", "16 KiB"];
const TIMES: &[&str] = &["0 s", "1 ns", "3 us", "1 ms", "1 ps"];
const GAPS: &[&str] = &["0", "0.5", "2.125", "1000000"];
const ODD: &[&str] = &[
    "-1",
    "18446744073709551615",
    "9223372036854775807",
    "4294967295",
    "4294967296",
    "65535",
    "1e308",
    "nan",
    "",
    "#",
    "any",
    "2147483647",
    "2147483648",
    "-2147483648",
    "nobody",
    "1 TB",
    "5000 h",
    "16777216",
    "0.3 B",
    "\u{e9}",
    "213 days",
];

/// A pattern.
pub(crate) fn pattern_text(u: &mut Unstructured<'_>) -> Result<String> {
    text(u, "weir-pattern 1", PATTERN)
}

/// Patterns made of lines.
pub(crate) fn pattern(bytes: &[u8]) {
    if let Ok(text) = pattern_text(&mut Unstructured::new(bytes)) {
        traces::pattern_text(text.as_bytes());
    }
}

/// Profiles made of lines, in each version.
pub(crate) fn profile(bytes: &[u8]) {
    let mut u = Unstructured::new(bytes);
    let Ok(version) = u.choose(&["weir-profile 3", "weir-profile 3", "weir-profile 2", "weir-profile 1"])
    else {
        return;
    };
    if let Ok(text) = text(&mut u, version, PROFILE) {
        traces::profile_text(text.as_bytes());
    }
}

fn text(u: &mut Unstructured<'_>, header: &str, templates: &[&str]) -> Result<String> {
    let ranks = u.int_in_range(1..=4)?;
    let mut text = format!("{header}\nranks {ranks}\n");
    if header.starts_with("weir-profile") && u.ratio(1, 2)? {
        text += "communicator 2: 1 0\n";
    }
    for _ in 0..u.int_in_range(0..=14)? {
        let template = *u.choose(templates)?;
        // Collectives and windows mean something when all do the same.
        let all = template.starts_with('R') && u.ratio(1, 3)?;
        let line = line(u, template, ranks)?;
        match line.split_once(' ') {
            Some((_, rest)) if all => (0..ranks).for_each(|rank| text += &format!("{rank} {rest}\n")),
            _ => text += &format!("{line}\n"),
        }
    }
    Ok(text)
}

fn line(u: &mut Unstructured<'_>, template: &str, ranks: u32) -> Result<String> {
    let mut words = Vec::new();
    for word in template.split(' ') {
        let holes = ['R', 'S', 'T', 'N', 'G'];
        let Some(at) = word.find(holes) else {
            words.push(word.to_owned());
            continue;
        };
        let filled = if u.ratio(1, 24)? {
            (*u.choose(ODD)?).to_owned()
        } else {
            match word.as_bytes()[at] {
                b'R' => u.int_in_range(0..=ranks - 1)?.to_string(),
                b'S' => (*u.choose(SIZES)?).to_owned(),
                b'T' => (*u.choose(TIMES)?).to_owned(),
                b'G' => (*u.choose(GAPS)?).to_owned(),
                _ => u.int_in_range(0..=2)?.to_string(),
            }
        };
        words.push(word.replace(holes, &filled));
    }
    Ok(words.join(" "))
}
