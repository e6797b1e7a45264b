//! Checks that networks can share the nodes.

use super::Rail;
use crate::error::{self, Mistake};

/// Checks what networks say of nodes; returns the number of the first one that joins all of them.
pub(super) fn check(networks: &[Rail]) -> Result<usize, Vec<(usize, Mistake)>> {
    let mut mistakes = Vec::new();
    let mut refuse = |network: usize, key, what: String, hint: String| {
        mistakes.push((network, Mistake { key, what, hint }))
    };
    let Some(main) = networks.iter().position(|rail| rail.domain.is_none()) else {
        let what = "leaves rails without a way between them: each network has domains, and none joins them";
        let hint = "leave domain out of the network that joins all nodes, or add one";
        let last = networks.len() - 1;
        refuse(last, "domain", what.into(), hint.into());
        return Err(mistakes);
    };
    let nodes = networks[main].machine.nodes() as u32;
    for (number, Rail { machine, domain, stride }) in networks.iter().enumerate() {
        let own = machine.nodes() as u32;
        match domain {
            None if own != nodes => {
                let what =
                    format!("has {own} nodes, and networks.{main} has {nodes}: each of them has to join all");
                let (least, which) = if own < nodes { (own, number) } else { (nodes, main) };
                let hint = format!(
                    "make them equal, or write domain = {least} in networks.{which} if each {least} nodes have such a network"
                );
                refuse(number, "kind", what, hint);
            }
            Some(domain) if *domain != own => {
                let what = format!("is {domain}, but the network has {own} nodes");
                refuse(
                    number,
                    "domain",
                    what,
                    format!("write domain = {own}, or a network of {domain} nodes"),
                );
            }
            Some(domain) if !nodes.is_multiple_of(*domain) => {
                let what = format!("is {domain}, which does not divide the {nodes} nodes of networks.{main}");
                refuse(
                    number,
                    "domain",
                    what,
                    format!("take a domain of a divisor of {nodes} nodes, or so many nodes"),
                );
            }
            _ => {}
        }
        if *stride == 0 || !nodes.is_multiple_of(*stride) {
            let what = format!("is {stride}, which does not divide the {nodes} nodes of networks.{main}");
            refuse(number, "stride", what, format!("take a divisor of {nodes}"));
        }
    }
    let links: u128 = networks
        .iter()
        .map(|rail| {
            let copies = nodes / (rail.machine.nodes() as u32).max(1);
            rail.machine.links() as u128 * u128::from(copies)
        })
        .sum();
    if mistakes.is_empty() && links > u128::from(u32::MAX) {
        let hint = "take smaller networks".to_owned();
        mistakes.push((main, Mistake { key: "kind", what: error::too_many(nodes.into(), links), hint }));
    }
    if mistakes.is_empty() { Ok(main) } else { Err(mistakes) }
}
