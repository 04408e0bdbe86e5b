//! One look at one file: from what is remembered, or from the disk.

use std::fs;
use std::time::SystemTime;

use unitai_spec::document::looks_like_test;

use super::cache::{self, Identity, Kept, Memory, content_digest};
use super::files::{Kind, Target};
use super::located::{KeptLocated, Located};
use crate::ignores::{Ignores, Stage};
use crate::linter::sort;
use crate::source::LARGEST;
use crate::{
    Lines, Linted, Plan, Settings, Source, Summary, Unreadable, lint_python_as, lint_yaml, look_at_source,
};

/// What was seen of a file.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) is_test: bool,
    pub(super) is_remembered: bool,
    pub(super) findings: Vec<Located>,
    /// Those for rules about the whole project.
    pub(super) ignores: Ignores,
    pub(super) summary: Option<Summary>,
    /// What it was, if it may be remembered.
    identity: Option<(Identity, Option<cache::ContentDigest>)>,
}

pub(super) struct Looker<'a> {
    plan: &'a Plan,
    memory: Memory,
    now: SystemTime,
}

impl<'a> Looker<'a> {
    pub(super) fn new(plan: &'a Plan, kept: Option<&[u8]>) -> Looker<'a> {
        let memory = kept.and_then(|bytes| cache::read(bytes, plan.fingerprint)).unwrap_or_default();
        Looker { plan, memory, now: SystemTime::now() }
    }

    pub(super) fn look(&self, target: &Target) -> Seen {
        let settings = self.plan.settings(&target.path);
        let metadata = match fs::metadata(&target.file) {
            Ok(metadata) if metadata.is_file() => metadata,
            Ok(_) => return unreadable(&Unreadable::Closed("it is no file".to_owned()), target, &settings),
            Err(error) => return unreadable(&Unreadable::Closed(error.to_string()), target, &settings),
        };
        if metadata.len() > LARGEST as u64 {
            return unreadable(&Unreadable::TooLarge(metadata.len()), target, &settings);
        }
        let identity = Identity::of(&metadata);
        let is_same = |kept: &&Kept| kept.identity == identity && kept.kind == target.kind;
        let known = self.memory.get(&target.path).filter(is_same);
        if known.is_some_and(|kept| kept.digest.is_none()) {
            return Seen { is_remembered: true, ..Seen::default() };
        }
        let bytes = match fs::read(&target.file) {
            Ok(bytes) => bytes,
            Err(error) => return unreadable(&Unreadable::Closed(error.to_string()), target, &settings),
        };
        let digest = (known.is_some() || identity.is_fresh(self.now)).then(|| content_digest(&bytes));
        if known.is_some_and(|kept| kept.digest == digest) {
            return Seen { is_remembered: true, ..Seen::default() };
        }
        // It may have been written to between the two.
        let is_same = bytes.len() as u64 == metadata.len();
        let mut seen = fresh(target, bytes, &settings);
        let digest = digest.filter(|_| identity.is_fresh(self.now));
        seen.identity = seen.identity.take().filter(|_| is_same).map(|_| (identity, digest));
        seen
    }

    /// Fills in what was remembered, and gives what to remember; none if it is the same.
    pub(super) fn keep(&mut self, targets: &[Target], seen: &mut [Seen]) -> Option<Vec<u8>> {
        let mut is_changed = false;
        for (target, seen) in targets.iter().zip(seen.iter_mut()) {
            if seen.is_remembered {
                continue;
            }
            match seen.identity.take() {
                Some((identity, digest)) => {
                    is_changed = true;
                    self.memory.insert(target.path.clone(), kept(target.kind, seen, identity, digest));
                }
                None => is_changed |= self.memory.remove(&target.path).is_some(),
            }
        }
        let keep = if is_changed { cache::write(&self.memory, self.plan.fingerprint) } else { None };
        for (target, seen) in targets.iter().zip(seen) {
            if seen.is_remembered
                && let Some(kept) = self.memory.remove(&target.path)
            {
                seen.is_test = kept.is_test;
                seen.findings = kept.findings.into_iter().filter_map(KeptLocated::located).collect();
                seen.ignores = Ignores::of_kept(kept.ignores);
                seen.summary = kept.summary;
            }
        }
        keep
    }
}

fn kept(kind: Kind, seen: &Seen, identity: Identity, digest: Option<cache::ContentDigest>) -> Kept {
    Kept {
        identity,
        kind,
        digest,
        is_test: seen.is_test,
        findings: seen.findings.iter().map(KeptLocated::of).collect(),
        ignores: seen.ignores.kept(),
        summary: seen.summary.clone(),
    }
}

/// Reads a file anew.
fn fresh(target: &Target, bytes: Vec<u8>, settings: &Settings) -> Seen {
    let is_yaml = matches!(target.kind, Kind::Yaml | Kind::MaybeYaml);
    if target.kind == Kind::MaybeYaml && !looks_like_test(&String::from_utf8_lossy(&bytes)) {
        return Seen { identity: Some(nobody()), ..Seen::default() };
    }
    let source = if is_yaml { Source::of_yaml(bytes) } else { Source::of_python(bytes) };
    let Source { text, is_utf8, .. } = match source {
        Ok(source) => source,
        Err(reason) => return unreadable(&reason, target, settings),
    };
    let linted = match target.kind {
        Kind::Python(role) => lint_python_as(role, &target.path, &text, settings),
        Kind::Yaml | Kind::MaybeYaml => lint_yaml(&target.path, &target.file, &text, settings),
        Kind::Source => look_at_source(&target.path, &text, settings).unwrap_or_default(),
    };
    let mut seen = located(linted, &text, settings);
    if !is_utf8 {
        // Nothing is written in another encoding, and so nothing is promised.
        seen.findings.iter_mut().for_each(|finding| finding.fix = None);
    }
    seen.is_test = target.kind != Kind::Source;
    // What it includes may change without it.
    let is_whole = !is_yaml || memchr::memmem::find(text.as_bytes(), b"include").is_none();
    seen.identity = is_whole.then(nobody);
    seen
}

/// To be replaced by what the file is.
fn nobody() -> (Identity, Option<cache::ContentDigest>) {
    (Identity::default(), None)
}

fn located(linted: Linted, text: &str, settings: &Settings) -> Seen {
    let Linted { mut findings, ignores, summary } = linted;
    findings.append(&mut ignores.unused(Stage::File, settings));
    let ignores = ignores.of_project();
    if findings.is_empty() {
        return Seen { ignores, summary, ..Seen::default() };
    }
    sort(&mut findings);
    let lines = Lines::of(text);
    let findings = findings.into_iter().map(|finding| Located::of(finding, text, &lines)).collect();
    Seen { findings, ignores, summary, ..Seen::default() }
}

fn unreadable(reason: &Unreadable, target: &Target, settings: &Settings) -> Seen {
    // What is no test need not be readable.
    if matches!(target.kind, Kind::MaybeYaml | Kind::Source) {
        return Seen::default();
    }
    Seen { is_test: true, ..located(Linted::unreadable(reason, settings), "", settings) }
}
