//! Servers whose tools tests call: child processes and streamable HTTP, of any version of the protocol.
//!
//! A [`Servers`] is the way in. It gives a connection for each server of a test, and the host of the project's plugins,
//! which is kept from test to test. No process outlives its connection.
//!
//! ```
//! use unitai_mcp::client::{Servers, Settings};
//! let servers = Servers::new(Settings::new("."));
//! # drop(servers);
//! ```

mod answer;
mod connection;
mod handler;
mod lifecycle;
mod plugins;
mod process;
mod servers;
mod stdio;
pub mod sweep;
mod tail;
mod tool_list;
mod watched;

pub use plugins::PLUGINS;
pub use servers::{Servers, Settings};
