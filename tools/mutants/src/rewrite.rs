//! Puts mutants into the text of a file, each behind its switch.
//!
//! The changed part of a mutant is the original text, without other mutants: only one is ever selected. So the text grows
//! with the depth of nesting, not by its power.

use crate::sites::{Form, Site};
use std::collections::BTreeSet;
use std::ops::Range;

/// A file with its mutants, and where in it each stands.
pub struct Rewritten {
    pub text: String,
    /// For every mutant that is in it: the range of its changed text, and the range of its whole site.
    pub places: Vec<(usize, Range<usize>, Range<usize>)>,
}

/// The text with all mutants of the sites but those that are dropped.
pub fn rewrite(text: &str, sites: &[Site], dropped: &BTreeSet<usize>) -> Rewritten {
    let mut edges = Vec::new();
    for (index, site) in sites.iter().enumerate() {
        let Range { start, end } = site.range;
        if start == end {
            edges.push((start, 1, index as isize));
        } else {
            edges.push((end, 0, -(index as isize))); // inner ones, which come later in the list, close first
            edges.push((start, 2, index as isize));
        }
    }
    edges.sort_unstable();
    let mut out = Writer { text: String::with_capacity(2 * text.len()), places: Vec::new(), dropped };
    let mut starts = vec![0; sites.len()];
    let mut done = 0;
    for (position, kind, index) in edges {
        out.text.push_str(&text[done..position]);
        done = position;
        let site = &sites[index.unsigned_abs()];
        if kind > 0 {
            starts[index.unsigned_abs()] = out.text.len();
            out.open(site);
        }
        if kind < 2 {
            out.close(site, starts[index.unsigned_abs()]);
        }
    }
    out.text.push_str(&text[done..]);
    Rewritten { text: out.text, places: out.places }
}

struct Writer<'a> {
    text: String,
    places: Vec<(usize, Range<usize>, Range<usize>)>,
    dropped: &'a BTreeSet<usize>,
}

impl Writer<'_> {
    fn open(&mut self, site: &Site) {
        let mut is_first = true;
        for mutant in site.mutants.iter().filter(|mutant| !self.dropped.contains(&mutant.id)) {
            let before = match site.form {
                Form::Choice if is_first => "(if ",
                Form::Choice => "if ",
                Form::Return => " if ",
                Form::Omission => "if !",
                Form::Guard => " if !",
            };
            self.text.push_str(&format!("{before}crate::mutant::on({})", mutant.id));
            is_first = false;
            let start = self.text.len();
            match site.form {
                Form::Choice => self.text.push_str(&format!(" {{ {} }} else ", mutant.code)),
                Form::Return => self.text.push_str(&format!(" {{ return {}; }}", mutant.code)),
                Form::Omission => self.text.push_str(" { "),
                Form::Guard => {}
            }
            self.places.push((mutant.id, start..self.text.len(), 0..0));
        }
        if site.form == Form::Choice && !is_first {
            self.text.push_str("{ ");
        }
    }

    fn close(&mut self, site: &Site, start: usize) {
        let alive = |id: &usize| !self.dropped.contains(id);
        if !site.mutants.iter().any(|mutant| alive(&mutant.id)) {
            return;
        }
        self.text.push_str(match site.form {
            Form::Choice => " })",
            Form::Omission => " }",
            Form::Return | Form::Guard => "",
        });
        let ids = site.mutants.iter().map(|mutant| mutant.id);
        let (first, last) = (ids.clone().min(), ids.max());
        for (id, _, whole) in &mut self.places {
            if Some(*id) >= first && Some(*id) <= last {
                *whole = start..self.text.len();
            }
        }
    }
}
