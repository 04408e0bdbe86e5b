//! The server of a project: the built-in tools, those of its plugins, and those that help to write tests. All that joins
//! the server with the engine stands here.

use std::path::Path;
use std::sync::Arc;

use unitai_spec::document::{self, Arguments, ProjectRoot, Reading, Spec, Trouble};
use unitai_spec::run::{Around, Called, Connector, Future, NoJudge, Run, Source, Stop, Tool, Unobserved};
use unitai_spec::tools::BuiltIn;
use unitai_wire::redact::Secrets;

use super::authoring::{Author, Authoring, Plugins, Tests};
use super::caller::{Caller, CallerServers};
use super::offer::{Offer, Offering};
use super::served::Served;
use crate::client::{Servers, Settings};

/// Everything that a project offers to a caller. What tests read as `${env.NAME}` is `env`; secrets are neither written
/// into tests nor told of their runs; `author` writes tests from descriptions.
///
/// ```
/// use std::sync::Arc;
/// use unitai_mcp::client::Settings;
/// use unitai_mcp::server::authoring::NoAuthor;
/// use unitai_mcp::server::{Caller, project};
///
/// # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
/// # runtime.block_on(async {
/// let offer = project(Settings::new("."), Caller::User, Vec::new(), Arc::default(), Arc::new(NoAuthor))?;
/// let names: Vec<&str> = offer.tools().await.iter().map(|tool| tool.name.as_str()).collect();
/// assert!(names.contains(&"http_get") && names.contains(&"run_test"));
/// # std::io::Result::Ok(())
/// # })?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn project(
    settings: Settings,
    caller: Caller,
    env: Vec<(String, String)>,
    secrets: Arc<Secrets>,
    author: Arc<dyn Author>,
) -> std::io::Result<Offer> {
    let root = ProjectRoot::new(&settings.root)?;
    let kept = Arc::new(Servers::new(settings));
    let servers = Arc::new(CallerServers { servers: kept.clone(), caller, root: root.clone() });
    let own = servers.clone();
    let plugins = Served::new(move || {
        let servers = own.clone();
        Box::pin(async move { servers.plugins().await })
    });
    let tests = Arc::new(Engine { servers, env });
    // Closed in the opposite order: what is kept for the next test goes last.
    Ok(Offer::new()
        .with(Kept(kept))
        .with(BuiltIn::default())
        .with(Authoring::new(root, tests, secrets).written_by(author))
        .with(plugins))
}

impl Offering for BuiltIn {
    fn tools(&self) -> Future<'_, Vec<Tool>> {
        Box::pin(async { BuiltIn::tools() })
    }

    fn call<'a>(&'a self, tool: &'a str, args: Arguments) -> Future<'a, Called> {
        Box::pin(BuiltIn::call(self, tool, args))
    }
}

/// What is kept from test to test. It has no tools, and an end.
struct Kept(Arc<Servers>);

impl Offering for Kept {
    fn tools(&self) -> Future<'_, Vec<Tool>> {
        Box::pin(async { Vec::new() })
    }

    fn call<'a>(&'a self, tool: &'a str, _: Arguments) -> Future<'a, Called> {
        let message = format!("there is no tool `{tool}` here");
        Box::pin(async { Called::Failed { message, details: String::new() } })
    }

    fn close(&self) -> Future<'_, Vec<String>> {
        Box::pin(self.0.shutdown())
    }
}

/// Reads and runs tests with the engine.
struct Engine {
    servers: Arc<CallerServers>,
    env: Vec<(String, String)>,
}

impl Tests for Engine {
    fn read(&self, file: &Path, text: &str) -> Reading {
        document::read_below(&self.servers.root, text, file)
    }

    fn refusals(&self, specs: &[Spec]) -> Vec<Trouble> {
        self.servers.caller.refusals(specs, &self.servers.root)
    }

    fn may_draft(&self) -> Result<(), String> {
        self.servers.caller.may_draft()
    }

    fn run<'a>(&'a self, spec: &'a Spec, stop: &'a Stop) -> Future<'a, Run> {
        Box::pin(async move {
            // Any name that no other run has; without randomness, one that says so.
            let run_id = unitai_wire::token::make().unwrap_or_else(|_| "unnamed".to_owned());
            let around = Around {
                run_id: &run_id,
                connector: &*self.servers,
                judge: &NoJudge,
                observer: &Unobserved,
                env: &self.env,
                timeout: None,
                source: Source::Tools,
            };
            unitai_spec::run::run(spec, &around, stop).await
        })
    }

    fn plugins(&self) -> Future<'_, Plugins> {
        Box::pin(async {
            match self.servers.plugins().await {
                None => Plugins::default(),
                Some(Err(why)) => Plugins { troubles: vec![why], ..Plugins::default() },
                Some(Ok(server)) => {
                    let (tools, plugins) = (server.tools().to_vec(), server.plugins().to_vec());
                    let mut troubles = server.troubles().to_vec();
                    troubles.extend(server.close().await);
                    Plugins { tools, plugins, troubles }
                }
            }
        })
    }
}
