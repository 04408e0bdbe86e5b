//! What the providers that are programs have in common: where the program is, its surroundings, and its version.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::OnceCell;

use super::process::{Order, PrivateFolder, run, tail};
use crate::{Identity, Trouble};

/// The name of our server of MCP, as it is for the original of YAML tests.
pub const SERVER: &str = "llm_pytest";
/// How long a program may take to say its version. Some unpack themselves first.
const TO_SAY_VERSION: Duration = Duration::from_secs(60);

/// A program that can be asked.
#[derive(Debug)]
pub struct Program {
    /// The provider's name.
    pub provider: &'static str,
    /// The file to run, or a name that is looked up on the path.
    pub path: PathBuf,
    /// The model that it is asked for; empty where it chooses.
    pub model: String,
    changed: BTreeMap<String, Option<String>>,
    version: OnceCell<String>,
}

impl Program {
    /// A program in the surroundings of this process.
    pub fn new(provider: &'static str, path: impl Into<PathBuf>, model: impl Into<String>) -> Program {
        Program {
            provider,
            path: path.into(),
            model: model.into(),
            changed: BTreeMap::new(),
            version: OnceCell::new(),
        }
    }

    /// Gives it another value of a variable than this process has, or takes the variable away.
    pub fn set(&mut self, name: &str, value: Option<&str>) {
        self.changed.insert(name.to_owned(), value.map(str::to_owned));
    }

    /// The value of a variable, as the program will see it. An empty one is none.
    pub fn variable(&self, name: &str) -> Option<String> {
        let value = match self.changed.get(name) {
            Some(changed) => changed.clone(),
            None => std::env::var(name).ok(),
        };
        value.filter(|it| !it.is_empty())
    }

    /// Its environment: our own settings, where the user has none. Loopback is never reached through a proxy.
    pub fn environment(&self, ours: &[(&str, &str)]) -> Vec<(String, Option<OsString>)> {
        let mut environment: Vec<_> = self
            .changed
            .iter()
            .map(|(name, value)| (name.clone(), value.clone().map(OsString::from)))
            .collect();
        for (name, value) in ours {
            if self.variable(name).is_none() {
                environment.push(((*name).to_owned(), Some(OsString::from(value))));
            }
        }
        for name in ["NO_PROXY", "no_proxy"] {
            let theirs = self.variable(name).map(|it| format!("{it},")).unwrap_or_default();
            environment.push((name.to_owned(), Some(format!("{theirs}127.0.0.1,localhost").into())));
        }
        environment
    }

    /// Who answers, by what the program says of its version. One that keeps notes even then keeps them in a folder that is
    /// removed, which the variable `home` names to it.
    pub async fn identity(&self, home: Option<&str>) -> Result<Identity, Trouble> {
        let version = self.version.get_or_try_init(|| self.ask_version(home)).await?;
        Ok(Identity {
            provider: self.provider.to_owned(),
            model: self.model.clone(),
            version: version.clone(),
            program: String::new(),
        })
    }

    async fn ask_version(&self, home: Option<&str>) -> Result<String, Trouble> {
        let folder = PrivateFolder::new()?;
        let mut environment = self.environment(&[]);
        environment.extend(home.map(|it| (it.to_owned(), Some(folder.path().into()))));
        let ended = run(&Order {
            provider: self.provider,
            program: &self.path,
            arguments: vec!["--version".into()],
            environment,
            folder: folder.path(),
            input: "",
            limit: TO_SAY_VERSION,
            watch: None,
        })
        .await?;
        let said = ended.output.lines().map(str::trim).find(|line| !line.is_empty());
        match said {
            Some(version) if ended.is_success() => Ok(version.to_owned()),
            _ => Err(Trouble::Broken(format!(
                "{} does not say its version: `{} --version` {}",
                self.provider,
                self.path.display(),
                ended.told()
            ))),
        }
    }

    /// What is told of an answer that is none.
    pub fn broken(&self, what: &str) -> Trouble {
        Trouble::Broken(format!("{} {what}", self.provider))
    }
}

/// The objects of an output: one in each line, one over many, or a list of them. What is no JSON is left out.
pub fn events(output: &str) -> Vec<Value> {
    if let Ok(whole) = serde_json::from_str(output) {
        return match whole {
            Value::Array(events) => events,
            Value::Object(_) => vec![whole],
            _ => Vec::new(),
        };
    }
    output
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(Value::is_object)
        .collect()
}

/// A text of an event; empty if there is none.
pub fn text<'a>(event: &'a Value, name: &str) -> &'a str {
    event.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Something of an output for people, when it is not what was expected.
pub fn shown(output: &str) -> String {
    match &*tail(output) {
        "" => "nothing on standard output".to_owned(),
        words => format!("on standard output: {words}"),
    }
}

/// A prompt for a program that cannot be held to a schema: it is told.
pub fn with_schema(prompt: &str, schema: &Value) -> String {
    format!(
        "{prompt}\n\nAnswer with one JSON object and nothing else. It must fit this JSON schema:\n{schema}\n"
    )
}
