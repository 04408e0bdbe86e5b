//! `unitai mcp`: the project's tools for any client of the Model Context Protocol.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use std::{env, fs};

use clap::Args;
use unitai_config::root_above;
use unitai_mcp::client::Settings;
use unitai_mcp::server::{Admission, CallLog, HttpOptions, Offer, project, serve_http, serve_stdio};
use unitai_wire::redact::Secrets;
use unitai_wire::{gate, token};

use crate::say;

pub(crate) const EXAMPLES: &str = "Examples:
  unitai mcp                               serve over standard streams, as clients start it
  unitai mcp --http 8123 --token           serve over HTTP; prints its address and a token
  unitai mcp --root shop --log calls.jsonl another project, and a line of JSON for every call
  claude mcp add llm_pytest -- unitai mcp  let Claude Code write and run tests

It offers what YAML tests call (http_get, assert_equals, ...), the tools of the plugins in
tests/llm/plugins, and create_test, validate_test, list_tests, list_plugins and run_test.
Files are written below tests/llm only. Over HTTP, only requests are answered that name this
machine or what --allow-host says, and pages of other machines are refused.";

/// How long threads that wait for input are waited for at the end.
const TO_SHUT_DOWN: Duration = Duration::from_millis(100);

/// A token that is shorter can be guessed.
const SHORTEST_TOKEN: usize = 16;

/// The arguments of `unitai mcp`.
#[derive(Args)]
pub(crate) struct Mcp {
    /// Serve over HTTP, at this port or address; any free port if none is given
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = "0")]
    http: Option<String>,
    /// The project's root [default: the nearest folder above with pyproject.toml, unitai.toml, .git or the like]
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Write a line of JSON for every call
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Answer requests that name this host too (repeatable)
    #[arg(long, value_name = "HOST", requires = "http")]
    allow_host: Vec<String>,
    /// Let pages of this origin ask too, such as https://app.example (repeatable)
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    allow_origin: Vec<String>,
    /// Ask for a token, which is made now and printed
    #[arg(long, requires = "http", conflicts_with = "token_file")]
    token: bool,
    /// Ask for the token in this file; one is made if the file is not there
    #[arg(long, value_name = "FILE", requires = "http")]
    token_file: Option<PathBuf>,
}

impl Mcp {
    /// Serves until it is asked to end, and gives the exit code.
    pub(crate) fn run(&self, python: &str) -> i32 {
        match self.served(python) {
            Ok(troubles) => {
                troubles.iter().for_each(|trouble| say::note(trouble));
                i32::from(!troubles.is_empty())
            }
            Err(message) => {
                say::complain(&message);
                2
            }
        }
    }

    fn served(&self, python: &str) -> Result<Vec<String>, String> {
        let root = self.root()?;
        let secrets = Arc::new(say::of_environment());
        let http = self.http_options(&secrets)?;
        let log = self.log.as_deref().map(|file| {
            CallLog::begin_file(file, secrets.clone())
                .map_err(|error| format!("{} could not be begun: {error}; name another file", file.display()))
        });
        let log = log.transpose()?;
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = runtime.map_err(|error| format!("the system gave no threads: {error}"))?;
        let served = runtime.block_on(async {
            let settings = Settings { python: Some(python.into()), ..Settings::new(&root) };
            let offer = project(settings, environment(), secrets)?;
            let offer = log.into_iter().fold(offer, Offer::logged).ready();
            match http {
                None => serve_stdio(offer).await,
                Some((options, made)) => {
                    serve_http(offer, options, |url| announce(url, made.as_deref(), &root)).await
                }
            }
        });
        // Somebody may still wait for a line of the terminal, which need not come.
        runtime.shutdown_timeout(TO_SHUT_DOWN);
        served.map_err(|error| match (&self.http, error.kind()) {
            (Some(address), io::ErrorKind::AddrInUse) => {
                format!("{address} is in use already; name another port, or none for any that is free")
            }
            _ => error.to_string(),
        })
    }

    fn root(&self) -> Result<PathBuf, String> {
        match &self.root {
            Some(root) if root.is_dir() => Ok(root.clone()),
            Some(root) => Err(format!("--root {} is no folder", root.display())),
            None => {
                let here = env::current_dir();
                let here = here.map_err(|error| format!("the folder of this shell is gone: {error}"))?;
                Ok(root_above(&here).to_owned())
            }
        }
    }

    /// How to serve over HTTP, if that is wanted, and the token if it was made to be shown.
    fn http_options(&self, secrets: &Secrets) -> Result<Option<(HttpOptions, Option<String>)>, String> {
        let Some(address) = &self.http else { return Ok(None) };
        let mut admission = Admission::default();
        for host in &self.allow_host {
            admission = admission.with_host(host);
        }
        for origin in &self.allow_origin {
            if !origin.contains("://") || origin.ends_with('/') {
                return Err(format!(
                    "--allow-origin wants an origin such as https://app.example, and got {origin}"
                ));
            }
            admission = admission.with_origin(origin);
        }
        let token = match &self.token_file {
            Some(file) => Some(token_of(file)?),
            None if self.token => Some(token::make().map_err(|error| error.to_string())?),
            None => None,
        };
        if let Some(token) = &token {
            secrets.learn(token);
            admission = admission.with_token(token);
        }
        let made = token.filter(|_| self.token);
        Ok(Some((HttpOptions { address: parsed(address)?, admission, ..HttpOptions::default() }, made)))
    }
}

/// An address: a port of this machine, or an address with its port.
fn parsed(address: &str) -> Result<SocketAddr, String> {
    if let Ok(port) = address.parse::<u16>() {
        return Ok((Ipv4Addr::LOCALHOST, port).into());
    }
    let numbers = address.replace("localhost:", "127.0.0.1:");
    numbers
        .parse()
        .map_err(|_| format!("--http wants a port or an address such as 127.0.0.1:8123, and got {address}"))
}

/// The token of a file, which is made if it is not there.
fn token_of(file: &Path) -> Result<String, String> {
    let shown = file.display();
    match fs::read_to_string(file) {
        Ok(text) => {
            let text = text.trim();
            let is_good = text.len() >= SHORTEST_TOKEN && text.bytes().all(|byte| byte.is_ascii_graphic());
            if !is_good {
                let wanted = format!("at least {SHORTEST_TOKEN} letters and digits on one line");
                return Err(format!("{shown} holds no token: expected {wanted}; delete it and one is made"));
            }
            Ok(text.to_owned())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let made = token::make().map_err(|error| error.to_string())?;
            // The one file that is for a secret.
            let written = gate::write_private(file, format!("{made}\n").as_bytes(), &Secrets::none());
            written.map_err(|error| format!("{shown} could not be written: {error}"))?;
            Ok(made)
        }
        Err(error) => Err(format!("{shown} could not be read: {error}")),
    }
}

fn announce(url: &str, token: Option<&str>, root: &Path) {
    // Programs read the address from the first line.
    let _ = say::say(url);
    if let Some(token) = token {
        let _ = say::say(&format!("Authorization: Bearer {token}"));
    }
    say::note(&format!("serving the tools of {}; stop with Ctrl-C", root.display()));
}

/// What tests read as `${env.NAME}`.
fn environment() -> Vec<(String, String)> {
    let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
    env::vars_os().map(|(name, value)| (text(name), text(value))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_one_of_this_machine() {
        assert_eq!(parsed("8123").unwrap().to_string(), "127.0.0.1:8123");
        assert_eq!(parsed("localhost:1").unwrap().to_string(), "127.0.0.1:1");
        assert_eq!(parsed("0.0.0.0:1").unwrap().to_string(), "0.0.0.0:1");
        assert_eq!(parsed("[::1]:1").unwrap().to_string(), "[::1]:1");
        for wrong in ["", "99999", "example.com:80", "127.0.0.1", "http://127.0.0.1:1"] {
            assert!(parsed(wrong).unwrap_err().contains("--http wants"), "{wrong}");
        }
    }

    #[test]
    fn a_token_is_made_once_and_is_its_owners_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("secret/token");
        let made = token_of(&file).unwrap();
        assert_eq!((made.len(), token_of(&file).unwrap()), (64, made));
        #[cfg(unix)]
        assert_eq!(std::os::unix::fs::MetadataExt::mode(&fs::metadata(&file).unwrap()) & 0o777, 0o600);
        for wrong in ["", "short", "two words that are long enough", "line\nline line line line"] {
            fs::write(&file, wrong).unwrap();
            assert!(token_of(&file).unwrap_err().contains("holds no token"), "{wrong}");
        }
    }
}
