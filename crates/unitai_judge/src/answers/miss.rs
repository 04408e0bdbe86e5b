//! Why kept answers do not fit: what differs, and what to do about it.

use unitai_spec::run::Answer;

use super::entry::{Entry, Kept, KeptJudge, KeptRecord};
use super::key::{Key, Masks};
use crate::provider::Identity;

/// A judge whose answers are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Whom {
    /// Nobody is there who could say otherwise.
    #[default]
    Anybody,
    /// Nobody is to be asked.
    Nobody,
    /// One that cannot be asked here, and is known by name alone.
    Named(String),
    /// This one.
    Known(Identity),
}

impl Whom {
    fn is(&self, judge: Option<&KeptJudge>) -> bool {
        match self {
            Whom::Anybody => true,
            Whom::Nobody => judge.is_none(),
            Whom::Named(name) => judge.is_some_and(|it| it.provider == *name),
            Whom::Known(identity) => judge.is_some_and(|it| it.is_same(&KeptJudge::of(identity, ""))),
        }
    }

    fn told(&self) -> String {
        match self {
            Whom::Anybody => "anybody".to_owned(),
            Whom::Nobody => "nobody".to_owned(),
            Whom::Named(name) => name.clone(),
            Whom::Known(it) => told(&it.provider, &it.model, &it.program),
        }
    }
}

/// Whose answers are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// Who is asked.
    pub(crate) first: Whom,
    /// Who is asked what the first leaves open.
    pub(crate) second: Whom,
    /// How often each question is asked, at least.
    pub(crate) repeats: u32,
}

impl Wanted {
    /// Whether these are the answers.
    pub(super) fn is(&self, entry: &Entry, key: &Key) -> bool {
        self.first.is(Some(&entry.judge))
            && self.is_last_word(entry)
            && entry.repeats >= self.repeats
            && entry.template == key.template
            && same_questions(entry, key)
            && entry.evidence.iter().map(|it| &it.digest).eq(&key.evidence)
    }

    /// Whether whoever had the last word has it now. Who was never needed does not matter.
    fn is_last_word(&self, entry: &Entry) -> bool {
        let is_settled =
            entry.second.is_none() && entry.replies().iter().all(|it| it.answer != Answer::Unknown);
        is_settled || self.second.is(entry.second.as_ref())
    }
}

fn same_questions(entry: &Entry, key: &Key) -> bool {
    entry.questions.len() == key.questions.len()
        && entry.questions.iter().zip(&key.questions).all(|(old, new)| old.is_same(new))
}

fn told(provider: &str, model: &str, program: &str) -> String {
    let words = [provider, model, program].into_iter().filter(|it| !it.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

fn told_kept(judge: Option<&KeptJudge>) -> String {
    judge.map_or_else(|| "nobody".to_owned(), |it| told(&it.provider, &it.model, &it.program))
}

/// What differs between what is kept and what is needed. `now` is the evidence of this run in the form that is kept.
pub(crate) fn what_differs(
    kept: &Kept,
    key: &Key,
    wanted: &Wanted,
    now: &[KeptRecord],
    masks: &Masks,
) -> String {
    let likeness = |entry: &&Entry| {
        let same = entry.evidence.iter().zip(&key.evidence).filter(|(one, two)| one.digest == **two).count();
        (usize::from(same_questions(entry, key)) + usize::from(wanted.first.is(Some(&entry.judge))) * 2, same)
    };
    // The newest of those that are most alike.
    let Some(entry) = kept.entries.iter().max_by_key(likeness) else {
        return "the file holds no answers".to_owned();
    };
    let mut differs = Vec::new();
    if entry.template != key.template {
        differs.push("they were asked for in other words than this version has".to_owned());
    }
    if !wanted.first.is(Some(&entry.judge)) {
        let (kept, asked) = (told_kept(Some(&entry.judge)), wanted.first.told());
        differs.push(format!("they are of {kept}, and {asked} is asked now"));
    }
    if !wanted.is_last_word(entry) {
        let (kept, asked) = (told_kept(entry.second.as_ref()), wanted.second.told());
        differs.push(format!("{kept} was the second judge, and {asked} is now"));
    }
    if entry.repeats < wanted.repeats {
        differs.push(format!(
            "each question was asked {} times, and {} are wanted",
            entry.repeats, wanted.repeats
        ));
    }
    differs.extend(question_that_differs(entry, key));
    differs.extend(record_that_differs(entry, key, now, masks));
    differs.join("; ")
}

fn question_that_differs(entry: &Entry, key: &Key) -> Option<String> {
    let (old, new) = (&entry.questions, &key.questions);
    let changed = old.iter().zip(new).find(|(one, two)| !one.is_same(two));
    match changed {
        Some((one, two)) if one.text == two.text => {
            Some(format!("the question {} is about something else now: {}", two.id, short(&two.text)))
        }
        Some((one, two)) => Some(format!(
            "the question {} was \"{}\" and is \"{}\" now",
            two.id,
            short(&one.text),
            short(&two.text)
        )),
        None if old.len() != new.len() => {
            Some(format!("there were {} questions, and there are {} now", old.len(), new.len()))
        }
        None => None,
    }
}

fn record_that_differs(entry: &Entry, key: &Key, now: &[KeptRecord], masks: &Masks) -> Option<String> {
    let changed =
        entry.evidence.iter().zip(now).zip(&key.evidence).find(|((old, _), digest)| old.digest != **digest);
    let Some(((old, new), _)) = changed else {
        let (before, after) = (entry.evidence.len(), now.len());
        return (before != after)
            .then(|| format!("there were {before} records of evidence, and there are {after} now"));
    };
    let (reference, tool) = (&new.reference, &new.tool);
    if old.tool != *tool {
        return Some(format!("{reference} was a call of {} and is one of {tool} now", old.tool));
    }
    if old.args != new.args {
        return Some(format!(
            "{reference} ({tool}) is called with other arguments: {}",
            apart(&masks.over(&old.args.to_string()), &masks.over(&new.args.to_string()),)
        ));
    }
    if old.outcome != new.outcome {
        return Some(format!("{reference} ({tool}) ends otherwise than it did"));
    }
    let told = apart(&masks.over(&old.text), &masks.over(&new.text));
    Some(format!("{reference} ({tool}) gives something else: {told}; what may change goes into judge.mask"))
}

/// Two texts where they begin to differ.
fn apart(old: &str, new: &str) -> String {
    let same = old.chars().zip(new.chars()).take_while(|(one, two)| one == two).count();
    let from = same.saturating_sub(20);
    let part = |text: &str| {
        let part: String = text.chars().skip(from).take(60).collect();
        part.replace(char::is_control, " ")
    };
    if old == new {
        return "in a part that is not kept".to_owned();
    }
    format!("\"{}\" was there, and \"{}\" is there now", part(old), part(new))
}

fn short(text: &str) -> String {
    let short: String = text.chars().take(80).collect();
    short.replace('\n', " ")
}
