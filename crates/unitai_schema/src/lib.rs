//! JSON schemas of tools: whether what a tool was called with fits, and what a result of it could look like. Nothing is
//! fetched: a schema that points elsewhere is refused.

mod example;
mod fit;

pub use example::example;
pub use fit::{Schema, SchemaError};
