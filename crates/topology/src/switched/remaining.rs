//! Shortest ways of which links have failed: the candidates that are left.

use super::{Candidates, Switched};
use std::collections::BTreeMap;
use weir_units::{LinkId, RouterId};

/// The candidates of a network over the links that have not failed: those that begin a shortest way of the whole network of which every
/// link is left. Only those of pairs that lose one are kept.
#[derive(Clone, Debug, Default)]
pub struct Remaining(BTreeMap<(u32, u32), Candidates>);

impl Remaining {
    /// Those of a network. O(routers homes candidates).
    pub fn of(network: &Switched, has_failed: impl Fn(LinkId) -> bool) -> Self {
        let (mut all, mut found) = (BTreeMap::new(), Candidates::default());
        for to in 0..network.homes() {
            // By router: whether a way is left; those of the routers behind come first.
            let mut leads = vec![None; network.routers()];
            leads[to as usize] = Some(true);
            let mut open: Vec<u32> = (0..network.routers() as u32).collect();
            while let Some(&router) = open.last() {
                if leads[router as usize].is_some() {
                    open.pop();
                    continue;
                }
                let here = RouterId(router);
                network.candidates(here, RouterId(to), &mut found);
                let behind = |port: &u16| network.neighbor(here, *port);
                let unknown = found.ports.iter().map(behind).find(|next| leads[next.index()].is_none());
                if let Some(next) = unknown {
                    open.push(next.0);
                    continue;
                }
                let is_left = |port: &u16| {
                    !has_failed(network.link_at(here, *port)) && leads[behind(port).index()] == Some(true)
                };
                let leading = found.ports[..found.leading].iter().filter(|port| is_left(port)).count();
                let before = found.ports.len();
                found.ports.retain(|port| is_left(port));
                found.leading = if leading > 0 { leading } else { found.ports.len() };
                leads[router as usize] = Some(!found.ports.is_empty());
                if found.ports.len() < before {
                    all.insert((router, to), found.clone());
                }
                open.pop();
            }
        }
        Self(all)
    }

    /// The pairs of a router and one with nodes of which no shortest way is left.
    pub fn lost(&self) -> impl Iterator<Item = (RouterId, RouterId)> + '_ {
        let lost = self.0.iter().filter(|(_, found)| found.ports.is_empty());
        lost.map(|(&(from, to), _)| (RouterId(from), RouterId(to)))
    }

    /// Returns whether a shortest way from a router to one with nodes is left.
    pub fn leads(&self, from: RouterId, to: RouterId) -> bool {
        self.0.get(&(from.0, to.0)).is_none_or(|found| !found.ports.is_empty())
    }
}

impl Switched {
    /// Like [`Self::candidates`], of those that are left, where links have failed.
    pub fn candidates_left(
        &self,
        remaining: Option<&Remaining>,
        (from, to): (RouterId, RouterId),
        found: &mut Candidates,
    ) {
        match remaining.and_then(|remaining| remaining.0.get(&(from.0, to.0))) {
            Some(left) => found.clone_from(left),
            None => self.candidates(from, to, found),
        }
    }
}
