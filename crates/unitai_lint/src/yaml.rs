//! A file of YAML tests, as rules see it.

use std::path::Path;

use ruff_text_size::TextRange;
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
    file: &'a Path,
    reading: &'a Reading,
    lines: &'a Lines,
    /// Where its tests and steps begin, from the top.
    begins: Vec<Begin>,
}

/// Where a test or a step begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Begin {
    offset: usize,
    column: usize,
    is_test: bool,
}

/// What of a text belongs to a test or a step.
struct Part {
    end: usize,
    /// Of a step that is a block, where its keys begin.
    column: Option<usize>,
}

impl Part {
    /// Whether a key is one of the step itself: `at` is how far behind its beginning, `offset` where in the source.
    fn is_own_key(&self, at: usize, offset: usize, source: &str) -> bool {
        let Some(column) = self.column else { return true };
        let line = &source[source[..offset].rfind(['\n', '\r']).map_or(0, |end| end + 1)..offset];
        let before = line.trim_end_matches(['"', '\'']);
        at == 0 || before.trim().is_empty() && before.len() + 1 == column
    }
}

impl<'a> YamlFile<'a> {
    /// Of what was read.
    pub(crate) fn new(
        path: &'a str,
        file: &'a Path,
        source: &'a str,
        reading: &'a Reading,
        lines: &'a Lines,
        options: &'a Options,
    ) -> YamlFile<'a> {
        let mut yaml = YamlFile { path, source, options, file, reading, lines, begins: vec![] };
        let mut begins = vec![];
        for spec in yaml.tests() {
            let steps = YamlFile::steps(spec).into_iter().map(|step| (&step.place, false));
            for (place, is_test) in [(&spec.place, true)].into_iter().chain(steps) {
                let begin =
                    |range: TextRange| Begin { offset: range.start().into(), column: place.column, is_test };
                begins.extend(yaml.range(place).map(begin));
            }
        }
        begins.sort_unstable();
        yaml.begins = begins;
        yaml
    }

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
        let start = self.lines.offset(place.line - 1, place.column.saturating_sub(1), self.source);
        let end = usize::from(line.start()) + self.source[line].trim_end().len();
        Some(TextRange::new((start as u32).into(), (end.max(start) as u32).into()))
    }

    /// Where a step or a test says this: `key: value` of its own. Where the value is written otherwise, folded or escaped,
    /// the place itself.
    pub fn entry(&self, place: &Place, key: &str, value: &str) -> Option<TextRange> {
        let whole = self.range(place)?;
        let from = usize::from(whole.start());
        let part = self.part(place, from);
        let rest = &self.source[from..part.end];
        let said = rest.match_indices(key).find_map(|(at, _)| {
            if !part.is_own_key(at, from + at, self.source) {
                return None;
            }
            let behind = rest[at + key.len()..].trim_start_matches(['"', '\'']).trim_start();
            let text = behind.strip_prefix(':')?.trim_start_matches([' ', '\t', '"', '\'']);
            let end = text.starts_with(value).then(|| rest.len() - text.len() + value.len())?;
            Some(TextRange::new(((from + at) as u32).into(), ((from + end) as u32).into()))
        });
        Some(said.unwrap_or(whole))
    }

    /// What of the text belongs to the test or the step that begins here.
    fn part(&self, place: &Place, from: usize) -> Part {
        let behind = self.begins.partition_point(|begin| begin.offset <= from);
        let is_test = self.begins[..behind].last().is_some_and(|begin| begin.offset == from && begin.is_test);
        let is_flow = self.source[from..].starts_with('{');
        let ends = |begin: &&Begin| match () {
            () if is_test => begin.is_test,
            // The keys of what is nested in a block stand further to the right.
            () if !is_flow => begin.is_test || begin.column <= place.column,
            () => true,
        };
        let end = self.begins[behind..].iter().find(ends).map_or(self.source.len(), |begin| begin.offset);
        Part { end, column: (!is_test && !is_flow).then_some(place.column) }
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
