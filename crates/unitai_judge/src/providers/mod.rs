//! Whoever can answer: programs on this machine and services, one file each.

pub mod claude_code;
mod claude_said;
pub mod codex;
mod codex_said;
pub mod gemini_cli;
mod gemini_said;
pub mod process;
pub mod program;
pub mod strict;
