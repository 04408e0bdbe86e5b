//! Where a request goes.

use crate::dialects;

/// The parts of a URL that matter here.
///
/// ```
/// use unitai_wire::Target;
/// let target = Target::of("https://api.openai.com:443/v1/chat/completions?x=1#stream").unwrap();
/// assert_eq!((target.host, target.path), ("api.openai.com", "/v1/chat/completions"));
/// assert!(target.is_model_host());
/// assert!(Target::of("http://[::1]:8080/api/chat").unwrap().is_local());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target<'a> {
    /// The host's name, without port and brackets.
    pub host: &'a str,
    /// The port, where the URL names it.
    pub port: Option<u16>,
    /// The path, without query and fragment.
    pub path: &'a str,
    /// Whether the query asks for the beta form of the API, which answers the same body in another way.
    pub is_beta: bool,
}

/// Hosts of models whose dialect we do not speak, or where a part in the middle of the name decides.
const OTHER_HOSTS: &[&str] = &["api-inference.huggingface.co", "router.huggingface.co"];

impl<'a> Target<'a> {
    /// The target of a URL; `None` when it is none.
    pub fn of(url: &'a str) -> Option<Target<'a>> {
        let (_, rest) = url.split_once("://")?;
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, rest) = rest.split_at(end);
        let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        let (host, port) = match host.strip_prefix('[') {
            Some(rest) => rest.split_once(']').map(|(host, port)| (host, port.strip_prefix(':')))?,
            None => host.split_once(':').map_or((host, None), |(host, port)| (host, Some(port))),
        };
        let port = port.and_then(|port| port.parse().ok());
        let path = rest.split(['?', '#']).next().unwrap_or_default();
        Some(Target { host, port, path, is_beta: asks_for_beta(rest) })
    }

    /// Whether the host is one that only serves models.
    pub fn is_model_host(&self) -> bool {
        is_model_host(self.host)
    }

    /// Whether the host is this machine.
    pub fn is_local(&self) -> bool {
        is_local(self.host)
    }
}

/// Whether the query of an address, or of its path, asks for the beta form of the API, as Anthropic's SDK does.
pub fn asks_for_beta(address: &str) -> bool {
    let query = address.split('#').next().unwrap_or_default().split_once('?').map_or("", |(_, query)| query);
    query.split('&').any(|pair| pair == "beta=true")
}

/// Whether the host is one that only serves models.
pub fn is_model_host(host: &str) -> bool {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let known = dialects::ALL.iter().flat_map(|dialect| dialect.hosts()).chain(OTHER_HOSTS);
    let mut known =
        known.map(|known| if known.starts_with('.') { host.ends_with(known) } else { host == *known });
    // The region stands in the name.
    let is_bedrock = host.starts_with("bedrock-runtime") && host.contains(".amazonaws.com");
    is_bedrock || host.ends_with("-aiplatform.googleapis.com") || known.any(|is_known| is_known)
}

/// Whether the host is this machine.
pub fn is_local(host: &str) -> bool {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let address = host.parse::<std::net::IpAddr>();
    let is_loopback = address.is_ok_and(|address| address.is_loopback() || address.is_unspecified());
    is_loopback || host == "localhost" || host.ends_with(".localhost") || host == "host.docker.internal"
}
