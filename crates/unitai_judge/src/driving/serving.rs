//! The tools of a test at an address of this machine, for as long as somebody drives.

use std::io;

use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use unitai_mcp::server::{Admission, HttpOptions, HttpServer, Offer, Offering};
use unitai_spec::document::Arguments;
use unitai_spec::run::{Called, Future, Hands, Tool};

/// What a client is told about the server.
const INSTRUCTIONS: &str =
    "The tools of one test. Every call is written down, and the test is judged by the calls.";

/// A server that ends when it is dropped.
pub(super) struct Serving {
    url: String,
    token: String,
    /// Dropped, it asks the server to end.
    stop: oneshot::Sender<()>,
    server: JoinHandle<Vec<String>>,
}

impl Serving {
    /// Serves these tools on a free port, for whoever knows a token that nobody else has.
    pub(super) async fn start(hands: Hands) -> io::Result<Serving> {
        let token = unitai_wire::token::make()?;
        let options = HttpOptions::new(Admission::with_token(&token));
        let offer = Offer::new().with(Offered(hands)).instructing(INSTRUCTIONS).ready();
        let server = HttpServer::listen(offer, options).await?;
        let url = server.url()?;
        let (stop, stopped) = oneshot::channel();
        let server = tokio::spawn(server.run(async move { drop(stopped.await) }));
        Ok(Serving { url, token, stop, server })
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    pub(super) fn token(&self) -> &str {
        &self.token
    }

    /// Ends it, and waits until it has. Gives what somebody should know.
    pub(super) async fn end(self) -> Vec<String> {
        drop(self.stop);
        self.server.await.unwrap_or_default()
    }
}

/// Hands as something that is offered. There is nothing to clean up: servers and plugins are the engine's.
struct Offered(Hands);

impl Offering for Offered {
    fn tools(&self) -> Future<'_, Vec<Tool>> {
        Box::pin(async { self.0.tools().to_vec() })
    }

    fn call<'a>(&'a self, tool: &'a str, args: Arguments) -> Future<'a, Called> {
        Box::pin(self.0.call(tool, args))
    }
}
