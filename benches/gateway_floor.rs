//! The floor of the gateway, and the load for both: the least that a server on epoll can do for a request, and
//! a client that keeps many connections busy from one thread.
//!
//! `serve ANSWER` answers every request with the bytes of a file. `load PORT REQUESTS CONNECTIONS COUNT PID`
//! sends requests and prints one line of JSON. Compiled by gateway.py with `rustc -O`.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsRawFd, RawFd};
use std::time::Instant;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args[0].as_str() {
        "serve" => serve(&std::fs::read(&args[1]).unwrap()),
        "load" => {
            let number = |at: usize| args[at].parse::<usize>().unwrap();
            let requests = requests(&std::fs::read(&args[2]).unwrap());
            load(number(1) as u16, &requests, number(3), number(4), number(5));
        }
        other => panic!("{other}"),
    }
}

/// One thread, one read and one write a request, no journal, nothing looked up.
fn serve(answer: &[u8]) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    println!("{}", listener.local_addr().unwrap().port());
    let poll = Poll::new();
    poll.add(listener.as_raw_fd());
    let mut connections: HashMap<RawFd, (TcpStream, Vec<u8>)> = HashMap::new();
    let mut piece = vec![0; 64 << 10];
    loop {
        for fd in poll.wait() {
            if fd == listener.as_raw_fd() {
                while let Ok((stream, _)) = listener.accept() {
                    stream.set_nonblocking(true).unwrap();
                    stream.set_nodelay(true).unwrap();
                    poll.add(stream.as_raw_fd());
                    connections.insert(stream.as_raw_fd(), (stream, Vec::new()));
                }
                continue;
            }
            let Some((stream, buffer)) = connections.get_mut(&fd) else { continue };
            match stream.read(&mut piece) {
                Ok(0) => {
                    connections.remove(&fd);
                }
                Ok(n) => {
                    buffer.extend_from_slice(&piece[..n]);
                    while let Some(length) = whole(buffer) {
                        buffer.drain(..length);
                        stream.write_all(answer).unwrap();
                    }
                }
                Err(_) => {}
            }
        }
    }
}

/// The length of the message at the start, if it is whole: with a length, or in chunks that end.
fn whole(bytes: &[u8]) -> Option<usize> {
    let head = bytes.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let text = std::str::from_utf8(&bytes[..head]).ok()?;
    for line in text.split("\r\n") {
        let Some((name, value)) = line.split_once(": ") else { continue };
        if name.eq_ignore_ascii_case("content-length") {
            let length = head + value.parse::<usize>().ok()?;
            return (bytes.len() >= length).then_some(length);
        }
        if name.eq_ignore_ascii_case("transfer-encoding") {
            return bytes.ends_with(b"0\r\n\r\n").then_some(bytes.len());
        }
    }
    Some(head)
}

/// A file of requests: each has its length before it, in four bytes.
fn requests(mut bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    while let Some((length, rest)) = bytes.split_first_chunk::<4>() {
        let (request, rest) = rest.split_at(u32::from_le_bytes(*length) as usize);
        all.push(request.to_vec());
        bytes = rest;
    }
    all
}

struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
    sent: Instant,
}

fn load(port: u16, requests: &[Vec<u8>], connections: usize, count: usize, pid: usize) {
    let poll = Poll::new();
    let mut clients: HashMap<RawFd, Client> = HashMap::new();
    let (cpu, began) = (cpu_of(pid), Instant::now());
    let (mut next, mut done, mut bytes, mut failed) = (0, 0, 0, 0);
    let mut latencies = Vec::with_capacity(count);
    for _ in 0..connections {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.write_all(&requests[next % requests.len()]).unwrap();
        next += 1;
        stream.set_nonblocking(true).unwrap();
        poll.add(stream.as_raw_fd());
        clients.insert(stream.as_raw_fd(), Client { stream, buffer: Vec::new(), sent: Instant::now() });
    }
    let mut piece = vec![0; 64 << 10];
    while done < count {
        for fd in poll.wait() {
            let Some(client) = clients.get_mut(&fd) else { continue };
            match client.stream.read(&mut piece) {
                Ok(0) => panic!("the server closed a connection: {}", String::from_utf8_lossy(&client.buffer)),
                Ok(n) => client.buffer.extend_from_slice(&piece[..n]),
                Err(_) => continue,
            }
            if whole(&client.buffer).is_none() {
                continue;
            }
            latencies.push(client.sent.elapsed().as_nanos() as u64);
            failed += usize::from(!client.buffer.starts_with(b"HTTP/1.1 200"));
            bytes += client.buffer.len();
            client.buffer.clear();
            done += 1;
            if next < count {
                client.sent = Instant::now();
                client.stream.write_all(&requests[next % requests.len()]).unwrap();
                next += 1;
            }
        }
    }
    let (seconds, cpu) = (began.elapsed().as_secs_f64(), cpu_of(pid) - cpu);
    latencies.sort_unstable();
    let at = |share: f64| latencies[((latencies.len() - 1) as f64 * share) as usize] as f64 / 1e3;
    println!(
        "{{\"requests\": {done}, \"failed\": {failed}, \"bytes\": {bytes}, \"seconds\": {seconds:.4}, \
         \"cpu_us\": {:.3}, \"p50_us\": {:.1}, \"p99_us\": {:.1}}}",
        cpu as f64 / 1e3 / done as f64,
        at(0.5),
        at(0.99)
    );
}

/// Nanoseconds that all threads of a process have been on a processor.
fn cpu_of(pid: usize) -> u64 {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    threads
        .map(|thread| {
            let text = std::fs::read_to_string(thread.unwrap().path().join("schedstat")).unwrap();
            text.split(' ').next().unwrap().parse::<u64>().unwrap()
        })
        .sum()
}

/// The system's epoll. The standard library has none, and the floor has no dependencies.
struct Poll(i32);

#[repr(C)]
#[cfg_attr(target_arch = "x86_64", repr(packed))]
#[derive(Clone, Copy)]
struct PollEvent {
    events: u32,
    data: u64,
}

unsafe extern "C" {
    fn epoll_create1(flags: i32) -> i32;
    fn epoll_ctl(epoll: i32, operation: i32, fd: i32, event: *mut PollEvent) -> i32;
    fn epoll_wait(epoll: i32, events: *mut PollEvent, most: i32, timeout: i32) -> i32;
}

impl Poll {
    fn new() -> Poll {
        // SAFETY: takes no pointer.
        Poll(unsafe { epoll_create1(0) })
    }

    fn add(&self, fd: RawFd) {
        let mut event = PollEvent { events: 1, data: fd as u64 };
        // SAFETY: the event lives for the call, and the descriptor is open.
        assert_eq!(unsafe { epoll_ctl(self.0, 1, fd, &mut event) }, 0);
    }

    fn wait(&self) -> Vec<RawFd> {
        let mut events = [PollEvent { events: 0, data: 0 }; 64];
        // SAFETY: there is room for as many events as are asked for.
        let count = unsafe { epoll_wait(self.0, events.as_mut_ptr(), 64, -1) };
        events[..count.max(0) as usize].iter().map(|event| event.data as RawFd).collect()
    }
}
