//! Codex: the program `codex`, in its mode without a terminal.
//!
//! The user's login is used and the user's configuration is not: it could bring servers, tools and instructions of its own.
//! What we want is given as overrides on the command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use unitai_spec::run::Future;

use super::codex_said;
use super::process::{Ended, Order, PrivateFolder, run};
use super::program::{Program, SERVER};
use super::strict::strict;
use crate::{Ask, Drive, Identity, Provider, Reach, Said, Trouble};

const NAME: &str = "codex";
/// The variable that holds the token of our server: command lines can be seen by everybody on this machine.
const TOKEN: &str = "UNITAI_MCP_TOKEN";

/// Its own tools and habits, which are off. A name that a version does not know is only told.
const OVERRIDES: &[&str] = &[
    "approval_policy=\"never\"",
    "check_for_update_on_startup=false",
    "analytics.enabled=false",
    "web_search=\"disabled\"",
    "project_doc_max_bytes=0",
    "include_permissions_instructions=false",
    "include_environment_context=false",
    "include_apps_instructions=false",
    "skills.include_instructions=false",
    "skills.bundled.enabled=false",
    "features.shell_tool=false",
    "features.unified_exec=false",
    "features.view_image=false",
    "features.image_generation=false",
    "features.multi_agent=false",
    "features.goals=false",
    "features.apps=false",
    "features.plugins=false",
    "features.hooks=false",
    "features.memories=false",
    "features.browser_use=false",
    "features.computer_use=false",
];

/// The program `codex`.
///
/// ```
/// use unitai_judge::Provider;
/// use unitai_judge::providers::codex::Codex;
/// assert_eq!(Codex::new("codex", "").name(), "codex");
/// ```
#[derive(Debug)]
pub struct Codex(Program);

impl Codex {
    /// The program at a path, or of a name that is looked up; with its own model if none is given.
    pub fn new(program: impl Into<PathBuf>, model: impl Into<String>) -> Codex {
        Codex(Program::new(NAME, program, model))
    }

    /// Gives it another value of a variable than this process has, or takes the variable away.
    #[must_use]
    pub fn with_variable(mut self, name: &str, value: Option<&str>) -> Codex {
        self.0.set(name, value);
        self
    }

    /// The arguments that every question has.
    fn arguments(
        &self,
        folder: &PrivateFolder,
        system: &str,
        schema: &Value,
    ) -> Result<Vec<OsString>, Trouble> {
        let schema = folder.write("schema.json", &strict(schema).to_string())?;
        let system = folder.write("system.md", system)?;
        let mut arguments: Vec<OsString> = ["exec", "--json", "--ephemeral", "--skip-git-repo-check"]
            .into_iter()
            .chain(["--ignore-user-config", "--ignore-rules", "--sandbox", "read-only", "--color", "never"])
            .map(Into::into)
            .collect();
        arguments.extend(["--output-schema".into(), schema.into()]);
        if !self.0.model.is_empty() {
            arguments.extend(["--model".into(), self.0.model.clone().into()]);
        }
        let system = Value::from(system.to_string_lossy()).to_string();
        let mut overrides: Vec<String> = OVERRIDES.iter().map(|it| (*it).to_owned()).collect();
        overrides.push(format!("model_instructions_file={system}"));
        overrides.extend(self.service());
        arguments.extend(overrides.into_iter().flat_map(|it| ["-c".into(), it.into()]));
        Ok(arguments)
    }

    /// Another address of the service, where the environment has one as OpenAI's own clients read it.
    fn service(&self) -> Vec<String> {
        let (Some(url), Some(_)) = (self.0.variable("OPENAI_BASE_URL"), self.0.variable("OPENAI_API_KEY"))
        else {
            return Vec::new();
        };
        let url = Value::from(url).to_string();
        let provider = format!(
            "model_providers.unitai={{name=\"unitai\",base_url={url},env_key=\"OPENAI_API_KEY\",wire_api=\"responses\",\
             request_max_retries=2,stream_max_retries=2}}"
        );
        vec!["model_provider=\"unitai\"".to_owned(), provider]
    }

    async fn run(
        &self,
        folder: &PrivateFolder,
        arguments: Vec<OsString>,
        token: Option<&str>,
        input: &str,
        limit: Duration,
    ) -> Result<Ended, Trouble> {
        let mut environment = self.0.environment(&[]);
        environment.push((TOKEN.to_owned(), token.map(Into::into)));
        // A key alone is taken from this variable where nobody is logged in.
        if let (None, Some(key)) = (self.0.variable("CODEX_API_KEY"), self.0.variable("OPENAI_API_KEY")) {
            environment.push(("CODEX_API_KEY".to_owned(), Some(key.into())));
        }
        let work = folder.path().join("work");
        std::fs::create_dir_all(&work).map_err(|error| self.0.broken(&format!("has no folder: {error}")))?;
        let (program, provider) = (&self.0.path, NAME);
        run(&Order { provider, program, arguments, environment, folder: &work, input, limit, watch: None })
            .await
    }

    async fn asked(&self, ask: &Ask<'_>) -> Result<Said, Trouble> {
        let folder = PrivateFolder::new()?;
        let arguments = self.arguments(&folder, ask.system, ask.schema)?;
        let ended = self.run(&folder, arguments, None, ask.prompt, ask.timeout).await?;
        codex_said::read(&ended, &self.0.model)
    }

    async fn driven(&self, drive: &Drive<'_>, reach: &Reach) -> Result<Said, Trouble> {
        let folder = PrivateFolder::new()?;
        let mut arguments = self.arguments(&folder, drive.system, drive.schema)?;
        let url = Value::from(reach.url.as_str()).to_string();
        let seconds = drive.timeout.as_secs().max(1);
        let server = format!(
            "mcp_servers.{SERVER}={{url={url},bearer_token_env_var=\"{TOKEN}\",required=true,\
             default_tools_approval_mode=\"approve\",startup_timeout_sec=60,tool_timeout_sec={seconds}}}"
        );
        arguments.extend(["-c".into(), server.into()]);
        let token = Some(reach.token.as_str());
        let ended = self.run(&folder, arguments, token, drive.prompt, drive.timeout).await?;
        codex_said::read(&ended, &self.0.model)
    }
}

impl Provider for Codex {
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
