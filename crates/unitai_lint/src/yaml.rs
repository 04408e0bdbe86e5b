//! A file of YAML tests, as rules see it.

use std::path::Path;

use ruff_text_size::{TextRange, TextSize};
use unitai_spec::document::{Place, Reading, Spec, Step, Trouble};

use crate::Options;
use crate::lines::Lines;

/// A file of YAML tests.
pub struct YamlFile<'a> {
    /// Its path from the root of the project, with `/`.
    pub path: &'a str,
    /// Its text.
    pub source: &'a str,
    /// What rules may be told by the settings.
    pub options: &'a Options,
    /// Where it really is.
    pub(crate) file: &'a Path,
    pub(crate) reading: &'a Reading,
    pub(crate) lines: &'a Lines,
}

impl<'a> YamlFile<'a> {
    /// Its tests, one for each document; of the rows of one test's cases, the first.
    pub fn tests(&self) -> impl Iterator<Item = &'a Spec> + use<'a> {
        let mut last: Option<&Place> = None;
        self.reading.specs.iter().filter(move |spec| {
            let is_row = last == Some(&spec.place);
            last = Some(&spec.place);
            !is_row
        })
    }

    /// Every step of a test, groups before their children, in the order of running.
    pub fn steps(spec: &'a Spec) -> Vec<&'a Step> {
        fn below<'a>(steps: &'a [Step], found: &mut Vec<&'a Step>) {
            for step in steps {
                found.push(step);
                below(&step.steps, found);
            }
        }
        let mut found = Vec::new();
        for steps in [&spec.setup, &spec.steps, &spec.teardown] {
            below(steps, &mut found);
        }
        found
    }

    /// From a place to the end of what is written there on its line. None for what stands in an included file.
    pub fn range(&self, place: &Place) -> Option<TextRange> {
        if place.line == 0 || place.file.as_path() != self.file {
            return None;
        }
        let line = self.lines.range(place.line - 1, self.source)?;
        let text = &self.source[line];
        let start = text.char_indices().nth(place.column.saturating_sub(1)).map_or(text.len(), |(at, _)| at);
        let end = text.trim_end().len().max(start);
        let at = |offset: usize| line.start() + TextSize::from(offset as u32);
        Some(TextRange::new(at(start), at(end)))
    }

    /// Where this text stands, at or behind a place and before the next step begins: to point at one word of it.
    pub fn find(&self, place: &Place, text: &str) -> Option<TextRange> {
        let from = self.range(place)?.start();
        let at = self.source[usize::from(from)..].find(text)?;
        Some(TextRange::at(from + TextSize::from(at as u32), TextSize::from(text.len() as u32)))
    }

    /// Where a step or a test says this: `key: value` at or behind a place. Where the value is written otherwise, folded
    /// or escaped, the place itself.
    pub fn entry(&self, place: &Place, key: &str, value: &str) -> Option<TextRange> {
        let whole = self.range(place)?;
        let from = usize::from(whole.start());
        let rest = &self.source[from..];
        let said = rest.match_indices(key).find_map(|(at, _)| {
            let behind = rest[at + key.len()..].trim_start_matches(['"', '\'']).trim_start();
            let text = behind.strip_prefix(':')?.trim_start_matches([' ', '\t', '"', '\'']);
            let end = text.starts_with(value).then(|| rest.len() - text.len() + value.len())?;
            Some(TextRange::new(((from + at) as u32).into(), ((from + end) as u32).into()))
        });
        Some(said.unwrap_or(whole))
    }

    /// What whoever reads the file finds doubtful in it, as far as it is about such a key.
    pub fn doubts(&self, key: &str) -> impl Iterator<Item = &'a Trouble> {
        let key = format!(".{key}");
        self.reading
            .troubles
            .iter()
            .filter(move |trouble| !trouble.is_error() && trouble.path.ends_with(&key))
    }
}
