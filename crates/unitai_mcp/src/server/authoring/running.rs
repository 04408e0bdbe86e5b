//! `run_test`: runs a file, and sees to it that teardown runs even if nobody waits any more.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value, json};
use tokio::task::JoinSet;
use unitai_spec::document::Spec;
use unitai_spec::run::Stop;

use super::arguments::Given;
use super::place::Root;
use super::port::Tests;
use super::{Outcome, shown};

/// The runs that are under way.
#[derive(Default)]
pub(super) struct Runs {
    tasks: Mutex<JoinSet<()>>,
    stop: Stop,
}

/// Stops a run when nobody waits for it any more.
struct Waiting(Stop);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.ask();
    }
}

impl Runs {
    /// Runs the tests of a file, one after the other.
    pub(super) async fn run(&self, root: &Root, tests: Arc<dyn Tests>, args: Map<String, Value>) -> Outcome {
        let mut given = Given::of(args, &["path", "test_path", "timeout", "name"])?;
        let timeout = given.seconds("timeout")?;
        let name = given.text("name")?;
        match given.text("test_path")? {
            None => self.run_file(root, tests, &given.needed("path")?, timeout, name).await,
            // Who names it so is told in the answer why there is no verdict.
            Some(path) if given.text("path")?.is_none() => {
                let ran = self.run_file(root, tests, &path, timeout, name).await;
                ran.or_else(|why| Ok(shown::outcome(None, None, 0.0, Some(&why))))
            }
            Some(_) => Err("`path` and `test_path` are the same: give one of them".to_owned()),
        }
    }

    async fn run_file(
        &self,
        root: &Root,
        tests: Arc<dyn Tests>,
        path: &str,
        timeout: Option<u32>,
        name: Option<String>,
    ) -> Outcome {
        let file = root.file(path)?;
        let reading = tests.read_to_use(&file, &root.test(&file)?);
        if reading.has_errors() {
            let told: Vec<String> = reading.troubles.iter().map(shown::line).collect();
            return Err(format!("{path} cannot be run:\n{}", told.join("\n")));
        }
        let mut specs = reading.specs;
        if let Some(name) = &name {
            let all = shown::names(&specs);
            specs.retain(|spec| {
                spec.test.name == *name || shown::names(std::slice::from_ref(spec))[0] == *name
            });
            if specs.is_empty() {
                return Err(format!("{path} has no test of this name; it has: {}", all.join(", ")));
            }
        }
        for spec in &mut specs {
            spec.test.timeout = timeout.unwrap_or(spec.test.timeout);
        }
        let runs = self.all(tests, specs).await.ok_or("the run was lost: this is a fault of ours")?;
        let mut told = shown::of_file(&runs);
        told["file"] = json!(root.shown(&file));
        told["tests"] = runs.into();
        told["troubles"] = shown::troubles(root, &reading.troubles).into();
        Ok(told)
    }

    /// On a task of its own: whoever gives up waiting must not take the teardown along.
    async fn all(&self, tests: Arc<dyn Tests>, specs: Vec<Spec>) -> Option<Vec<Value>> {
        let (done, is_done) = tokio::sync::oneshot::channel();
        let stop = Stop::default();
        let (own, everything) = (stop.clone(), self.stop.clone());
        let task = async move {
            let ended = async {
                let mut runs = Vec::new();
                for spec in &specs {
                    if own.is_asked() {
                        break;
                    }
                    runs.push(shown::run(spec, &tests.run(spec, &own).await));
                }
                runs
            };
            let mut ended = std::pin::pin!(ended);
            let runs = tokio::select! {
                runs = &mut ended => runs,
                () = everything.asked() => {
                    own.ask();
                    ended.await
                }
            };
            // If nobody waits any more, nobody is told.
            let _ = done.send(runs);
        };
        {
            let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
            while tasks.try_join_next().is_some() {}
            tasks.spawn(task);
        }
        let _waiting = Waiting(stop);
        is_done.await.ok()
    }

    /// Stops everything that runs, and waits for its teardown.
    pub(super) async fn close(&self) -> Vec<String> {
        self.stop.ask();
        let mut tasks = std::mem::take(&mut *self.tasks.lock().unwrap_or_else(PoisonError::into_inner));
        while tasks.join_next().await.is_some() {}
        Vec::new()
    }
}
