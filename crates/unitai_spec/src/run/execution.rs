//! Running steps: groups, repetition, conditions, and what is kept of their results.

use std::sync::{Mutex, MutexGuard, PoisonError};

use unitai_model::recorder::Port;
use unitai_model::value::Value;

use super::checking::{self, Checked};
use super::log::{Log, name_of};
use super::scope::{Seen, Sight};
use super::toolbox::Toolbox;
use super::{Around, Event, Future, Outcome, Source, Status, StepResult};
use crate::document::{Arguments, Spec, Step};
use crate::expression::{EvalTrouble, References};

/// A test under way.
pub(super) struct Execution<'a> {
    pub(super) spec: &'a Spec,
    pub(super) around: &'a Around<'a>,
    pub(super) toolbox: Toolbox<'a>,
    pub(super) record: Port,
    /// `${env.NAME}`; as clean as the recording that answers.
    env: Vec<(String, String)>,
    /// Those of the test, with what the environment gives filled in.
    vars: Vec<(String, Value)>,
    log: Mutex<Log>,
}

impl<'a> Execution<'a> {
    pub(super) fn new(spec: &'a Spec, around: &'a Around<'a>, record: Port) -> Execution<'a> {
        let toolbox = Toolbox::new(around.connector);
        let env = match around.source {
            Source::Recording(replay) => replay.environment(around.env),
            Source::Tools | Source::Driver(_) => around.env.to_vec(),
        };
        Execution { spec, around, toolbox, record, env, vars: spec.vars.clone(), log: Mutex::default() }
    }

    /// Fills in what `vars` take from the environment and from those before them. Says what cannot be.
    pub(super) fn fill_vars(&mut self) -> Result<(), String> {
        for at in 0..self.vars.len() {
            let (name, raw) = self.vars[at].clone();
            let filled = self.look(None, |sight| References::fill(&raw, sight));
            self.vars[at].1 = filled.map_err(|trouble| match trouble {
                EvalTrouble::DependsOn { name: other, .. } => {
                    format!("vars.{name}: nothing is saved under {other} yet")
                }
                EvalTrouble::Wrong { message, remedy } => {
                    format!("vars.{name}: {}", joined(&message, &remedy))
                }
            })?;
        }
        Ok(())
    }

    /// The record, for as long as nothing is awaited.
    pub(super) fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is left when everything has ended.
    pub(super) fn into_parts(self) -> (Log, Toolbox<'a>) {
        (self.log.into_inner().unwrap_or_else(PoisonError::into_inner), self.toolbox)
    }

    /// Looks with the names that are known now.
    pub(super) fn look<T>(&self, call: Option<Seen<'_>>, look: impl FnOnce(&Sight<'_>) -> T) -> T {
        let stored = self.toolbox.built_in.stored();
        let log = self.log();
        look(&Sight { log: &log, vars: &self.vars, env: &self.env, stored: &stored, call })
    }

    /// Runs a list of steps. Says whether none of them failed.
    pub(super) async fn all(&self, steps: &[Step], path: &str) -> bool {
        let mut is_good = true;
        for (n, step) in steps.iter().enumerate() {
            is_good &= self.step(step, format!("{path}[{n}]")).await != Status::Fail;
        }
        is_good
    }

    /// Runs a step as often as it says.
    fn step<'s>(&'s self, step: &'s Step, path: String) -> Future<'s, Status> {
        Box::pin(async move {
            if step.repeat == 0 {
                return self.skip(step, &path, "repeat: 0".to_owned());
            }
            if let Some(status) = self.left_out(step, &path) {
                return status;
            }
            if step.is_nested() {
                return self.group(step, &path).await;
            }
            let mut worst = Status::Pass;
            for turn in 1..=step.repeat {
                let path = iteration(&path, step, turn);
                let status = self.leaf(step, &path).await;
                worst = if worst == Status::Fail { worst } else { status };
                if step.stop_early && status == Status::Fail {
                    break;
                }
            }
            worst
        })
    }

    /// A group: its own call, if it has one, and its children, each time.
    async fn group(&self, step: &Step, path: &str) -> Status {
        self.begin(step, path);
        let (mut failed, mut iterations, mut turns) = (0, Vec::new(), 0);
        for turn in 1..=step.repeat {
            let path = iteration(path, step, turn);
            let mark = self.log().memory.mark();
            let own = if step.tool.is_empty() {
                true
            } else {
                let own = format!("{path}.call");
                self.leaf(
                    &Step { steps: Vec::new(), save_as: String::new(), repeat: 1, ..step.clone() },
                    &own,
                )
                .await
                    != Status::Fail
            };
            let is_good = self.all(&step.steps, &format!("{path}.steps")).await && own;
            iterations.push(self.log().memory.since(&mark));
            (turns, failed) = (turn, failed + u32::from(!is_good));
            if step.stop_early && !is_good {
                break;
            }
        }
        if !step.save_as.is_empty() {
            self.log().memory.save(&step.save_as, Value::List(iterations));
        }
        let (mut status, mut details) = (Status::Pass, String::new());
        if failed > 0 {
            status = Status::Fail;
            details = if turns > 1 {
                format!("{failed} of {turns} iterations failed")
            } else {
                "a step in it failed".to_owned()
            };
        }
        if status == Status::Pass && step.check.is_empty() && !self.log().has_passed(path) {
            return self.end(Status::Skip, "no step in it was run".to_owned(), None);
        }
        if step.tool.is_empty() {
            self.log().expect(step, path);
            match self.look(None, |sight| checking::all(&step.check, sight)) {
                Checked::Holds => {}
                Checked::Fails(why) | Checked::Wrong(why) => {
                    (status, details) = (Status::Fail, joined(&details, &why))
                }
                Checked::DependsOn { name, by } => details = joined(&details, &depends_on(&name, &by)),
            }
        }
        self.end(status, details, None)
    }

    /// A call or a checkpoint, once.
    async fn leaf(&self, step: &Step, path: &str) -> Status {
        self.begin(step, path);
        if step.tool.is_empty() {
            self.log().expect(step, path);
            return match self.look(None, |sight| checking::all(&step.check, sight)) {
                Checked::Holds => self.end(Status::Pass, String::new(), None),
                Checked::Fails(why) | Checked::Wrong(why) => self.end(Status::Fail, why, None),
                Checked::DependsOn { name, by } => self.end(Status::Skip, depends_on(&name, &by), None),
            };
        }
        let args =
            Value::Dict(step.args.iter().map(|(name, it)| (Value::Str(name.clone()), it.clone())).collect());
        let args = match self.look(None, |sight| References::fill(&args, sight)) {
            Ok(args) => arguments(args),
            Err(EvalTrouble::DependsOn { name, by }) => {
                self.missed(step, path);
                return self.end(Status::Skip, depends_on(&name, &by), None);
            }
            Err(EvalTrouble::Wrong { message, remedy }) => {
                self.missed(step, path);
                return self.end(Status::Fail, joined(&message, &remedy), None);
            }
        };
        let attempt = match self.attempts(step, path, &args).await {
            Ok(attempt) => attempt,
            Err(why) => {
                self.missed(step, path);
                return self.end(Status::Fail, why, None);
            }
        };
        self.log().expect(step, path);
        let checked = self.look_at(step, &attempt);
        let output = match attempt.outcome {
            Outcome::Returned { value, .. } => Some(value),
            _ => None,
        };
        match &output {
            Some(value) if !step.save_as.is_empty() => self.log().memory.save(&step.save_as, value.clone()),
            Some(_) => {}
            None => self.missed(step, path),
        }
        match checked {
            Checked::Holds => self.end(Status::Pass, String::new(), output),
            Checked::Fails(why) | Checked::Wrong(why) => {
                let tried = self.log().evidence.iter().filter(|it| it.path == path).count();
                let why = if tried > 1 { format!("{why} (after {tried} attempts)") } else { why };
                self.end(Status::Fail, why, output)
            }
            // The call was made: that a check cannot be looked at is no reason to call it good.
            Checked::DependsOn { name, by } => self.end(Status::Fail, depends_on(&name, &by), output),
        }
    }

    /// A step whose condition does not hold is left out.
    fn left_out(&self, step: &Step, path: &str) -> Option<Status> {
        if step.when.is_empty() {
            return None;
        }
        match self.look(None, |sight| checking::holds(&step.when, sight)) {
            Checked::Holds => None,
            Checked::Fails(_) => Some(self.skip(step, path, format!("when: {} does not hold", step.when))),
            // A condition that cannot be understood must not take a test away in silence.
            Checked::Wrong(why) => {
                self.begin(step, path);
                Some(self.end(Status::Fail, why, None))
            }
            Checked::DependsOn { name, by } => Some(self.skip(step, path, depends_on(&name, &by))),
        }
    }

    /// A list of steps is not run at all.
    pub(super) fn skip_all(&self, steps: &[Step], path: &str, why: &str) {
        for (n, step) in steps.iter().enumerate() {
            let path = format!("{path}[{n}]");
            let has_begun = self.log().has(&path);
            if !has_begun {
                self.skip(step, &path, why.to_owned());
            }
        }
    }

    fn skip(&self, step: &Step, path: &str, why: String) -> Status {
        if !step.save_as.is_empty() {
            self.log().memory.leave_out(&step.save_as, &name_of(step, path));
        }
        let ended = self.log().skip(step, path, why).cloned();
        self.told(ended)
    }

    fn missed(&self, step: &Step, path: &str) {
        if !step.save_as.is_empty() {
            self.log().memory.miss(&step.save_as, &name_of(step, path));
        }
    }

    fn begin(&self, step: &Step, path: &str) {
        self.log().begin(step, path);
        self.around.observer.saw(&Event::Began { path, title: &name_of(step, path) });
    }

    fn end(&self, status: Status, details: String, tool_output: Option<Value>) -> Status {
        let ended = self.log().end(status, details, tool_output).cloned();
        self.told(ended)
    }

    fn told(&self, ended: Option<StepResult>) -> Status {
        let Some(result) = ended else { return Status::Fail };
        self.around.observer.saw(&Event::Ended(&result));
        result.status
    }
}

fn iteration(path: &str, step: &Step, turn: u32) -> String {
    if step.repeat == 1 { path.to_owned() } else { format!("{path}#{turn}") }
}

fn depends_on(name: &str, by: &str) -> String {
    format!("depends on {name}, which {by} did not save")
}

fn joined(one: &str, other: &str) -> String {
    let parts = [one, other].into_iter().filter(|it| !it.is_empty());
    parts.collect::<Vec<_>>().join("; ")
}

fn arguments(args: Value) -> Arguments {
    match args {
        Value::Dict(entries) => {
            entries.into_iter().map(|(key, it)| (crate::data::key_text(&key), it)).collect()
        }
        _ => Vec::new(),
    }
}
