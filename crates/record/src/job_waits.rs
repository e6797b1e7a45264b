//! For which jobs a job waited at links, in the summary.

use crate::json::Fields;
use serde_json::{Value, json};
use weir_network::WaitsByJob;
use weir_units::{Duration, LinkId};

/// The most links, and at each the most jobs, that the summary has.
const MOST: usize = 5;

/// Time for which the messages of a job waited at links of the machine, all messages together, and for whom.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobWaited {
    /// At all links.
    pub time: Duration,
    /// The part of it for other jobs.
    pub others: Duration,
    /// By job, the longest first, itself among them.
    pub jobs: Vec<(String, Duration)>,
    /// The links at which it waited longest for others, the longest first; five at most.
    pub links: Vec<WaitedAt>,
}

/// A link at which messages of a job waited for other jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitedAt {
    /// Which link.
    pub link: LinkId,
    /// Its name.
    pub name: String,
    /// All together.
    pub time: Duration,
    /// The part of it for other jobs.
    pub others: Duration,
    /// By job, the longest first, the job that waits among them.
    pub jobs: Vec<(String, Duration)>,
}

impl JobWaited {
    /// The waiting of a job by link, ascending, and by the number of the job that it waited for, with the names of jobs and links.
    pub fn new<'w>(
        job: u32,
        waits: impl Iterator<Item = (LinkId, &'w WaitsByJob)>,
        job_name: impl Fn(u32) -> String,
        link_name: impl Fn(LinkId) -> String,
    ) -> Self {
        let mut all = WaitsByJob::new();
        let mut by_link = Vec::new();
        for (link, by_job) in waits {
            by_job.iter().for_each(|(&behind, &time)| *all.entry(behind).or_default() += time);
            by_link.push((others(job, by_job), link, by_job));
        }
        by_link.retain(|(others, ..)| *others > Duration::ZERO);
        // Of links with the same time the lowest one comes first.
        by_link.sort_by_key(|(others, link, _)| (std::cmp::Reverse(*others), *link));
        let at = |(others, link, by_job): (Duration, LinkId, &WaitsByJob)| WaitedAt {
            link,
            name: link_name(link),
            time: sum(by_job.values()),
            others,
            jobs: named(by_job, &job_name),
        };
        Self {
            time: sum(all.values()),
            others: others(job, &all),
            jobs: named(&all, &job_name),
            links: by_link.into_iter().take(MOST).map(at).collect(),
        }
    }

    pub(crate) fn to_json(&self) -> Value {
        let links: Vec<Value> = self
            .links
            .iter()
            .map(|at| {
                json!({
                    "link": at.link,
                    "name": at.name,
                    "time_ps": at.time,
                    "others_ps": at.others,
                    "jobs": shares(&at.jobs, at.time),
                })
            })
            .collect();
        let mut fields = Fields::default();
        fields.add("time_ps", self.time);
        fields.add("others_ps", self.others);
        fields.add("jobs", shares(&self.jobs, self.time));
        fields.add("links", links);
        Value::Object(fields.0)
    }
}

fn sum<'t>(times: impl Iterator<Item = &'t Duration>) -> Duration {
    times.fold(Duration::ZERO, |sum, time| sum + *time)
}

fn others(job: u32, by_job: &WaitsByJob) -> Duration {
    sum(by_job.iter().filter(|(behind, _)| **behind != job).map(|(_, time)| time))
}

/// The longest first, those of the same time in the order of jobs.
fn named(by_job: &WaitsByJob, name: impl Fn(u32) -> String) -> Vec<(String, Duration)> {
    let mut jobs: Vec<(u32, Duration)> = by_job.iter().map(|(job, time)| (*job, *time)).collect();
    jobs.sort_by_key(|(job, time)| (std::cmp::Reverse(*time), *job));
    jobs.into_iter().map(|(job, time)| (name(job), time)).collect()
}

fn shares(jobs: &[(String, Duration)], all: Duration) -> Vec<Value> {
    let share = |time: Duration| time.as_ps() as f64 / all.as_ps() as f64;
    let row =
        |(name, time): &(String, Duration)| json!({ "job": name, "time_ps": time, "share": share(*time) });
    jobs.iter().take(MOST).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Job 1 waits at link 4 for job 0 for 3 and for itself for 1, at link 7 for job 2 for 5, and at link 9 for itself alone.
    #[test]
    fn the_link_with_most_of_others_comes_first() {
        let time = Duration::from_ps;
        let waits = [
            (LinkId(4), WaitsByJob::from([(0, time(3)), (1, time(1))])),
            (LinkId(7), WaitsByJob::from([(2, time(5))])),
            (LinkId(9), WaitsByJob::from([(1, time(100))])),
        ];
        let by_link = waits.iter().map(|(link, by_job)| (*link, by_job));
        let waited = JobWaited::new(1, by_link, |job| format!("job {job}"), |link| format!("link {link}"));
        assert_eq!((waited.time, waited.others), (time(109), time(8)));
        assert_eq!(
            waited.to_json(),
            json!({
                "time_ps": 109, "others_ps": 8,
                "jobs": [
                    { "job": "job 1", "time_ps": 101, "share": 101.0 / 109.0 },
                    { "job": "job 2", "time_ps": 5, "share": 5.0 / 109.0 },
                    { "job": "job 0", "time_ps": 3, "share": 3.0 / 109.0 },
                ],
                "links": [
                    { "link": 7, "name": "link 7", "time_ps": 5, "others_ps": 5,
                      "jobs": [{ "job": "job 2", "time_ps": 5, "share": 1.0 }] },
                    { "link": 4, "name": "link 4", "time_ps": 4, "others_ps": 3,
                      "jobs": [{ "job": "job 0", "time_ps": 3, "share": 0.75 }, { "job": "job 1", "time_ps": 1, "share": 0.25 }] },
                ],
            })
        );
    }
}
