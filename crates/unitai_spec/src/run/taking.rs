//! How a step finds the call that a driver has made for it, and what is told when there is none.

use unitai_model::value::{Value, equal};

use super::around::Source;
use super::calling::{Attempt, dict};
use super::execution::Execution;
use super::log::UNTAKEN;
use super::toolbox::{Lost, own_name};
use super::{Evidence, Outcome, Replay};
use crate::data::{from_json, to_json};
use crate::document::{Arguments, Step};
use crate::tools::SERVER;

/// How many other calls of a tool are told.
const TOLD: usize = 3;

/// How much of the arguments of a call is told.
const SHOWN: usize = 300;

impl Execution<'_> {
    /// The first call of the step's tool with its arguments after those that steps before it have taken. Nothing where there
    /// is none: steps are done in their order, whoever does them.
    pub(super) async fn take(
        &self,
        step: &Step,
        path: &str,
        args: &Arguments,
        attempt: u32,
    ) -> Result<Option<Attempt>, String> {
        let found = match self.around.source {
            Source::Recording(replay) => self.taken_before(replay, step, path, args, attempt),
            Source::Tools | Source::Driver(_) => self.first_made(step, args).await,
        };
        if let (Ok(None) | Err(_), Some(driving)) = (&found, &mut self.log().driving) {
            driving.missed.push((path.to_owned(), attempt));
        }
        let Some(number) = found? else { return Ok(None) };
        let taken = self.log().take(number, path, attempt, &step.tool).cloned();
        let Some(Evidence { server, ms, outcome, .. }) = taken else { return Ok(None) };
        self.keep_again(&server, &step.tool, &outcome);
        let outcome = match outcome {
            Outcome::Unfinished => Outcome::Failed {
                message: format!("{} had not answered when the model ended", step.tool),
                details: String::new(),
            },
            other => other,
        };
        Ok(Some(Attempt { outcome, ms, is_built_in: server == SERVER, is_unknown: false }))
    }

    async fn first_made(&self, step: &Step, args: &Arguments) -> Result<Option<usize>, String> {
        let home = match self.toolbox.find(&step.tool).await {
            Ok(home) => home,
            Err(Lost::Unknown(why)) => return Err(format!("not executed: {why}")),
            Err(Lost::Broken(why)) => return Err(self.broken(why)),
        };
        let args = sent(args);
        let log = self.log();
        let last = log.last_taken().map_or(0, |it| it.number);
        let made = log.evidence.iter().filter(|it| it.path == UNTAKEN && it.number > last);
        let mut made = made.filter(|it| home.is_of(it, &step.tool));
        Ok(made.find(|it| equal(&sent(&it.args), &args)).map(|it| it.number))
    }

    fn taken_before(
        &self,
        replay: Replay<'_>,
        step: &Step,
        path: &str,
        args: &Arguments,
        attempt: u32,
    ) -> Result<Option<usize>, String> {
        let known = self.log().belonging.iter().find(|it| it.0 == path && it.1 == attempt).map(|it| it.2);
        let was_missed = || {
            let missed = replay.driving().map(|driving| driving.missed).unwrap_or_default();
            missed.iter().any(|it| it.0 == path && it.1 == attempt)
        };
        if known.is_none() && was_missed() {
            return Ok(None);
        }
        // A call that was neither made nor missed is one of another test: the recording says so itself.
        replay.answer(path, attempt, &step.tool, args).map_err(|why| self.broken(why))?;
        Ok(known)
    }

    /// What is told of a step whose call was never made.
    pub(super) fn not_executed(&self, step: &Step, args: &Arguments) -> String {
        let (tool, wanted) = (&step.tool, sent(args));
        let log = self.log();
        let own = |name: &str| name.rsplit('.').next().unwrap_or(name).to_owned();
        let of_tool = |it: &&Evidence| {
            !it.server.is_empty()
                && (it.path == UNTAKEN || it.path.starts_with("steps"))
                && own(own_name(it)) == own(tool)
        };
        let (same, others): (Vec<&Evidence>, Vec<&Evidence>) =
            log.evidence.iter().filter(of_tool).partition(|it| equal(&sent(&it.args), &wanted));
        let with = shown(&wanted);
        if let (Some(last), true) = (log.last_taken(), same.iter().any(|it| it.path == UNTAKEN)) {
            let before = &last.path;
            return format!(
                "not executed in its order: the model called {tool} with {with} only before the call of {before}"
            );
        }
        if !same.is_empty() {
            let times = if same.len() == 1 { "once".to_owned() } else { format!("{} times", same.len()) };
            return format!("not executed: the model called {tool} with {with} only {times}");
        }
        let mut told: Vec<String> = Vec::new();
        for other in others.iter().filter(|it| it.path == UNTAKEN).map(|it| shown(&sent(&it.args))) {
            if !told.contains(&other) {
                told.push(other);
            }
        }
        let more = told.len().saturating_sub(TOLD);
        told.truncate(TOLD);
        let but = match (told.is_empty(), more) {
            (true, _) => String::new(),
            (false, 0) => format!("; it called it with {}", told.join(" and ")),
            (false, more) => format!("; it called it with {} and in {more} other ways", told.join(", ")),
        };
        format!("not executed: the model never called {tool} with {with}{but}")
    }
}

/// Arguments as a tool gets them: a driver knows JSON alone.
fn sent(args: &Arguments) -> Value {
    from_json(&to_json(&dict(args)))
}

fn shown(args: &Value) -> String {
    let text = to_json(args).to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}
