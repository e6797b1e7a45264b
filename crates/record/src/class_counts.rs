//! Messages of a service class in the summary.

use crate::json::{Fields, Seconds};
use serde_json::Value;
use weir_network::{ServiceClasses, ServiceCounts};
use weir_units::{Bytes, Duration};

/// Messages of a service class that have arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassCounts {
    /// Its name.
    pub name: String,
    /// Messages of data.
    pub messages: u64,
    /// Their bytes.
    pub bytes: Bytes,
    /// Messages that protocols need.
    pub control_messages: u64,
    /// Half of the messages took no longer from being handed over to arriving, and 99 of 100; of data if there was some, else of what protocols
    /// need. None if the class had no message.
    pub latency: Option<[Duration; 2]>,
}

impl ClassCounts {
    /// Those of all classes, which have been counted in their order.
    pub fn of(classes: &ServiceClasses, counts: &[ServiceCounts]) -> Vec<Self> {
        let one = |(class, counts): (&weir_network::ServiceClass, &ServiceCounts)| {
            let ServiceCounts { messages, bytes, control_messages, latency, control_latency } = counts;
            let latency = if *messages > 0 { latency } else { control_latency };
            let latency = (latency.count() > 0).then(|| [0.5, 0.99].map(|part| latency.quantile(part)));
            let (name, control_messages) = (class.name.clone(), *control_messages);
            Self { name, messages: *messages, bytes: *bytes, control_messages, latency }
        };
        classes.all().iter().zip(counts).map(one).collect()
    }

    pub(crate) fn to_json(&self) -> Value {
        let mut fields = Fields::default();
        fields.add("name", &self.name);
        fields.add("messages", self.messages);
        fields.add("bytes", self.bytes);
        fields.add("control_messages", self.control_messages);
        fields.add("latency_median_s", self.latency.map(|[median, _]| median.seconds()));
        fields.add("latency_p99_s", self.latency.map(|[_, p99]| p99.seconds()));
        Value::Object(fields.0)
    }
}
