//! Which run a call belongs to.

use pyo3::prelude::*;

use super::Toolbox;
use crate::attribute::Attribute;
use crate::context::ContextStack;
use crate::errors::Trouble;
use crate::gate;
use crate::run::Run;

/// The runs that the current context is in.
pub(crate) static CONTEXT_RUNS: ContextStack = ContextStack::new("unitai_runs");

impl Toolbox {
    /// The run that a call from here belongs to. Until a run has ended, one live run takes every
    /// call, whatever thread it comes from. After that the context decides: what belongs to a run
    /// that is over is refused, for it must not enter another.
    pub(crate) fn current_run(&self, py: Python<'_>) -> PyResult<Py<Run>> {
        {
            let state = self.state();
            match (state.has_ended_run, state.live.as_slice()) {
                (false, []) => return Ok(state.loose.clone_ref(py)),
                (false, [only]) => return Ok(only.clone_ref(py)),
                _ => {}
            }
        }
        if let Some(run) = Run::of_thread(py, self) {
            // A run that is over refuses the call itself.
            return Ok(run);
        }
        let live: Vec<Py<Run>> = self.state().live.iter().map(|run| run.clone_ref(py)).collect();
        let runs = CONTEXT_RUNS.here(py)?;
        for run in runs.iter().rev() {
            if let Some(run) = live.iter().find(|live| live.is(&run)) {
                return Ok(run.clone_ref(py));
            }
            let run = run.cast_into::<Run>()?;
            if run.get().is_over() && run.get().belongs_to(self) {
                return Err(Trouble::new("RunOverError", "a task that outlived its run called a tool")
                    .remedy("let the agent wait for what it starts before it returns")
                    .into_err(py));
            }
        }
        self.refuse_left_behind(py)?;
        match live.as_slice() {
            [] => Ok(self.state().loose.clone_ref(py)),
            [only] => Ok(only.clone_ref(py)),
            several => Err(Trouble::new(
                "AmbiguousRunError",
                format!(
                    "{} runs of this toolkit are under way, and this call could belong to any",
                    several.len()
                ),
            )
            .expected("a call from within the context of one of the runs")
            .found("a call from a thread without that context")
            .remedy(
                "use one toolkit per concurrent run, or start the thread with contextvars.copy_context().run",
            )
            .into_err(py)),
        }
    }

    fn refuse_left_behind(&self, py: Python<'_>) -> PyResult<()> {
        let Some(threads) = self.state().left_behind.as_ref().map(|threads| threads.clone_ref(py)) else {
            return Ok(());
        };
        let thread = gate::call(&py.import("threading")?.attribute("current_thread")?, (), None)?;
        if !gate::call(&threads.bind(py).attribute("__contains__")?, (&thread,), None)?.is_truthy()? {
            return Ok(());
        }
        Err(Trouble::new("RunOverError", "a thread that outlived its run called a tool")
            .found(thread.repr()?.to_string_lossy().into_owned())
            .remedy("let the agent wait for the threads it starts")
            .into_err(py))
    }
}
