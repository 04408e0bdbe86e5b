//! One connection: requests are read and answered one after the other.

use std::cell::Cell;
use std::rc::Rc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::answer::{Gone, Out};
use crate::deciding::{Incoming, answer};
use crate::guard::{Reason, Route};
use crate::head::{BodyLength, Chunks, Head, Malformed};
use crate::shared::Shared;

/// Larger bodies are refused.
const MOST_BODY: usize = 64 << 20;

/// So much is read at once.
const READ: usize = 16 << 10;

/// What is left of a large buffer after its request.
const KEPT: usize = 256 << 10;

/// Tells nothing: not what is here, and not why it was refused.
const REFUSAL: &[u8] = b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// One connection.
pub(crate) struct Connection {
    shared: Rc<Shared>,
    stream: TcpStream,
    /// What has come and is not answered yet.
    buffer: Vec<u8>,
    out: Vec<u8>,
    /// The headers of the request before: a client sends the same with every request.
    headers: Vec<u8>,
    /// Whether a request is under way.
    is_busy: Rc<Cell<bool>>,
}

impl Connection {
    pub(crate) fn new(shared: Rc<Shared>, stream: TcpStream, is_busy: Rc<Cell<bool>>) -> Connection {
        // Without it small answers would wait for the acknowledgement of those before.
        let _ = stream.set_nodelay(true);
        Connection {
            shared,
            stream,
            buffer: Vec::with_capacity(READ),
            out: Vec::new(),
            headers: Vec::new(),
            is_busy,
        }
    }

    /// Serves until the client or the gateway wants no more.
    pub(crate) async fn serve(mut self) {
        while let Ok(true) = self.next().await {
            self.is_busy.set(false);
            if self.shared.is_stopping.get() {
                break;
            }
        }
        self.is_busy.set(false);
    }

    /// Reads and answers one request. Says whether another may come.
    async fn next(&mut self) -> Result<bool, Gone> {
        let mut chunks = Chunked::default();
        loop {
            match self.look(&mut chunks) {
                Progress::Ready => break,
                Progress::Refused(reason) => return self.refuse(reason).await,
                Progress::Partial { expects } => {
                    self.is_busy.set(!self.buffer.is_empty());
                    if expects && !chunks.is_told {
                        chunks.is_told = true;
                        self.stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await.map_err(|_| Gone)?;
                    }
                    self.buffer.reserve(READ);
                    match self.stream.read_buf(&mut self.buffer).await {
                        Ok(0) | Err(_) => return Err(Gone),
                        Ok(_) => {}
                    }
                }
            }
        }
        self.is_busy.set(true);
        let Connection { shared, stream, buffer, out, headers, .. } = self;
        // It was read and let in before, and has not changed.
        let Ok(Some(head)) = Head::read(buffer) else { return Err(Gone) };
        let Ok(route) = shared.guard.admit(&head, &shared.settings.upstreams) else { return Err(Gone) };
        let (body, end) = match head.body {
            BodyLength::Known(length) => (&buffer[head.length..head.length + length], head.length + length),
            BodyLength::Chunked => (chunks.chunks.body.as_slice(), head.length + chunks.taken),
        };
        let keeps_alive = head.keeps_alive && !shared.is_stopping.get();
        let first_line = memchr::memchr(b'\n', buffer).map_or(0, |end| end + 1);
        let own = &buffer[first_line..head.length];
        let is_new = *headers != own || route.rest.contains('?');
        if is_new {
            headers.clear();
            headers.extend_from_slice(own);
        }
        let mut out = Out { stream, bytes: out, keeps_alive };
        answer(shared, &Incoming { head: &head, route, body, is_new }, &mut out).await?;
        drop(head);
        self.buffer.drain(..end);
        if self.buffer.is_empty() && self.buffer.capacity() > KEPT {
            self.buffer = Vec::with_capacity(READ);
        }
        if self.out.capacity() > KEPT {
            self.out = Vec::new();
        }
        Ok(keeps_alive)
    }

    /// Looks at what has come.
    fn look(&self, chunks: &mut Chunked) -> Progress {
        let head = match Head::read(&self.buffer) {
            Ok(Some(head)) => head,
            Ok(None) => return Progress::Partial { expects: false },
            Err(Malformed(reason)) => return Progress::Refused(reason),
        };
        if let Err(reason) = self.admitted(&head) {
            return Progress::Refused(reason);
        }
        let is_whole = match head.body {
            BodyLength::Known(length) if length > MOST_BODY => {
                return Progress::Refused("the body is too long");
            }
            BodyLength::Known(length) => self.buffer.len() >= head.length + length,
            BodyLength::Chunked => match chunks.read(&self.buffer[head.length..]) {
                Ok(is_whole) => is_whole,
                Err(Malformed(reason)) => return Progress::Refused(reason),
            },
        };
        if is_whole { Progress::Ready } else { Progress::Partial { expects: head.expects } }
    }

    fn admitted<'a>(&'a self, head: &Head<'a>) -> Result<Route<'a>, Reason> {
        self.shared.guard.admit(head, &self.shared.settings.upstreams)
    }

    async fn refuse(&mut self, reason: Reason) -> Result<bool, Gone> {
        self.shared.refused(reason);
        let _ = self.stream.write_all(REFUSAL).await;
        let _ = self.stream.shutdown().await;
        Ok(false)
    }
}

/// What is to be done with what has come.
enum Progress {
    /// A request is there to its last byte.
    Ready,
    /// More must come.
    Partial { expects: bool },
    /// It is not let in.
    Refused(Reason),
}

/// A body in chunks, as far as it has come.
#[derive(Default)]
struct Chunked {
    chunks: Chunks,
    /// How many bytes of the buffer were read.
    taken: usize,
    /// Whether the client was told to go on.
    is_told: bool,
}

impl Chunked {
    /// Reads on. Says whether the body is whole.
    fn read(&mut self, bytes: &[u8]) -> Result<bool, Malformed> {
        while let Some((taken, is_last)) = self.chunks.read(&bytes[self.taken..], MOST_BODY)? {
            self.taken += taken;
            if is_last {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
