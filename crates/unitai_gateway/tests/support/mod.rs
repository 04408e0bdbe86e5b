//! A provider to stand behind a gateway, and a client that sends the very bytes it is given.
#![allow(dead_code, reason = "each suite uses a part")]
#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use unitai_gateway::{Gateway, Settings, start};
use unitai_wire::cassette::{Cassette, Mode, Options};
use unitai_wire::redact::Secrets;

/// A provider on this machine. It keeps what it was asked.
pub(crate) struct Provider {
    pub(crate) port: u16,
    seen: Arc<Mutex<Vec<String>>>,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// What a provider does with a request: it writes to the connection.
pub(crate) type Behaviour = dyn Fn(&str, &mut TcpStream) + Send + Sync;

impl Provider {
    pub(crate) fn new(behaviour: impl Fn(&str, &mut TcpStream) + Send + Sync + 'static) -> Provider {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (seen, is_over) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let (all, over, behaviour) = (seen.clone(), is_over.clone(), Arc::new(behaviour) as Arc<Behaviour>);
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if over.load(Ordering::SeqCst) {
                    return;
                }
                let (all, behaviour) = (all.clone(), behaviour.clone());
                std::thread::spawn(move || {
                    let Ok(mut stream) = stream else { return };
                    while let Some(request) = read_request(&mut stream) {
                        all.lock().unwrap().push(request.clone());
                        behaviour(&request, &mut stream);
                    }
                });
            }
        });
        Provider { port, seen, is_over, thread: Some(thread) }
    }

    /// One that answers everything with this body.
    pub(crate) fn saying(body: &'static str) -> Provider {
        Provider::new(move |_, stream| respond(stream, "200 OK", "content-type: application/json\r\n", body))
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub(crate) fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(("127.0.0.1", self.port));
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

pub(crate) fn respond(stream: &mut TcpStream, status: &str, headers: &str, body: &str) {
    let length = body.len();
    let _ = write!(stream, "HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\n\r\n{body}");
}

fn read_request(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "))
                .map_or(0, |n| n.parse().unwrap());
            if bytes.len() >= end + 4 + length {
                return Some(String::from_utf8_lossy(&bytes).into_owned());
            }
        }
        match stream.read(&mut piece) {
            Ok(0) | Err(_) => return None,
            Ok(n) => bytes.extend_from_slice(&piece[..n]),
        }
    }
}

/// A gateway before a provider, live.
pub(crate) fn before(provider: &Provider) -> Gateway {
    start(settings(provider), "test", unitai_model::Packed::null()).unwrap()
}

pub(crate) fn settings(provider: &Provider) -> Settings {
    let mut settings = Settings::live();
    for name in ["openai", "anthropic", "gemini", "local"] {
        settings.upstreams.set(name, &provider.url()).unwrap();
    }
    settings
}

pub(crate) fn cassette(directory: &Path, mode: Mode) -> Cassette {
    let secrets = Arc::new(Secrets::none());
    Cassette::open(directory, Options { mode, ttl: None, volatile: Vec::new(), secrets })
}

pub(crate) fn with_cassette(settings: Settings, directory: &Path, mode: Mode) -> Settings {
    let cassette = cassette(directory, mode);
    Settings { secrets: cassette.secrets().clone(), cassette: Some(Arc::new(cassette)), ..settings }
}

/// The path part of a gateway's address: `/token`.
pub(crate) fn token_path(gateway: &Gateway) -> String {
    let address = gateway.address();
    format!("/{}", address.rsplit('/').next().unwrap())
}

pub(crate) fn connect(gateway: &Gateway) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", gateway.port())).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream
}

/// Sends bytes on a connection of their own, and gives all that comes back.
pub(crate) fn send(gateway: &Gateway, bytes: &[u8]) -> String {
    let mut stream = connect(gateway);
    // A guard may close before it has read everything.
    let _ = stream.write_all(bytes);
    let mut answer = Vec::new();
    match stream.read_to_end(&mut answer) {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
        Err(error) => panic!("{error}"),
    }
    String::from_utf8_lossy(&answer).into_owned()
}

/// A good request, on a connection that is closed after it.
pub(crate) fn post(gateway: &Gateway, path: &str, body: &str) -> String {
    let (port, token, length) = (gateway.port(), token_path(gateway), body.len());
    let request = format!(
        "POST {token}{path} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nauthorization: Bearer sk-canary\r\n\
         content-type: application/json\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    send(gateway, request.as_bytes())
}

pub(crate) fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0)
}
