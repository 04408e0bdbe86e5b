//! What an adapter reports of a run, which takes the place of what the run recorded itself.

use std::collections::BTreeMap;

use crate::Trajectory;

/// What a run recorded and the report of its adapter lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unreported {
    /// Calls of this tool.
    ToolCalls {
        /// The tool.
        tool: String,
        /// How many.
        count: usize,
    },
    /// Calls of models.
    ModelCalls {
        /// How many.
        count: usize,
    },
}

impl Trajectory {
    /// This record as the adapter reports it: with its steps, its totals and its end. A report without steps leaves them to
    /// the record. One that lacks what was recorded is refused: a check would miss what the agent did.
    ///
    /// ```
    /// use unitai_model::{Ending, Packed, Trajectory};
    /// let ended = |id: &str| Trajectory::new(id, Packed::null(), 0.0, 1.0, vec![], Ending::returned(Packed::null()));
    /// assert_eq!(ended("recorded").reported(&ended("reported")).unwrap().run_id(), "recorded");
    /// ```
    pub fn reported(self, report: &Trajectory) -> Result<Trajectory, Unreported> {
        let is_timed = report.duration_seconds > 0.0;
        let duration = if is_timed { report.duration_seconds } else { self.duration_seconds };
        let steps = match report.steps.as_slice() {
            [] => self.steps,
            steps => {
                self.check_report(report)?;
                steps.to_vec()
            }
        };
        let ending = report.ending.clone();
        Ok(Trajectory::new(self.run_id, self.input, self.started_at, duration, steps, ending)
            .with_totals(report.totals))
    }

    fn check_report(&self, report: &Trajectory) -> Result<(), Unreported> {
        let mut recorded: BTreeMap<&str, usize> = BTreeMap::new();
        for placed in self.tool_calls() {
            *recorded.entry(placed.call.tool.as_str()).or_default() += 1;
        }
        for (tool, count) in recorded {
            let lacking = count.saturating_sub(report.attempts_of(tool).len());
            if lacking > 0 {
                return Err(Unreported::ToolCalls { tool: tool.to_owned(), count: lacking });
            }
        }
        match self.llm_calls().saturating_sub(report.llm_calls()) {
            0 => Ok(()),
            count => Err(Unreported::ModelCalls { count }),
        }
    }
}
