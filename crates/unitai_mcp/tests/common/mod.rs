//! What the tests of the client share: servers that are small scripts, and a look at what is left running.

#![allow(dead_code, reason = "not every test uses all of it")]

use std::path::{Path, PathBuf};

use unitai_mcp::client::{Servers, Settings};
use unitai_model::value::Value;
use unitai_spec::data::{from_json, key_text};
use unitai_spec::document::{Arguments, Place, Server, ServerKind};
use unitai_spec::run::{Called, Connector, ToolServer};

/// A file beside the tests.
pub(crate) fn script(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers").join(name).display().to_string()
}

/// A command as a server.
pub(crate) fn command(words: &[&str]) -> Server {
    let command = words.iter().map(|&word| word.to_owned()).collect();
    Server {
        name: "fake".to_owned(),
        kind: ServerKind::Command { command, env: Vec::new(), cwd: String::new() },
        protocol: String::new(),
        start_timeout: 20.0,
        place: Place::default(),
    }
}

/// The fake server, which misbehaves as these words say.
pub(crate) fn fake(how: &[&str]) -> Server {
    let script = script("fake.py");
    command(&[&["python3", &script], how].concat())
}

/// The same that must speak one version.
pub(crate) fn speaking(protocol: &str, how: &[&str]) -> Server {
    Server { protocol: protocol.to_owned(), ..fake(how) }
}

/// Servers of a project in this folder.
pub(crate) fn servers() -> Servers {
    Servers::new(Settings::new(PathBuf::from(env!("CARGO_MANIFEST_DIR"))))
}

/// A connection that must come about.
pub(crate) async fn connected(server: &Server) -> Box<dyn ToolServer> {
    servers().connect(server).await.unwrap_or_else(|error| panic!("{error}"))
}

/// A connection that must not.
pub(crate) async fn refused(server: &Server) -> String {
    servers().connect(server).await.map(|_| ()).expect_err("the server must not start")
}

/// Arguments from JSON.
pub(crate) fn args(json: serde_json::Value) -> Arguments {
    let Value::Dict(entries) = from_json(&json) else { panic!("arguments are an object") };
    entries.into_iter().map(|(key, value)| (key_text(&key), value)).collect()
}

/// The value of a call that must be answered.
pub(crate) async fn value(server: &dyn ToolServer, tool: &str, json: serde_json::Value) -> serde_json::Value {
    match server.call(tool, args(json)).await {
        Called::Returned { value, .. } => unitai_spec::data::to_json(&value),
        Called::Failed { message, details } => panic!("{message}\n{details}"),
    }
}

/// The message and the details of a call that must fail.
pub(crate) async fn failure(
    server: &dyn ToolServer,
    tool: &str,
    json: serde_json::Value,
) -> (String, String) {
    match server.call(tool, args(json)).await {
        Called::Failed { message, details } => (message, details),
        returned => panic!("{returned:?}"),
    }
}

/// The names of a server's tools.
pub(crate) fn names(server: &dyn ToolServer) -> Vec<&str> {
    server.tools().iter().map(|tool| tool.name.as_str()).collect()
}

/// The commands of living processes whose environment has this text.
#[cfg(target_os = "linux")]
pub(crate) fn alive(marked: &str) -> Vec<String> {
    let entries = std::fs::read_dir("/proc").expect("processes can be listed");
    let processes = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    processes
        .filter(|process| *process != std::process::id())
        .filter(|process| {
            let environment = std::fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|it| it == marked.as_bytes())
        })
        .map(|process| {
            let line = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).replace('\0', " ")
        })
        .collect()
}
