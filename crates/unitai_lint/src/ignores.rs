//! `# unitai: ignore[rule] reason`: what somebody allowed, where, and whether it was needed.

use std::borrow::Cow;

use ruff_text_size::{Ranged, TextRange, TextSize};
use unitai_model::nearest;

use crate::rules::{BAD_IGNORE, UNUSED_IGNORE};
use crate::{Check, File, Finding, Fix, Lines, RULES, Rule, Settings, rule};

/// The word that a comment for the linter begins with.
const WORD: &str = "unitai:";

/// One rule that a comment allows.
#[derive(Debug, Clone, PartialEq)]
pub struct Ignore {
    /// The rule.
    pub rule: &'static Rule,
    /// Where it counts, in bytes; none for the whole file.
    pub span: Option<TextRange>,
    /// Whether something was found there.
    pub is_used: bool,
    /// The comment.
    comment: TextRange,
    /// What to delete so that the comment is gone.
    removal: TextRange,
}

/// Every one of a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ignores {
    all: Vec<Ignore>,
}

impl Ignores {
    /// Those of a file of Python, and what is wrong with them.
    pub(crate) fn of_python(file: &File<'_>, findings: &mut Vec<Finding>, settings: &Settings) -> Ignores {
        if !mentions(file.source) {
            return Ignores::default();
        }
        let comments = file.tokens.iter().filter(|token| token.kind().is_comment()).map(Ranged::range);
        Reader::new(file.source, findings, settings).read(comments, |at| block(file, at))
    }

    /// Those of a file of YAML, and what is wrong with them.
    pub(crate) fn of_yaml(source: &str, findings: &mut Vec<Finding>, settings: &Settings) -> Ignores {
        if !mentions(source) {
            return Ignores::default();
        }
        let mut comments = Vec::new();
        let mut start = 0;
        for line in source.split_inclusive('\n') {
            let end = start + line.trim_end().len();
            let is_begin = |at: usize| at == 0 || line[..at].ends_with([' ', '\t']);
            if let Some((at, _)) = line.match_indices('#').find(|(at, _)| is_begin(*at)) {
                comments.push(TextRange::new(((start + at) as u32).into(), (end as u32).into()));
            }
            start += line.len();
        }
        Reader::new(source, findings, settings).read(comments.into_iter(), |_| None)
    }

    /// Takes out what is allowed.
    pub fn apply(&mut self, findings: &mut Vec<Finding>) {
        if !self.all.is_empty() {
            findings.retain(|finding| !self.allows(finding));
        }
    }

    /// Whether a finding is allowed; every comment that does is needed.
    pub fn allows(&mut self, finding: &Finding) -> bool {
        let mut is_allowed = false;
        for ignore in &mut self.all {
            let is_here = ignore.span.is_none_or(|span| span.intersect(finding.range).is_some());
            if ignore.rule.name == finding.rule.name && is_here {
                ignore.is_used = true;
                is_allowed = true;
            }
        }
        is_allowed
    }

    /// What is left over when the rules have looked: those that were not needed. Rules that are off are not asked, and
    /// those about the whole project only when they have looked as well.
    pub(crate) fn unused(&self, stage: Stage, settings: &Settings) -> Vec<Finding> {
        let Some(severity) = settings.severity(&UNUSED_IGNORE) else { return vec![] };
        let is_idle = |ignore: &&Ignore| !ignore.is_used && settings.severity(ignore.rule).is_some();
        let is_asked =
            |ignore: &&Ignore| is_idle(ignore) && is_of_project(ignore) == (stage == Stage::Project);
        let finding = |ignore: &Ignore| {
            let is_alone =
                self.all.iter().filter(|other| other.comment == ignore.comment).all(|it| is_asked(&it));
            Finding {
                rule: &UNUSED_IGNORE,
                severity,
                range: ignore.comment,
                message: format!("`{}` finds nothing here: there is nothing to ignore", ignore.rule.name),
                help: Cow::Borrowed("delete the comment, or the rule's name in it"),
                fix: is_alone.then(|| Fix::replace("delete the comment", ignore.removal, "")),
            }
        };
        self.all.iter().filter(is_asked).map(finding).collect()
    }

    /// Those that are about rules of the whole project: the others have been asked.
    pub(crate) fn of_project(mut self) -> Ignores {
        self.all.retain(is_of_project);
        self
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// To be kept in a file.
    pub(crate) fn kept(&self) -> Vec<KeptIgnore> {
        let pair = |range: TextRange| (range.start().to_u32(), range.end().to_u32());
        let one = |ignore: &Ignore| KeptIgnore {
            rule: ignore.rule.name.to_owned(),
            span: ignore.span.map(pair),
            comment: pair(ignore.comment),
            removal: pair(ignore.removal),
        };
        self.all.iter().map(one).collect()
    }

    /// As they were kept.
    pub(crate) fn of_kept(kept: Vec<KeptIgnore>) -> Ignores {
        let range = |(start, end): (u32, u32)| TextRange::new(start.into(), end.into());
        let one = |kept: KeptIgnore| {
            Some(Ignore {
                rule: rule(&kept.rule)?,
                span: kept.span.map(range),
                is_used: false,
                comment: range(kept.comment),
                removal: range(kept.removal),
            })
        };
        Ignores { all: kept.into_iter().filter_map(one).collect() }
    }
}

/// Which rules have looked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Those about single files.
    File,
    /// Those about the whole project.
    Project,
}

fn is_of_project(ignore: &Ignore) -> bool {
    matches!(ignore.rule.check, Check::Project(_))
}

/// One that is kept in a file.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct KeptIgnore {
    rule: String,
    span: Option<(u32, u32)>,
    comment: (u32, u32),
    removal: (u32, u32),
}

fn mentions(source: &str) -> bool {
    memchr::memmem::find(source.as_bytes(), WORD.as_bytes()).is_some()
}

/// The test, fixture or class whose head holds this place: from its first decorator to its body.
fn block(file: &File<'_>, at: TextSize) -> Option<TextRange> {
    let functions = file.functions.iter().map(|it| (it.node.range, it.node.body.first()));
    let classes = file.classes.iter().map(|it| (it.node.range, it.node.body.first()));
    functions
        .chain(classes)
        .find(|(range, first)| range.start() <= at && first.is_some_and(|first| at < first.start()))
        .map(|(range, _)| range)
}

struct Reader<'r> {
    source: &'r str,
    lines: Lines,
    findings: &'r mut Vec<Finding>,
    settings: &'r Settings,
}

impl<'r> Reader<'r> {
    fn new(source: &'r str, findings: &'r mut Vec<Finding>, settings: &'r Settings) -> Reader<'r> {
        Reader { source, lines: Lines::of(source), findings, settings }
    }

    fn read(
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
                let meant = nearest::nearest(word, ["ignore", "ignore-file"]).unwrap_or("ignore");
                return self
                    .bad(range, format!("`unitai: {word}` is not known; did you mean `unitai: {meant}`?"));
            }
        };
        let Some((names, reason)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) else {
            return self
                .bad(range, format!("`unitai: {word}` names no rule; write `unitai: {word}[rule] reason`"));
        };
        if reason.trim().chars().filter(|c| c.is_alphanumeric()).count() < 3 {
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
    fn span(&self, range: TextRange) -> TextRange {
        let line = self.lines.line(range.start());
        let at = |line| self.lines.range(line, self.source).unwrap_or(range);
        if !self.is_alone(range) {
            return at(line);
        }
        let is_code = |line: &usize| {
            let text = self.source[at(*line)].trim_start();
            !text.is_empty() && !text.starts_with('#')
        };
        (line + 1..self.lines.count()).find(is_code).map_or(range, at)
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
        if before.trim().is_empty() && range.end() == whole.end() {
            let next = self.lines.range(line + 1, self.source).map_or(whole.end(), |next| next.start());
            return TextRange::new(whole.start(), next);
        }
        let blank = before.len() - before.trim_end().len();
        TextRange::new(range.start() - TextSize::from(blank as u32), range.end())
    }

    fn bad(&mut self, range: TextRange, message: String) {
        if let Some(severity) = self.settings.severity(&BAD_IGNORE) {
            let help = Cow::Borrowed("");
            self.findings.push(Finding { rule: &BAD_IGNORE, severity, range, message, help, fix: None });
        }
    }
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
        if at == 0 || comment[..at].ends_with([' ', '\t']) {
            starts.push(at);
        }
    }
    let ends = starts.clone().into_iter().skip(1).chain([comment.len()]);
    starts.into_iter().zip(ends).filter_map(move |(from, to)| {
        let whole = comment[from..to].trim_end();
        let text = whole[1..].trim_start().strip_prefix(WORD)?.trim_start();
        let range = TextRange::at(start + TextSize::from(from as u32), TextSize::from(whole.len() as u32));
        Some(Part { range, text })
    })
}
