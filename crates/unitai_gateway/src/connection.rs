//! One connection: requests are read and answered one after the other.

use std::cell::Cell;
use std::rc::Rc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::answer::{Gone, Out};
use crate::deciding::{Incoming, answer};
use crate::guard::Reason;
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
            match self.answer(&mut chunks).await? {
                Progress::Answered { end, keeps_alive } => {
                    self.forget(end);
                    return Ok(keeps_alive);
                }
                Progress::Refused(reason) => return self.refuse(reason).await,
                Progress::Partial { expects } => self.read(expects, &mut chunks).await?,
            }
        }
    }

    /// Waits for more.
    async fn read(&mut self, expects: bool, chunks: &mut Chunked) -> Result<(), Gone> {
        self.is_busy.set(!self.buffer.is_empty());
        if expects && !chunks.is_told {
            chunks.is_told = true;
            self.stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await.map_err(|_| Gone)?;
        }
        self.buffer.reserve(READ);
        match self.stream.read_buf(&mut self.buffer).await {
            Ok(0) | Err(_) => Err(Gone),
            Ok(_) => Ok(()),
        }
    }

    /// Takes an answered request out of the buffer.
    fn forget(&mut self, end: usize) {
        self.buffer.drain(..end);
        if self.buffer.is_empty() && self.buffer.capacity() > KEPT {
            self.buffer = Vec::with_capacity(READ);
        }
        if self.out.capacity() > KEPT {
            self.out = Vec::new();
        }
    }

    /// Answers the request in the buffer, if it is whole.
    async fn answer(&mut self, chunks: &mut Chunked) -> Result<Progress, Gone> {
        let Connection { shared, stream, buffer, out, headers, is_busy } = self;
        let head = match Head::read(buffer) {
            Ok(Some(head)) => head,
            Ok(None) => return Ok(Progress::Partial { expects: false }),
            Err(Malformed(reason)) => return Ok(Progress::Refused(reason)),
        };
        let route = match shared.guard.admit(&head, &shared.settings.upstreams) {
            Ok(route) => route,
            Err(reason) => return Ok(Progress::Refused(reason)),
        };
        let (body, end) = match head.body {
            BodyLength::Known(length) if length > MOST_BODY => {
                return Ok(Progress::Refused("the body is too long"));
            }
            BodyLength::Known(length) => match buffer.get(head.length..head.length + length) {
                Some(body) => (body, head.length + length),
                None => return Ok(Progress::Partial { expects: head.expects }),
            },
            BodyLength::Chunked => match chunks.read(&buffer[head.length..]) {
                Ok(true) => (chunks.chunks.body.as_slice(), head.length + chunks.taken),
                Ok(false) => return Ok(Progress::Partial { expects: head.expects }),
                Err(Malformed(reason)) => return Ok(Progress::Refused(reason)),
            },
        };
        is_busy.set(true);
        let first_line = memchr::memchr(b'\n', buffer).map_or(0, |end| end + 1);
        let own = &buffer[first_line..head.length];
        let is_new = *headers != own || route.rest.contains('?');
        if is_new {
            headers.clear();
            headers.extend_from_slice(own);
        }
        let keeps_alive = head.keeps_alive && !shared.is_stopping.get();
        let mut out = Out { stream, bytes: out, keeps_alive };
        answer(shared, &Incoming { head: &head, route, body, is_new }, &mut out).await?;
        Ok(Progress::Answered { end, keeps_alive })
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
    /// A request was there to its last byte, and is answered.
    Answered { end: usize, keeps_alive: bool },
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
