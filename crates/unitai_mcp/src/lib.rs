//! MCP both ways: servers whose tools YAML tests call, and our own server.

pub mod client;
pub mod engine;
pub mod server;
