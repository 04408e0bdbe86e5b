//! A small HTTP server of the tests' own, on loopback.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

/// A server that answers every request with the same bytes, and keeps what it was asked.
pub(crate) struct Http {
    pub(crate) url: String,
    pub(crate) asked: Arc<Mutex<Vec<String>>>,
}

impl Http {
    /// Answers with these bytes, headers included.
    pub(crate) fn answering(answer: Vec<u8>) -> Http {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let mut reader = BufReader::new(stream);
                let (mut head, mut length) = (String::new(), 0);
                loop {
                    let mut line = String::new();
                    if reader.read_line(&mut line).unwrap_or(0) == 0 || line == "\r\n" {
                        break;
                    }
                    if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                        length = value.trim().parse().unwrap_or(0);
                    }
                    head.push_str(&line);
                }
                let mut body = vec![0; length];
                let _ = reader.read_exact(&mut body);
                kept.lock().expect("no panic").push(head + &String::from_utf8_lossy(&body));
                let _ = reader.get_mut().write_all(&answer);
            }
        });
        Http { url, asked }
    }

    /// Answers with this status and body.
    pub(crate) fn saying(status: &str, body: &str) -> Http {
        let head =
            format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
        Http::answering((head + body).into_bytes())
    }

    /// What it was asked last.
    pub(crate) fn last(&self) -> String {
        self.asked.lock().expect("no panic").last().cloned().unwrap_or_default()
    }
}
