//! A recording never gives another verdict than the run that it is of: what its file cannot tell, because secrets are cut out
//! of it, is an error.

use serde::{Deserialize, Serialize};

use super::{
    Around, Ending, Outcome, Recording, Replay, Run, Source, StepResult, Stop, Unobserved, plan, run,
};
use crate::data::to_json;
use crate::digest::digest;
use crate::document::Spec;

/// How a run ended, and the test that it was of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Ended {
    /// What the test says, as a digest: one that was changed since then may end as it likes.
    says: String,
    verdict: String,
    /// Each step with its status.
    steps: Vec<(String, String)>,
}

impl Ended {
    /// How a run of this test ended; nothing where it has no verdict.
    pub(super) fn of(spec: &Spec, ending: &Ending) -> Option<Ended> {
        let Ending::Decided(verdict) = ending else { return None };
        let status = |it: &StepResult| (it.path.clone(), it.status.text().to_owned());
        Some(Ended {
            says: said(spec),
            verdict: verdict.word.text().to_owned(),
            steps: verdict.steps.iter().map(status).collect(),
        })
    }

    /// What is not as it was; nothing where the test itself is another.
    fn differs(&self, now: &Ended) -> Option<String> {
        if self.says != now.says {
            return None;
        }
        let of_step = |path: &str| self.steps.iter().find(|(known, _)| known == path);
        let step = now.steps.iter().find_map(|(path, status)| {
            let (_, known) = of_step(path).filter(|(_, known)| known != status)?;
            Some(format!("at {path} it is {status}, and was {known}"))
        });
        let verdict = || format!("it is {}, and was {}", now.verdict, self.verdict);
        if self.verdict != now.verdict {
            Some(step.map_or_else(verdict, |step| format!("{}; {step}", verdict())))
        } else {
            step
        }
    }
}

/// Holds a replay to what was recorded: another verdict on the same test is none.
pub(super) fn hold(spec: &Spec, recording: &Recording, ending: &mut Ending) {
    let now = Ended::of(spec, ending);
    let differs = recording.ended.as_ref().zip(now).and_then(|(known, now)| known.differs(&now));
    let Some(differs) = differs else { return };
    let Ending::Decided(verdict) = ending else { return };
    *ending = Ending::Error {
        message: format!(
            "from the recording the test ends otherwise than when it was recorded: {differs}; a check looks at what no \
             recording holds, such as a secret or the environment"
        ),
        remedy: "have the check look at something else, or run the test with its tools".to_owned(),
        steps: std::mem::take(&mut verdict.steps),
    };
}

/// Replays a run from what would be kept of it. Where that gives another verdict, the run has none: it cannot be recorded.
pub async fn prove(spec: &Spec, around: &Around<'_>, clean: &(dyn Fn(&str) -> String + Sync), ran: &mut Run) {
    // What never answered would be waited for once more. Replays are held to the recording as well.
    let is_whole = ran.evidence.iter().all(|it| it.outcome != Outcome::Unfinished);
    if !is_whole || !matches!(ran.ending, Ending::Decided(_)) {
        return;
    }
    let ending = match Recording::from_text(&clean(&Recording::of(spec, ran).to_text())) {
        Ok(recording) => {
            let source = Source::Recording(Replay { recording: &recording, clean });
            let again = Around { source, observer: &Unobserved, ..*around };
            // By the heap: a run that contains a run would be of endless size.
            Box::pin(run(spec, &again, &Stop::default())).await.ending
        }
        Err(message) => Ending::Error { message, remedy: String::new(), steps: Vec::new() },
    };
    if let (Ending::Error { message, remedy, .. }, Ending::Decided(verdict)) = (ending, &mut ran.ending) {
        let steps = std::mem::take(&mut verdict.steps);
        let message = format!("this run cannot be recorded ({}): {message}", verdict.word.text());
        ran.ending = Ending::Error { message, remedy, steps };
    }
}

/// All that a test says, as a digest.
fn said(spec: &Spec) -> String {
    let vars = spec.vars.iter().map(|(name, value)| format!("\n{name}={}", to_json(value)));
    digest(&vars.fold(plan(spec).tell(), |all, it| all + &it))
}
