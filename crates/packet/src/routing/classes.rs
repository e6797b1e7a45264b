//! Classes of virtual channels for any routes.
//!
//! A packet that holds a link and waits for the next one of its route makes the second *depend* on the first. Packets that
//! wait for each other in a circle hold links of one *component*: links each of which depends on each other, directly or by
//! way of others. In a component class 0 has an order of its links, and a packet goes up to class 1 where its next link
//! comes before the last one (a *descent*). What packets do in class 1 before they leave the component is looked at by
//! itself: its dependencies have components, mostly smaller ones, these have an order, and so on. Behind the component
//! packets are in class 0 again.
//!
//! So there is no circle: between components dependencies lead only one way, within a component only from class 0 to the
//! higher ones, within class 0 only to later links, and within the higher classes there is none for the same reasons. On a
//! torus with dimension order components are rings, and this becomes the rule of [`super::grid`].
//!
//! An order should have few descents. Of two heuristics the better one is taken: the reverse of the order in which a
//! depth-first search over the dependencies leaves the links, and a greedy one, which takes away links that depend on
//! nothing left or on which nothing left depends, and else the one with the largest surplus of routes behind it over routes
//! before it (Eades, Lin, Smyth: "A fast and effective heuristic for the feedback arc set problem", Information Processing
//! Letters 47(6), 1993).

use std::collections::BTreeSet;

/// By link: the links that depend on it, ascending, each with how many routes make it so.
#[derive(Clone, Debug)]
pub(super) struct Dependencies(Vec<Vec<(u32, u64)>>);

impl Dependencies {
    /// None yet, among so many links.
    pub(super) fn new(links: usize) -> Self {
        Self(vec![Vec::new(); links])
    }

    /// A route passes one link after another.
    pub(super) fn add(&mut self, link: u32, next: u32) {
        let behind = &mut self.0[link as usize];
        match behind.binary_search_by_key(&next, |&(link, _)| link) {
            Ok(place) => behind[place].1 += 1,
            Err(place) => behind.insert(place, (next, 1)),
        }
    }

    /// Returns whether links depend on each other in a circle.
    pub(super) fn has_circles(&self) -> bool {
        self.descents(&self.depth_first()) > 0
    }

    /// By link: its component. Forgets the dependencies between different ones.
    pub(super) fn cut(&mut self) -> Vec<u32> {
        let order = self.depth_first();
        let mut links: Vec<u32> = (0..self.0.len() as u32).collect();
        links.sort_unstable_by_key(|&link| order[link as usize]);
        let mut before = vec![Vec::new(); links.len()];
        for (link, behind) in (0_u32..).zip(&self.0) {
            behind.iter().for_each(|&(next, _)| before[next as usize].push(link));
        }
        // Against the dependencies no step leads from a component into a later one (algorithm of Kosaraju and Sharir).
        let mut component_of = vec![u32::MAX; links.len()];
        let mut found = Vec::new();
        for (component, &root) in (0..).zip(&links) {
            found.push(root);
            while let Some(link) = found.pop() {
                if component_of[link as usize] == u32::MAX {
                    component_of[link as usize] = component;
                    found.extend(&before[link as usize]);
                }
            }
        }
        for (link, behind) in self.0.iter_mut().enumerate() {
            behind.retain(|&(next, _)| component_of[next as usize] == component_of[link]);
        }
        component_of
    }

    /// By link: its place in an order with few descents.
    pub(super) fn order(&self) -> Vec<u32> {
        let first = self.depth_first();
        let descents = self.descents(&first);
        if descents == 0 {
            return first;
        }
        let second = self.greedy();
        if self.descents(&second) < descents { second } else { first }
    }

    /// Number of descents of all routes together.
    fn descents(&self, order: &[u32]) -> u64 {
        let descents = |(link, behind): (usize, &Vec<(u32, u64)>)| {
            let down = behind.iter().filter(|(next, _)| order[*next as usize] < order[link]);
            down.map(|(_, routes)| routes).sum::<u64>()
        };
        self.0.iter().enumerate().map(descents).sum()
    }

    fn depth_first(&self) -> Vec<u32> {
        let links = self.0.len();
        let mut order = vec![u32::MAX; links];
        let mut left = links as u32;
        let mut seen = vec![false; links];
        let mut path: Vec<(u32, usize)> = Vec::new();
        for root in 0..links as u32 {
            if std::mem::replace(&mut seen[root as usize], true) {
                continue;
            }
            path.push((root, 0));
            while let Some((link, next)) = path.last_mut() {
                let link = *link as usize;
                match self.0[link].get(*next) {
                    Some(&(behind, _)) => {
                        *next += 1;
                        if !std::mem::replace(&mut seen[behind as usize], true) {
                            path.push((behind, 0));
                        }
                    }
                    None => {
                        left -= 1;
                        order[link] = left;
                        path.pop();
                    }
                }
            }
        }
        order
    }

    fn greedy(&self) -> Vec<u32> {
        let links = self.0.len();
        let mut before = vec![Vec::new(); links];
        // Routes into and out of each link, among the links that remain.
        let (mut routes_in, mut routes_out) = (vec![0_u64; links], vec![0_u64; links]);
        for (link, behind) in (0..).zip(&self.0) {
            for &(next, routes) in behind {
                before[next as usize].push((link, routes));
                routes_in[next as usize] += routes;
                routes_out[link as usize] += routes;
            }
        }
        // Those without successors go last, those without predecessors first, then by surplus, then by number.
        let rank =
            |link: usize, routes_in: &[u64], routes_out: &[u64]| match (routes_in[link], routes_out[link]) {
                (_, 0) => (0, 0, link),
                (0, _) => (1, 0, link),
                (before, behind) => (2, before as i64 - behind as i64, link),
            };
        let mut left: BTreeSet<_> = (0..links).map(|link| rank(link, &routes_in, &routes_out)).collect();
        let mut order = vec![u32::MAX; links];
        let (mut front, mut back) = (0, links as u32);
        while let Some((kind, _, link)) = left.pop_first() {
            order[link] = if kind == 0 {
                back -= 1;
                back
            } else {
                front += 1;
                front - 1
            };
            let near = self.0[link].iter().map(|&(other, routes)| (other, 0, routes));
            let near = near.chain(before[link].iter().map(|&(other, routes)| (other, routes, 0)));
            for (other, out, into) in near {
                let other = other as usize;
                if order[other] == u32::MAX {
                    left.remove(&rank(other, &routes_in, &routes_out));
                    // A successor loses routes in, a predecessor routes out.
                    routes_in[other] -= into;
                    routes_out[other] -= out;
                    left.insert(rank(other, &routes_in, &routes_out));
                }
            }
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn dependencies(links: usize, pairs: &[(u32, u32)]) -> Dependencies {
        let mut dependencies = Dependencies::new(links);
        pairs.iter().for_each(|&(link, next)| dependencies.add(link, next));
        dependencies
    }

    /// Many routes along a chain and one back: that one has the descent, whichever link the search begins with.
    #[test]
    fn few_descents() {
        let chain: Vec<_> = (0..9).map(|link| (link, link + 1)).collect();
        assert_eq!(dependencies(10, &chain).descents(&dependencies(10, &chain).order()), 0);
        let against: Vec<_> = (0..9).map(|link| (link + 1, link)).collect();
        assert_eq!(dependencies(10, &against).descents(&dependencies(10, &against).order()), 0);
        let circle: Vec<_> = [&chain[..], &chain[..], &[(9, 4)], &chain[4..]].concat();
        let circle = dependencies(10, &circle);
        assert_eq!(circle.descents(&circle.greedy()), 1);
        assert_eq!(circle.descents(&circle.order()), 1);
    }

    /// The greedy order by hand. Routes: five along 0, 1, 2; one each from 2 to 0, from 3 to 0, from 2 to 4 and to 5. Links 4
    /// and 5, on which nothing depends, go last, 3 goes first. Of the circle that is left link 0 has the largest surplus, 5
    /// behind it and 1 before it. Without it nothing is left behind 2, and then nothing behind 1.
    #[test]
    fn a_greedy_order() {
        let along = [(0, 1), (1, 2)].repeat(5);
        let all = dependencies(6, &[&along[..], &[(2, 0), (3, 0), (2, 4), (2, 5)]].concat());
        let order = all.greedy();
        let mut links: Vec<usize> = (0..6).collect();
        links.sort_by_key(|&link| order[link]);
        assert_eq!(links, [3, 0, 1, 2, 5, 4]);
        assert_eq!(all.descents(&order), 1, "from 2 to 0");
    }

    proptest! {
        /// Links are of one component exactly if each can be reached from the other, however they are numbered; dependencies
        /// within a component stay, others go.
        #[test]
        fn components_are_those_of_links_that_reach_each_other(
            links in 1..9_usize, pairs in prop::collection::vec((0..9_u32, 0..9_u32), 0..25),
        ) {
            let pairs: Vec<_> = pairs.into_iter().map(|(a, b)| (a % links as u32, b % links as u32)).collect();
            let mut reached = vec![vec![false; links]; links];
            (0..links).for_each(|link| reached[link][link] = true);
            for _ in 0..links {
                for &(a, b) in &pairs {
                    for of_link in &mut reached {
                        of_link[b as usize] |= of_link[a as usize];
                    }
                }
            }
            let mut found = dependencies(links, &pairs);
            let components = found.cut();
            for a in 0..links {
                for b in 0..links {
                    let together = reached[a][b] && reached[b][a];
                    prop_assert_eq!(components[a] == components[b], together, "{} {}", a, b);
                    let count = pairs.iter().filter(|&&pair| pair == (a as u32, b as u32)).count() as u64;
                    let kept = found.0[a].iter().find(|&&(next, _)| next == b as u32).map_or(0, |&(_, routes)| routes);
                    prop_assert_eq!(kept, if together { count } else { 0 });
                }
            }
            // An order has each place once, and no descents where there is no circle.
            for order in [found.order(), found.greedy(), found.depth_first()] {
                let mut places = order.clone();
                places.sort_unstable();
                prop_assert!(places.into_iter().eq(0..links as u32));
            }
            let circles = (0..links).any(|a| (0..links).any(|b| a != b && reached[a][b] && reached[b][a]));
            prop_assert_eq!(dependencies(links, &pairs).has_circles(), circles);
        }
    }
}
