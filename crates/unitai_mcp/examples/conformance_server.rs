//! The server with the tools that the protocol's conformance suite calls by name, so that the suite tests the protocol
//! itself: `cargo run -p unitai_mcp --example conformance_server -- 8123`, then
//! `conformance server --url http://127.0.0.1:8123/mcp`.
//!
//! Without a port it serves over standard streams, for tests that start a process.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it is run by hand and by scripts")]

use std::time::Duration;

use serde_json::{Value as Json, json};
use unitai_mcp::server::{Admission, CallLog, HttpOptions, Offer, Offering, serve_http, serve_stdio};
use unitai_model::value::Value;
use unitai_spec::data::from_json;
use unitai_spec::document::Arguments;
use unitai_spec::run::{Called, Future, Tool};
use unitai_wire::redact::Secrets;

/// Tools of the suite that answer with what an offering can answer, and some for our own tests.
struct Fixtures;

fn tool(name: &str, description: &str, input_schema: Json) -> Tool {
    Tool { name: name.into(), description: description.into(), input_schema }
}

fn text(text: &str) -> Called {
    Called::Returned { value: Value::Str(text.into()), text: text.into() }
}

impl Offering for Fixtures {
    fn tools(&self) -> Future<'_, Vec<Tool>> {
        let nothing = || json!({"type": "object", "properties": {}});
        let address = json!({
            "$anchor": "address",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        });
        let modern = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": {"address": address},
            "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
            "allOf": [{"anyOf": [{"required": ["name"]}, {"required": ["address"]}]}],
            "if": {"required": ["address"]},
            "then": {"required": ["name"]},
            "else": {},
            "additionalProperties": false,
        });
        let headers = json!({
            "type": "object",
            "properties": {
                "region": {"type": "string", "x-mcp-header": "Region"},
                "priority": {"type": "integer", "x-mcp-header": "Priority"},
            },
        });
        let sleep = json!({"type": "object", "properties": {"seconds": {"type": "number"}}});
        let tools = vec![
            tool("test_simple_text", "Answers with a text.", nothing()),
            tool("test_error_handling", "Always fails.", nothing()),
            tool("test_structured", "Answers with an object.", nothing()),
            tool("json_schema_2020_12_tool", "Has a schema with definitions.", modern),
            tool("test_custom_headers", "Has arguments that come as headers too.", headers),
            tool("sleep", "Takes its time.", sleep),
            tool("echo", "Answers with its arguments.", json!({"type": "object"})),
        ];
        Box::pin(async { tools })
    }

    fn call<'a>(&'a self, tool: &'a str, args: Arguments) -> Future<'a, Called> {
        Box::pin(async move {
            match tool {
                "test_simple_text" => text("This is a simple text response for testing."),
                "test_error_handling" => Called::Failed {
                    message: "This tool intentionally returns an error for testing".into(),
                    details: "and says more about it".into(),
                },
                "test_structured" => {
                    let told = json!({"answer": 42});
                    Called::Returned { value: from_json(&told), text: told.to_string() }
                }
                "sleep" => {
                    let seconds = args.iter().find(|(name, _)| name == "seconds");
                    let seconds = seconds.map_or(0.0, |(_, it)| match it {
                        Value::Int(it) => *it as f64,
                        Value::Float(it) => *it,
                        _ => 0.0,
                    });
                    tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
                    text("slept")
                }
                _ => {
                    let args = args.into_iter().map(|(name, it)| (Value::Str(name), it)).collect();
                    Called::Returned { value: Value::Dict(args), text: String::new() }
                }
            }
        })
    }

    /// Leaves a trace of having cleaned up, for tests, and takes as long as they say.
    fn close(&self) -> Future<'_, Vec<String>> {
        Box::pin(async {
            let wait = std::env::var("CLEANUP_SECONDS").ok().and_then(|it| it.parse().ok()).unwrap_or(0.0);
            tokio::time::sleep(Duration::from_secs_f64(wait)).await;
            if let Ok(file) = std::env::var("CLEANUP_FILE") {
                std::fs::write(file, "cleaned up").err().map(|error| error.to_string()).into_iter().collect()
            } else {
                Vec::new()
            }
        })
    }
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let mut offer = Offer::new().with(Fixtures);
    if let Ok(file) = std::env::var("CALL_LOG") {
        offer = offer.logged(CallLog::begin_file(file.as_ref(), Secrets::none().into())?);
    }
    let offer = offer.ready();
    let troubles = match std::env::args().nth(1) {
        Some(port) => {
            let port = port.parse().map_err(std::io::Error::other)?;
            let options = HttpOptions {
                address: ([127, 0, 0, 1], port).into(),
                // The suite brings no token.
                ..HttpOptions::new(Admission::everyone())
            };
            serve_http(offer, options, |url| println!("{url}")).await?
        }
        None => serve_stdio(offer).await?,
    };
    for trouble in &troubles {
        eprintln!("{trouble}");
    }
    std::process::exit(i32::from(!troubles.is_empty()))
}
