//! A server of tools as an offering: what a test would call, offered to others.

use std::sync::{Mutex, PoisonError};

use tokio::sync::RwLock;
use unitai_spec::document::Arguments;
use unitai_spec::run::{Called, Future, Tool, ToolServer};

use super::offer::Offering;

/// What starts a server of tools; nothing when there is none to start.
type Start = Box<dyn Fn() -> Future<'static, Option<Result<Box<dyn ToolServer>, String>>> + Send + Sync>;

/// A server that is started when its tools are first asked for.
pub struct Served {
    start: Start,
    /// Held by calls, and taken by the one who closes.
    server: RwLock<Option<Box<dyn ToolServer>>>,
    troubles: Mutex<Vec<String>>,
}

impl Served {
    /// A server that `start` gives, such as that of the project's plugins.
    pub fn new<F>(start: F) -> Served
    where
        F: Fn() -> Future<'static, Option<Result<Box<dyn ToolServer>, String>>> + Send + Sync + 'static,
    {
        Served { start: Box::new(start), server: RwLock::new(None), troubles: Mutex::default() }
    }

    fn ill(&self, troubles: impl IntoIterator<Item = String>) {
        self.troubles.lock().unwrap_or_else(PoisonError::into_inner).extend(troubles);
    }
}

impl Offering for Served {
    fn tools(&self) -> Future<'_, Vec<Tool>> {
        Box::pin(async {
            match (self.start)().await {
                None => Vec::new(),
                Some(Err(why)) => {
                    self.ill([why]);
                    Vec::new()
                }
                Some(Ok(server)) => {
                    let tools = server.tools().to_vec();
                    self.ill(server.troubles().iter().cloned());
                    *self.server.write().await = Some(server);
                    tools
                }
            }
        })
    }

    fn call<'a>(&'a self, tool: &'a str, args: Arguments) -> Future<'a, Called> {
        Box::pin(async move {
            match &*self.server.read().await {
                Some(server) => server.call(tool, args).await,
                None => Called::Failed {
                    message: format!("`{tool}` cannot be called any more: its server has ended"),
                    details: String::new(),
                },
            }
        })
    }

    fn troubles(&self) -> Vec<String> {
        self.troubles.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn close(&self) -> Future<'_, Vec<String>> {
        Box::pin(async {
            let server = self.server.write().await.take();
            match server {
                Some(server) => server.close().await,
                None => Vec::new(),
            }
        })
    }
}
