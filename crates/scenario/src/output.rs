//! `[output]`: where results go.

use crate::reader::Section;
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// Where results go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputSection {
    /// The results folder; `None` writes no files.
    pub dir: Option<PathBuf>,
}

impl OutputSection {
    pub(crate) fn read(section: &mut Section<'_>) -> Self {
        section.refuse(&["sample_interval"], "is not in this version");
        Self { dir: section.path("dir") }
    }

    pub(crate) fn resolved(&self) -> Value {
        let mut object = Map::new();
        if let Some(dir) = &self.dir {
            object.insert("dir".into(), json!(dir.display().to_string()));
        }
        Value::Object(object)
    }
}
