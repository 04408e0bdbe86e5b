//! The server over standard streams, one client for its whole life.

use std::io;
use std::sync::Arc;

use rmcp::model::{ClientJsonRpcMessage, ClientRequest, GetMeta};
use rmcp::service::{
    RoleServer, RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage, serve_server_with_ct,
};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use super::ending::Ending;
use super::handler::Handler;
use super::offer::Offer;

/// Serves over standard input and output until the input ends, or a signal asks to end. When this returns, everything
/// is cleaned up; what went wrong with that is told.
pub async fn serve_stdio(offer: Arc<Offer>) -> io::Result<Vec<String>> {
    let ending = Ending::listen()?;
    let (reader, writer) = rmcp::transport::io::stdio_pipes();
    serve_streams(offer, reader, writer, ending.asked()).await
}

/// The same over any two streams, until `asked` is ready.
pub async fn serve_streams<R, W>(
    offer: Arc<Offer>,
    reader: R,
    writer: W,
    asked: impl Future<Output = ()>,
) -> io::Result<Vec<String>>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    // Plugins may take a while to start: they do it while the client introduces itself.
    let warming = tokio::spawn({
        let offer = offer.clone();
        async move { drop(offer.tools().await) }
    });
    let end = CancellationToken::new();
    let transport = Patient { inner: AsyncRwTransport::new(reader, writer), has_begun: false };
    let served = serve(Handler(offer.clone()), transport, end.clone());
    let outcome = {
        let mut served = std::pin::pin!(served);
        tokio::select! {
            outcome = &mut served => outcome,
            () = asked => {
                end.cancel();
                served.await
            }
        }
    };
    warming.abort();
    let _ = warming.await;
    let troubles = offer.close().await;
    outcome.map(|()| troubles)
}

async fn serve<T>(handler: Handler, transport: T, end: CancellationToken) -> io::Result<()>
where
    T: Transport<RoleServer> + 'static,
{
    match serve_server_with_ct(handler, transport, end).await {
        Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
        // Nobody came, or we were asked to end before somebody came.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => Ok(()),
        Err(error) => Err(io::Error::other(error.to_string())),
    }
}

/// A transport that waits for a client to begin: notifications before that are not for us, and no reason to leave.
struct Patient<T> {
    inner: T,
    has_begun: bool,
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Patient<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let message = self.inner.receive().await?;
            self.has_begun |= begins(&message);
            if self.has_begun || matches!(message, ClientJsonRpcMessage::Request(_)) {
                return Some(message);
            }
        }
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.inner.close()
    }
}

/// Whether a message begins a conversation: the handshake of old, or a request that says itself how it is meant.
fn begins(message: &ClientJsonRpcMessage) -> bool {
    let ClientJsonRpcMessage::Request(message) = message else { return false };
    match &message.request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => request.get_meta().protocol_version().is_some(),
    }
}
