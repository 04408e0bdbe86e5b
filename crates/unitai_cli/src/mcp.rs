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
use unitai_mcp::server::authoring::{Author, Code, Draft, DraftRequest};
use unitai_mcp::server::{Admission, CallLog, Caller, HttpOptions, Offer, project, serve_http, serve_stdio};
use unitai_spec::run::Future;
use unitai_wire::redact::Secrets;
use unitai_wire::{gate, token};

use crate::say;
use crate::yaml::models::{Models, Wanted};

pub(crate) const EXAMPLES: &str = "Examples:
  unitai mcp                               serve over standard streams, as clients start it
  unitai mcp --http 8123                   serve over HTTP; prints its address and a token
  unitai mcp --root shop --log calls.jsonl another project, and a line of JSON for every call
  claude mcp add llm_pytest -- unitai mcp  let Claude Code write and run tests

It offers what YAML tests call (http_get, assert_equals, ...), the tools of the plugins in
tests/llm/plugins, and create_test, validate_test, list_tests, list_plugins and run_test.
Files are read below the root, and written below tests/llm only. Over HTTP every request must
bring the token, must name this machine or what --allow-host says, and must not come from a
page of another machine. Tests over HTTP start no programs without --allow-programs.";

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
    /// The token that every request must bring [default: one that is made now and printed]. Other users of this
    /// machine can read arguments; a file is safer
    #[arg(long, value_name = "TOKEN", num_args = 0..=1, default_missing_value = "", requires = "http", conflicts_with = "token_file")]
    token: Option<String>,
    /// Take the token from this file; one is made if the file is not there
    #[arg(long, value_name = "FILE", requires = "http")]
    token_file: Option<PathBuf>,
    /// Let tests over HTTP start programs (a server's `command`, plugins that are links out of the project). Whoever has
    /// the token can then run anything as you
    #[arg(long, requires = "http")]
    allow_programs: bool,
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
            let author = Arc::new(ConfiguredAuthor { root: root.clone() });
            let offer = project(settings, self.caller(), environment(), secrets, author)?;
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

    fn caller(&self) -> Caller {
        match self.http {
            None => Caller::User,
            Some(_) => Caller::Client { allow_programs: self.allow_programs },
        }
    }

    /// How to serve over HTTP, if that is wanted, and the token if it was made to be shown.
    fn http_options(&self, secrets: &Secrets) -> Result<Option<(HttpOptions, Option<String>)>, String> {
        let Some(address) = &self.http else { return Ok(None) };
        let (token, is_shown) = match (&self.token_file, self.token.as_deref()) {
            (Some(file), _) => (token_of(file)?, false),
            (None, None | Some("")) => (token::make().map_err(|error| error.to_string())?, true),
            (None, Some(given)) => (checked(given).map_err(|why| format!("--token: {why}"))?, false),
        };
        secrets.learn(&token);
        let mut admission = Admission::with_token(&token);
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
        let options = HttpOptions { address: parsed(address)?, ..HttpOptions::new(admission) };
        Ok(Some((options, is_shown.then_some(token))))
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

/// A token that is hard to guess and can stand in a header.
fn checked(token: &str) -> Result<String, String> {
    let is_good = token.len() >= SHORTEST_TOKEN && token.bytes().all(|byte| byte.is_ascii_graphic());
    match is_good {
        true => Ok(token.to_owned()),
        false => {
            Err(format!("invalid token: expected at least {SHORTEST_TOKEN} letters and digits on one line"))
        }
    }
}

/// The token of a file, which is made if it is not there.
fn token_of(file: &Path) -> Result<String, String> {
    let shown = file.display();
    match fs::File::open(file) {
        Ok(opened) => {
            if let Some(warning) = known_to_others(&opened, file)? {
                say::note(&warning);
            }
            let text = io::read_to_string(opened);
            let text = text.map_err(|error| format!("{shown} could not be read: {error}"))?;
            checked(text.trim()).map_err(|why| format!("{shown}: {why}; delete it and one is made"))
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

/// The warning about a token that another user of this machine can read. One that another user can write is an error.
#[cfg(unix)]
fn known_to_others(opened: &fs::File, file: &Path) -> Result<Option<String>, String> {
    use std::os::unix::fs::MetadataExt as _;

    let shown = file.display();
    let found = opened.metadata().map_err(|error| format!("{shown} could not be read: {error}"))?;
    let (mode, owner) = (found.mode() & 0o777, found.uid());
    let to_do = format!("to do: delete it and one is made, or chmod 600 {shown}");
    // Pipes and devices are what the shell makes of `<(...)`.
    if !found.is_file() {
        return Ok(None);
    }
    if ![0, rustix::process::geteuid().as_raw()].contains(&owner) {
        return Err(format!(
            "{shown} belongs to another user (number {owner}), who knows the token\n  to do: name another file, and one is made"
        ));
    }
    if mode & 0o022 != 0 {
        return Err(format!(
            "others may write the token in {shown} (mode {mode:o}, expected 600)\n  {to_do}"
        ));
    }
    let is_private = mode & 0o077 == 0;
    Ok((!is_private).then(|| {
        format!("warning: others may read the token in {shown} (mode {mode:o}, expected 600)\n  to do: chmod 600 {shown}")
    }))
}

#[cfg(not(unix))]
fn known_to_others(_: &fs::File, _: &Path) -> Result<Option<String>, String> {
    Ok(None)
}

/// Writes tests with the judge that the project configures, which is opened for each draft.
struct ConfiguredAuthor {
    root: PathBuf,
}

impl Author for ConfiguredAuthor {
    fn write<'a>(&'a self, request: &'a DraftRequest<'a>) -> Future<'a, Result<Draft, String>> {
        Box::pin(async move {
            let draft = Models::open(&self.root, Wanted::default())?.author().draft(request).await?;
            let plugin = draft.plugin.as_ref().map_or("", |Code { text, .. }| text);
            match unitai_lint::run::deep(|| unitai_lint::syntax_error(plugin)) {
                Some(why) => {
                    Err(format!("nothing was written: the plugin of the model is not valid Python: {why}"))
                }
                None => Ok(draft),
            }
        })
    }
}

fn announce(url: &str, token: Option<&str>, root: &Path) {
    // Programs read the address from the first line.
    let _ = say::say(url);
    if let Some(token) = token {
        let _ = say::print_exactly(&format!("Authorization: Bearer {token}"));
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
            assert!(token_of(&file).unwrap_err().contains("invalid token"), "{wrong}");
        }
    }
}
