//! Our client as the official conformance suite wants it: the URL of its server is the last argument, and every tool that
//! the server has is called. Run by `scripts/conformance.py`.

#![expect(clippy::print_stderr, reason = "the suite shows it when a scenario fails")]

use std::process::ExitCode;

use serde_json::{Value as Json, json};
use unitai_mcp::client::{Servers, Settings};
use unitai_spec::data::from_json;
use unitai_spec::document::{Arguments, Place, Server, ServerKind};
use unitai_spec::run::{Called, Connector, Tool};

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), String> {
    let url = std::env::args().next_back().ok_or("the URL of a server is missing")?;
    let server = Server {
        name: "conformance".to_owned(),
        kind: ServerKind::Url { url, headers: Vec::new() },
        protocol: std::env::var("MCP_CONFORMANCE_PROTOCOL_VERSION").unwrap_or_default(),
        start_timeout: 20.0,
        place: Place::default(),
    };
    let servers = Servers::new(Settings::new("."));
    let connection = servers.connect(&server).await?;
    for (tool, args) in calls(connection.tools()) {
        match connection.call(&tool, args).await {
            Called::Returned { text, .. } => eprintln!("{tool}: {text}"),
            Called::Failed { message, .. } => eprintln!("{tool} failed: {message}"),
        }
    }
    connection.close().await;
    Ok(())
}

/// The calls that the suite wants to see, else one of every tool.
fn calls(tools: &[Tool]) -> Vec<(String, Arguments)> {
    let context = std::env::var("MCP_CONFORMANCE_CONTEXT").unwrap_or_default();
    let context: Json = serde_json::from_str(&context).unwrap_or_default();
    let wanted = context["toolCalls"].as_array().cloned().unwrap_or_default();
    if wanted.is_empty() {
        return tools.iter().map(|tool| (tool.name.clone(), sample(tool, tools))).collect();
    }
    let named = |call: &Json| Some((call["name"].as_str()?.to_owned(), arguments(&call["arguments"])));
    wanted.iter().filter_map(named).collect()
}

/// Arguments that a schema allows. A tool that asks for a schema gets that of another tool, as we have read it.
fn sample(tool: &Tool, tools: &[Tool]) -> Arguments {
    let other = tools.iter().find(|it| it.name != tool.name).map(|it| it.input_schema.clone());
    let properties = tool.input_schema["properties"].as_object().cloned().unwrap_or_default();
    let values = properties.into_iter().map(|(name, property)| {
        let value = match property["type"].as_str() {
            Some("object") if name == "schema" => other.clone().unwrap_or_default(),
            Some("number" | "integer") => json!(3),
            Some("boolean") => json!(true),
            Some("array") => json!([]),
            Some("object") => json!({}),
            _ => json!("text"),
        };
        (name, from_json(&value))
    });
    values.collect()
}

fn arguments(json: &Json) -> Arguments {
    json.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), from_json(value))).collect()
}
