//! What a file says: text becomes [`Spec`]s, each part with its place, or [`Trouble`]s that point at theirs.

mod excerpt;
mod judge_case;
mod keys;
mod looks;
mod naming;
mod place;
mod reader;
mod root;
mod schema;
mod spec;
mod telling;
mod trouble;
mod value;
mod yaml;

pub use judge_case::{CaseCall, CaseKind, CaseOutcome, CaseQuestion, JudgeCase};
pub use looks::{looks_like_included, looks_like_test};
pub use naming::report_names;
pub use place::Place;
pub use reader::{
    CaseReading, Reading, load, read, read_below, read_file, read_judge_case_file, read_judge_cases,
};
pub use root::{OutsideRoot, ProjectRoot};
pub use schema::schema;
pub use spec::{
    Arguments, Check, JudgeWhen, Meta, OnSetupFailure, OnTeardownError, Retry, Server, ServerKind, Spec,
    Step, VerdictSpec,
};
pub use trouble::{Severity, Trouble};
pub use value::to_value;
pub use yaml::comments;
