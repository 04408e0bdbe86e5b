//! Why kept answers do not fit: what differs, and what to do about it.

use super::entry::{Entry, Kept, KeptRecord};
use super::key::{Key, Masks};

/// Whose answers are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// The provider; anybody where none is there.
    pub(crate) provider: Option<String>,
    /// The model that is asked for; any where the provider cannot say.
    pub(crate) model: Option<String>,
    /// How often each question is asked, at least.
    pub(crate) repeats: u32,
}

impl Wanted {
    /// Whether answers come from whom they should.
    fn is_of(&self, entry: &Entry) -> bool {
        self.provider.as_ref().is_none_or(|it| *it == entry.judge.provider)
            && self.model.as_ref().is_none_or(|it| *it == entry.judge.model)
    }

    /// Whether these are the answers.
    pub(super) fn is(&self, entry: &Entry, key: &Key) -> bool {
        self.is_of(entry)
            && entry.repeats >= self.repeats
            && entry.template == key.template
            && same_questions(entry, key)
            && entry.evidence.iter().map(|it| &it.digest).eq(&key.evidence)
    }
}

fn same_questions(entry: &Entry, key: &Key) -> bool {
    let said = |it: &super::KeptQuestion| (it.kind.clone(), it.path.clone(), it.text.clone());
    entry.questions.iter().map(said).eq(key.questions.iter().map(said))
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
        (usize::from(same_questions(entry, key)) + usize::from(wanted.is_of(entry)) * 2, same)
    };
    // The newest of those that are most alike.
    let Some(entry) = kept.entries.iter().max_by_key(likeness) else {
        return "the file holds no answers".to_owned();
    };
    let mut differs = Vec::new();
    if entry.template != key.template {
        differs.push("they were asked for in other words than this version has".to_owned());
    }
    if !wanted.is_of(entry) {
        let asked = format!(
            "{} {}",
            wanted.provider.as_deref().unwrap_or_default(),
            wanted.model.as_deref().unwrap_or_default()
        );
        let kept = format!("{} {}", entry.judge.provider, entry.judge.model);
        differs.push(format!("they are of {}, and {} is asked now", kept.trim(), asked.trim()));
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
    let said = |it: &super::KeptQuestion| (it.kind.clone(), it.path.clone(), it.text.clone());
    let changed = old.iter().zip(new).find(|(one, two)| said(one) != said(two));
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
