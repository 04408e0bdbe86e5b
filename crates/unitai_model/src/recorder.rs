//! Writing a run down while it happens.
//!
//! A [`Recorder`] belongs to whoever runs the agent and is consumed by [`Recorder::finish`]. Its
//! [`Port`]s go to the tools and may be used from any thread. The index of a step is given under
//! one lock at the moment a call begins, so order is a fact and not a sort over clocks.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxBuildHasher;

use crate::{
    Action, Ending, Fault, ModelCall, Outcome, Packed, StateChange, Step, ToolCall, ToolName, Trajectory,
};

/// The one owner of a run's record.
#[derive(Debug)]
pub struct Recorder {
    run_id: Arc<str>,
    input: Packed,
    started_at: f64,
    port: Port,
}

/// A writer's access to a record that is still open.
#[derive(Debug, Clone)]
pub struct Port(Arc<Mutex<Option<Log>>>);

#[derive(Debug)]
struct Log {
    steps: Vec<Step>,
    counts: HashMap<ToolName, u32, FxBuildHasher>,
    max_tool_calls: u32,
}

/// Why a call was not taken into the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// The run has ended; what happens now belongs to no trajectory.
    RunOver,
    /// The tool was called more often than this in one run.
    Loop {
        /// The most calls that one tool may receive.
        max_tool_calls: u32,
    },
}

impl Recorder {
    /// Opens the record of a run.
    pub fn open(
        run_id: impl Into<Arc<str>>,
        input: Packed,
        started_at: f64,
        max_tool_calls: u32,
    ) -> Recorder {
        let log = Log { steps: Vec::new(), counts: HashMap::default(), max_tool_calls };
        Recorder { run_id: run_id.into(), input, started_at, port: Port(Arc::new(Mutex::new(Some(log)))) }
    }

    /// Access for a writer. Every port writes to the same record.
    pub fn port(&self) -> Port {
        self.port.clone()
    }

    /// Closes the record. Ports that are still about are refused from here on.
    pub fn finish(self, ending: Ending, duration_seconds: f64) -> Trajectory {
        let steps = self.port.lock().take().map_or_else(Vec::new, |log| log.steps);
        Trajectory::new(self.run_id, self.input, self.started_at, duration_seconds, steps, ending)
    }
}

impl Port {
    /// Writes down a call and returns the index of its step. One that has only begun is `Unfinished`
    /// until [`Port::settle`].
    pub fn call(
        &self,
        timestamp: f64,
        agent_id: Option<Arc<str>>,
        tool: ToolName,
        args: Packed,
        outcome: Outcome,
    ) -> Result<usize, Refused> {
        let mut guard = self.lock();
        let log = guard.as_mut().ok_or(Refused::RunOver)?;
        log.count(&tool)?;
        Ok(log.push(timestamp, agent_id, Action::ToolCall(ToolCall { tool, args, outcome })))
    }

    /// Writes down how the call at `step` ended.
    pub fn settle(&self, step: usize, outcome: Outcome) -> Result<(), Refused> {
        let mut guard = self.lock();
        let log = guard.as_mut().ok_or(Refused::RunOver)?;
        if let Some(Step { action: Action::ToolCall(call), .. }) = log.steps.get_mut(step) {
            call.outcome = outcome;
        }
        Ok(())
    }

    /// Writes down a model call. One that has only begun is settled by [`Port::settle_model_call`].
    pub fn model_call(
        &self,
        timestamp: f64,
        agent_id: Option<Arc<str>>,
        call: ModelCall,
    ) -> Result<usize, Refused> {
        self.note(timestamp, agent_id, Action::ModelCall(call))
    }

    /// Writes down what came of the model call at `step`.
    pub fn settle_model_call(&self, step: usize, call: ModelCall) -> Result<(), Refused> {
        let mut guard = self.lock();
        let log = guard.as_mut().ok_or(Refused::RunOver)?;
        if let Some(Step { action: Action::ModelCall(begun), .. }) = log.steps.get_mut(step) {
            *begun = call;
        }
        Ok(())
    }

    /// Writes down a change of state.
    pub fn state_change(
        &self,
        timestamp: f64,
        agent_id: Option<Arc<str>>,
        change: StateChange,
    ) -> Result<usize, Refused> {
        self.note(timestamp, agent_id, Action::StateChange(change))
    }

    /// Writes down that a fault was put into the call at `step`.
    pub fn note_fault(&self, step: usize, fault: Fault) -> Result<(), Refused> {
        let mut guard = self.lock();
        let log = guard.as_mut().ok_or(Refused::RunOver)?;
        if let Some(step) = log.steps.get_mut(step) {
            step.fault = Some(Box::new(fault));
        }
        Ok(())
    }

    /// Reads the record as it stands; nothing when the run has ended.
    pub fn read<T>(&self, look: impl FnOnce(&[Step]) -> T) -> Option<T> {
        self.lock().as_ref().map(|log| look(&log.steps))
    }

    fn note(&self, timestamp: f64, agent_id: Option<Arc<str>>, action: Action) -> Result<usize, Refused> {
        let mut guard = self.lock();
        Ok(guard.as_mut().ok_or(Refused::RunOver)?.push(timestamp, agent_id, action))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Log>> {
        // Nothing that can panic runs under the lock, and a record must outlive a panic elsewhere.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Log {
    fn push(&mut self, timestamp: f64, agent_id: Option<Arc<str>>, action: Action) -> usize {
        self.steps.push(Step { timestamp, agent_id, action, fault: None });
        self.steps.len() - 1
    }

    fn count(&mut self, tool: &ToolName) -> Result<(), Refused> {
        let max_tool_calls = self.max_tool_calls;
        match self.counts.get_mut(tool) {
            Some(count) if *count >= max_tool_calls => return Err(Refused::Loop { max_tool_calls }),
            Some(count) => *count += 1,
            None if max_tool_calls == 0 => return Err(Refused::Loop { max_tool_calls }),
            None => {
                self.counts.insert(tool.clone(), 1);
            }
        }
        Ok(())
    }
}
