//! XML, element by element, with their lines.

use crate::reading::Reading;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::collections::BTreeMap;

/// An element that has begun.
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) attributes: BTreeMap<String, String>,
    pub(crate) line: usize,
}

impl Element {
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        self.attributes.get(key).map(String::as_str)
    }
}

/// The beginning or the end of an element. One without content has both.
pub(crate) enum Part {
    Begin(Element),
    End(String),
}

/// Something was wrong, and has been named.
pub(crate) struct Wrong;

/// Goes through a text.
pub(crate) struct Parts<'a> {
    text: &'a str,
    xml: Reader<&'a [u8]>,
    line: usize,
    seen: usize,
    depth: usize,
}

impl<'a> Parts<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let mut xml = Reader::from_str(text);
        let config = xml.config_mut();
        config.check_end_names = true;
        config.expand_empty_elements = true;
        Self { text, xml, line: 1, seen: 0, depth: 0 }
    }

    /// The next beginning or end; `None` behind the last.
    pub(crate) fn next(&mut self, reading: &mut Reading) -> Result<Option<Part>, Wrong> {
        loop {
            let at = usize::try_from(self.xml.buffer_position()).unwrap_or(self.seen).min(self.text.len());
            self.line += self.text.as_bytes()[self.seen..at].iter().filter(|&&byte| byte == b'\n').count();
            self.seen = at;
            match self.xml.read_event() {
                Err(error) => {
                    reading.wrong(self.line, "", format!("not XML: {error}"));
                    return Err(Wrong);
                }
                Ok(Event::Eof) if self.depth > 0 => {
                    reading.wrong(self.line, "", "an element is not closed: the file is cut off");
                    return Err(Wrong);
                }
                Ok(Event::Eof) => return Ok(None),
                Ok(Event::Start(tag)) => {
                    self.depth += 1;
                    return element(&tag, self.line, reading).map(|element| Some(Part::Begin(element)));
                }
                Ok(Event::End(tag)) => {
                    self.depth = self.depth.saturating_sub(1);
                    let name = String::from_utf8_lossy(tag.name().as_ref()).into_owned();
                    return Ok(Some(Part::End(name)));
                }
                Ok(_) => {}
            }
        }
    }
}

fn element(tag: &BytesStart<'_>, line: usize, reading: &mut Reading) -> Result<Element, Wrong> {
    let name = String::from_utf8_lossy(tag.name().as_ref()).into_owned();
    let mut attributes = BTreeMap::new();
    // Names are looked at here: the reader's own check takes the square of their number.
    for attribute in tag.attributes().with_checks(false) {
        let attribute = match attribute {
            Ok(attribute) => attribute,
            Err(error) => {
                reading.wrong(line, &name, format!("not XML: {error}"));
                return Err(Wrong);
            }
        };
        let key = String::from_utf8_lossy(attribute.key.as_ref()).into_owned();
        match attribute.unescape_value() {
            Ok(value) => {
                if attributes.insert(key.clone(), value.into_owned()).is_some() {
                    reading.wrong(line, &key, "the attribute is there twice");
                }
            }
            Err(error) => {
                reading.wrong(line, &key, format!("not XML: {error}"));
                return Err(Wrong);
            }
        }
    }
    Ok(Element { name, attributes, line })
}
