//! Nodes with several cables: the guide's example, both engines, and what does not fit; and the cables of nodes as a file gives them.

use crate::check_problems;
use crate::common::plane::*;

#[test]
fn what_does_not_fit() {
    let server = server();
    let files = [("planes.csv", server.as_str()), ("planes.toml", RING)];
    for (sets, key, part) in [
        (&["node.nics=2"][..], "node.nics", "each cable is an interface"),
        (&["node.injection_limit=1 GB/s"], "node.injection_limit", "several cables"),
        (&["node.stripe=5"], "node.stripe", "no node has more than 4 cables"),
        (&["node.stripe=2", "node.choose=hash"], "node.choose", "does not fit stripe"),
        (&["node.stripe_from=1 kB"], "node.stripe_from", "belongs to stripe"),
    ] {
        let set: Vec<&str> = sets.to_vec();
        check_problems(load(&files, &set), &format!("{key}: {part}"));
    }
    let with_routes = RING.replace("file = 'planes.csv'", "file = 'planes.csv'\nroutes = 'planes.csv'");
    let files = [files[0], ("planes.toml", with_routes.as_str())];
    check_problems(load(&files, &[]), "topology.routes: a pair of nodes has several routes");
}
