//! Execution: setup, steps, teardown, and what came of it.

mod evidence;
mod judging;
mod ports;
mod stop;
mod verdict;

pub use evidence::{Evidence, Outcome};
pub use judging::{Answer, Brief, Judge, Question, QuestionKind, Quote, Reply, Ruling};
pub use ports::{Called, Connector, Event, Future, Observer, Phase, Tool, ToolServer};
pub use stop::Stop;
pub use verdict::{Ending, Run, Status, StepResult, Verdict, Word};
