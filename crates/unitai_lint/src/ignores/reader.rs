//! Comments that are meant for the linter, read.

use std::borrow::Cow;

use ruff_text_size::{TextRange, TextSize};
use unitai_model::nearest;

use super::{Ignore, Ignores, WORD};
use crate::rules::BAD_IGNORE;
use crate::{Finding, Lines, RULES, Settings, rule};

/// What stands between code and a comment. What else is a blank to Unicode is no Python there, and a value in YAML.
const BLANKS: [char; 3] = [' ', '\t', '\u{c}'];

pub(super) struct Reader<'r> {
    source: &'r str,
    lines: Lines,
    /// A line and the next one below it that has code: the same for every comment between the two.
    code: Option<(usize, usize)>,
    findings: &'r mut Vec<Finding>,
    settings: &'r Settings,
}

impl<'r> Reader<'r> {
    pub(super) fn new(source: &'r str, findings: &'r mut Vec<Finding>, settings: &'r Settings) -> Reader<'r> {
        Reader { source, lines: Lines::of(source), code: None, findings, settings }
    }

    pub(super) fn read(
        mut self,
        comments: impl Iterator<Item = TextRange>,
        block: impl Fn(TextSize) -> Option<TextRange>,
    ) -> Ignores {
        let mut all = Vec::new();
        for comment in comments {
            for part in parts(&self.source[comment], comment.start()) {
                self.part(part, &block, &mut all);
            }
        }
        Ignores { all }
    }

    fn part(
        &mut self,
        part: Part<'_>,
        block: &impl Fn(TextSize) -> Option<TextRange>,
        all: &mut Vec<Ignore>,
    ) {
        let Part { range, text } = part;
        let (word, rest) =
            text.split_at(text.find(|c: char| !c.is_alphanumeric() && c != '-').unwrap_or(text.len()));
        let is_file = match word {
            "ignore" => false,
            "ignore-file" => true,
            _ => {
                let meant = nearest::nearest(word, ["ignore", "ignore-file"]);
                // Anything else is prose, as in `unitai: see the docs`.
                if meant.is_some() || rest.starts_with(['[', '(', '=']) {
                    let meant = meant.unwrap_or("ignore");
                    self.bad(
                        range,
                        format!("`unitai: {word}` is not known; did you mean `unitai: {meant}`?"),
                    );
                }
                return;
            }
        };
        let Some((names, reason)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) else {
            return self
                .bad(range, format!("`unitai: {word}` names no rule; write `unitai: {word}[rule] reason`"));
        };
        if !is_reason(reason) {
            self.bad(range, format!("`unitai: {word}[{names}]` has no reason; write why behind the bracket"));
        }
        if names.trim().is_empty() {
            return self.bad(range, format!("`unitai: {word}[]` names no rule"));
        }
        let line = self.span(range);
        let code = if self.is_alone(range) { self.first(line) } else { range.start() };
        let span = (!is_file).then(|| block(code).unwrap_or(line));
        let removal = self.removal(range);
        for name in names.split(',').map(str::trim) {
            match rule(name) {
                Some(rule) => all.push(Ignore { rule, span, is_used: false, comment: range, removal }),
                None => {
                    let names = RULES.iter().map(|rule| rule.name);
                    let meant = nearest::nearest(name, names)
                        .map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
                    self.bad(range, format!("there is no rule `{name}`{meant}"));
                }
            }
        }
    }

    /// The line of the comment; for one that stands alone, the next one.
    fn span(&mut self, range: TextRange) -> TextRange {
        let line = self.lines.line(range.start());
        if !self.is_alone(range) {
            return self.lines.range(line, self.source).unwrap_or(range);
        }
        let next = match self.code {
            Some((from, next)) if (from..next).contains(&line) => next,
            _ => {
                (line + 1..self.lines.count()).find(|line| self.is_code(*line)).unwrap_or(self.lines.count())
            }
        };
        self.code = Some((line, next));
        self.lines.range(next, self.source).unwrap_or(range)
    }

    fn is_code(&self, line: usize) -> bool {
        let text = self.lines.range(line, self.source).map_or("", |range| self.source[range].trim_start());
        !text.is_empty() && !text.starts_with('#')
    }

    /// Where the text of a line begins.
    fn first(&self, line: TextRange) -> TextSize {
        let text = &self.source[line];
        line.start() + TextSize::from((text.len() - text.trim_start().len()) as u32)
    }

    fn is_alone(&self, range: TextRange) -> bool {
        let line = self.lines.range(self.lines.line(range.start()), self.source).unwrap_or(range);
        self.source[TextRange::new(line.start(), range.start())].trim().is_empty()
    }

    fn removal(&self, range: TextRange) -> TextRange {
        let line = self.lines.line(range.start());
        let Some(whole) = self.lines.range(line, self.source) else { return range };
        let before = &self.source[TextRange::new(whole.start(), range.start())];
        let code = before.trim_end_matches(BLANKS);
        let is_last =
            self.source[TextRange::new(range.end(), whole.end())].trim_end_matches(BLANKS).is_empty();
        if code.is_empty() && is_last {
            let next = self.lines.range(line + 1, self.source).map_or(whole.end(), |next| next.start());
            return TextRange::new(whole.start(), next);
        }
        let end = if is_last { whole.end() } else { range.end() };
        TextRange::new(whole.start() + TextSize::of(code), end)
    }

    fn bad(&mut self, range: TextRange, message: String) {
        if let Some(severity) = self.settings.severity(&BAD_IGNORE) {
            let help = Cow::Borrowed("");
            self.findings.push(Finding { rule: &BAD_IGNORE, severity, range, message, help, fix: None });
        }
    }
}

/// Whether a text says something: three letters, or two of a script in which one says as much as a word.
fn is_reason(text: &str) -> bool {
    let weight = |c: char| if c.is_ascii() { 1 } else { 2 };
    text.chars().filter(|c| c.is_alphanumeric()).map(weight).sum::<usize>() >= 3
}

/// A part of a comment that is meant for the linter.
struct Part<'a> {
    /// From its `#` to the next one, or to the end.
    range: TextRange,
    /// What comes behind the word.
    text: &'a str,
}

/// The parts of a comment, which may hold several: `# noqa  # unitai: ignore[...] why`.
fn parts(comment: &str, start: TextSize) -> impl Iterator<Item = Part<'_>> {
    let mut starts: Vec<usize> = Vec::new();
    for (at, _) in comment.match_indices('#') {
        if at == 0 || comment[..at].ends_with(BLANKS) {
            starts.push(at);
        }
    }
    let ends = starts.clone().into_iter().skip(1).chain([comment.len()]);
    starts.into_iter().zip(ends).filter_map(move |(from, to)| {
        let whole = comment[from..to].trim_end_matches(BLANKS);
        let text = whole[1..].trim_start().strip_prefix(WORD)?.trim_start();
        let range = TextRange::at(start + TextSize::from(from as u32), TextSize::from(whole.len() as u32));
        Some(Part { range, text })
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::{Settings, finished, fixed, lint_python, lint_yaml};

    const UNUSED: &str = "# unitai: ignore[assert-true] it was used once";

    /// What `--fix` makes of a line of code, in a test.
    fn line(line: &str) -> String {
        let settings = Settings::default();
        let text = format!("def test_it():\n{line}\n    assert it() == 1\n");
        let findings = finished(lint_python("tests/unit/test_it.py", &text, &settings), vec![], &settings);
        let text = fixed(&text, &findings).expect("something to fix").text;
        let text = text
            .strip_suffix("    assert it() == 1\n")
            .and_then(|text| text.strip_prefix("def test_it():\n"));
        text.expect("the other lines stay").to_owned()
    }

    #[test]
    fn the_comments_of_others_stay() {
        assert_eq!(line(&format!("    it()  {UNUSED}  # noqa")), "    it()  # noqa\n");
        assert_eq!(line(&format!("    it()  # noqa  {UNUSED}")), "    it()  # noqa\n");
        assert_eq!(line(&format!("    {UNUSED}  # noqa")), "  # noqa\n");
    }

    #[test]
    fn blanks_behind_a_comment_go_with_it() {
        assert_eq!(line(&format!("    it()  {UNUSED} \t")), "    it()\n");
        assert_eq!(line(&format!("    {UNUSED}  ")), "");
    }

    #[test]
    fn a_blank_of_unicode_is_a_part_of_what_it_stands_behind() {
        for blank in ['\u{b}', '\u{a0}', '\u{3000}'] {
            assert_eq!(line(&format!("    it()  {UNUSED}{blank}  # noqa")), "    it()  # noqa\n");
        }
        let yaml = |comment: &str| {
            format!(
                "test: {{name: a}}\nsteps:\n  - tool: explain\n    args:\n      title: why\u{a0}{comment}\n    \
                 check: status == \"done\"\nverdict: checks\n"
            )
        };
        let (settings, text) = (Settings::default(), yaml(&format!(" {UNUSED}")));
        let linted = lint_yaml("tests/llm/a.yaml", Path::new("tests/llm/a.yaml"), &text, &settings);
        let fixed = fixed(&text, &finished(linted, vec![], &settings)).expect("something to fix");
        assert_eq!(fixed.text, yaml(""));
    }
}
