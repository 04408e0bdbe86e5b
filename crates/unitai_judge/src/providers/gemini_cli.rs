//! Gemini CLI: the program `gemini`, in its mode without a terminal.
//!
//! It takes settings from files alone, and keeps notes on every folder that it runs in, so it gets a private home. The files
//! of the user's login are linked there: whoever is logged in stays so, and a renewed login is kept where it was.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use unitai_spec::run::Future;

use super::gemini_said;
use super::process::{Ended, Order, PrivateFolder, run};
use super::program::{Program, SERVER, with_schema};
use crate::{Ask, Drive, Identity, Provider, Reach, Said, Trouble};

const NAME: &str = "gemini-cli";
/// The variable that says where it keeps its settings and notes.
const HOME: &str = "GEMINI_CLI_HOME";

/// The files of a login.
const LOGIN: &[&str] = &[
    "oauth_creds.json",
    "google_accounts.json",
    "google_account_id",
    "gemini-credentials.json",
    "mcp-oauth-tokens-v2.json",
    "installation_id",
    ".env",
];

/// The program `gemini`.
///
/// ```
/// use unitai_judge::Provider;
/// use unitai_judge::providers::gemini_cli::GeminiCli;
/// assert_eq!(GeminiCli::new("gemini", "gemini-2.5-flash").name(), "gemini-cli");
/// ```
#[derive(Debug)]
pub struct GeminiCli(Program);

impl GeminiCli {
    /// The program at a path, or of a name that is looked up; with its own model if none is given.
    pub fn new(program: impl Into<PathBuf>, model: impl Into<String>) -> GeminiCli {
        GeminiCli(Program::new(NAME, program, model))
    }

    /// Gives it another value of a variable than this process has, or takes the variable away.
    #[must_use]
    pub fn with_variable(mut self, name: &str, value: Option<&str>) -> GeminiCli {
        self.0.set(name, value);
        self
    }

    /// The folder in which the user's own settings and login are.
    fn own_folder(&self) -> Option<PathBuf> {
        let home = [HOME, "HOME", "USERPROFILE"].iter().find_map(|it| self.0.variable(it))?;
        Some(Path::new(&home).join(".gemini"))
    }

    /// Its settings: none of its own tools, no extensions, nobody told, and the server of the test if there is one.
    fn settings(&self, errand: Option<(&Reach, u32)>, limit: Duration) -> Value {
        let mut settings = json!({
            "privacy": {"usageStatisticsEnabled": false},
            "telemetry": {"enabled": false},
            "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false,
                        "disableAutoUpdate": true, "disableUpdateNag": true},
            "context": {"fileName": "no-such-file.md"},
            "hooksConfig": {"enabled": false},
            "skills": {"enabled": false},
            // All that may be called. An empty list would refuse the tools of servers too.
            "tools": {"core": [format!("mcp_{SERVER}_*")]},
        });
        if let Some(auth) = self.login() {
            settings["security"] = json!({"auth": {"selectedType": auth}});
        }
        if let Some((reach, turns)) = errand {
            settings["model"] = json!({"maxSessionTurns": turns});
            let authorization = format!("Bearer {}", reach.token);
            settings["mcpServers"] = json!({SERVER: {
                "httpUrl": reach.url,
                "headers": {"Authorization": authorization},
                "trust": true,
                "timeout": limit.as_millis() as u64,
            }});
        }
        settings
    }

    /// How the user is known to the service: as their own settings say, else by a key that is there.
    fn login(&self) -> Option<String> {
        let own = self.own_folder().map(|it| it.join("settings.json"));
        let own = own.and_then(|it| std::fs::read_to_string(it).ok());
        let own: Option<Value> = own.and_then(|it| serde_json::from_str(&it).ok());
        let chosen =
            own.as_ref().and_then(|it| it.pointer("/security/auth/selectedType")).and_then(Value::as_str);
        // It takes an address in the environment for a way to log in which it then does not know.
        chosen
            .map(str::to_owned)
            .or_else(|| self.0.variable("GEMINI_API_KEY").map(|_| "gemini-api-key".to_owned()))
    }

    async fn run(
        &self,
        system: &str,
        input: &str,
        errand: Option<(&Reach, u32)>,
        limit: Duration,
        format: &str,
    ) -> Result<Ended, Trouble> {
        let folder = PrivateFolder::new()?;
        let settings = self.settings(errand, limit);
        folder.write("home/.gemini/settings.json", &settings.to_string())?;
        let system = folder.write("system.md", system)?;
        let (home, work) = (folder.path().join("home"), folder.path().join("work"));
        std::fs::create_dir_all(&work).map_err(|error| self.0.broken(&format!("has no folder: {error}")))?;
        if let Some(own) = self.own_folder() {
            link(&own, &home.join(".gemini"));
        }
        let mut environment = self.0.environment(&[]);
        environment.push((HOME.to_owned(), Some(home.into())));
        environment.push(("GEMINI_SYSTEM_MD".to_owned(), Some(system.into())));
        // Without it, it starts itself once more with more memory.
        environment.push(("GEMINI_CLI_NO_RELAUNCH".to_owned(), Some("true".into())));
        let mut arguments: Vec<OsString> =
            ["--skip-trust", "--output-format", format, "--extensions", "none"].map(Into::into).to_vec();
        arguments.extend(["--allowed-mcp-server-names".into(), SERVER.into()]);
        if !self.0.model.is_empty() {
            arguments.extend(["--model".into(), self.0.model.clone().into()]);
        }
        let (program, provider) = (&self.0.path, NAME);
        run(&Order { provider, program, arguments, environment, folder: &work, input, limit, watch: None })
            .await
    }

    async fn asked(&self, ask: &Ask<'_>) -> Result<Said, Trouble> {
        let prompt = with_schema(ask.prompt, ask.schema);
        let ended = self.run(ask.system, &prompt, None, ask.timeout, "json").await?;
        gemini_said::read(&ended, &self.0.model)
    }

    async fn driven(&self, drive: &Drive<'_>, reach: &Reach) -> Result<Said, Trouble> {
        let prompt = with_schema(drive.prompt, drive.schema);
        let ended =
            self.run(drive.system, &prompt, Some((reach, drive.turns)), drive.timeout, "stream-json").await?;
        gemini_said::read(&ended, &self.0.model)
    }
}

/// Links what is there of a login. Where links cannot be made, it is not logged in and says so.
fn link(from: &Path, to: &Path) {
    for name in LOGIN {
        let own = from.join(name);
        if own.is_file() {
            #[cfg(unix)]
            let _ = std::os::unix::fs::symlink(&own, to.join(name));
            #[cfg(not(unix))]
            let _ = std::fs::copy(&own, to.join(name));
        }
    }
}

impl Provider for GeminiCli {
    fn name(&self) -> &'static str {
        NAME
    }

    fn identity(&self) -> Future<'_, Result<Identity, Trouble>> {
        Box::pin(self.0.identity(Some(HOME)))
    }

    fn ask<'a>(&'a self, ask: &'a Ask<'a>) -> Future<'a, Result<Said, Trouble>> {
        Box::pin(self.asked(ask))
    }

    fn drive<'a>(&'a self, drive: &'a Drive<'a>, reach: &'a Reach) -> Future<'a, Result<Said, Trouble>> {
        Box::pin(self.driven(drive, reach))
    }
}
