//! `# unitai: ignore[rule] reason`: what somebody allowed, where, and whether it was needed.

mod kept;
mod reader;
mod spans;

use std::borrow::Cow;
use std::ops::Range;

use ruff_text_size::{Ranged, TextRange, TextSize};
use unitai_spec::document::comments;

pub(crate) use kept::KeptIgnore;
use reader::Reader;
use spans::Spans;

use crate::rules::UNUSED_IGNORE;
use crate::{Check, File, Finding, Fix, Rule, Settings};

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
        let heads = heads(file);
        Reader::new(file.source, findings, settings).read(comments, |at| block(&heads, at))
    }

    /// Those of a file of YAML, and what is wrong with them.
    pub(crate) fn of_yaml(source: &str, findings: &mut Vec<Finding>, settings: &Settings) -> Ignores {
        if !mentions(source) {
            return Ignores::default();
        }
        let range =
            |range: Range<usize>| TextRange::new((range.start as u32).into(), (range.end as u32).into());
        let comments = comments(source).into_iter().map(range);
        Reader::new(source, findings, settings).read(comments, |_| None)
    }

    /// Takes out what is allowed. Every comment that allows something is needed.
    pub fn apply(&mut self, findings: &mut Vec<Finding>) {
        if self.all.is_empty() || findings.is_empty() {
            return;
        }
        let spans = Spans::of(&self.all);
        findings.retain(|finding| {
            let mut is_allowed = false;
            spans.each(finding.range, |at| {
                let ignore = &mut self.all[at];
                if ignore.rule == finding.rule {
                    ignore.is_used = true;
                    is_allowed = true;
                }
            });
            !is_allowed
        });
    }

    /// What is left over when the rules have looked: those that were not needed. Rules that are off are not asked, and
    /// those about the whole project only when they have looked as well.
    pub(crate) fn unused(&self, stage: Stage, settings: &Settings) -> Vec<Finding> {
        let Some(severity) = settings.severity(&UNUSED_IGNORE) else { return vec![] };
        let is_idle = |ignore: &&Ignore| !ignore.is_used && settings.severity(ignore.rule).is_some();
        let is_asked =
            |ignore: &&Ignore| is_idle(ignore) && is_of_project(ignore) == (stage == Stage::Project);
        let mut findings = Vec::new();
        for comment in self.all.chunk_by(|a, b| a.comment == b.comment) {
            let is_all = comment.iter().all(|ignore| is_asked(&ignore));
            findings.extend(comment.iter().filter(is_asked).map(|ignore| Finding {
                rule: &UNUSED_IGNORE,
                severity,
                range: ignore.comment,
                message: format!("`{}` finds nothing here: there is nothing to ignore", ignore.rule.name),
                help: Cow::Borrowed("delete the comment, or the rule's name in it"),
                fix: is_all.then(|| Fix::replace("delete the comment", ignore.removal, "")),
            }));
        }
        findings
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

fn mentions(source: &str) -> bool {
    memchr::memmem::find(source.as_bytes(), WORD.as_bytes()).is_some()
}

/// The heads of every test, fixture and class, from their first decorator to their body, with what they are the head of.
/// In the order of the source: no head holds another one.
fn heads(file: &File<'_>) -> Vec<(TextRange, TextRange)> {
    let functions = file.functions.iter().map(|it| (it.node.range, it.node.body.first()));
    let classes = file.classes.iter().map(|it| (it.node.range, it.node.body.first()));
    let mut heads: Vec<(TextRange, TextRange)> = functions
        .chain(classes)
        .filter_map(|(range, first)| Some((TextRange::new(range.start(), first?.start()), range)))
        .collect();
    heads.sort_unstable_by_key(|(head, _)| head.start());
    heads
}

/// What has its head at this place.
fn block(heads: &[(TextRange, TextRange)], at: TextSize) -> Option<TextRange> {
    let behind = heads.partition_point(|(head, _)| head.start() <= at);
    let (head, range) = heads[..behind].last()?;
    head.contains(at).then_some(*range)
}
