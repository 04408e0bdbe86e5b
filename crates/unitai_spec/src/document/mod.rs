//! What a file says: text becomes [`Spec`]s, each part with its place, or [`Trouble`]s that point at theirs.

mod place;
mod spec;
mod trouble;

pub use place::Place;
pub use spec::{
    Arguments, Check, JudgeWhen, Meta, OnSetupFailure, OnTeardownError, Retry, Server, ServerKind, Spec,
    Step, VerdictSpec,
};
pub use trouble::{Severity, Trouble};
