//! Who calls the server, and which programs a test may start for them.

use std::path::Path;
use std::sync::Arc;

use unitai_spec::document::{ProjectRoot, Server, ServerKind, Spec, Trouble};
use unitai_spec::run::{Connector, Future, ToolServer};

use crate::client::{PLUGINS, Servers};

/// Who calls the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// The user who started it, over standard streams. A test may start whatever the user could.
    User,
    /// Any client that has the token, over HTTP.
    Client {
        /// Whether its tests may start programs, in a folder of the project.
        allow_programs: bool,
    },
}

/// What to do about a program that is refused.
const REMEDY: &str = "give the server a `url`, or start `unitai mcp` with --allow-programs";

impl Caller {
    /// Whether a test of this caller may use a server.
    fn may_use(self, server: &Server, root: &ProjectRoot) -> Result<(), String> {
        match (&server.kind, self) {
            (ServerKind::Url { .. }, _) | (ServerKind::Command { .. }, Caller::User) => Ok(()),
            (ServerKind::Command { .. }, Caller::Client { allow_programs: false }) => {
                Err(format!("server `{}` is a program, which tests over HTTP may not start", server.name))
            }
            (ServerKind::Command { cwd, .. }, Caller::Client { allow_programs: true }) => {
                match root.resolve(Path::new(cwd)) {
                    Ok(_) => Ok(()),
                    Err(_) => Err(format!("server `{}`: its `cwd` leads out of the project", server.name)),
                }
            }
        }
    }

    /// What tests name that this caller may not use. A `cwd` with `${...}` in it is decided when the test runs.
    pub(super) fn refusals(self, specs: &[Spec], root: &ProjectRoot) -> Vec<Trouble> {
        let mut refusals: Vec<Trouble> = Vec::new();
        for server in specs.iter().flat_map(|spec| &spec.servers) {
            let Err(message) = self.may_use(server, root) else { continue };
            let path = format!("servers.{}", server.name);
            let refusal = Trouble::error(server.place.clone(), path, message, REMEDY);
            // Each row of `cases` is a test, with the same servers.
            if !refusals.contains(&refusal) {
                refusals.push(refusal);
            }
        }
        refusals
    }

    /// Why this caller may not have a test written from a description: a model is started for it, and may bring a plugin.
    pub(super) fn may_draft(self) -> Result<(), String> {
        match self {
            Caller::User | Caller::Client { allow_programs: true } => Ok(()),
            Caller::Client { allow_programs: false } => Err(
                "no model writes tests over HTTP, for its plugins are programs; give `name`, `steps` and `verdict`, or \
                 start `unitai mcp` with --allow-programs"
                    .to_owned(),
            ),
        }
    }

    /// Why this caller may not use the project's plugins.
    fn may_use_plugins(self, root: &ProjectRoot) -> Result<(), String> {
        if self != (Caller::Client { allow_programs: false }) {
            return Ok(());
        }
        let folder = root.folder().join(PLUGINS);
        let files = std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
        match files.chain([folder.clone()]).find(|path| root.resolve(path).is_err()) {
            None => Ok(()),
            Some(path) => {
                let name = path.strip_prefix(root.folder()).unwrap_or(&path).display();
                Err(format!(
                    "plugins are not loaded: {name} leads out of the project; copy it into the project, or start \
                     `unitai mcp` with --allow-programs"
                ))
            }
        }
    }
}

/// The servers that tests of one caller can use.
pub(super) struct CallerServers {
    pub(super) servers: Arc<Servers>,
    pub(super) caller: Caller,
    pub(super) root: ProjectRoot,
}

impl Connector for CallerServers {
    fn connect<'a>(&'a self, server: &'a Server) -> Future<'a, Result<Box<dyn ToolServer>, String>> {
        Box::pin(async move {
            match self.caller.may_use(server, &self.root) {
                Ok(()) => self.servers.connect(server).await,
                Err(message) => Err(format!("{message}; {REMEDY}")),
            }
        })
    }

    fn plugins<'a>(&'a self) -> Future<'a, Option<Result<Box<dyn ToolServer>, String>>> {
        Box::pin(async move {
            match self.caller.may_use_plugins(&self.root) {
                Ok(()) => self.servers.plugins().await,
                Err(message) => Some(Err(message)),
            }
        })
    }
}
