//! Runs tests from code that is not asynchronous: one runtime for each process, and the servers that live in it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::time::{MissedTickBehavior, interval};
use unitai_spec::run::Stop;

use crate::client::{Servers, Settings};

/// How often somebody who may want to stop a test is asked.
const ASKED: Duration = Duration::from_millis(50);
/// How long work that is left behind may take when the engine is shut down.
const TO_SHUT_DOWN: Duration = Duration::from_secs(1);

/// A runtime with its servers, started when it is first needed.
#[derive(Debug)]
pub struct Engine {
    settings: Settings,
    running: Mutex<Option<Running>>,
}

/// What runs in one process.
#[derive(Debug)]
struct Running {
    process: u32,
    runtime: Arc<Runtime>,
    servers: Arc<Servers>,
}

impl Engine {
    /// Nothing is started yet.
    pub fn new(settings: Settings) -> Engine {
        Engine { settings, running: Mutex::new(None) }
    }

    /// The servers that tests run with.
    ///
    /// # Errors
    /// When the runtime cannot be started, which the system says why.
    pub fn servers(&self) -> std::io::Result<Arc<Servers>> {
        Ok(self.running()?.1)
    }

    /// Waits for a future. Every 50 milliseconds `poll` is called on this thread; when it says true, `stop` is asked, and
    /// the future is waited for all the same: a test that is stopped still tears down. Must not be called from within a
    /// runtime.
    ///
    /// ```
    /// use unitai_mcp::client::Settings;
    /// use unitai_mcp::engine::Engine;
    /// use unitai_spec::run::Stop;
    ///
    /// let engine = Engine::new(Settings::new("."));
    /// let stop = Stop::default();
    /// let asked = engine.block_on_checked(stop.asked(), &stop, &mut || true);
    /// assert!(asked.is_ok() && stop.is_asked());
    /// ```
    ///
    /// # Errors
    /// When the runtime cannot be started, which the system says why.
    pub fn block_on_checked<F: Future>(
        &self,
        future: F,
        stop: &Stop,
        poll: &mut dyn FnMut() -> bool,
    ) -> std::io::Result<F::Output> {
        let (runtime, _) = self.running()?;
        Ok(runtime.block_on(async {
            let mut future = std::pin::pin!(future);
            let mut ticks = interval(ASKED);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                tokio::select! {
                    biased;
                    output = &mut future => return output,
                    _ = ticks.tick() => if !stop.is_asked() && poll() { stop.ask() },
                }
            }
        }))
    }

    /// Ends what is kept from test to test. Gives what went wrong. The engine may be used again.
    pub fn shutdown(&self) -> Vec<String> {
        let Some(running) = self.take() else { return Vec::new() };
        let troubles = running.runtime.block_on(running.servers.shutdown());
        drop(running.servers);
        if let Some(runtime) = Arc::into_inner(running.runtime) {
            runtime.shutdown_timeout(TO_SHUT_DOWN);
        }
        troubles
    }

    fn running(&self) -> std::io::Result<(Arc<Runtime>, Arc<Servers>)> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let process = std::process::id();
        if let Some(other) = running.take_if(|it| it.process != process) {
            // After a fork the threads of that runtime are not in this process, and the servers are the parent's:
            // whatever would wait for the ones or end the others must not run.
            std::mem::forget(other);
        }
        if let Some(it) = &*running {
            return Ok((it.runtime.clone(), it.servers.clone()));
        }
        let runtime =
            Builder::new_multi_thread().worker_threads(2).thread_name("unitai").enable_all().build()?;
        let (runtime, servers) = (Arc::new(runtime), Arc::new(Servers::new(self.settings.clone())));
        *running = Some(Running { process, runtime: runtime.clone(), servers: servers.clone() });
        Ok((runtime, servers))
    }

    /// What runs in this process.
    fn take(&self) -> Option<Running> {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        if running.process == std::process::id() {
            return Some(running);
        }
        std::mem::forget(running);
        None
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // Servers that are still there are killed when they are dropped. Nothing is waited for: this may be the end of
        // an interpreter.
        if let Some(Running { runtime, servers, .. }) = self.take() {
            drop(servers);
            if let Some(runtime) = Arc::into_inner(runtime) {
                runtime.shutdown_background();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_future_that_ends_is_not_stopped() {
        let engine = Engine::new(Settings::new("."));
        let stop = Stop::default();
        assert_eq!(engine.block_on_checked(async { 3 }, &stop, &mut || false).expect("a runtime"), 3);
        assert!(!stop.is_asked());
    }

    #[test]
    fn somebody_is_asked_until_they_stop_it_and_the_future_goes_on() {
        let engine = Engine::new(Settings::new("."));
        let stop = Stop::default();
        let mut polls = 0;
        let future = async {
            stop.asked().await;
            "torn down"
        };
        let ended = engine.block_on_checked(future, &stop, &mut || {
            polls += 1;
            polls == 3
        });
        assert_eq!((ended.expect("a runtime"), polls), ("torn down", 3));
    }

    #[test]
    fn it_can_be_used_again_after_it_was_shut_down() {
        let engine = Engine::new(Settings::new("."));
        let stop = Stop::default();
        for _ in 0..2 {
            assert!(engine.block_on_checked(async {}, &stop, &mut || false).is_ok());
            assert!(engine.shutdown().is_empty());
        }
    }
}
