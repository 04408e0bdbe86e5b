//! Who may ask over HTTP. Everything is refused that is not allowed here, before a byte of a body is read.
//!
//! A page in a browser can send requests to this machine, and can make its own name lead here. So the name that was
//! asked for must be one of ours, and so must the page that asks, if it is one. Both are looked at: a page whose name
//! leads here sends no `Origin` with some requests, and a page of elsewhere may know our address.

use hyper::Uri;
use hyper::header::{AUTHORIZATION, HOST, HeaderMap, HeaderName, ORIGIN};
use unitai_wire::token::is_same;

/// Names of this very machine.
const LOOPBACK: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// Whom a server lets in.
///
/// ```
/// let admission = unitai_mcp::server::Admission::with_token("a long secret").with_host("tests.example:8080");
/// # let _ = admission;
/// ```
#[derive(Debug, Clone)]
pub struct Admission {
    hosts: Vec<String>,
    origins: Vec<String>,
    token: Option<String>,
}

/// Why a request is refused. The one who asked hears no more than this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The request is not for us, or comes from a page that has no business here.
    Forbidden(&'static str),
    /// The token is missing, or another's.
    Unauthorized,
}

impl Admission {
    /// Those who have the token, which every request must bring as `Authorization: Bearer`.
    pub fn with_token(token: impl Into<String>) -> Admission {
        Admission { hosts: Vec::new(), origins: Vec::new(), token: Some(token.into()) }
    }

    /// Everyone on this machine, every other user of it included: only for tools that do nothing.
    pub fn everyone() -> Admission {
        Admission { hosts: Vec::new(), origins: Vec::new(), token: None }
    }

    /// One more name that the server may be asked by: `name`, with any port, or `name:port`.
    pub fn with_host(mut self, host: impl Into<String>) -> Admission {
        self.hosts.push(host.into().to_ascii_lowercase());
        self
    }

    /// One more page that may ask, such as `https://app.example` or `http://localhost:6274`.
    pub fn with_origin(mut self, origin: impl Into<String>) -> Admission {
        self.origins.push(origin.into().to_ascii_lowercase());
        self
    }

    /// Whether a token is asked for.
    pub fn has_token(&self) -> bool {
        self.token.is_some()
    }

    /// Whether a target that names a host names one of ours. It counts before the `Host` header.
    pub(super) fn admit_target(&self, target: &Uri) -> Result<(), Refusal> {
        match target.authority() {
            Some(host) if !self.is_own(&host.as_str().to_ascii_lowercase()) => {
                Err(Refusal::Forbidden("the target names another host; --allow-host allows it"))
            }
            _ => Ok(()),
        }
    }

    /// Whether the names that a request holds are ours. Asked first, for everything.
    pub(super) fn admit(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let host = only(headers, &HOST).map_err(Refusal::Forbidden)?;
        let Some(host) = host else { return Err(Refusal::Forbidden("there is no Host header")) };
        if !self.is_own(&host) {
            return Err(Refusal::Forbidden("the Host header names another host; --allow-host allows it"));
        }
        match only(headers, &ORIGIN).map_err(Refusal::Forbidden)? {
            Some(origin) if !self.may_ask(&origin) => {
                Err(Refusal::Forbidden("the Origin is not allowed; --allow-origin allows it"))
            }
            _ => Ok(()),
        }
    }

    /// Whether a request brings the token, if there is one. A browser that asks for leave brings none.
    pub(super) fn identify(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let Some(token) = &self.token else { return Ok(()) };
        let mut given = headers.get_all(AUTHORIZATION).iter();
        let (Some(given), None) = (given.next(), given.next()) else { return Err(Refusal::Unauthorized) };
        match given.as_bytes().split_at_checked("Bearer ".len()) {
            Some((word, given)) if word.eq_ignore_ascii_case(b"Bearer ") && is_same(token, given) => Ok(()),
            _ => Err(Refusal::Unauthorized),
        }
    }

    fn is_own(&self, host: &str) -> bool {
        let Some(name) = name_of(host) else { return false };
        LOOPBACK.contains(&name) || self.hosts.iter().any(|own| own == host || own == name)
    }

    fn may_ask(&self, origin: &str) -> bool {
        if self.origins.iter().any(|allowed| allowed == origin) {
            return true;
        }
        let place = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        place.and_then(name_of).is_some_and(|name| LOOPBACK.contains(&name))
    }
}

/// The value of a header in small letters, if it is there once.
fn only(headers: &HeaderMap, name: &HeaderName) -> Result<Option<String>, &'static str> {
    let mut values = headers.get_all(name).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return if headers.contains_key(name) { Err("a header is there twice") } else { Ok(None) };
    };
    let value = value.to_str().map_err(|_| "a header is no text")?;
    Ok(Some(value.to_ascii_lowercase()))
}

/// The name in `name:port`, if that is all there is.
fn name_of(host: &str) -> Option<&str> {
    let (name, port) = match host.strip_prefix('[') {
        Some(rest) => {
            let end = rest.find(']')? + 2;
            host.split_at(end)
        }
        None => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    let is_port =
        |port: &str| !port.is_empty() && port.len() <= 5 && port.bytes().all(|it| it.is_ascii_digit());
    (port.is_empty() || port.strip_prefix(':').is_some_and(is_port)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::HeaderValue;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        headers
    }

    #[test]
    fn only_our_own_names_are_answered() {
        let admission = Admission::everyone().with_host("Tests.example").with_host("other.example:8080");
        let admits = |host: &str| admission.admit(&headers(&[("host", host)])).is_ok();
        for host in [
            "127.0.0.1",
            "127.0.0.1:8000",
            "LOCALHOST:1",
            "[::1]:99",
            "[::1]",
            "tests.example:1",
            "other.example:8080",
        ] {
            assert!(admits(host), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "evil.example:8000",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "localhost:8000@evil.example",
            "evil@localhost",
            "localhost:",
            "localhost:1x",
            "localhost:123456",
            "[::1].evil",
            "[::1",
            "other.example",
            "other.example:8081",
            "0.0.0.0",
            "localhost.",
            "127.0.0.1, evil.example",
        ] {
            assert!(!admits(host), "{host}");
        }
        assert!(admission.admit(&HeaderMap::new()).is_err());
        assert!(admission.admit(&headers(&[("host", "localhost"), ("host", "localhost")])).is_err());
        assert!(admission.admit(&headers(&[("host", "localhost\u{e9}")])).is_err());
    }

    #[test]
    fn only_pages_of_this_machine_may_ask() {
        let admission = Admission::everyone().with_origin("https://app.example");
        let admits =
            |origin: &str| admission.admit(&headers(&[("host", "localhost"), ("origin", origin)])).is_ok();
        for origin in ["http://localhost:6274", "https://127.0.0.1", "http://[::1]:3", "https://APP.example"]
        {
            assert!(admits(origin), "{origin}");
        }
        for origin in [
            "null",
            "",
            "http://evil.example",
            "https://app.example.evil",
            "https://app.example:444",
            "http://app.example",
            "http://localhost.evil.example",
            "http://localhost@evil.example",
            "http://localhost/evil",
            "file://localhost",
            "localhost",
        ] {
            assert!(!admits(origin), "{origin}");
        }
        let twice =
            [("host", "localhost"), ("origin", "http://localhost"), ("origin", "http://evil.example")];
        assert!(admission.admit(&headers(&twice)).is_err());
    }

    #[test]
    fn a_token_must_be_brought_where_there_is_one() {
        let open = Admission::everyone();
        assert_eq!(open.identify(&HeaderMap::new()), Ok(()));
        let admission = Admission::with_token("abc");
        let knows = |value: &str| admission.identify(&headers(&[("authorization", value)])).is_ok();
        assert!(knows("Bearer abc") && knows("bearer abc"));
        for wrong in ["", "abc", "Bearer", "Bearer ", "Bearer abcd", "Bearer ab", "Basic abc", "Bearer  abc"]
        {
            assert!(!knows(wrong), "{wrong}");
        }
        assert_eq!(admission.identify(&HeaderMap::new()), Err(Refusal::Unauthorized));
        let twice = headers(&[("authorization", "Bearer abc"), ("authorization", "Bearer abc")]);
        assert_eq!(admission.identify(&twice), Err(Refusal::Unauthorized));
    }
}
