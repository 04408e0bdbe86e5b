//! A test from its first server to its verdict. Whatever happens in between, teardown runs and servers are ended.

use std::time::{Duration, Instant};

use unitai_model::Failure;
use unitai_model::recorder::Recorder;
use unitai_model::value::Value;

use super::around::Source;
use super::calling::now;
use super::deciding::{self, Decided, Ruined};
use super::driven::InTime;
use super::execution::Execution;
use super::log::Log;
use super::proving;
use super::reporting;
use super::{Around, Ending, Run, Stop, ToolServer};
use crate::document::{OnSetupFailure, Server, ServerKind, Spec};
use crate::expression::{EvalTrouble, References};

/// Runs a test. Ends early when it is asked to stop; teardown runs even then.
pub async fn run(spec: &Spec, around: &Around<'_>, stop: &Stop) -> Run {
    let began = Instant::now();
    let input = Value::Str(spec.test.name.clone()).pack();
    let recorder = Recorder::open(around.run_id, input, now(), u32::MAX);
    let mut execution = Execution::new(spec, around, recorder.port());
    let ruined = match execution.fill_vars() {
        Ok(()) => main_part(&execution, stop).await,
        Err(why) => Some(Ruined::Broken(why)),
    };
    execution.log().name_untaken();
    tear_down(&execution).await;
    let checked = deciding::last_checks(&execution);
    let (mut log, toolbox) = execution.into_parts();
    let untidy = toolbox.close().await;
    log.warnings.extend(untidy);
    let mut decided = deciding::decide(spec, around, &mut log, ruined, checked).await;
    reporting::cross_check(&mut decided.ending, log.driving.as_ref());
    if let Source::Recording(replay) = around.source {
        proving::hold(spec, replay.recording, &mut decided.ending);
    }
    let seconds = began.elapsed().as_secs_f64();
    let trajectory = recorder.finish(recorded(&decided.ending), seconds);
    let Log { evidence, warnings, driving, .. } = log;
    let Decided { ending, questions, answers, judged } = decided;
    Run { ending, evidence, trajectory, warnings, seconds, answers, questions, judged, driving }
}

/// Setup and steps, within the time of the test.
async fn main_part(execution: &Execution<'_>, stop: &Stop) -> Option<Ruined> {
    let spec = execution.spec;
    let seconds = execution.around.timeout.filter(|it| *it > 0).unwrap_or(spec.test.timeout);
    let main = async {
        let servers = connect(execution).await?;
        execution.toolbox.equip(servers);
        let is_set_up = execution.all(&spec.setup, "setup").await;
        if is_set_up || spec.test.on_setup_failure == OnSetupFailure::Continue {
            return Ok(execution.main_steps().await);
        }
        execution.skip_all(&spec.steps, "steps", "setup failed");
        Ok(InTime::Yes)
    };
    let ruined = tokio::select! {
        biased;
        () = stop.asked() => Ruined::Stopped,
        ended = tokio::time::timeout(Duration::from_secs(seconds.into()), main) => match ended {
            Ok(Ok(InTime::Yes)) => return None,
            Ok(Err(why)) => Ruined::Broken(why),
            Ok(Ok(InTime::No)) | Err(_) => Ruined::TimedOut(seconds),
        },
    };
    let why = match &ruined {
        Ruined::TimedOut(seconds) => format!("had not ended when the {seconds} s of the test were over"),
        Ruined::Stopped => "had not ended when the test was stopped".to_owned(),
        Ruined::Broken(_) => "not run".to_owned(),
    };
    execution.log().cut_off(&why);
    execution.skip_all(&spec.setup, "setup", "not run");
    execution.skip_all(&spec.steps, "steps", "not run");
    Some(ruined)
}

/// All of teardown, within its own time.
async fn tear_down(execution: &Execution<'_>) {
    let spec = execution.spec;
    let seconds = spec.test.teardown_timeout;
    let teardown = execution.all(&spec.teardown, "teardown");
    if tokio::time::timeout(Duration::from_secs(seconds.into()), teardown).await.is_err() {
        execution.log().cut_off(&format!("had not ended when the {seconds} s of teardown were over"));
        execution.skip_all(&spec.teardown, "teardown", "not run");
    }
}

/// Starts every server of the test, side by side.
async fn connect(execution: &Execution<'_>) -> Result<Vec<Box<dyn ToolServer>>, String> {
    if matches!(execution.around.source, Source::Recording(_)) {
        return Ok(Vec::new());
    }
    let mut ready: Vec<Box<dyn ToolServer>> = Vec::new();
    let mut servers = Vec::new();
    for server in &execution.spec.servers {
        servers.push(filled(server, execution).map_err(|why| format!("the server {}: {why}", server.name))?);
    }
    let mut trouble = None;
    // One after the other would let the slowest wait for the second slowest.
    for connected in join_all(servers.iter().map(|it| execution.around.connector.connect(it)).collect()).await
    {
        match connected {
            Ok(server) => ready.push(server),
            Err(why) => trouble = trouble.or(Some(why)),
        }
    }
    let Some(why) = trouble else { return Ok(ready) };
    for server in ready {
        server.close().await;
    }
    Err(why)
}

async fn join_all<T>(mut futures: Vec<super::Future<'_, T>>) -> Vec<T> {
    let mut done: Vec<Option<T>> = futures.iter().map(|_| None).collect();
    std::future::poll_fn(move |context| {
        for (future, done) in futures.iter_mut().zip(&mut done) {
            if done.is_none()
                && let std::task::Poll::Ready(value) = future.as_mut().poll(context)
            {
                *done = Some(value);
            }
        }
        if done.iter().all(Option::is_some) {
            std::task::Poll::Ready(done.iter_mut().filter_map(Option::take).collect())
        } else {
            std::task::Poll::Pending
        }
    })
    .await
}

/// A server with nothing left to fill in.
fn filled(server: &Server, execution: &Execution<'_>) -> Result<Server, String> {
    let text = |text: &String| {
        execution.look(None, |sight| References::fill_text(text, sight)).map_err(|trouble| match trouble {
            EvalTrouble::DependsOn { name, .. } => {
                format!("nothing is saved under {name} before servers start")
            }
            EvalTrouble::Wrong { message, remedy } if remedy.is_empty() => message,
            EvalTrouble::Wrong { message, remedy } => format!("{message}; {remedy}"),
        })
    };
    let pairs = |pairs: &[(String, String)]| {
        pairs.iter().map(|(name, it)| Ok((name.clone(), text(it)?))).collect::<Result<Vec<_>, String>>()
    };
    let kind = match &server.kind {
        ServerKind::Command { command, env, cwd } => ServerKind::Command {
            command: command.iter().map(text).collect::<Result<_, _>>()?,
            env: pairs(env)?,
            cwd: text(cwd)?,
        },
        ServerKind::Url { url, headers } => ServerKind::Url { url: text(url)?, headers: pairs(headers)? },
    };
    Ok(Server { kind, ..server.clone() })
}

fn recorded(ending: &Ending) -> unitai_model::Ending {
    match ending {
        Ending::Decided(verdict) => {
            let said = format!("{}: {}", verdict.word.text(), verdict.reason);
            unitai_model::Ending::returned(Value::Str(said).pack())
        }
        Ending::Error { message, .. } => raised("unitai.llm.LLMTestError", message),
        Ending::Stopped { .. } => raised("builtins.KeyboardInterrupt", "stopped"),
    }
}

fn raised(type_name: &str, message: &str) -> unitai_model::Ending {
    unitai_model::Ending::Raised(Failure::new(type_name, ["builtins.Exception"], message))
}
