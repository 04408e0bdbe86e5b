//! Looks at every message on its way in, in order: notes that the tools have changed before the answer behind that note
//! is given out, and drops answers to a question that is not waited for any more.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::RoleClient;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, JsonRpcMessage, RequestId, ServerJsonRpcMessage, ServerNotification,
};
use rmcp::transport::Transport;
use tokio::sync::Notify;

/// Whether the tools of a server have changed since they were listed.
#[derive(Debug, Default)]
pub(super) struct Changes {
    is_pending: AtomicBool,
    told: Notify,
}

impl Changes {
    /// They have changed.
    pub(super) fn note(&self) {
        self.is_pending.store(true, Ordering::SeqCst);
        self.told.notify_one();
    }

    /// Whether they have, once.
    pub(super) fn take(&self) -> bool {
        self.is_pending.swap(false, Ordering::SeqCst)
    }

    /// Waits until they have.
    pub(super) async fn told(&self) {
        self.told.notified().await;
    }
}

/// A transport that is looked at.
pub(super) struct Watched<T> {
    inner: T,
    changes: Arc<Changes>,
    /// The requests by which the server's version was asked for.
    discoveries: Vec<RequestId>,
    /// Whether those were given up: a slow old server answers them when it has started.
    is_given_up: bool,
}

impl<T> Watched<T> {
    pub(super) fn new(inner: T, changes: Arc<Changes>) -> Watched<T> {
        Watched { inner, changes, discoveries: Vec::new(), is_given_up: false }
    }

    fn is_late(&self, message: &ServerJsonRpcMessage) -> bool {
        let id = match message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        self.is_given_up && id.is_some_and(|id| self.discoveries.contains(id))
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Watched<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        if let JsonRpcMessage::Request(request) = &message {
            match &request.request {
                ClientRequest::DiscoverRequest(_) => self.discoveries.push(request.id.clone()),
                ClientRequest::InitializeRequest(_) => self.is_given_up = true,
                _ => {}
            }
        }
        self.inner.send(message)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            let message = self.inner.receive().await?;
            if self.is_late(&message) {
                continue;
            }
            if let JsonRpcMessage::Notification(it) = &message
                && let ServerNotification::ToolListChangedNotification(_) = &it.notification
            {
                self.changes.note();
            }
            return Some(message);
        }
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.inner.close()
    }
}
