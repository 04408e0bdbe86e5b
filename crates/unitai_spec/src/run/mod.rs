//! Execution: setup, steps, teardown, and what came of it.

mod around;
mod calling;
mod checking;
mod deciding;
mod driving;
mod evidence;
mod execution;
mod judging;
mod log;
mod memory;
mod ports;
mod recording;
mod running;
mod scope;
mod stop;
mod telling;
mod toolbox;
mod verdict;
mod writing;

pub use around::{Around, Unobserved};
pub use driving::{Driven, Driver, Errand, Hands, Wanted};
pub use evidence::{Evidence, Outcome};
pub use judging::{Answer, Brief, Judge, NoJudge, Question, QuestionKind, Quote, Reply, Ruling};
pub use ports::{Called, Connector, Event, Future, Observer, Phase, Tool, ToolServer};
pub use recording::{Recording, Replay};
pub use running::run;
pub use stop::Stop;
pub use telling::{Signs, step_line, tell};
pub use verdict::{Ending, Run, Status, StepResult, Verdict, Word};
