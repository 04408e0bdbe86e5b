//! Answers as bytes. A whole one is one write; so are the head of a stream and what is there of its body.

use std::io::Write;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use unitai_wire::common::Refusal;
use unitai_wire::dialects::Dialect;

/// Where answers go, with the room in which they are put together.
pub(crate) struct Out<'a> {
    pub(crate) stream: &'a mut TcpStream,
    pub(crate) bytes: &'a mut Vec<u8>,
    pub(crate) keeps_alive: bool,
}

/// The client has gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gone;

/// The head of an answer.
pub(crate) fn head<'h>(
    out: &mut Vec<u8>,
    status: u16,
    headers: impl IntoIterator<Item = (&'h str, &'h [u8])>,
    keeps_alive: bool,
) {
    out.extend_from_slice(b"HTTP/1.1 ");
    // Writing to memory does not fail.
    let _ = write!(out, "{status} {}\r\n", reason(status));
    for (name, value) in headers {
        header(out, name, value);
    }
    if !keeps_alive {
        header(out, "connection", b"close");
    }
}

fn header(out: &mut Vec<u8>, name: &str, value: &[u8]) {
    for part in [name.as_bytes(), b": ", value, b"\r\n"] {
        out.extend_from_slice(part);
    }
}

/// The body is this.
pub(crate) fn whole(out: &mut Vec<u8>, body: &[u8]) {
    let _ = write!(out, "content-length: {}\r\n\r\n", body.len());
    out.extend_from_slice(body);
}

/// The body comes in chunks.
pub(crate) fn chunked(out: &mut Vec<u8>) {
    out.extend_from_slice(b"transfer-encoding: chunked\r\n\r\n");
}

/// A chunk of the body. None at all would end it.
pub(crate) fn chunk(out: &mut Vec<u8>, bytes: &[u8]) {
    if !bytes.is_empty() {
        let _ = write!(out, "{:x}\r\n", bytes.len());
        out.extend_from_slice(bytes);
        out.extend_from_slice(b"\r\n");
    }
}

/// The end of a body in chunks.
pub(crate) fn last_chunk(out: &mut Vec<u8>) {
    out.extend_from_slice(b"0\r\n\r\n");
}

impl Out<'_> {
    /// Sends what has been put together.
    pub(crate) async fn send(&mut self) -> Result<(), Gone> {
        if self.bytes.is_empty() {
            return Ok(());
        }
        let sent = self.stream.write_all(self.bytes).await;
        self.bytes.clear();
        sent.map_err(|_| Gone)
    }

    /// Sends what was put together before.
    pub(crate) async fn send_ready(&mut self, bytes: &[u8]) -> Result<(), Gone> {
        self.stream.write_all(bytes).await.map_err(|_| Gone)
    }

    /// Sends an error of our own, in the provider's words, and asks the client not to try again.
    pub(crate) async fn refuse(
        &mut self,
        dialect: Option<&dyn Dialect>,
        status: u16,
        message: &str,
    ) -> Result<(), Gone> {
        let refusal = Refusal { status, message: message.to_owned() };
        let (body, more) = match dialect {
            Some(dialect) => (dialect.write_refusal(&refusal), dialect.refusal_headers(status)),
            None => (serde_json::json!({"error": {"message": message}}).to_string(), Vec::new()),
        };
        let own: [(&str, &[u8]); 2] = [("content-type", b"application/json"), ("x-should-retry", b"false")];
        let more = more.iter().map(|(name, value)| (*name, value.as_bytes()));
        // A connection that failed may come back; what is not recorded will not.
        let own = own.into_iter().filter(|(name, _)| status < 500 || *name != "x-should-retry");
        self.bytes.clear();
        head(self.bytes, status, own.chain(more), self.keeps_alive);
        whole(self.bytes, body.as_bytes());
        self.send().await
    }

    /// Waits until the client has gone. One that sends more has not.
    pub(crate) async fn gone(stream: &TcpStream) {
        match stream.peek(&mut [0]).await {
            Ok(0) | Err(_) => {}
            Ok(_) => std::future::pending().await,
        }
    }
}

fn reason(status: u16) -> &'static str {
    reqwest::StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason()).unwrap_or("")
}
