//! Calling a tool: where it is, how often, for how long, and what is written down about it.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use unitai_model::value::Value;
use unitai_model::{Failure, ToolName};

use super::around::Source;
use super::checking::{self, Checked};
use super::execution::Execution;
use super::replaying::Replayed;
use super::scope::{Seen, Sight};
use super::toolbox::{Home, Lost};
use super::{Called, Event, Evidence, Outcome, Phase};
use crate::document::{Arguments, Retry, Step};
use crate::tools::SERVER;

/// What came of one attempt to call a tool.
pub(super) struct Attempt {
    pub(super) outcome: Outcome,
    pub(super) ms: f64,
    /// Whether the tool is one of ours: what they compare counts as a check.
    pub(super) is_built_in: bool,
    /// Whether nobody has the tool: no step can expect that, and another attempt changes nothing.
    pub(super) is_unknown: bool,
}

/// A call under way.
pub(super) struct Begun {
    pub(super) number: usize,
    /// Its place in the trajectory.
    recorded: Option<usize>,
    began: Instant,
}

/// Who answers a call.
enum Answering<'a> {
    /// The tool itself.
    Tool(Home<'a>),
    /// The recording of an earlier call.
    Recording(Replayed),
    /// Nobody has the tool.
    Nobody(String),
}

impl Answering<'_> {
    /// The name of the server in evidence.
    fn server(&self) -> String {
        match self {
            Answering::Tool(home) => home.name().to_owned(),
            Answering::Recording(replayed) => replayed.server.clone(),
            Answering::Nobody(_) => String::new(),
        }
    }
}

impl Execution<'_> {
    /// Calls a tool until it does what it should, as often as the step allows.
    pub(super) async fn attempts(
        &self,
        step: &Step,
        path: &str,
        args: &Arguments,
    ) -> Result<Attempt, String> {
        let never = Retry { times: 0, delay: 0.0, until: String::new() };
        let retry = step.retry.as_ref().unwrap_or(&never);
        let is_driven = self.is_driven(path);
        let (mut number, mut last) = (0, None);
        loop {
            number += 1;
            let attempt = if !is_driven {
                self.attempt(step, path, args, number).await?
            } else if let Some(taken) = self.take(step, path, args, number).await? {
                taken
            } else {
                // Whoever drives has not tried again: what the last attempt gave stands.
                return match last {
                    None => Err(self.not_executed(step, args)),
                    Some(last) if retry.until.is_empty() => Ok(last),
                    Some(_) => Err(format!("{} did not hold after {} attempts", retry.until, number - 1)),
                };
            };
            if attempt.is_unknown {
                return Ok(attempt);
            }
            let is_good = if retry.until.is_empty() {
                matches!(self.look_at(step, &attempt), Checked::Holds)
            } else {
                matches!(self.with(&attempt, |sight| checking::holds(&retry.until, sight)), Checked::Holds)
            };
            match (is_good, number > retry.times) {
                (true, _) => return Ok(attempt),
                (false, true) if retry.until.is_empty() => return Ok(attempt),
                (false, true) => return Err(format!("{} did not hold after {number} attempts", retry.until)),
                (false, false) if is_driven || matches!(self.around.source, Source::Recording(_)) => {}
                (false, false) => tokio::time::sleep(Duration::from_secs_f64(retry.delay)).await,
            }
            last = Some(attempt);
        }
    }

    /// Calls a tool once, within the time of the step.
    async fn attempt(
        &self,
        step: &Step,
        path: &str,
        args: &Arguments,
        attempt: u32,
    ) -> Result<Attempt, String> {
        self.may_call(path)?;
        let answering = match self.around.source {
            Source::Recording(replay) => match replay.answer(path, attempt, &step.tool, args) {
                Ok(replayed) => Answering::Recording(replayed),
                Err(why) => return Err(self.broken(why)),
            },
            Source::Tools | Source::Driver(_) => match self.toolbox.find(&step.tool).await {
                Ok(home) => Answering::Tool(home),
                Err(Lost::Unknown(why)) => Answering::Nobody(why),
                Err(Lost::Broken(why)) => return Err(self.broken(why)),
            },
        };
        let server = answering.server();
        let begun = self.begun(path, attempt, &server, &step.tool, args);
        let (called, recorded_ms) = match answering {
            Answering::Tool(home) => {
                let call = self.toolbox.call(&home, &step.tool, args.clone());
                let called = match step.timeout {
                    Some(seconds) => within(seconds, &step.tool, call).await,
                    None => call.await,
                };
                (called, None)
            }
            Answering::Recording(Replayed { called: Some(called), ms, .. }) => (called, Some(ms)),
            // When it was recorded, the time was up before it answered, and so it is now.
            Answering::Recording(Replayed { called: None, .. }) => std::future::pending().await,
            Answering::Nobody(message) => (Called::Failed { message, details: String::new() }, None),
        };
        let outcome = Outcome::from(called);
        if recorded_ms.is_some() {
            self.keep_again(&server, &step.tool, &outcome);
        }
        let ms = self.ended(begun, recorded_ms, &outcome);
        // A recording keeps a call that nobody answered as one of no server.
        Ok(Attempt { outcome, ms, is_built_in: server == SERVER, is_unknown: server.is_empty() })
    }

    /// Whether one more call may be made. Teardown is counted for itself: it must also run after too many calls.
    pub(super) fn may_call(&self, path: &str) -> Result<(), String> {
        let is_teardown = |path: &str| path.starts_with(Phase::Teardown.word());
        let made = {
            let evidence = &self.log().evidence;
            let before = evidence.partition_point(|it| !is_teardown(&it.path));
            if is_teardown(path) { evidence.len() - before } else { before }
        };
        if made >= self.spec.test.max_calls as usize {
            return Err(format!("the test has made its {made} calls; max_calls allows no more"));
        }
        Ok(())
    }

    /// A call begins: it is evidence from now on, and unfinished until it is said how it ended.
    pub(super) fn begun(
        &self,
        path: &str,
        attempt: u32,
        server: &str,
        tool: &str,
        args: &Arguments,
    ) -> Begun {
        let (started, began) = (now(), Instant::now());
        let number = self.log().call(Evidence {
            number: 0,
            path: path.to_owned(),
            attempt,
            server: server.to_owned(),
            tool: tool.to_owned(),
            args: args.clone(),
            started,
            ms: 0.0,
            outcome: Outcome::Unfinished,
            sha256: String::new(),
        });
        let unfinished = unitai_model::Outcome::Unfinished;
        let recorded =
            self.record.call(started, None, ToolName::new(tool), dict(args).pack(), unfinished).ok();
        Begun { number, recorded, began }
    }

    /// A call has ended. Gives how long it took.
    pub(super) fn ended(&self, begun: Begun, ms: Option<f64>, outcome: &Outcome) -> f64 {
        let ms = ms.unwrap_or_else(|| begun.began.elapsed().as_secs_f64() * 1e3);
        if let Some(step) = begun.recorded {
            // A record that is closed belongs to a test that is over.
            let _ = self.record.settle(step, recorded_outcome(outcome));
        }
        if let Some(evidence) = self.log().settle(begun.number, ms, outcome.clone()) {
            self.around.observer.saw(&Event::Called(evidence));
        }
        ms
    }

    /// What an answer from elsewhere has stored is stored here too, so that `${stored.x}` means the same.
    pub(super) fn keep_again(&self, server: &str, tool: &str, outcome: &Outcome) {
        let Outcome::Returned { value, .. } = outcome else { return };
        if server == SERVER
            && tool == "store_value"
            && let (Some(Value::Str(name)), Some(value)) = (value.get("stored"), value.get("value"))
        {
            self.toolbox.built_in.keep(name, value.clone());
        }
    }

    /// Something around the test is not as needed: there is no verdict. Gives it back for the step.
    pub(super) fn broken(&self, why: String) -> String {
        self.log().broken.get_or_insert_with(|| why.clone());
        why
    }

    /// Whether a call did what its step says it must.
    pub(super) fn look_at(&self, step: &Step, attempt: &Attempt) -> Checked {
        let mut fails = Vec::new();
        match &attempt.outcome {
            Outcome::Failed { message, details }
                if attempt.is_unknown || !checking::speaks_of_errors(step) =>
            {
                fails.push(if details.is_empty() {
                    message.clone()
                } else {
                    format!("{message}\n{details}")
                });
            }
            Outcome::Returned { value, .. } if attempt.is_built_in => {
                fails.extend(unequal(&step.tool, value))
            }
            _ => {}
        }
        // What is said about a result that is not there would only repeat that it is not.
        let is_lost = !fails.is_empty() && matches!(attempt.outcome, Outcome::Failed { .. });
        if !is_lost {
            match self.with(attempt, |sight| checking::all(&step.check, sight)) {
                Checked::Holds => {}
                Checked::Fails(why) | Checked::Wrong(why) => fails.push(why),
                depends @ Checked::DependsOn { .. } => return depends,
            }
        }
        if fails.is_empty() { Checked::Holds } else { Checked::Fails(fails.join("; ")) }
    }

    /// Looks at a call.
    fn with<T>(&self, attempt: &Attempt, look: impl FnOnce(&Sight<'_>) -> T) -> T {
        let seen = match &attempt.outcome {
            Outcome::Returned { value, text } => {
                Seen { result: Some(value), text, ms: attempt.ms, error: None }
            }
            Outcome::Failed { message, .. } => {
                Seen { result: None, text: message, ms: attempt.ms, error: Some(message) }
            }
            Outcome::Unfinished => Seen { result: None, text: "", ms: attempt.ms, error: None },
        };
        self.look(Some(seen), look)
    }
}

async fn within(seconds: f64, tool: &str, call: impl std::future::Future<Output = Called>) -> Called {
    let answered = tokio::time::timeout(Duration::from_secs_f64(seconds), call).await;
    answered.unwrap_or_else(|_| Called::Failed {
        message: format!("{tool} did not answer within {seconds} s"),
        details: String::new(),
    })
}

/// What a built-in comparison says that does not hold.
fn unequal(tool: &str, value: &Value) -> Option<String> {
    let is_false = |key: &str| matches!(value.get(key), Some(Value::Bool(false)));
    let shown = |key: &str| value.get(key).map_or_else(String::new, Value::to_string);
    let said = match value.get("message") {
        Some(Value::Str(text)) if !text.is_empty() => format!("{text}: "),
        _ => String::new(),
    };
    match tool {
        "assert_equals" if is_false("passed") => {
            Some(format!("{said}expected {}, found {}", shown("expected"), shown("actual")))
        }
        "assert_true" if is_false("passed") => Some(format!("{said}the condition is not true")),
        "compare_values" if is_false("equal") => {
            let (one, other) = (shown("value1"), shown("value2"));
            let apart = match (value.get("difference_percent"), value.get("tolerance_percent")) {
                (Some(Value::Float(found)), Some(Value::Float(allowed))) => {
                    format!(": they differ by {found:.3}%, and {allowed:.3}% is allowed")
                }
                _ => String::new(),
            };
            Some(format!("{one} and {other} are not equal{apart}"))
        }
        _ => None,
    }
}

fn recorded_outcome(outcome: &Outcome) -> unitai_model::Outcome {
    match outcome {
        Outcome::Returned { value, .. } => unitai_model::Outcome::Returned(value.pack()),
        Outcome::Failed { message, .. } => unitai_model::Outcome::Raised(Box::new(Failure::new(
            "unitai.llm.ToolError",
            ["builtins.Exception"],
            message.clone(),
        ))),
        Outcome::Unfinished => unitai_model::Outcome::Unfinished,
    }
}

/// Arguments as one value.
pub fn dict(args: &Arguments) -> Value {
    Value::Dict(args.iter().map(|(name, it)| (Value::Str(name.clone()), it.clone())).collect())
}

/// Seconds since the epoch.
pub(super) fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |it| it.as_secs_f64())
}
