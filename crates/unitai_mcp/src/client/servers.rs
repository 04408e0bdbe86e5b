//! Starts the servers of tests and connects to them.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::{HeaderName, HeaderValue};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use tokio::time::{Instant, timeout_at};
use unitai_spec::document::{Server, ServerKind};
use unitai_spec::run::{Connector, Future, ToolServer};

use super::connection::Connection;
use super::lifecycle::{Begin, NotBegun};
use super::plugins::Pool;
use super::process::{Held, Process, Started, indented};
use super::stdio::Streams;

/// The longest wait that makes sense.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 60 * 60);

/// What servers are started with.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The project: where commands start, what servers are told, and where plugins are looked for.
    pub root: PathBuf,
    /// The Python that runs the host of plugins; none: `python3`.
    pub python: Option<PathBuf>,
    /// Variables that every child process gets on top of ours.
    pub env: Vec<(String, String)>,
}

impl Settings {
    /// For a project, with nothing special.
    pub fn new(root: impl Into<PathBuf>) -> Settings {
        Settings { root: root.into(), python: None, env: Vec::new() }
    }
}

/// The servers of tests. Must be used within a tokio runtime.
#[derive(Debug)]
pub struct Servers {
    settings: Settings,
    /// Servers that turned out to be old, so that they are not asked again for the newest version.
    old: Mutex<HashSet<String>>,
    plugins: Arc<Pool>,
}

impl Servers {
    /// None is started yet.
    pub fn new(settings: Settings) -> Servers {
        // HTTPS needs one; another one that is there already is good, too.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Servers { settings, old: Mutex::default(), plugins: Arc::default() }
    }

    /// Ends the hosts of plugins that are kept for the next test: their session is over. Gives what went wrong.
    pub async fn shutdown(&self) -> Vec<String> {
        self.plugins.shutdown().await
    }

    async fn open(&self, server: &Server) -> Result<Connection, String> {
        let wrong = |message: String| format!("server `{}`: {message}", server.name);
        let asked = Begin::asked(&server.protocol).map_err(wrong)?;
        let target = Target::new(server, &self.settings);
        let key = target.key();
        let is_old = self.old.lock().unwrap_or_else(PoisonError::into_inner).contains(&key);
        let begins = match asked {
            Begin::Newest if is_old => vec![Begin::Handshake],
            Begin::Newest => vec![Begin::Newest, Begin::Handshake],
            exactly => vec![exactly],
        };
        let until = Instant::now() + wait(server.start_timeout);
        let mut begins = begins.into_iter().peekable();
        while let Some(begin) = begins.next() {
            match target.attempt(&begin, until).await {
                Ok(connection) => {
                    if connection.version().is_some_and(|version| version.has_initialize()) {
                        self.old.lock().unwrap_or_else(PoisonError::into_inner).insert(key);
                    }
                    return Ok(connection);
                }
                Err(failed) if !failed.may_be_old || begins.peek().is_none() => {
                    return Err(format!("server `{}` did not start: {}", server.name, failed.message));
                }
                Err(_) => {}
            }
        }
        Err(wrong("it did not start".to_owned()))
    }
}

impl Connector for Servers {
    fn connect<'a>(&'a self, server: &'a Server) -> Future<'a, Result<Box<dyn ToolServer>, String>> {
        Box::pin(async move { Ok(Box::new(self.open(server).await?) as Box<dyn ToolServer>) })
    }

    fn plugins<'a>(&'a self) -> Future<'a, Option<Result<Box<dyn ToolServer>, String>>> {
        Box::pin(async move {
            let server = Pool::open(&self.plugins, &self.settings).await?;
            Some(server.map(|server| Box::new(server) as Box<dyn ToolServer>))
        })
    }
}

/// Where a server is to be found.
pub(super) struct Target<'a> {
    server: &'a Server,
    settings: &'a Settings,
}

impl<'a> Target<'a> {
    pub(super) fn new(server: &'a Server, settings: &'a Settings) -> Target<'a> {
        Target { server, settings }
    }

    /// What tells it from others, whatever tests call it.
    fn key(&self) -> String {
        format!("{:?}", self.server.kind)
    }

    /// Tries to begin a connection. What was started for one that fails is gone.
    pub(super) async fn attempt(&self, begin: &Begin, until: Instant) -> Result<Connection, NotBegun> {
        match &self.server.kind {
            ServerKind::Command { command, env, cwd } => self.start(command, env, cwd, begin, until).await,
            ServerKind::Url { url, headers } => self.reach(url, headers, begin, until).await,
        }
    }

    async fn start(
        &self,
        command: &[String],
        env: &[(String, String)],
        cwd: &str,
        begin: &Begin,
        until: Instant,
    ) -> Result<Connection, NotBegun> {
        let env = [&self.settings.env, env].concat();
        let Started { process, stdin, stdout } =
            Process::start(command, &env, &self.settings.root.join(cwd)).map_err(final_word)?;
        let Held(looked_at) = &process;
        let streams = Streams::new(looked_at.clone(), stdin, stdout);
        let opening = Connection::open(&self.server.name, streams, begin, &self.settings.root);
        let mut failed = match timeout_at(until, opening).await {
            Ok(Ok(connection)) => return Ok(connection.with_process(process)),
            Ok(Err(failed)) => failed,
            Err(_) => self.late(),
        };
        if failed.may_be_old
            && let Some(ending) = looked_at.ending().await
        {
            failed.message = format!("it {ending} before it answered");
        }
        failed.message.push_str(&indented(&looked_at.words()));
        looked_at.kill().await;
        Err(failed)
    }

    async fn reach(
        &self,
        url: &str,
        headers: &[(String, String)],
        begin: &Begin,
        until: Instant,
    ) -> Result<Connection, NotBegun> {
        let headers =
            headers.iter().map(|(name, value)| header(name, value)).collect::<Result<HashMap<_, _>, _>>();
        let config =
            StreamableHttpClientTransportConfig::with_uri(url).custom_headers(headers.map_err(final_word)?);
        let transport = StreamableHttpClientTransport::from_config(config);
        let opening = Connection::open(&self.server.name, transport, begin, &self.settings.root);
        let mut failed = match timeout_at(until, opening).await {
            Ok(Ok(connection)) => return Ok(connection),
            Ok(Err(failed)) => failed,
            Err(_) => self.late(),
        };
        failed.message.push_str(&format!("\n  url: {url}"));
        Err(failed)
    }

    fn late(&self) -> NotBegun {
        let limit = self.server.start_timeout;
        final_word(format!("it did not answer within {limit} seconds; `start_timeout` gives it more"))
    }
}

/// A failure that another way to begin would not mend.
fn final_word(message: String) -> NotBegun {
    NotBegun { message, may_be_old: false }
}

fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), String> {
    let known = HeaderName::try_from(name).map_err(|_| format!("`{name}` cannot be the name of a header"))?;
    // The value may be a secret, so it is not shown.
    let mut said = HeaderValue::try_from(value)
        .map_err(|_| format!("header `{name}` has a value that HTTP cannot send"))?;
    said.set_sensitive(true);
    Ok((known, said))
}

fn wait(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(LONGEST_WAIT).min(LONGEST_WAIT)
}
