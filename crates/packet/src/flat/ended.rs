//! The result of a run whose arrays have been run.

use super::{LOAD_WORDS, Memory, PlacedRun, RESULT_WORDS, SOURCE_WORDS, STEPS, State};
use super::{halves_of, longest_of, rows, words_of};
use crate::Latencies;
use crate::counts::{Counts, LinkCounts};
use crate::network::{PacketNetwork, Sender};
use crate::synthetic::{Ending, SourceCounts, SyntheticEnded};
use std::iter::Sum;
use weir_network::Outcome;
use weir_pdes::ProcessCounts;
use weir_units::Duration;

/// The sum of one of the words of all routers.
fn total<S: Sum<u64>>(results: &[[u64; RESULT_WORDS]], word: usize) -> S {
    results.iter().map(|sums| sums[word]).sum()
}

impl PlacedRun<'_> {
    /// The result of the run, when all of its windows have been run: those before it was [stopped](Self::stop), if it was.
    ///
    /// # Errors
    /// When the processor has failed.
    pub fn ended<M: Memory>(&self, memory: &M) -> Result<SyntheticEnded, M::Error> {
        let State { lanes, loads, sources, results, histograms, moved } = self.state;
        let (network, run) = (self.run.network, &self.run);
        let bytes = run.traffic.packet.0;
        let results = rows::<RESULT_WORDS>(&memory.read(results)?);
        let mut counts = Counts {
            packets: total(&results, 1),
            packet_hops: total(&results, 0),
            windows: halves_of(&memory.read(moved)?).map(u64::from).sum(),
            window: network.window(),
            threads: 1,
            links: vec![LinkCounts::default(); network.links],
            ..Counts::default()
        };
        count_outputs(network, &memory.read(loads)?, &mut counts.links);
        let mut longest = longest_of(&memory.read(lanes)?);
        if let Some(samples) = &self.samples {
            let ever = memory.read(samples.ever)?;
            longest = ever.as_chunks().0.iter().map(|most| u16::from_le_bytes(*most)).collect();
        }
        count_lanes(network, &longest, &mut counts.links);
        let sources = rows::<SOURCE_WORDS>(&memory.read(sources)?);
        count_sources(network, bytes, &sources, &mut counts.links);
        let histograms = words_of(&memory.read(histograms)?);
        let mut latencies = [0, 1].map(|which| {
            let mut steps = vec![0; STEPS];
            for stripe in histograms.chunks(2 * STEPS) {
                steps.iter_mut().zip(&stripe[which * STEPS..]).for_each(|(sum, count)| *sum += count);
            }
            latencies_of(&results, 4 + 3 * which, steps)
        });
        counts.latency = std::mem::take(&mut latencies[0]);
        let sums = SourceCounts {
            counts,
            generation_latency: std::mem::take(&mut latencies[1]),
            digest: results.iter().fold(0, |digest, sums| digest.wrapping_add(sums[2])),
            offered: sources.iter().map(|[_, _, _, _, made, ..]| made).sum::<u64>() * bytes,
            accepted: total::<u64>(&results, 3) * bytes,
        };
        let until = self.end();
        let limit = self.stopped.clone().or_else(|| network.limit_of_time(run.traffic, run.asked));
        let outcome = limit.map_or(Outcome::Finished, Outcome::Limit);
        let ending = Ending { outcome, until, stuck: None, processes: ProcessCounts::default() };
        Ok(network.synthetic_ended(run.traffic, ending, sums))
    }
}

fn count_outputs(network: &PacketNetwork, state: &[u8], links: &mut [LinkCounts]) {
    for (output, port) in network.outputs.iter().zip(rows::<LOAD_WORDS>(state)) {
        let [packets, carried, busy, waited] = port;
        if let Some(link) = links.get_mut(output.link as usize) {
            link.packets += packets;
            link.bytes += carried;
            link.busy += Duration::from_ps(busy);
            link.waited += Duration::from_ps(waited);
        }
    }
}

fn count_lanes(network: &PacketNetwork, longest: &[u16], links: &mut [LinkCounts]) {
    for (input, lanes) in network.inputs.iter().zip(longest.chunks(network.vcs as usize)) {
        if let (Some(link), false) = (links.get_mut(input.link as usize), matches!(input.from, Sender::None))
        {
            link.longest_queue = link.longest_queue.max(lanes.iter().copied().max().unwrap_or(0).into());
        }
    }
}

fn count_sources(
    network: &PacketNetwork,
    bytes: u64,
    sources: &[[u64; SOURCE_WORDS]],
    links: &mut [LinkCounts],
) {
    for (node, source) in network.nodes_by_router().into_iter().zip(sources) {
        let nic = network.nics[node.index() * network.nics_per_node as usize];
        let [_, _, _, packets, _, waited, ..] = *source;
        let link = &mut links[nic.link as usize];
        link.packets += packets;
        link.bytes += packets * bytes;
        let sends = network.wires[nic.wire as usize].speed.time(bytes as u32);
        link.busy += Duration::from_ps(packets * sends);
        link.stalled += Duration::from_ps(waited);
    }
}

/// A distribution of so many in each step, whose sum, least and most routers have in words from one on.
fn latencies_of(results: &[[u64; RESULT_WORDS]], word: usize, steps: Vec<u64>) -> Latencies {
    let of = results.iter().filter(|sums| sums[3] > 0);
    let (mut sum, mut least, mut most) = (0, u64::MAX, 0);
    for sums in of {
        sum += u128::from(sums[word]);
        // It is kept as the most of the complements.
        least = least.min(!sums[word + 1]);
        most = most.max(sums[word + 2]);
    }
    Latencies::from_steps(steps, sum, (least, most))
}
