//! YAML tests: a file says which tools are called and what must hold; the engine calls them itself, so that loops,
//! retries, time limits and teardown are guarantees.
//!
//! The data's way: [`document`] reads text into a [`document::Spec`] with the place of each part; [`run`] executes it
//! through the port [`run::ToolServer`], asks [`expression`] what holds, and ends with a [`run::Run`]: a verdict, the
//! evidence of every call, and the trajectory. What no check decides goes to the port [`run::Judge`].

pub mod data;
mod digest;
pub mod document;
pub mod expression;
pub mod harden;
pub mod http;
pub mod run;
pub mod tools;
