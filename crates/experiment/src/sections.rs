//! The tables of an experiment, one file each: their keys, their defaults, and what they are checked for.

pub(crate) mod calibrated;
pub(crate) mod class_rows;
pub(crate) mod classes;
pub(crate) mod collectives;
pub(crate) mod combining;
pub(crate) mod faults;
pub(crate) mod job_list;
pub(crate) mod jobs;
pub(crate) mod limits;
pub(crate) mod mapping;
pub(crate) mod node;
pub(crate) mod output;
pub(crate) mod selection;
pub(crate) mod storage;
pub(crate) mod topology;
pub(crate) mod upgrades;
pub(crate) mod work;
pub(crate) mod workload;
