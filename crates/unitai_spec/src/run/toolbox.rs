//! Every tool that a test can call, and whose it is.

use tokio::sync::OnceCell;
use unitai_model::nearest::nearest;

use super::{Called, Connector, Evidence, Tool, ToolServer};
use crate::document::Arguments;
use crate::tools::{BuiltIn, SERVER};

/// The tools of one test. Plugins are asked for only when a tool is in no other place.
pub(super) struct Toolbox<'a> {
    pub(super) built_in: BuiltIn,
    servers: OnceCell<Vec<Box<dyn ToolServer>>>,
    plugins: OnceCell<Option<Result<Box<dyn ToolServer>, String>>>,
    connector: &'a dyn Connector,
}

/// Where a tool is.
pub(super) enum Home<'a> {
    /// It is one of ours.
    BuiltIn,
    /// A server has it, under this name.
    Server(&'a dyn ToolServer, String),
}

impl Home<'_> {
    /// The name of its server in evidence.
    pub(super) fn name(&self) -> &str {
        match self {
            Home::BuiltIn => SERVER,
            Home::Server(server, _) => server.name(),
        }
    }

    /// Whether a call was one of this tool, which a test calls `tool`.
    pub(super) fn is_of(&self, called: &Evidence, tool: &str) -> bool {
        let own = match self {
            Home::BuiltIn => tool,
            Home::Server(_, own) => own,
        };
        called.server == self.name() && own_name(called) == own
    }
}

/// Why a tool cannot be called.
pub(super) enum Lost {
    /// Nobody has it; the step fails.
    Unknown(String),
    /// The plugins could not be started: not the fault of the test.
    Broken(String),
}

impl<'a> Toolbox<'a> {
    pub(super) fn new(connector: &'a dyn Connector) -> Toolbox<'a> {
        Toolbox {
            built_in: BuiltIn::default(),
            servers: OnceCell::new(),
            plugins: OnceCell::new(),
            connector,
        }
    }

    /// Takes the servers of the test, once they are ready.
    pub(super) fn equip(&self, servers: Vec<Box<dyn ToolServer>>) {
        // A test is equipped once; what comes second would have nobody to close it.
        assert!(self.servers.set(servers).is_ok(), "a test is equipped once");
    }

    fn servers(&self) -> &[Box<dyn ToolServer>] {
        self.servers.get().map_or(&[], Vec::as_slice)
    }

    /// Where a tool is: `server.tool`, one of ours, or the only one of this name.
    pub(super) async fn find(&self, tool: &str) -> Result<Home<'_>, Lost> {
        if let Some((server, own)) = tool.split_once('.')
            && let Some(server) = self.servers().iter().find(|it| it.name() == server)
        {
            return if has(server.as_ref(), own) {
                Ok(Home::Server(server.as_ref(), own.to_owned()))
            } else {
                let names = server.tools().iter().map(|it| it.name.as_str());
                Err(Lost::Unknown(format!(
                    "the server {} has no tool {own}{}",
                    server.name(),
                    meant(own, names)
                )))
            };
        }
        if BuiltIn::has(tool) {
            return Ok(Home::BuiltIn);
        }
        let having: Vec<&dyn ToolServer> =
            self.servers().iter().map(AsRef::as_ref).filter(|it| has(*it, tool)).collect();
        match having.as_slice() {
            [one] => return Ok(Home::Server(*one, tool.to_owned())),
            [] => {}
            [one, other, ..] => {
                let (one, other) = (one.name(), other.name());
                return Err(Lost::Unknown(format!(
                    "the servers {one} and {other} both have a tool {tool}; write {one}.{tool} or {other}.{tool}"
                )));
            }
        }
        let plugins = match self.plugins.get_or_init(|| self.connector.plugins()).await {
            Some(Ok(plugins)) if has(plugins.as_ref(), tool) => {
                return Ok(Home::Server(plugins.as_ref(), tool.to_owned()));
            }
            Some(Err(trouble)) => return Err(Lost::Broken(trouble.clone())),
            Some(Ok(plugins)) => Some(plugins.as_ref()),
            None => None,
        };
        let all = self.servers().iter().map(AsRef::as_ref).chain(plugins);
        let own = BuiltIn::tools();
        let names: Vec<&str> =
            all.flat_map(ToolServer::tools).chain(&own).map(|it| it.name.as_str()).collect();
        let mut message = format!("nobody has a tool {tool}{}", meant(tool, names));
        for trouble in plugins.map_or(&[][..], ToolServer::troubles) {
            message.push('\n');
            message.push_str(trouble);
        }
        Err(Lost::Unknown(message))
    }

    /// Every tool that a test can call, under the name that it calls it by, and what is wrong with plugins.
    pub(super) async fn reachable(&self) -> (Vec<Tool>, Vec<String>) {
        let (mut tools, mut troubles) = (BuiltIn::tools(), Vec::new());
        let count = |tool: &str| self.servers().iter().filter(|it| has(it.as_ref(), tool)).count();
        for server in self.servers() {
            for tool in server.tools() {
                let is_unique = !BuiltIn::has(&tool.name) && count(&tool.name) == 1;
                let name =
                    if is_unique { tool.name.clone() } else { format!("{}.{}", server.name(), tool.name) };
                tools.push(Tool { name, ..tool.clone() });
            }
        }
        match self.plugins.get_or_init(|| self.connector.plugins()).await {
            Some(Ok(plugins)) => {
                let is_free = |tool: &&Tool| !BuiltIn::has(&tool.name) && count(&tool.name) == 0;
                tools.extend(plugins.tools().iter().filter(is_free).cloned());
                troubles.extend(plugins.troubles().iter().cloned());
            }
            Some(Err(trouble)) => troubles.push(trouble.clone()),
            None => {}
        }
        (tools, troubles)
    }

    /// Calls a tool where it is.
    pub(super) async fn call(&self, home: &Home<'_>, tool: &str, args: Arguments) -> Called {
        match home {
            Home::BuiltIn => self.built_in.call(tool, args).await,
            Home::Server(server, own) => server.call(own, args).await,
        }
    }

    /// Ends every server. Gives what went wrong.
    pub(super) async fn close(self) -> Vec<String> {
        let mut troubles = Vec::new();
        let plugins = self.plugins.into_inner().flatten().and_then(Result::ok);
        for server in plugins.into_iter().chain(self.servers.into_inner().unwrap_or_default()) {
            let name = server.name().to_owned();
            troubles.extend(server.close().await.into_iter().map(|trouble| format!("{name}: {trouble}")));
        }
        troubles
    }
}

/// The name of a called tool on its server.
pub(super) fn own_name(called: &Evidence) -> &str {
    let rest = called.tool.strip_prefix(&called.server).and_then(|rest| rest.strip_prefix('.'));
    rest.unwrap_or(&called.tool)
}

fn has(server: &dyn ToolServer, tool: &str) -> bool {
    server.tools().iter().any(|it| it.name == tool)
}

fn meant<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, known).map_or_else(String::new, |it| format!("; did you mean {it}?"))
}
