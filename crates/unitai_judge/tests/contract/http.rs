//! A small server of HTTP that says what it is told to.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use unitai_spec::run::Future;

/// What somebody asks.
pub(crate) struct Asked {
    pub(crate) path: String,
    /// As it came, names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Value,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(it, _)| it == name).map_or("", |(_, value)| value)
    }
}

/// What is answered.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: &'static str,
    pub(crate) body: String,
    pub(crate) after: Duration,
}

impl Reply {
    pub(crate) fn of(status: u16, body: impl ToString) -> Reply {
        Reply { status, headers: "", body: body.to_string(), after: Duration::ZERO }
    }
}

type Answering = dyn Fn(Asked) -> Future<'static, Reply> + Send + Sync;

/// A server, which ends when it is dropped.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    task: JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    /// A server that answers so.
    pub(crate) async fn start(
        answer: impl Fn(Asked) -> Future<'static, Reply> + Send + Sync + 'static,
    ) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port of this machine");
        let address = listener.local_addr().expect("an address");
        let answer: Arc<Answering> = Arc::new(answer);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, answer.clone()));
            }
        });
        Server { address, task }
    }

    /// A server that answers so, at once.
    pub(crate) async fn plain(answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Server {
        Server::start(move |asked| {
            let reply = answer(&asked);
            Box::pin(async move { reply })
        })
        .await
    }
}

async fn serve(mut stream: TcpStream, answer: Arc<Answering>) {
    let mut bytes = Vec::new();
    let (asked, _) = loop {
        let mut piece = [0; 4096];
        match stream.read(&mut piece).await {
            Ok(0) | Err(_) => return,
            Ok(read) => bytes.extend_from_slice(&piece[..read]),
        }
        if let Some(asked) = parsed(&bytes) {
            break (asked, ());
        }
    };
    let reply = answer(asked).await;
    tokio::time::sleep(reply.after).await;
    let head = format!(
        "HTTP/1.1 {} x\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n{}\r\n",
        reply.status,
        reply.body.len(),
        reply.headers
    );
    let _ = stream.write_all(head.as_bytes()).await;
    let _ = stream.write_all(reply.body.as_bytes()).await;
    let _ = stream.shutdown().await;
}

/// A request, when all of it is there.
fn parsed(bytes: &[u8]) -> Option<Asked> {
    let end = bytes.windows(4).position(|it| it == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.lines();
    let path = lines.next()?.split(' ').nth(1)?.to_owned();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length").map_or("0", |(_, it)| it);
    let body = bytes.get(end + 4..end + 4 + length.parse::<usize>().ok()?)?;
    Some(Asked { path, headers, body: serde_json::from_slice(body).unwrap_or_default() })
}
