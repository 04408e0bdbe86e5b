//! A judge that is a model: kept answers first, then whoever is there. Whatever it says, its quotes are looked up, and the
//! verdict is computed from what is left.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use unitai_config::JudgeAnswers;
use unitai_spec::run::{Answered, Brief, Evidence, Future, Judge, Judged, Question, Reply, Ruling, Spent};
use unitai_wire::redact::Secrets;

use crate::answers::{self, Entry, Keeping, Kept, KeptJudge, Key, Masks, Wanted, Whom};
use crate::asking::Heard;
use crate::nobody::Nobody;
use crate::panel::{self, How, Polled, Seat};
use crate::provider::{Identity, Provider, Trouble};

/// Tests with this tag are asked about more often.
const GATE: &str = "gate";

/// How often, at least.
const GATE_REPEATS: u32 = 3;

/// How a judge is asked.
#[derive(Debug, Clone)]
pub struct Asking {
    /// How often each question is asked; tests tagged `gate` at least three times.
    pub repeats: u32,
    /// Whether kept answers are used, and whether anybody is asked.
    pub answers: JudgeAnswers,
    /// Whether tests run for everybody: then nobody is asked by the way.
    pub is_ci: bool,
    /// Whether a judge must show first that it can tell yes from no.
    pub canaries: bool,
    /// What changes from run to run in evidence and does not matter.
    pub masks: Masks,
    /// How long one question may take.
    pub timeout: Duration,
}

impl Default for Asking {
    fn default() -> Asking {
        Asking {
            repeats: 1,
            answers: JudgeAnswers::Auto,
            is_ci: false,
            canaries: true,
            masks: Masks::default(),
            timeout: Duration::from_secs(120),
        }
    }
}

/// A judge that is a model. One serves all tests of a session: canaries are sent once.
///
/// ```
/// use std::sync::Arc;
/// use unitai_judge::{Asking, ModelJudge, Nobody};
/// use unitai_wire::redact::Secrets;
/// let nobody = Nobody::new("install claude");
/// let judge = ModelJudge::new(Arc::new(nobody), Asking::default(), Arc::new(Secrets::none()));
/// ```
pub struct ModelJudge {
    first: Seat,
    second: Option<Seat>,
    asking: Asking,
    secrets: Arc<Secrets>,
}

impl ModelJudge {
    /// A judge that asks this provider. Secrets are those that no file may hold.
    pub fn new(provider: Arc<dyn Provider>, asking: Asking, secrets: Arc<Secrets>) -> ModelJudge {
        ModelJudge { first: Seat::new(provider, asking.canaries), second: None, asking, secrets }
    }

    /// The same with a second judge, who is asked when the first is split or does not know.
    #[must_use]
    pub fn with_second(self, provider: Arc<dyn Provider>) -> ModelJudge {
        ModelJudge { second: Some(Seat::new(provider, self.asking.canaries)), ..self }
    }

    /// The same for one test, paid from its budgets. What the judge has shown of itself counts for all.
    #[must_use]
    pub fn paid_from(&self, pay: &dyn Fn(Arc<dyn Provider>) -> Arc<dyn Provider>) -> ModelJudge {
        ModelJudge {
            first: self.first.paid_from(pay),
            second: self.second.as_ref().map(|seat| seat.paid_from(pay)),
            asking: self.asking.clone(),
            secrets: self.secrets.clone(),
        }
    }

    async fn rule(&self, brief: &Brief<'_>) -> Ruling {
        let mode = self.asking.answers.in_ci(self.asking.is_ci);
        if mode == JudgeAnswers::Off {
            return absent(
                brief,
                "the judge is switched off; UNITAI_JUDGE_ANSWERS=auto asks it, and so does judge.answers = \"auto\"",
            );
        }
        let key = Key::of(brief.questions, brief.evidence, &self.asking.masks, &self.secrets);
        let identity = self.first.provider.identity().await;
        let wanted = Wanted {
            first: whom(&*self.first.provider, &identity),
            second: self.second_wanted().await,
            repeats: self.repeats(brief),
        };
        if mode != JudgeAnswers::Live {
            match self.kept(brief, &key, &identity, &wanted) {
                Some(ruling) => return ruling,
                // Where nothing was ever kept and nobody is there, nothing is missing but a judge.
                None if mode == JudgeAnswers::Cached && !self.is_new_here(brief, &identity) => {
                    return Ruling::Trouble(self.missing(brief, &key, &wanted));
                }
                None => {}
            }
        }
        let identity = match identity {
            Ok(identity) => identity,
            Err(Trouble::Absent(how)) if !self.is_named() => return absent(brief, &how),
            Err(trouble) => return troubled(&trouble),
        };
        // No secret leaves the machine for a judge, who needs none.
        let evidence: Vec<Evidence> =
            brief.evidence.iter().map(|it| answers::cleaned(it, &self.secrets)).collect();
        let questions: Vec<Question> =
            brief.questions.iter().map(|it| answers::cleaned_question(it, &self.secrets)).collect();
        let seed = key.digest();
        let how = How { repeats: wanted.repeats, timeout: self.asking.timeout, seed: &seed };
        let polled = panel::poll(&self.first, self.second.as_ref(), &questions, &evidence, how).await;
        match polled {
            Ok(Polled::Heard(heard)) => self.answered(brief, &key, &identity, &wanted, heard),
            Ok(Polled::Unfit(why)) => Ruling::Trouble(why),
            Err(trouble) => troubled(&trouble),
        }
    }

    /// The answers of an earlier run, if they fit.
    fn kept(
        &self,
        brief: &Brief<'_>,
        key: &Key,
        identity: &Result<Identity, Trouble>,
        wanted: &Wanted,
    ) -> Option<Ruling> {
        match answers::find(brief.keep_in?, key, wanted) {
            Ok(Ok(entry)) => {
                let replies = answers::checked(&entry, brief.evidence, &self.asking.masks, &self.secrets);
                Some(from_kept(&entry, replies, identity.as_ref().ok()))
            }
            Ok(Err(_)) => None,
            Err(why) => Some(Ruling::Trouble(why)),
        }
    }

    /// Whether nobody has ever judged the test, and nobody can here. Who asks for kept answers wants them all the same.
    fn is_new_here(&self, brief: &Brief<'_>, identity: &Result<Identity, Trouble>) -> bool {
        self.asking.answers != JudgeAnswers::Cached
            && !self.is_named()
            && matches!(identity, Err(Trouble::Absent(_)))
            && !brief.keep_in.is_some_and(Path::exists)
    }

    /// Whether somebody in particular is to judge. Who is named and not there is missing, and no skip may hide that.
    fn is_named(&self) -> bool {
        self.first.provider.name() != Nobody::NAME
    }

    fn repeats(&self, brief: &Brief<'_>) -> u32 {
        let least = if brief.tags.iter().any(|it| it == GATE) { GATE_REPEATS } else { 1 };
        self.asking.repeats.max(least)
    }

    async fn second_wanted(&self) -> Whom {
        match &self.second {
            None => Whom::Nobody,
            Some(seat) => whom(&*seat.provider, &seat.provider.identity().await),
        }
    }

    /// Why no kept answer fits, and what to do.
    fn missing(&self, brief: &Brief<'_>, key: &Key, wanted: &Wanted) -> String {
        let Some(path) = brief.keep_in else {
            return "only kept answers may be used, and this test has no file beside which they could be kept"
                .to_owned();
        };
        let kept: Option<Kept> = answers::find(path, key, wanted).ok().and_then(Result::err).flatten();
        let differs = kept.map_or_else(
            || format!("there is no {}", path.display()),
            |kept| {
                let now = answers::records(brief.evidence, key, &self.secrets);
                let differs = answers::what_differs(&kept, key, wanted, &now, &self.asking.masks);
                format!("{} does not fit: {differs}", path.display())
            },
        );
        format!(
            "only kept answers may be used, and {differs}; run the test with UNITAI_JUDGE_ANSWERS=live where a judge is, \
             look at the answers, and commit the file"
        )
    }

    fn answered(
        &self,
        brief: &Brief<'_>,
        key: &Key,
        identity: &Identity,
        wanted: &Wanted,
        heard: Heard,
    ) -> Ruling {
        let judge = KeptJudge::of(identity, &heard.model);
        let second = match (&wanted.second, &heard.second) {
            (Whom::Known(second), Some(model)) => Some(KeptJudge::of(second, model)),
            _ => None,
        };
        let mut judged = Judged { by: judge.name(), spent: heard.spent, is_kept: false, notes: heard.notes };
        match brief.keep_in {
            // What could not be read says nothing about the test, and may be read the next time.
            Some(path) if heard.is_whole => {
                let new = Keeping {
                    test: brief.name,
                    key,
                    judge,
                    second,
                    date: now(),
                    repeats: wanted.repeats,
                    replies: &heard.replies,
                    votes: &heard.votes,
                    evidence: brief.evidence,
                };
                judged.notes.extend(self.keep(path, new));
            }
            Some(_) => judged.notes.push("not every answer could be read, so none is kept".to_owned()),
            None => {}
        }
        Ruling::Answered(Answered {
            replies: heard.replies,
            votes: heard.votes,
            judged,
            are_quotes_checked: true,
        })
    }

    /// Keeps answers, or says why not: they count all the same.
    fn keep(&self, path: &Path, new: Keeping<'_>) -> Option<String> {
        answers::keep(path, new, &self.secrets).err()
    }
}

impl Judge for ModelJudge {
    fn judge<'a>(&'a self, brief: &'a Brief<'a>) -> Future<'a, Ruling> {
        Box::pin(self.rule(brief))
    }
}

/// Whose answers are wanted: of whoever is there, by name at least; of anybody where nobody is.
fn whom(provider: &dyn Provider, identity: &Result<Identity, Trouble>) -> Whom {
    match identity {
        Ok(identity) => Whom::Known(identity.clone()),
        Err(_) if provider.name() == Nobody::NAME => Whom::Anybody,
        Err(_) => Whom::Named(provider.name().to_owned()),
    }
}

fn from_kept(entry: &Entry, replies: Vec<Reply>, identity: Option<&Identity>) -> Ruling {
    let mut notes = Vec::new();
    if let Some(now) = identity.filter(|it| it.version != entry.judge.version) {
        notes.push(format!(
            "the kept answers are of {} {}, and {} is here; UNITAI_JUDGE_ANSWERS=live asks it",
            entry.judge.provider, entry.judge.version, now.version
        ));
    }
    let judged = Judged { by: entry.judge.name(), spent: Spent::NOTHING, is_kept: true, notes };
    Ruling::Answered(Answered { replies, votes: entry.votes(), judged, are_quotes_checked: true })
}

/// Somebody is there and does not answer, be it because nobody is logged in: a skip would hide that.
fn troubled(trouble: &Trouble) -> Ruling {
    Ruling::Trouble(format!("the judge did not answer: {trouble}"))
}

/// Nobody answers: what is left open, and how to get somebody.
fn absent(brief: &Brief<'_>, how: &str) -> Ruling {
    let count = brief.questions.len();
    let first = brief.questions.first().map_or("", |it| it.text.as_str());
    let noun = if count == 1 { "question is" } else { "questions are" };
    Ruling::Absent(format!(
        "{count} {noun} left that only a judge can answer, and there is none (first: {first}); say it as a `check` to \
         have the engine decide; {how}"
    ))
}

fn now() -> String {
    let now = OffsetDateTime::from(SystemTime::now());
    // Nobody needs more than seconds, and reviewers read it.
    now.replace_nanosecond(0).unwrap_or(now).format(&Rfc3339).unwrap_or_default()
}
