//! Model traffic.
//!
//! One engine decides for each request to a model: answer it from a script or a recording, let it
//! out, or refuse it. [`dialects`] know how each provider speaks, [`frames`] how streams are cut into
//! events, [`script`] what to answer, [`cassette`] what was answered before, [`faults`] what goes wrong
//! on purpose, [`exchange`] watches one request and its answer, [`meter`] knows what it took and cost,
//! [`redact`] takes secrets out of what is written, and [`gate`] writes it. Nothing here opens a
//! connection or knows Python.

pub mod cassette;
mod chance;
pub mod common;
pub mod counting;
pub mod dialects;
mod digest;
pub mod embedding;
pub mod encoding;
pub mod exchange;
pub mod faults;
pub mod frames;
pub mod framework_answers;
pub mod gate;
pub mod grpc;
pub mod keys;
pub mod meter;
mod named_call;
pub mod redact;
pub mod requested_calls;
mod result_text;
pub mod script;
mod target;
pub mod token;

pub use digest::{digest, digest_bytes};
pub use named_call::names_call;
pub use result_text::says_result;
pub use target::{Target, asks_for_beta, is_local, is_model_host};
