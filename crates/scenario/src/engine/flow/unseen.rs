//! Warning about short messages, of which flows show no queues.

use weir_flow::BehindOthers;
use weir_topology::Topology;

/// Short messages are worth a word from one in so many on.
const ONE_IN: u64 = 100;

/// Number of short messages that met links that long ones filled, and where; `None` if these were few among all.
pub(super) fn warning(behind: BehindOthers, machine: &Topology) -> Option<String> {
    let BehindOthers { crossed, short, link, there } = behind;
    let (least, most) = (BehindOthers::LONG.0 / 1024, BehindOthers::SHORT.0 / 1024);
    let percent = 100.0 * crossed as f64 / short as f64;
    (crossed * ONE_IN >= short).then(|| {
        format!(
            "{crossed} of {short} messages of up to {most} KiB ({percent:.0} %) crossed links that messages of {least} KiB and more filled, {there} of them {}: \
             their latency is that of an empty network; engine.kind = \"packet\" sees the queues",
            machine.link_name(link)
        )
    })
}
