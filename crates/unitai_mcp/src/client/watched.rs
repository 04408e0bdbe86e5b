//! Looks at every message on its way in, in order: notes that the tools have changed before the answer behind that note
//! is given out, and sees to servers that start so slowly that the question for their version was given up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::RoleClient;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, InitializeResult, JsonRpcMessage, ProtocolVersion, RequestId,
    ServerJsonRpcMessage, ServerNotification, ServerResult,
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
    /// The handshake by which those were given up. A slow server answers both when it has started.
    handshake: Option<RequestId>,
    /// What a slow server said late that knows no handshake.
    late: Option<InitializeResult>,
}

impl<T> Watched<T> {
    pub(super) fn new(inner: T, changes: Arc<Changes>) -> Watched<T> {
        Watched { inner, changes, discoveries: Vec::new(), handshake: None, late: None }
    }

    /// A message as it is given out; nothing for an answer that is not waited for any more.
    fn seen(&mut self, message: ServerJsonRpcMessage) -> Option<ServerJsonRpcMessage> {
        match &message {
            JsonRpcMessage::Notification(it) => {
                if let ServerNotification::ToolListChangedNotification(_) = &it.notification {
                    self.changes.note();
                }
                Some(message)
            }
            JsonRpcMessage::Response(response) if self.is_late(Some(&response.id)) => {
                if let ServerResult::DiscoverResult(result) = &response.result
                    && result.supported_versions.contains(&ProtocolVersion::LATEST)
                {
                    let said = InitializeResult::new(result.capabilities.clone());
                    self.late = Some(said.with_protocol_version(ProtocolVersion::LATEST));
                }
                None
            }
            JsonRpcMessage::Error(error) if self.is_late(error.id.as_ref()) => None,
            JsonRpcMessage::Error(error) if error.id == self.handshake => match (self.late.take(), &error.id)
            {
                (Some(said), Some(id)) => {
                    Some(JsonRpcMessage::response(ServerResult::InitializeResult(said), id.clone()))
                }
                _ => Some(message),
            },
            _ => Some(message),
        }
    }

    fn is_late(&self, id: Option<&RequestId>) -> bool {
        self.handshake.is_some() && id.is_some_and(|id| self.discoveries.contains(id))
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
                ClientRequest::InitializeRequest(_) => self.handshake = Some(request.id.clone()),
                _ => {}
            }
        }
        self.inner.send(message)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            let message = self.inner.receive().await?;
            if let Some(message) = self.seen(message) {
                return Some(message);
            }
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

    /// Asks for the version, and gives that up for a handshake.
    async fn given_up(watched: &mut Watched<Script>) {
        sent(watched, json!({"jsonrpc": "2.0", "id": 0, "method": "server/discover", "params": {}})).await;
        let ours = json!({"name": "x", "version": "1"});
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": ours});
        sent(watched, json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})).await;
    }

    fn refusal(id: u32) -> serde_json::Value {
        json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "no such method"}})
    }

    #[tokio::test]
    async fn the_late_answer_of_a_slow_old_server_is_dropped() {
        let mut watched = watched(&[refusal(0), json!({"jsonrpc": "2.0", "id": 1, "result": {}})]);
        given_up(&mut watched).await;
        let Some(JsonRpcMessage::Response(response)) = watched.receive().await else { panic!("no answer") };
        assert_eq!(response.id, RequestId::Number(1));
    }

    #[tokio::test]
    async fn the_late_answer_of_a_slow_new_server_stands_for_its_handshake() {
        let versions = json!({"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
            "resultType": "complete", "ttlMs": 0, "cacheScope": "private"});
        let mut watched = watched(&[json!({"jsonrpc": "2.0", "id": 0, "result": versions}), refusal(1)]);
        given_up(&mut watched).await;
        let Some(JsonRpcMessage::Response(response)) = watched.receive().await else { panic!("no answer") };
        assert_eq!(response.id, RequestId::Number(1));
        let ServerResult::InitializeResult(said) = response.result else { panic!("{:?}", response.result) };
        assert_eq!(said.protocol_version, ProtocolVersion::LATEST);
        assert!(said.capabilities.tools.is_some());
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
