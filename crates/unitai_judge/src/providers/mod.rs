//! Whoever can answer: programs on this machine and services, one file each.

pub mod anthropic;
pub mod api;
pub mod choosing;
pub mod claude_code;
mod claude_said;
pub mod codex;
mod codex_said;
pub mod command;
pub mod discreet;
pub mod form;
pub mod gemini_cli;
mod gemini_said;
mod http;
mod naming;
pub mod openai;
pub mod process;
pub mod program;
pub mod strict;
