//! A job in the summary.

use crate::job_waits::JobWaited;
use crate::json::{Fields, Seconds};
use serde_json::Value;
use weir_network::Digest;
use weir_units::{Bytes, Duration, Time};

/// Counts of one of several jobs.
#[derive(Clone, Debug, PartialEq)]
pub struct JobCounts {
    /// Its name.
    pub name: String,
    /// The rank of the run that its rank 0 is.
    pub first_rank: usize,
    /// Number of its ranks.
    pub ranks: usize,
    /// Number of nodes that it has.
    pub nodes: usize,
    /// When it was submitted, if it is of a list of jobs: it waits for its nodes from then to its start.
    pub submit: Option<Time>,
    /// When it begins.
    pub start: Time,
    /// The last instant at which something happened to one of its ranks.
    pub end: Time,
    /// True if all of its ranks have come to their end.
    pub is_over: bool,
    /// True if it does its workload until others are over.
    pub is_endless: bool,
    /// Messages of data that have come.
    pub messages: u64,
    /// Their bytes.
    pub bytes: Bytes,
    /// Mean and longest time of a message from being handed over to its coming; `None` if none has come.
    pub latency: Option<[Duration; 2]>,
    /// Fingerprint of its events, with times since its start and ranks as it numbers them.
    pub digest: Digest,
    /// Its time when it runs at the same place and no other job is there, if that was asked for.
    pub alone: Option<Duration>,
    /// Messages that come when it runs so and its time is fixed, if that was asked for.
    pub alone_messages: Option<u64>,
    /// For which jobs its messages waited at links, if there are several and causes are kept.
    pub waited: Option<JobWaited>,
}

impl JobCounts {
    /// From its start to its last event.
    pub fn time(&self) -> Duration {
        self.end.max(self.start).since(self.start)
    }

    /// The time for which it waited for its nodes; `None` of a job that was not submitted.
    pub fn wait(&self) -> Option<Duration> {
        self.submit.map(|submit| self.start.since(submit))
    }

    /// The slowdown: its time over that alone, or, where its time is fixed, its messages alone over those beside others. `None` unless both are
    /// known, and where one is nothing.
    pub fn slowdown(&self) -> Option<f64> {
        if let Some(alone) = self.alone_messages {
            return (self.messages > 0).then(|| alone as f64 / self.messages as f64);
        }
        let alone = self.alone?.as_ps();
        (alone > 0).then(|| self.time().as_ps() as f64 / alone as f64)
    }

    pub(crate) fn to_json(&self) -> Value {
        let mut fields = Fields::default();
        fields.add("name", &self.name);
        fields.add("first_rank", self.first_rank);
        fields.add("ranks", self.ranks);
        fields.add("nodes", self.nodes);
        fields.add_any("submit_ps", self.submit);
        fields.add_any("wait_ps", self.wait());
        fields.add("start_ps", self.start);
        fields.add("end_ps", self.end);
        fields.add("time_s", self.time().seconds());
        fields.add("time_ps", self.time());
        fields.add("over", self.is_over);
        fields.add_any("endless", self.is_endless.then_some(true));
        fields.add("messages", self.messages);
        fields.add("bytes", self.bytes);
        fields.add("latency_mean_s", self.latency.map(|[mean, _]| mean.seconds()));
        fields.add("latency_max_s", self.latency.map(|[_, most]| most.seconds()));
        fields.add("digest", self.digest.to_string());
        fields.add_any("alone_ps", self.alone);
        fields.add_any("alone_messages", self.alone_messages);
        fields.add_any("slowdown", self.slowdown());
        fields.add_any("waited_for", self.waited.as_ref().map(JobWaited::to_json));
        Value::Object(fields.0)
    }
}
