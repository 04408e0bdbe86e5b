//! Calls a tool of a server: `call [--protocol V] COMMAND... -- TOOL [JSON]`, or a URL in place of the command. Without a
//! tool it lists them.

#![expect(clippy::print_stdout, reason = "its result is for people")]

use std::process::ExitCode;
use std::time::Instant;

use unitai_mcp::client::{Servers, Settings};
use unitai_model::value::Value;
use unitai_spec::data::{from_json, key_text};
use unitai_spec::document::{Place, Server, ServerKind};
use unitai_spec::run::{Called, Connector};

#[tokio::main]
async fn main() -> ExitCode {
    match called(std::env::args().skip(1).collect()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn called(mut words: Vec<String>) -> Result<(), String> {
    let mut protocol = String::new();
    if words.len() > 1 && words[0] == "--protocol" {
        protocol = words.drain(..2).nth(1).unwrap_or_default();
    }
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let rest: Vec<String> = words.drain(end..).skip(1).collect();
    let kind = match &words[..] {
        [url] if url.starts_with("http") => ServerKind::Url { url: url.clone(), headers: Vec::new() },
        _ => ServerKind::Command { command: words, env: Vec::new(), cwd: String::new() },
    };
    let server =
        Server { name: "example".to_owned(), kind, protocol, start_timeout: 30.0, place: Place::default() };
    let servers = Servers::new(Settings::new("."));
    let began = Instant::now();
    let connection = servers.connect(&server).await?;
    println!("connected in {} ms, {} tools", began.elapsed().as_millis(), connection.tools().len());
    if let [tool, json @ ..] = &rest[..] {
        let json = json.first().map_or("{}", String::as_str);
        let json: serde_json::Value = serde_json::from_str(json).map_err(|error| error.to_string())?;
        let Value::Dict(args) = from_json(&json) else { return Err("arguments are an object".to_owned()) };
        let args = args.into_iter().map(|(key, value)| (key_text(&key), value)).collect();
        let began = Instant::now();
        let called = connection.call(tool, args).await;
        println!("answered in {} ms", began.elapsed().as_millis());
        match called {
            Called::Returned { value, text } => println!("value: {value}\ntext: {text}"),
            Called::Failed { message, details } => println!("failed: {message}\n{details}"),
        }
    } else {
        for tool in connection.tools() {
            println!("{}: {}", tool.name, tool.description.lines().next().unwrap_or_default());
        }
    }
    let began = Instant::now();
    let troubles = connection.close().await;
    println!("closed in {} ms {troubles:?}", began.elapsed().as_millis());
    Ok(())
}
