//! Who may ask, and for what. Everything is refused that is not allowed here, before a byte of a body is
//! read, and a refusal tells nothing.
//!
//! A page in a browser can send requests to this machine, and can make its own name lead here. So the name
//! that was asked for must be ours, nothing that browsers say about themselves may be there, and the path
//! must hold a secret that is made anew at every start. The secret stands in the path because clients can
//! be given another address, but their headers belong to the provider.

use unitai_wire::token::is_same;

use crate::head::Head;
use crate::upstreams::{Upstream, Upstreams};

/// The guard of one gateway.
#[derive(Debug)]
pub(crate) struct Guard {
    token: String,
    hosts: [String; 2],
}

/// What a request that was let in asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Route<'a> {
    pub(crate) upstream: &'a Upstream,
    /// The path there, with its query.
    pub(crate) rest: &'a str,
}

/// Why a request was refused. It goes to the log, never to the one who asked.
pub(crate) type Reason = &'static str;

/// Methods that providers know. Browsers ask for leave (`OPTIONS`) before they send most others.
const METHODS: [&str; 3] = ["GET", "POST", "DELETE"];

impl Guard {
    pub(crate) fn new(token: String, port: u16) -> Guard {
        Guard { token, hosts: [format!("127.0.0.1:{port}"), format!("localhost:{port}")] }
    }

    /// The address that clients are given.
    pub(crate) fn address(&self) -> String {
        format!("http://{}/{}", self.hosts[0], self.token)
    }

    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// Lets a request in, or says why not.
    pub(crate) fn admit<'a>(&self, head: &Head<'a>, upstreams: &'a Upstreams) -> Result<Route<'a>, Reason> {
        let host = head.host.only().ok_or("there is not exactly one Host header")?;
        if !self.hosts.iter().any(|own| own.as_bytes() == host) {
            return Err("the Host header names another host");
        }
        if head.is_of_browser {
            return Err("the request comes from a browser");
        }
        // The target is what stood in the request: a whole URL, or anything but a path, is refused with it.
        let path = head.target.strip_prefix('/').ok_or("the target is no path")?;
        let (token, path) = path.split_once('/').ok_or("the path has no token")?;
        if !is_same(&self.token, token.as_bytes()) {
            return Err("the token is not this gateway's");
        }
        if !METHODS.contains(&head.method) {
            return Err("the method is not allowed");
        }
        if head.method == "POST" && !is_json(head) {
            return Err("the content type is not JSON");
        }
        let (name, _) = path.split_once('/').ok_or("the path names no upstream")?;
        let upstream = upstreams.named(name).ok_or("the path names no upstream that was configured")?;
        let rest = &path[name.len()..];
        if !is_plain(rest) {
            return Err("the path is not plain");
        }
        Ok(Route { upstream, rest })
    }
}

/// Pages can send text and forms without asking; JSON they cannot.
fn is_json(head: &Head<'_>) -> bool {
    let Some(kind) = head.kind.only() else { return false };
    let kind = kind.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
    kind.eq_ignore_ascii_case(b"application/json")
}

/// Whether a path means the same to everybody: no steps upwards, no slashes in disguise, no bytes that
/// somebody might read as the end. What stands in the query is the provider's to read.
fn is_plain(rest: &str) -> bool {
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let is_visible = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#');
    if !is_visible(path) || !is_visible(query) || path.contains('\\') {
        return false;
    }
    if !path.contains('%') && !path.contains("/.") {
        return true;
    }
    let path = path.to_ascii_lowercase();
    // An escaped escape may be one slash, or one dot, for whoever reads it twice.
    let is_disguised = ["%2f", "%5c", "%00", "%25", "%0a", "%0d"].iter().any(|escape| path.contains(escape));
    let mut parts = path.strip_prefix('/').unwrap_or(&path).split('/');
    // Some servers leave out what stands behind a semicolon, and then take the step.
    let is_step = |part: &str| {
        let part = part.replace("%2e", ".").replace("%3b", ";");
        matches!(part.split(';').next(), Some("." | ".."))
    };
    !is_disguised && !parts.any(is_step)
}
