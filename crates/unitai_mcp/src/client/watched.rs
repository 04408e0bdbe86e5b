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

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::convert::Infallible;

    use serde_json::json;

    use super::*;

    /// Gives out what it was given.
    struct Script(VecDeque<ServerJsonRpcMessage>);

    impl Transport<RoleClient> for Script {
        type Error = Infallible;

        fn send(
            &mut self,
            _: ClientJsonRpcMessage,
        ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
            std::future::ready(Ok(()))
        }

        async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
            self.0.pop_front()
        }

        async fn close(&mut self) -> Result<(), Infallible> {
            Ok(())
        }
    }

    fn watched(messages: &[serde_json::Value]) -> Watched<Script> {
        let messages = messages.iter().map(|it| serde_json::from_value(it.clone()).expect("a message"));
        Watched::new(Script(messages.collect()), Arc::default())
    }

    async fn sent(watched: &mut Watched<Script>, message: serde_json::Value) {
        let message = serde_json::from_value(message).expect("a message");
        watched.send(message).await.expect("it is sent");
    }

    #[tokio::test]
    async fn the_late_answer_of_a_slow_old_server_is_dropped() {
        let refusal =
            json!({"jsonrpc": "2.0", "id": 0, "error": {"code": -32601, "message": "no such method"}});
        let welcome = json!({"jsonrpc": "2.0", "id": 1, "result": {}});
        let mut watched = watched(&[refusal.clone(), welcome]);
        sent(&mut watched, json!({"jsonrpc": "2.0", "id": 0, "method": "server/discover", "params": {}}))
            .await;
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}});
        sent(&mut watched, json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})).await;
        let Some(JsonRpcMessage::Response(response)) = watched.receive().await else { panic!("no answer") };
        assert_eq!(response.id, RequestId::Number(1));
    }

    #[tokio::test]
    async fn an_answer_in_time_is_not() {
        let refusal =
            json!({"jsonrpc": "2.0", "id": 0, "error": {"code": -32601, "message": "no such method"}});
        let mut watched = watched(&[refusal]);
        sent(&mut watched, json!({"jsonrpc": "2.0", "id": 0, "method": "server/discover", "params": {}}))
            .await;
        assert!(matches!(watched.receive().await, Some(JsonRpcMessage::Error(_))));
    }

    #[tokio::test]
    async fn a_change_of_tools_is_noted_before_the_message_is_given_out() {
        let changed = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
        let mut watched = watched(&[changed]);
        assert!(!watched.changes.take());
        watched.receive().await.expect("the note");
        assert!(watched.changes.take());
        assert!(!watched.changes.take());
    }
}
