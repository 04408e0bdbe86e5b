//! `recovered_from`.

use unitai_model::value::plain;
use unitai_model::{FaultKind, Trajectory};

use crate::trouble::{callee, succeeded, trouble};
use crate::{Check, Judgement};

/// Holds when calls went wrong, each was followed by one to the same tool or to a model that did not, and
/// the agent ended without an error.
pub struct RecoveredFrom {
    /// Only faults of this kind count; all, unless given.
    pub kind: Option<FaultKind>,
}

impl Check for RecoveredFrom {
    fn id(&self) -> &'static str {
        "recovered_from"
    }

    fn assertion(&self) -> String {
        match self.kind {
            Some(kind) => format!("recovered_from(\"{}\")", kind.word()),
            None => "recovered_from()".to_owned(),
        }
    }

    fn expected(&self) -> String {
        let what = self.kind.map_or("a fault", FaultKind::word);
        format!("the agent to recover from {what}")
    }

    fn judge(&self, trajectory: &Trajectory) -> Judgement {
        let steps = trajectory.steps();
        let mut met: Vec<FaultKind> = steps.iter().filter_map(trouble).collect();
        let is_meant = |kind: FaultKind| self.kind.is_none_or(|wanted| wanted == kind);
        let troubled: Vec<usize> =
            (0..steps.len()).filter(|at| trouble(&steps[*at]).is_some_and(is_meant)).collect();
        if troubled.is_empty() {
            met.sort_unstable();
            met.dedup();
            let words: Vec<&str> = met.into_iter().map(FaultKind::word).collect();
            return match words.as_slice() {
                [] => Judgement::broken("nothing went wrong", []),
                words => Judgement::broken(format!("there was none (there was: {})", words.join(", ")), []),
            };
        }
        if let Some(error) = trajectory.error() {
            return Judgement::broken(format!("it raised {}", plain(&error.to_string())), troubled);
        }
        let mut cites = troubled.clone();
        for at in troubled {
            let same = |other: &usize| callee(&steps[*other]) == callee(&steps[at]);
            match (at..steps.len()).filter(same).find(|other| succeeded(&steps[*other])) {
                Some(mended) => cites.push(mended),
                None => {
                    let whom = callee(&steps[at]).map_or_else(String::new, |callee| callee.shown());
                    let actual = format!("no call of {whom} succeeded after the one at step {}", at + 1);
                    return Judgement::broken(actual, [at]);
                }
            }
        }
        cites.sort_unstable();
        cites.dedup();
        Judgement::Held(cites)
    }
}
