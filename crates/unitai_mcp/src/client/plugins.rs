//! The host of the project's plugins: a Python process that is kept from test to test.
//!
//! It speaks MCP and has three tools that it does not list: `_unitai_open` makes the instances of a test and tells their
//! tools, `_unitai_close` cleans them up, and `_unitai_shutdown` cleans up those that live as long as the session. A test
//! has a host for itself; one that hangs is killed, and the next test gets another.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::time::{Instant, timeout};
use unitai_model::value::Value;
use unitai_spec::data::to_json;
use unitai_spec::document::{Arguments, Place, Server, ServerKind};
use unitai_spec::run::{Called, Future, Plugin, Tool, ToolServer};

use super::connection::Connection;
use super::lifecycle::Begin;
use super::servers::{Settings, Target};

/// What tests call the host.
const NAME: &str = "plugins";
/// Where plugins are, below the project's root.
pub const PLUGINS: &str = "tests/llm/plugins";
/// How long the host may take to start and to load them.
const TO_START: Duration = Duration::from_secs(30);
/// How long the cleanup of one plugin may take; the host itself ends it at that.
const TO_CLEAN: Duration = Duration::from_secs(5);

/// Hosts that wait for the next test.
#[derive(Debug, Default)]
pub(super) struct Pool(Mutex<Vec<Host>>);

/// A host, and the files that it was started with.
struct Host {
    connection: Connection,
    files: Files,
}

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Host").field("files", &self.files).finish_non_exhaustive()
    }
}

/// The files of plugins, with the time of their last change.
type Files = Vec<(String, Option<SystemTime>)>;

impl Pool {
    /// The plugins of a project for one test; nothing if it has none.
    pub(super) async fn open(pool: &Arc<Pool>, settings: &Settings) -> Option<Result<Plugins, String>> {
        let files = files(&settings.root);
        if files.is_empty() {
            return None;
        }
        while let Some(host) = pool.take() {
            // One that died, or that has loaded what is not there any more, gives way to a new one.
            if host.files == files
                && !host.connection.is_dead()
                && let Ok(plugins) = Plugins::open(host, pool.clone()).await
            {
                return Some(Ok(plugins));
            }
        }
        Some(match start(settings).await {
            Ok(connection) => Plugins::open(Host { connection, files }, pool.clone()).await,
            Err(message) => Err(message),
        })
    }

    /// Ends all hosts; gives what went wrong.
    pub(super) async fn shutdown(&self) -> Vec<String> {
        let mut troubles = Vec::new();
        while let Some(host) = self.take() {
            troubles.extend(host.shutdown().await);
        }
        troubles
    }

    fn take(&self) -> Option<Host> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    fn put(&self, host: Host) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(host);
    }
}

impl Host {
    /// How long the cleanup of all of its plugins may take.
    fn limit(&self) -> Duration {
        TO_CLEAN * u32::try_from(self.files.len()).unwrap_or(u32::MAX).min(12) + Duration::from_secs(1)
    }

    /// Cleans up what lives as long as the session, and ends the host; gives what went wrong.
    async fn shutdown(self) -> Vec<String> {
        let limit = self.limit();
        let Ok(called) = timeout(limit, self.connection.call_tool("_unitai_shutdown", Vec::new())).await
        else {
            self.connection.kill().await;
            return vec![format!("plugins: their cleanup took more than {} seconds", limit.as_secs())];
        };
        let mut troubles = troubles_of(&called);
        if self.connection.is_given_up() {
            // Whoever is still at work there is not waited for.
            self.connection.kill().await;
        } else {
            troubles.extend(self.connection.end().await);
        }
        troubles
    }
}

/// The plugins of one test.
pub(super) struct Plugins {
    host: Host,
    pool: Arc<Pool>,
    tools: Vec<Tool>,
    plugins: Vec<Plugin>,
    troubles: Vec<String>,
}

impl Plugins {
    async fn open(host: Host, pool: Arc<Pool>) -> Result<Plugins, String> {
        let why = match timeout(TO_START, host.connection.call_tool("_unitai_open", Vec::new())).await {
            Ok(Called::Returned { value, .. }) => {
                let json = to_json(&value);
                let listed = |name: &str| json[name].as_array().cloned().unwrap_or_default();
                // A test may clean a plugin up by itself.
                let tools = listed("tools").iter().chain(&listed("cleanups")).filter_map(tool).collect();
                let plugins = listed("plugins").iter().filter_map(plugin).collect();
                let troubles = texts(&json["troubles"]);
                return Ok(Plugins { host, pool, tools, plugins, troubles });
            }
            Ok(Called::Failed { message, details }) => format!("{message}\n{details}"),
            Err(_) => format!("they did not load within {} seconds", TO_START.as_secs()),
        };
        host.connection.kill().await;
        Err(format!("the plugins in {PLUGINS} could not be opened: {}", why.trim_end()))
    }

    async fn end(self) -> Vec<String> {
        if self.host.connection.is_dead() {
            return self.host.connection.end().await;
        }
        // The thread of a call that was given up may still be at work, so this host is not used again.
        let is_given_up = self.host.connection.is_given_up();
        let limit = if is_given_up { TO_CLEAN } else { self.host.limit() };
        let closed = timeout(limit, self.host.connection.call_tool("_unitai_close", Vec::new())).await;
        let Ok(called) = closed else {
            self.host.connection.kill().await;
            return vec![format!(
                "plugins: their cleanup took more than {} seconds and was ended",
                limit.as_secs()
            )];
        };
        let mut troubles = troubles_of(&called);
        match (called, is_given_up) {
            (Called::Returned { .. }, false) => self.pool.put(self.host),
            (Called::Returned { .. }, true) => troubles.extend(self.host.shutdown().await),
            (Called::Failed { .. }, _) => self.host.connection.kill().await,
        }
        troubles
    }
}

impl ToolServer for Plugins {
    fn name(&self) -> &str {
        NAME
    }

    fn tools(&self) -> &[Tool] {
        &self.tools
    }

    fn troubles(&self) -> &[String] {
        &self.troubles
    }

    fn plugins(&self) -> &[Plugin] {
        &self.plugins
    }

    fn call<'a>(&'a self, tool: &'a str, args: Arguments) -> Future<'a, Called> {
        Box::pin(self.host.connection.call_tool(tool, args))
    }

    fn close<'a>(self: Box<Self>) -> Future<'a, Vec<String>>
    where
        Self: 'a,
    {
        Box::pin(self.end())
    }
}

async fn start(settings: &Settings) -> Result<Connection, String> {
    let python = settings.python.as_ref().map_or_else(|| "python3".to_owned(), |it| it.display().to_string());
    let root = std::path::absolute(&settings.root).unwrap_or_else(|_| settings.root.clone());
    let words = [python, "-m".to_owned(), "unitai.llm.host".to_owned(), root.display().to_string()];
    let server = Server {
        name: NAME.to_owned(),
        kind: ServerKind::Command { command: words.to_vec(), env: Vec::new(), cwd: String::new() },
        protocol: String::new(),
        start_timeout: TO_START.as_secs_f64(),
        place: Place::default(),
    };
    let target = Target::new(&server, settings);
    let failed = target.attempt(&Begin::Handshake, Instant::now() + TO_START).await;
    failed.map_err(|failed| format!("the host of plugins did not start: {}", failed.message))
}

fn tool(json: &serde_json::Value) -> Option<Tool> {
    Some(Tool {
        name: json["name"].as_str()?.to_owned(),
        description: json["description"].as_str().unwrap_or_default().to_owned(),
        input_schema: json
            .get("inputSchema")
            .cloned()
            .unwrap_or_else(|| serde_json::json!({"type": "object"})),
    })
}

fn plugin(json: &serde_json::Value) -> Option<Plugin> {
    let text = |key: &str| json[key].as_str().map(str::to_owned);
    Some(Plugin { name: text("name")?, file: text("filename")?, tools: texts(&json["tools"]) })
}

fn troubles_of(called: &Called) -> Vec<String> {
    match called {
        Called::Returned { value: value @ Value::Dict(_), .. } => texts(&to_json(value)["troubles"]),
        Called::Returned { .. } => Vec::new(),
        Called::Failed { message, .. } => vec![format!("plugins: {message}")],
    }
}

fn texts(json: &serde_json::Value) -> Vec<String> {
    json.as_array().into_iter().flatten().filter_map(|it| it.as_str()).map(str::to_owned).collect()
}

/// The files that may hold plugins, by name.
fn files(root: &Path) -> Files {
    let Ok(entries) = std::fs::read_dir(root.join(PLUGINS)) else { return Files::new() };
    let mut files: Files = entries
        .flatten()
        .filter_map(|entry| {
            Some((entry.file_name().to_str()?.to_owned(), entry.metadata().ok()?.modified().ok()))
        })
        .filter(|(name, _)| name.ends_with(".py") && !name.starts_with('_'))
        .collect();
    files.sort();
    files
}
