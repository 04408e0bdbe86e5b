//! Claude Code: the program `claude`, in its mode without a terminal.
//!
//! Its own tools are off, its memory and hooks are off, and it runs in an empty folder, so that only what is asked is
//! answered. A login stays the user's: `--bare`, which is quickest, reads no login and is used only where a key is in the
//! environment.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};
use unitai_spec::run::Future;

use super::claude_said::{self, Answer};
use super::process::{Ended, Order, PrivateFolder, Watch, run};
use super::program::{Program, SERVER};
use crate::{Ask, Drive, Identity, Provider, Reach, Said, Trouble};

const NAME: &str = "claude-code";

/// Set where the user has set nothing: nothing but the question leaves this machine, servers are waited for, and what does
/// not work is told within the time of a test.
const ENVIRONMENT: &[(&str, &str)] = &[
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ("DISABLE_AUTOUPDATER", "1"),
    ("DISABLE_TELEMETRY", "1"),
    ("DISABLE_ERROR_REPORTING", "1"),
    ("CLAUDE_CODE_DISABLE_CLAUDE_MDS", "1"),
    ("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1"),
    ("MCP_CONNECTION_NONBLOCKING", "0"),
    ("MCP_CONNECT_TIMEOUT_MS", "60000"),
    ("MCP_TIMEOUT", "60000"),
    ("CLAUDE_CODE_MAX_RETRIES", "2"),
];

/// The program `claude`.
///
/// ```
/// use unitai_judge::Provider;
/// use unitai_judge::providers::claude_code::ClaudeCode;
/// assert_eq!(ClaudeCode::new("claude", "sonnet").name(), "claude-code");
/// ```
#[derive(Debug)]
pub struct ClaudeCode(Program);

impl ClaudeCode {
    /// The program at a path, or of a name that is looked up; with its own model if none is given.
    pub fn new(program: impl Into<PathBuf>, model: impl Into<String>) -> ClaudeCode {
        ClaudeCode(Program::new(NAME, program, model))
    }

    /// Gives it another value of a variable than this process has, or takes the variable away.
    #[must_use]
    pub fn with_variable(mut self, name: &str, value: Option<&str>) -> ClaudeCode {
        self.0.set(name, value);
        self
    }

    /// The arguments that every question has.
    fn arguments(&self, system: &str, schema: &Value) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = vec!["-p".into()];
        if self.0.variable("ANTHROPIC_API_KEY").is_some() {
            arguments.push("--bare".into());
        } else {
            arguments.extend(["--settings".into(), json!({"disableAllHooks": true}).to_string().into()]);
        }
        arguments.extend(["--tools", "", "--strict-mcp-config", "--no-session-persistence"].map(Into::into));
        arguments.extend(["--system-prompt".into(), system.into()]);
        arguments.extend(["--json-schema".into(), schema.to_string().into()]);
        if !self.0.model.is_empty() {
            arguments.extend(["--model".into(), self.0.model.clone().into()]);
        }
        arguments
    }

    async fn run(
        &self,
        folder: &PrivateFolder,
        arguments: Vec<OsString>,
        input: &str,
        limit: Duration,
        watch: Option<Watch<'_>>,
    ) -> Result<Ended, Trouble> {
        let mut environment = self.0.environment(ENVIRONMENT);
        // It keeps logs of servers by the folder that it runs in, which is another one each time.
        environment.push(("XDG_CACHE_HOME".to_owned(), Some(folder.path().join("cache").into())));
        // And it leaves a folder where temporary ones are.
        environment.push(("CLAUDE_CODE_TMPDIR".to_owned(), Some(folder.path().into())));
        let work = folder.path().join("work");
        std::fs::create_dir_all(&work).map_err(|error| self.0.broken(&format!("has no folder: {error}")))?;
        run(&Order {
            provider: NAME,
            program: &self.0.path,
            arguments,
            environment,
            folder: &work,
            input,
            limit,
            watch,
        })
        .await
    }

    async fn asked(&self, ask: &Ask<'_>) -> Result<Said, Trouble> {
        let folder = PrivateFolder::new()?;
        let mut arguments = self.arguments(ask.system, ask.schema);
        arguments.extend(["--output-format", "json"].map(Into::into));
        let ended = self.run(&folder, arguments, ask.prompt, ask.timeout, None).await?;
        claude_said::read(&ended, &self.0.model, Answer::Asked)
    }

    async fn driven(&self, drive: &Drive<'_>, reach: &Reach) -> Result<Said, Trouble> {
        let folder = PrivateFolder::new()?;
        let authorization = format!("Bearer {}", reach.token);
        let server = json!({"type": "http", "url": reach.url, "headers": {"Authorization": authorization}});
        let config = folder.write("mcp.json", &json!({"mcpServers": {SERVER: server}}).to_string())?;
        let mut arguments = self.arguments(drive.system, drive.schema);
        arguments.extend(["--mcp-config".into(), config.into()]);
        arguments.extend(["--allowedTools".into(), format!("mcp__{SERVER}__*").into()]);
        arguments.extend(["--max-turns".into(), drive.turns.to_string().into()]);
        arguments.extend(["--output-format", "stream-json", "--verbose"].map(Into::into));
        let watch = |line: &str| claude_said::unreached(line);
        let ended = self.run(&folder, arguments, drive.prompt, drive.timeout, Some(&watch)).await?;
        claude_said::read(&ended, &self.0.model, Answer::Driven)
    }
}

impl Provider for ClaudeCode {
    fn name(&self) -> &'static str {
        NAME
    }

    fn identity(&self) -> Future<'_, Result<Identity, Trouble>> {
        Box::pin(self.0.identity(None))
    }

    fn ask<'a>(&'a self, ask: &'a Ask<'a>) -> Future<'a, Result<Said, Trouble>> {
        Box::pin(self.asked(ask))
    }

    fn drive<'a>(&'a self, drive: &'a Drive<'a>, reach: &'a Reach) -> Future<'a, Result<Said, Trouble>> {
        Box::pin(self.driven(drive, reach))
    }
}
