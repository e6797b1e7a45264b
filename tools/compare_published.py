"""`make compare`: what paper 003 has published of its simulator and another one, beside what weir takes for the same cases."""

import json

from compare_rows import Places, run
from measure import ROOT, markdown

BRUCK = ROOT / "benches" / "packet" / "bruck.toml"

TEXT = """## Published: NSIM and BigNetSim

Paper 003 compares its simulator NSIM, whose model weir's packet engine follows, with BigNetSim, on Bruck's all-to-all on a
torus. BigNetSim is not available, so that comparison cannot be repeated; SimGrid and CAMINOS stand in its place above. What
weir takes for the same cases, on one thread:

"""

# Nodes, shape, bytes of a block, what the paper says.
CASES = [
    ("1,024 nodes, 4 B", "[16,8,8]", 4, "NSIM 2,700 times as fast as BigNetSim; 2.3 GB of memory, BigNetSim 23 GB"),
    ("128 nodes, 1 KB", "[8,4,4]", 1024, "NSIM 370 times as fast as BigNetSim"),
]


def published(places: Places) -> list[list[str]]:
    """Rows of a table."""
    rows = [["case", "published", "weir s", "weir MiB", "packet-hops"]]
    for name, shape, size, said in CASES:
        settings = [f"topology.shape={shape}", f"workload.message_size={size} B"]
        chosen = [word for setting in settings for word in ("--set", setting)]
        used = run([places.weir, "run", "--quiet", "--json", BRUCK, *chosen], places.folder)
        hops = json.loads(used.output)["packet_hops"]
        rows.append([name, said, f"{used.seconds:.3g}", f"{used.mib:.0f}", f"{hops:,}"])
    return rows


def section(rows: list[list[str]]) -> str:
    return TEXT + markdown(rows, ("case", "published")) + "\n"
