//! Messages over the standard streams of a child process.
//!
//! Real servers print to their standard output, end without closing it, and leave it open in processes of their own. None
//! of that may break or hang a test, so what is not the protocol is kept to be told, and the end of the process is the
//! end of the stream.

use std::collections::VecDeque;
use std::io::{Error, ErrorKind};
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{
    ClientJsonRpcMessage, ErrorCode, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::{Mutex, watch};
use tokio::time::{Instant, sleep_until};

use super::process::Process;
use super::tail::Tail;

/// The longest message, in bytes. More is a server gone wild.
const LONGEST: usize = 64 << 20;
/// How long the stream of a process that has ended is read on.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// The two ends of a child's standard streams.
pub(super) struct Streams {
    read: BufReader<ChildStdout>,
    line: Vec<u8>,
    messages: VecDeque<ServerJsonRpcMessage>,
    write: Arc<Mutex<Option<ChildStdin>>>,
    /// Ends a write that the server does not read.
    closing: watch::Sender<bool>,
    process: Arc<Process>,
    /// Until when it is read: set when the process has ended.
    until: Option<Instant>,
}

impl Streams {
    pub(super) fn new(process: Arc<Process>, stdin: ChildStdin, stdout: ChildStdout) -> Streams {
        Streams {
            read: BufReader::with_capacity(64 << 10, stdout),
            line: Vec::new(),
            messages: VecDeque::new(),
            write: Arc::new(Mutex::new(Some(stdin))),
            closing: watch::Sender::new(false),
            process,
            until: None,
        }
    }

    /// Reads one line; false at the end. What was read stays when the future is dropped.
    async fn next_line(&mut self) -> bool {
        loop {
            let Ok(chunk @ [_, ..]) = self.read.fill_buf().await else { return false };
            let (taken, is_whole) = match chunk.iter().position(|byte| *byte == b'\n') {
                Some(end) => (end + 1, true),
                None => (chunk.len(), false),
            };
            self.line.extend_from_slice(&chunk[..taken]);
            self.read.consume(taken);
            if is_whole {
                return true;
            }
            if self.line.len() > LONGEST {
                self.process.noise.push(format!("a message of more than {LONGEST} bytes\n").as_bytes());
                return false;
            }
        }
    }

    /// The same until the process has ended, and a little longer.
    async fn line_of_the_living(&mut self) -> bool {
        let Some(until) = self.until else {
            let ended = self.process.ended();
            tokio::select! {
                biased;
                is_line = self.next_line() => return is_line,
                () = ended => self.until = Some(Instant::now() + LAST_WORDS),
            }
            return Box::pin(self.line_of_the_living()).await;
        };
        tokio::select! {
            biased;
            is_line = self.next_line() => is_line,
            () = sleep_until(until) => false,
        }
    }
}

impl Transport<RoleClient> for Streams {
    type Error = Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let (write, mut closing) = (self.write.clone(), self.closing.subscribe());
        async move {
            let mut bytes = serde_json::to_vec(&message)?;
            bytes.push(b'\n');
            let written = async {
                let mut write = write.lock().await;
                let stream = write.as_mut().ok_or_else(|| Error::from(ErrorKind::BrokenPipe))?;
                stream.write_all(&bytes).await?;
                stream.flush().await
            };
            tokio::select! {
                biased;
                done = written => done,
                _ = closing.wait_for(|it| *it) => Err(ErrorKind::BrokenPipe.into()),
            }
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            if let Some(message) = self.messages.pop_front() {
                return Some(message);
            }
            if !self.line_of_the_living().await {
                // A process that prints its last line without an end.
                self.process.noise.push(&self.line);
                self.line.clear();
                return None;
            }
            self.messages.extend(messages(&self.line, &self.process.noise));
            self.line.clear();
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.closing.send_replace(true);
        self.write.lock().await.take();
        Ok(())
    }
}

/// The messages of a line: one, several (2025-03-26 has batches), or none when it is not the protocol.
fn messages(line: &[u8], noise: &Tail) -> Vec<ServerJsonRpcMessage> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Vec::new();
    }
    // The common case, without a copy of the message as a tree.
    if let Ok(message) = serde_json::from_slice(line) {
        return vec![message];
    }
    let batch = match serde_json::from_slice(line) {
        Ok(Value::Array(items)) => items,
        Ok(other) => vec![other],
        Err(_) => behind_a_print(line).into_iter().collect(),
    };
    let found: Vec<_> = batch.into_iter().filter_map(message).collect();
    if found.is_empty() || !line.starts_with(b"{") && !line.starts_with(b"[") {
        noise.push(line);
        noise.push(b"\n");
    }
    found
}

/// The message behind something that was printed without an end of line.
fn behind_a_print(line: &[u8]) -> Option<Value> {
    const BEGIN: &[u8] = b"{\"";
    let begin = line.windows(BEGIN.len()).position(|it| it == BEGIN)?;
    serde_json::from_slice(&line[begin..]).ok()
}

/// A message, also one that is wrong in its parts: whoever waits for that answer must be told.
fn message(json: Value) -> Option<ServerJsonRpcMessage> {
    if json.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return None;
    }
    let id = json.get("id").and_then(|id| match id {
        Value::Number(number) => Some(RequestId::Number(number.as_i64()?)),
        Value::String(text) => Some(RequestId::String(text.as_str().into())),
        _ => None,
    });
    let is_answer = json.get("method").is_none();
    match (serde_json::from_value(json.clone()), id) {
        (Ok(message), _) => Some(message),
        (Err(error), Some(id)) if is_answer => {
            let message = format!("the server's answer is not as the protocol has it: {error}");
            Some(JsonRpcMessage::error(ErrorData::new(ErrorCode::PARSE_ERROR, message, Some(json)), Some(id)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PONG: &str = r#"{"jsonrpc":"2.0","id":3,"result":{}}"#;

    fn read(line: &str) -> (Vec<ServerJsonRpcMessage>, String) {
        let noise = Tail::default();
        (messages(line.as_bytes(), &noise), noise.text())
    }

    #[test]
    fn what_is_printed_is_noise() {
        for line in ["loading model...", "42", "{\"level\":\"info\"}", "[1, 2]", "{", "null"] {
            let (found, noise) = read(line);
            assert!(found.is_empty(), "{line}");
            assert_eq!(noise, line);
        }
        assert_eq!(read("  \r\n").1, "");
    }

    #[test]
    fn a_message_behind_a_print_is_found_and_the_print_is_told() {
        let (found, noise) = read(&format!("loading... {PONG}"));
        assert_eq!(found.len(), 1);
        assert!(noise.starts_with("loading..."));
    }

    #[test]
    fn a_batch_is_several_messages() {
        let (found, noise) = read(&format!("[{PONG},{PONG}]"));
        assert_eq!(found.len(), 2);
        assert_eq!(noise, "");
    }

    #[test]
    fn an_answer_with_wrong_parts_is_an_error_for_its_request() {
        let (found, _) = read(r#"{"jsonrpc":"2.0","id":7,"error":{"message":"no code"}}"#);
        let [JsonRpcMessage::Error(error)] = &found[..] else { panic!("{found:?}") };
        assert_eq!(error.id, Some(RequestId::Number(7)));
        assert!(error.error.message.contains("not as the protocol has it"), "{}", error.error.message);
    }
}
