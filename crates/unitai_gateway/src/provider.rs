//! The way to the providers: no redirect is followed, nothing is decoded on the way, and what is on this
//! machine is reached directly, whatever proxy the environment names.

use std::cell::OnceCell;
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, redirect};
use unitai_model::with_causes;

use crate::head::{Head, lists};
use crate::upstreams::Upstream;

/// The clients, made when they are first needed: reading the system's certificates takes its time.
#[derive(Default)]
pub(crate) struct Provider {
    direct: OnceCell<Client>,
    usual: OnceCell<Client>,
}

/// Headers that are for the next hop alone.
const OF_THE_HOP: [&str; 9] = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

impl Provider {
    /// The client for an upstream.
    pub(crate) fn client(&self, upstream: &Upstream) -> Result<&Client, String> {
        let (cell, is_direct) = if upstream.is_local() { (&self.direct, true) } else { (&self.usual, false) };
        if let Some(client) = cell.get() {
            return Ok(client);
        }
        let client = make(is_direct)?;
        Ok(cell.get_or_init(|| client))
    }
}

fn make(is_direct: bool) -> Result<Client, String> {
    // The process has one; another part of it may have chosen already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = Client::builder()
        .redirect(redirect::Policy::none())
        .referer(false)
        .connect_timeout(Duration::from_secs(30))
        .http1_only();
    let client = if is_direct { client.no_proxy() } else { client };
    client.build().map_err(|error| with_causes(&error))
}

/// The headers that go on to the provider.
pub(crate) fn onwards(head: &Head<'_>, wants_identity: bool, drops_encoding: bool) -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(head.headers.len());
    for (name, value) in &head.headers {
        let is_ours = ["host", "content-length", "expect"].iter().any(|ours| name.eq_ignore_ascii_case(ours));
        let is_listed = head.all("connection").any(|listed| lists(listed, name));
        let is_encoding = (wants_identity && name.eq_ignore_ascii_case("accept-encoding"))
            || (drops_encoding && name.eq_ignore_ascii_case("content-encoding"));
        if is_ours || is_listed || is_encoding || is_of_the_hop(name) {
            continue;
        }
        if let (Ok(name), Ok(value)) =
            (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_bytes(value))
        {
            headers.append(name, value);
        }
    }
    if wants_identity {
        headers.insert("accept-encoding", HeaderValue::from_static("identity"));
    }
    headers
}

/// The headers that come back to the client.
pub(crate) fn back(headers: &HeaderMap) -> impl Iterator<Item = (&str, &[u8])> {
    let listed =
        |name: &str| headers.get_all("connection").iter().any(|listed| lists(listed.as_bytes(), name));
    headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes())).filter(move |(name, _)| {
        // A length is put in anew where it is known.
        !is_of_the_hop(name) && *name != "content-length" && !listed(name)
    })
}

fn is_of_the_hop(name: &str) -> bool {
    OF_THE_HOP.iter().any(|other| name.eq_ignore_ascii_case(other))
}
