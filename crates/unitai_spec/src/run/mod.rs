//! Execution: setup, steps, teardown, and what came of it.

mod around;
mod beside;
mod calling;
mod checking;
mod deciding;
mod driven;
mod driving;
mod errand;
mod evidence;
mod execution;
mod judging;
mod log;
mod memory;
mod plan;
mod ports;
mod proving;
mod quoting;
mod recording;
mod replaying;
mod reporting;
mod running;
mod scope;
mod stop;
mod taking;
mod telling;
mod toolbox;
mod verdict;
mod writing;

pub use around::{Around, Source, Unobserved};
pub use beside::{LONGEST_NAME, beside, beside_file, plain_name};
pub use calling::dict;
pub use driving::{Driven, Driver, Driving, Errand, Hands, Wanted};
pub use evidence::{Evidence, Outcome};
pub use judging::{
    Answer, Answered, Brief, Judge, Judged, NoJudge, Question, QuestionKind, Quote, Reply, Ruling, Spent,
    Votes,
};
pub use plan::{Plan, plan};
pub use ports::{Called, Connector, Event, Future, Observer, Phase, Plugin, Tool, ToolServer};
pub use proving::prove;
pub use quoting::{Quotable, check_quotes, check_quotes_by, doubt_without_quotes, is_quote};
pub use recording::Recording;
pub use replaying::Replay;
pub use running::run;
pub use stop::Stop;
pub use telling::{Signs, step_line, tell, tell_answers};
pub use verdict::{Ending, Run, Status, StepResult, Verdict, Word};
