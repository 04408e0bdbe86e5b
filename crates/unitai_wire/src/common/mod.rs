//! The common form: what every dialect's requests and answers have in common.
//!
//! A dialect reads a provider's request into a [`Request`] and writes an [`Answer`] back as the
//! provider would. What the common form has no word for is kept as it came, so nothing is lost.

mod answer;
mod arguments;
mod request;

pub use answer::{Answer, Finish, Refusal, Said, Stamp};
pub(crate) use request::likely_tokens;
pub use request::{FreshResult, Message, Part, Request, Role, Tool};
