//! Questions and evidence become one request, and its answer becomes replies. Nothing in evidence can be taken for a part of
//! the request, and nothing in an answer is believed that cannot be looked up.

mod cutting;
mod once;
mod prompt;
mod reading;
mod schema;

pub(crate) use cutting::{Left, cut};
pub(crate) use once::{Heard, ask_once};
pub use prompt::{Prompt, VERSION};
pub use reading::{Reading, read};
pub use schema::schema;
