//! One server that is ready: its tools are listed, and calls are answered or fail with a reason.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequestParams, ErrorCode, PaginatedRequestParams, ProtocolVersion, SubscriptionFilter,
};
use rmcp::service::{ClientServiceExt, Peer, RunningService, ServiceError};
use rmcp::transport::Transport;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use unitai_spec::data::to_json;
use unitai_spec::document::Arguments;
use unitai_spec::run::{Called, Future, Tool, ToolServer};

use super::answer::called;
use super::handler::Handler;
use super::lifecycle::{Begin, NotBegun, told};
use super::process::Held;
use super::tool_list::ToolList;
use super::watched::{Changes, Watched};

/// The most pages of a list of tools: a server whose pages never end must not keep a test.
const PAGES: usize = 1000;
/// How long changed tools may take to be listed again, once a call is answered.
const TO_REFRESH: Duration = Duration::from_secs(5);
/// How long a connection may take to say goodbye.
const TO_CLOSE: Duration = Duration::from_secs(1);

/// A server that is ready to be called.
pub(super) struct Connection {
    name: String,
    service: RunningService<RoleClient, Handler>,
    tools: Arc<Refreshed>,
    refreshing: JoinHandle<()>,
    process: Option<Held>,
    /// Whether a call was given up.
    is_given_up: AtomicBool,
}

/// Tools that are listed again when the server says that they have changed.
struct Refreshed {
    peer: Peer<RoleClient>,
    list: ToolList,
    changes: Arc<Changes>,
    turn: tokio::sync::Mutex<()>,
}

impl Connection {
    /// Begins a connection and lists the tools. The process is the one behind the transport, if there is one.
    pub(super) async fn open<T: Transport<RoleClient> + 'static>(
        name: &str,
        transport: T,
        begin: &Begin,
        root: &Path,
    ) -> Result<Connection, NotBegun> {
        let changes = Arc::new(Changes::default());
        let handler = Handler::new(root, begin.offered());
        let service = handler
            .serve_with_lifecycle(Watched::new(transport, changes.clone()), begin.mode())
            .await
            .map_err(|error| NotBegun::new(&error))?;
        let is_wrong = |message| NotBegun { message, may_be_old: false };
        let info = service.peer_info();
        if let Some(info) = &info {
            begin.check(&info.protocol_version).map_err(is_wrong)?;
        }
        let has_tools = info.as_ref().is_none_or(|info| info.capabilities.tools.is_some());
        let listed = match all_tools(service.peer()).await {
            Err(ServiceError::McpError(error)) if error.code == ErrorCode::METHOD_NOT_FOUND && !has_tools => {
                Vec::new()
            }
            Err(error) => {
                return Err(is_wrong(format!("its tools could not be listed: {}", failure(&error))));
            }
            Ok(listed) => listed,
        };
        let tools = Arc::new(Refreshed {
            peer: service.peer().clone(),
            list: ToolList::new(listed),
            changes,
            turn: tokio::sync::Mutex::default(),
        });
        let tells =
            info.as_ref().and_then(|info| info.capabilities.tools.as_ref()).and_then(|it| it.list_changed);
        let must_listen =
            tells == Some(true) && info.is_some_and(|info| !info.protocol_version.has_initialize());
        let refreshing = tokio::spawn(tools.clone().keep(must_listen));
        Ok(Connection {
            name: name.to_owned(),
            service,
            tools,
            refreshing,
            process: None,
            is_given_up: AtomicBool::new(false),
        })
    }

    /// Holds the process behind the connection.
    pub(super) fn with_process(mut self, process: Held) -> Connection {
        self.process = Some(process);
        self
    }

    /// The version that is spoken.
    pub(super) fn version(&self) -> Option<ProtocolVersion> {
        self.service.peer_info().map(|info| info.protocol_version.clone())
    }

    /// Whether nothing can be called any more.
    pub(super) fn is_dead(&self) -> bool {
        self.service.is_closed() || self.service.peer().is_transport_closed()
    }

    /// Whether a call was given up: the server may still be at work on it.
    pub(super) fn is_given_up(&self) -> bool {
        self.is_given_up.load(Ordering::SeqCst)
    }

    /// Calls a tool.
    pub(super) async fn call_tool(&self, tool: &str, args: Arguments) -> Called {
        let unfinished = GivenUp(Some(&self.is_given_up));
        let arguments = args.iter().map(|(name, value)| (name.clone(), to_json(value))).collect();
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let result = self.service.call_tool(params).await;
        unfinished.forget();
        // The next step may call a tool that this call has made.
        let _ = timeout(TO_REFRESH, self.tools.refresh()).await;
        match result {
            Ok(result) => called(result),
            Err(ServiceError::McpError(error)) => Called::Failed {
                message: format!("{} (code {})", error.message, error.code.0),
                details: error.data.map(|data| data.to_string()).unwrap_or_default(),
            },
            Err(error @ (ServiceError::TransportClosed | ServiceError::TransportSend(_))) => {
                self.lost(&error).await
            }
            Err(error) => Called::Failed { message: failure(&error), details: String::new() },
        }
    }

    /// What is known when the connection is gone.
    async fn lost(&self, error: &ServiceError) -> Called {
        let Some(Held(process)) = &self.process else {
            return Called::Failed { message: failure(error), details: String::new() };
        };
        let ending =
            process.ending().await.unwrap_or_else(|| "closed its standard streams and still runs".to_owned());
        let message = format!("server `{}` {ending}", self.name);
        Called::Failed { message, details: process.words() }
    }

    /// Ends it; gives what went wrong.
    pub(super) async fn end(mut self) -> Vec<String> {
        self.refreshing.abort();
        let _ = self.service.close_with_timeout(TO_CLOSE).await;
        let trouble = match &self.process {
            Some(Held(process)) => process.end(self.is_given_up()).await,
            None => None,
        };
        trouble.map(|trouble| format!("server `{}`: {trouble}", self.name)).into_iter().collect()
    }

    /// Ends it at once.
    pub(super) async fn kill(self) {
        if let Some(Held(process)) = &self.process {
            process.kill().await;
        }
    }
}

/// Notes that a call was given up, unless it is told that the call is over.
struct GivenUp<'a>(Option<&'a AtomicBool>);

impl GivenUp<'_> {
    fn forget(mut self) {
        self.0 = None;
    }
}

impl Drop for GivenUp<'_> {
    fn drop(&mut self) {
        if let Some(is_given_up) = self.0 {
            is_given_up.store(true, Ordering::SeqCst);
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.refreshing.abort();
    }
}

impl ToolServer for Connection {
    fn name(&self) -> &str {
        &self.name
    }

    fn tools(&self) -> &[Tool] {
        self.tools.list.newest()
    }

    fn troubles(&self) -> &[String] {
        &[]
    }

    fn call<'a>(&'a self, tool: &'a str, args: Arguments) -> Future<'a, Called> {
        Box::pin(self.call_tool(tool, args))
    }

    fn close<'a>(self: Box<Self>) -> Future<'a, Vec<String>>
    where
        Self: 'a,
    {
        Box::pin(self.end())
    }
}

impl Refreshed {
    /// Lists the tools again if they have changed. When that fails the old list stays.
    async fn refresh(&self) {
        let _turn = self.turn.lock().await;
        if self.changes.take()
            && let Ok(tools) = all_tools(&self.peer).await
        {
            self.list.replace(tools);
        }
    }

    /// Does so whenever the server says that they have. Servers without a handshake must be asked to.
    async fn keep(self: Arc<Self>, must_listen: bool) {
        let filter = SubscriptionFilter::builder().tools_list_changed().build();
        let mut heard = if must_listen { self.peer.listen(filter).await.ok() } else { None };
        loop {
            let hear = async {
                match &mut heard {
                    Some(subscription) => subscription.next().await.ok().flatten().is_some(),
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = self.changes.told() => self.refresh().await,
                is_open = hear => if !is_open { heard = None },
            }
        }
    }
}

/// All pages of a server's tools.
async fn all_tools(peer: &Peer<RoleClient>) -> Result<Vec<Tool>, ServiceError> {
    let mut tools = Vec::new();
    let mut cursor = None;
    for _ in 0..PAGES {
        let page =
            peer.list_tools(Some(PaginatedRequestParams::default().with_cursor(cursor.clone()))).await?;
        tools.extend(page.tools.into_iter().map(|tool| Tool {
            name: tool.name.into_owned(),
            description: tool.description.map(Into::into).unwrap_or_default(),
            input_schema: serde_json::Value::Object((*tool.input_schema).clone()),
        }));
        // A page that points to itself is the last one of a server that counts wrongly.
        if page.next_cursor.is_none() || page.next_cursor == cursor {
            break;
        }
        cursor = page.next_cursor;
    }
    Ok(tools)
}

/// Why a request failed, for people.
fn failure(error: &ServiceError) -> String {
    match error {
        ServiceError::McpError(error) => format!("{} (code {})", error.message, error.code.0),
        ServiceError::TransportClosed => "the connection is closed".to_owned(),
        ServiceError::TransportSend(error) => told(error.error.as_ref()),
        ServiceError::UnexpectedResponse => "the server's answer is not as the protocol has it".to_owned(),
        ServiceError::Cancelled { reason } => {
            format!(
                "the server cancelled the call{}",
                reason.as_ref().map(|it| format!(": {it}")).unwrap_or_default()
            )
        }
        other => told(other),
    }
}
