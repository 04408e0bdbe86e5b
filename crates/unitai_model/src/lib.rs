//! The vocabulary of UnitAI, shared by every other crate.
//!
//! A run of an agent is written down by a [`Recorder`], which ends as an immutable [`Trajectory`]
//! of [`Step`]s. A check turns a trajectory into a [`Finding`]. Values that crossed from the agent
//! are kept as [`Packed`] text and read as [`Value`]s. Nothing here does I/O, reads a clock or
//! knows Python.
//!
//! ```
//! use unitai_model::{Ending, Outcome, Packed, Recorder, ToolName};
//!
//! let recorder = Recorder::open("run-1", Packed::from_text("\"refund 123\"").unwrap(), 0.0, 50);
//! let port = recorder.port();
//! port.call(0.1, None, ToolName::new("lookup"), Packed::from_text(r#"{"id":123}"#).unwrap(),
//!           Outcome::Returned(Packed::null())).unwrap();
//! let trajectory = recorder.finish(Ending::returned(Packed::null()), 0.2);
//! assert_eq!(trajectory.calls().order().len(), 1);
//! ```

pub mod baseline;
pub mod calls;
pub mod catalogue;
mod causes;
pub mod event;
pub mod failure;
pub mod fault;
pub mod finding;
pub mod format;
pub mod layer;
pub mod model_call;
pub mod money;
pub mod nearest;
mod own_price;
pub mod recorder;
mod reported;
pub mod step;
pub mod tape_mode;
pub mod trajectory;
pub mod utc;
pub mod value;

pub use calls::CallIndex;
pub use causes::with_causes;
pub use failure::Failure;
pub use fault::{Fault, FaultKind};
pub use finding::{Finding, Verdict};
pub use format::FormatError;
pub use layer::Layer;
pub use model_call::{Exchange, ExchangeEnd, ModelCall, Source, Usage};
pub use money::Money;
pub use own_price::OwnPrice;
pub use recorder::{Port, Recorder, Refused};
pub use reported::Unreported;
pub use step::{Action, Outcome, StateChange, Step, ToolCall, ToolName};
pub use tape_mode::TapeMode;
pub use trajectory::{Ending, GivenTotals, Trajectory, Unknown};
pub use utc::Utc;
pub use value::{Opaque, Packed, Value};

/// The version of the engine.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
