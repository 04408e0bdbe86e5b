//! A program that speaks our protocol as a subject of the contract.

#![cfg(unix)]

use std::any::Any;
use std::path::Path;
use std::sync::Arc;

use unitai_judge::Provider;
use unitai_judge::providers::command;
use unitai_judge::providers::discreet::Discreet;

use crate::contract::{Behaviour, KEY, Subject};

/// A program that speaks our protocol.
pub(crate) struct Command;

impl Subject for Command {
    async fn made(&self, behaviour: Behaviour) -> (Arc<dyn Provider>, Box<dyn Any>) {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/speaking.py");
        let args = vec![script.display().to_string(), format!("{behaviour:?}"), KEY.to_owned()];
        let program = command::Command::new("python3", args, env!("CARGO_MANIFEST_DIR"), "");
        (Arc::new(Discreet::new(Box::new(program), [KEY.to_owned()])), Box::new(()))
    }
}
