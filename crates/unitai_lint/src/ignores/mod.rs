//! `# unitai: ignore[rule] reason`: what somebody allowed, where, and whether it was needed.

mod kept;
mod reader;

use std::borrow::Cow;

use ruff_text_size::{Ranged, TextRange, TextSize};

pub(crate) use kept::KeptIgnore;
use reader::Reader;

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

/// The test, fixture or class whose head holds this place: from its first decorator to its body.
fn block(file: &File<'_>, at: TextSize) -> Option<TextRange> {
    let functions = file.functions.iter().map(|it| (it.node.range, it.node.body.first()));
    let classes = file.classes.iter().map(|it| (it.node.range, it.node.body.first()));
    functions
        .chain(classes)
        .find(|(range, first)| range.start() <= at && first.is_some_and(|first| at < first.start()))
        .map(|(range, _)| range)
}
