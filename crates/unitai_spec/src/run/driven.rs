//! Steps that somebody else drives: the engine makes the calls that a driver wants, and then runs the steps over them.

use std::future::poll_fn;
use std::task::Poll;

use tokio::sync::mpsc::UnboundedReceiver;
use unitai_model::value::Value;

use super::around::Source;
use super::execution::Execution;
use super::log::UNTAKEN;
use super::toolbox::{Lost, own_name};
use super::{
    Called, Driven, Driver, Driving, Errand, Future, Hands, Outcome, Phase, Replay, Status, Wanted, Word,
    errand,
};
use crate::document::Step;

/// The list of steps that a driver drives.
const STEPS: &str = Phase::Steps.word();

/// Whether the time of a test was enough for its steps, as far as the steps know.
pub(super) enum InTime {
    Yes,
    No,
}

impl Execution<'_> {
    /// The steps themselves, whoever calls their tools. Whether there was time for them.
    pub(super) async fn main_steps(&self) -> InTime {
        match self.around.source {
            Source::Driver(driver) => self.drive(driver).await,
            Source::Recording(replay) if replay.driving().is_some() => return self.drive_again(replay).await,
            Source::Tools | Source::Recording(_) => {
                self.all(&self.spec.steps, STEPS).await;
            }
        }
        InTime::Yes
    }

    /// Whether a step takes calls that were made for it.
    pub(super) fn is_driven(&self, path: &str) -> bool {
        path.starts_with(STEPS) && self.log().driving.is_some()
    }

    /// Lets a driver call the tools, and looks what the steps find of it.
    async fn drive(&self, driver: &dyn Driver) {
        let (tools, troubles) = self.toolbox.reachable().await;
        if let Some(why) = self.unreachable(&self.spec.steps).await {
            self.broken(why);
            self.skip_all(&self.spec.steps, STEPS, "not run");
            return;
        }
        let steps = errand::written(self);
        let errand = Errand {
            name: &self.spec.test.name,
            description: &self.spec.test.description,
            steps: &steps,
            pass_if: &self.spec.verdict.pass_if,
            fail_if: &self.spec.verdict.fail_if,
        };
        let stored = self.toolbox.built_in.stored();
        let (hands, wanted) = Hands::new(tools);
        {
            let mut log = self.log();
            log.warnings.extend(troubles);
            log.driving = Some(Driving::default());
        }
        let driven = self.attend(driver.drive(&errand, hands.clone()), wanted).await;
        self.log().warnings.extend(hands.warnings());
        self.look_over(consistent(driven), stored).await;
    }

    /// The same over the calls that a recording has.
    async fn drive_again(&self, replay: Replay<'_>) -> InTime {
        let Some(driving) = replay.driving() else { return InTime::Yes };
        let stored = self.toolbox.built_in.stored();
        self.log().driving = Some(Driving::default());
        for call in replay.driven_calls() {
            let begun = self.begun(UNTAKEN, call.attempt, &call.server, &call.tool, &call.args);
            let number = begun.number;
            if !matches!(call.outcome, Outcome::Unfinished) {
                self.ended(begun, Some(call.ms), &call.outcome);
            }
            self.log().belonging.push((call.path, call.attempt, number));
        }
        match driving.driven {
            Some(driven) => {
                self.look_over(driven, stored).await;
                InTime::Yes
            }
            // When it was recorded, the time was up before the driver ended, and nobody waits for that again.
            None => InTime::No,
        }
    }

    /// Makes the calls that are wanted, side by side, until the driver has ended. What is under way then is unfinished.
    async fn attend(&self, mut driving: Future<'_, Driven>, mut wanted: UnboundedReceiver<Wanted>) -> Driven {
        let mut under_way: Vec<Future<'_, ()>> = Vec::new();
        poll_fn(move |context| {
            if let Poll::Ready(driven) = driving.as_mut().poll(context) {
                return Poll::Ready(driven);
            }
            while let Poll::Ready(Some(wanted)) = wanted.poll_recv(context) {
                under_way.push(Box::pin(self.serve(wanted)));
            }
            under_way.retain_mut(|call| call.as_mut().poll(context).is_pending());
            Poll::Pending
        })
        .await
    }

    /// Makes one call that a driver wants.
    async fn serve(&self, wanted: Wanted) {
        let Wanted { tool, args, mut answer } = wanted;
        let failed = |message| Called::Failed { message, details: String::new() };
        if let Err(why) = self.may_call(UNTAKEN) {
            // Nobody may wait for an answer any more, here and below.
            let _ = answer.send(failed(why));
            return;
        }
        let (server, home) = match self.toolbox.find(&tool).await {
            Ok(home) => (home.name().to_owned(), Ok(home)),
            Err(Lost::Unknown(why) | Lost::Broken(why)) => (String::new(), Err(why)),
        };
        let begun = self.begun(UNTAKEN, 1, &server, &tool, &args);
        let called = match home {
            Err(why) => failed(why),
            Ok(home) => tokio::select! {
                called = self.toolbox.call(&home, &tool, args) => called,
                () = answer.closed() => return,
            },
        };
        self.ended(begun, None, &Outcome::from(called.clone()));
        let _ = answer.send(called);
    }

    /// Runs the steps over the calls that were made.
    async fn look_over(&self, driven: Driven, stored: Vec<(String, Value)>) {
        let steps = &self.spec.steps;
        if let Some(driving) = &mut self.log().driving {
            driving.driven = Some(driven.clone());
        }
        match driven {
            Driven::Reported(_) | Driven::Unread(_) => {
                // Each step finds stored what was stored when it was its turn.
                self.toolbox.built_in.keep_only(stored.clone());
                self.all(steps, STEPS).await;
                self.toolbox.built_in.keep_only(stored);
                let made = self.log().evidence.clone();
                for call in made.iter().filter(|it| it.path.starts_with(STEPS) || it.path == UNTAKEN) {
                    self.keep_again(&call.server, own_name(call), &call.outcome);
                }
            }
            Driven::Absent(_) => self.skip_all(steps, STEPS, "there is nobody to drive it"),
            Driven::Trouble(why) => {
                self.broken(why);
                self.skip_all(steps, STEPS, "not run");
            }
        }
    }

    /// Why a tool of the steps cannot be had, if that is not the fault of the test.
    fn unreachable<'s>(&'s self, steps: &'s [Step]) -> Future<'s, Option<String>> {
        Box::pin(async move {
            for step in steps {
                if !step.tool.is_empty()
                    && let Err(Lost::Broken(why)) = self.toolbox.find(&step.tool).await
                {
                    return Some(why);
                }
                if let Some(why) = self.unreachable(&step.steps).await {
                    return Some(why);
                }
            }
            None
        })
    }
}

/// A report that says PASS and tells of a failed step says nothing.
fn consistent(driven: Driven) -> Driven {
    match driven {
        Driven::Reported(mut verdict) if verdict.word == Word::Pass => {
            if let Some(step) = verdict.steps.iter().find(|step| step.status == Status::Fail) {
                verdict.word = Word::Unclear;
                verdict.reason = format!("it says PASS, and that {} failed: {}", step.name, step.details);
            }
            Driven::Reported(verdict)
        }
        other => other,
    }
}
