//! A server to be asked by tests: its offering, and lines of the protocol by hand.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value as Json, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use unitai_mcp::server::{Offer, Offering, serve_streams};
use unitai_model::value::Value;
use unitai_spec::data::{from_json, to_json};
use unitai_spec::document::Arguments;
use unitai_spec::run::{Called, Future, Tool};

/// What an offering was seen to do.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) calls: Mutex<Vec<String>>,
    pub(crate) is_dropped: AtomicBool,
    pub(crate) is_closed: AtomicBool,
}

/// Tools for tests.
#[derive(Default, Clone)]
pub(crate) struct Fixtures(pub(crate) Arc<Seen>);

struct Dropped<'a>(&'a AtomicBool);

impl Drop for Dropped<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl Offering for Fixtures {
    fn tools(&self) -> Future<'_, Vec<Tool>> {
        let tool = |name: &str| Tool {
            name: name.to_owned(),
            description: format!("The tool {name}."),
            input_schema: json!({"type": "object", "properties": {"x": {"type": "integer"}}}),
        };
        Box::pin(async move { ["echo", "text", "fail", "hang"].map(tool).to_vec() })
    }

    fn call<'a>(&'a self, tool: &'a str, args: Arguments) -> Future<'a, Called> {
        self.0.calls.lock().unwrap().push(tool.to_owned());
        Box::pin(async move {
            match tool {
                "text" => Called::Returned { value: Value::Str("hello".into()), text: "hello".into() },
                "fail" => Called::Failed { message: "it broke".into(), details: "Traceback".into() },
                "hang" => {
                    let _dropped = Dropped(&self.0.is_dropped);
                    std::future::pending().await
                }
                _ => {
                    let given: Json = args.iter().map(|(name, it)| (name.clone(), to_json(it))).collect();
                    Called::Returned { value: from_json(&json!({"given": given})), text: String::new() }
                }
            }
        })
    }

    fn close(&self) -> Future<'_, Vec<String>> {
        self.0.is_closed.store(true, Ordering::SeqCst);
        Box::pin(async { Vec::new() })
    }
}

/// A server over a pipe, and the client's end of it.
pub(crate) struct Piped {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: Option<WriteHalf<DuplexStream>>,
    stop: Option<oneshot::Sender<()>>,
    server: JoinHandle<std::io::Result<Vec<String>>>,
}

impl Piped {
    pub(crate) fn serve(offer: Offer) -> Piped {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (reader, writer) = tokio::io::split(theirs);
        let (stop, stopped) = oneshot::channel();
        let asked = async move {
            if stopped.await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        let server = tokio::spawn(serve_streams(offer.ready(), reader, writer, asked));
        let (reader, writer) = tokio::io::split(ours);
        Piped { lines: BufReader::new(reader).lines(), writer: Some(writer), stop: Some(stop), server }
    }

    pub(crate) async fn send(&mut self, line: &str) {
        let writer = self.writer.as_mut().unwrap();
        writer.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    /// The next line, as JSON.
    pub(crate) async fn line(&mut self) -> Json {
        let line = tokio::time::timeout(Duration::from_secs(10), self.lines.next_line()).await;
        serde_json::from_str(&line.expect("an answer in time").unwrap().expect("a line")).unwrap()
    }

    pub(crate) async fn ask(&mut self, message: Json) -> Json {
        self.send(&message.to_string()).await;
        self.line().await
    }

    pub(crate) async fn request(&mut self, id: u64, method: &str, params: Json) -> Json {
        self.ask(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await
    }

    /// The handshake of old, with this version.
    pub(crate) async fn initialize(&mut self, version: &str) -> Json {
        let about = json!({
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": {"name": "by-hand", "version": "1"},
        });
        let told = self.request(0, "initialize", about).await;
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string()).await;
        told
    }

    /// Ends the input.
    pub(crate) async fn hang_up(&mut self) {
        let mut writer = self.writer.take().unwrap();
        writer.shutdown().await.unwrap();
    }

    /// Asks the server to end, as a signal would.
    pub(crate) fn interrupt(&mut self) {
        let _ = self.stop.take().unwrap().send(());
    }

    /// Waits for the end, and gives what went wrong.
    pub(crate) async fn ended(self) -> Vec<String> {
        let Piped { server, stop, .. } = self;
        let ended = tokio::time::timeout(Duration::from_secs(10), server).await;
        drop(stop);
        ended.expect("the server ends").unwrap().unwrap()
    }
}
