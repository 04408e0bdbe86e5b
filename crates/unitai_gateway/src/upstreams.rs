//! Where requests may go. The list is made when the gateway starts, and nothing in a request can add to
//! it or change it.

use std::net::IpAddr;

use reqwest::Url;

use crate::GatewayError;

/// A provider that requests may go to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upstream {
    name: String,
    base: Url,
    host: String,
    /// Whether its clients' variables hold the address alone, without the end that they usually have.
    is_bare: bool,
}

/// What is known of a provider: its name, its address, and the variables by which its clients are told
/// another one, each with what they want after it.
struct Known {
    name: &'static str,
    url: &'static str,
    variables: &'static [(&'static str, &'static str)],
}

const KNOWN: &[Known] = &[
    Known {
        name: "openai",
        url: "https://api.openai.com",
        variables: &[("OPENAI_BASE_URL", "/v1"), ("OPENAI_API_BASE", "/v1")],
    },
    Known { name: "anthropic", url: "https://api.anthropic.com", variables: &[("ANTHROPIC_BASE_URL", "")] },
    Known {
        name: "gemini",
        url: "https://generativelanguage.googleapis.com",
        variables: &[("GOOGLE_GEMINI_BASE_URL", "")],
    },
    Known { name: "mistral", url: "https://api.mistral.ai", variables: &[("MISTRAL_API_BASE", "/v1")] },
    Known { name: "groq", url: "https://api.groq.com", variables: &[("GROQ_BASE_URL", "")] },
    Known { name: "cohere", url: "https://api.cohere.com", variables: &[("CO_API_URL", "")] },
    Known { name: "deepseek", url: "https://api.deepseek.com", variables: &[("DEEPSEEK_API_BASE", "")] },
    Known { name: "xai", url: "https://api.x.ai", variables: &[("XAI_API_BASE", "/v1")] },
    Known {
        name: "openrouter",
        url: "https://openrouter.ai",
        variables: &[("OPENROUTER_API_BASE", "/api/v1")],
    },
    Known { name: "ollama", url: "http://127.0.0.1:11434", variables: &[("OLLAMA_HOST", "")] },
];

/// All providers that requests may go to.
///
/// ```
/// use unitai_gateway::Upstreams;
/// let mut upstreams = Upstreams::default();
/// upstreams.set("openai", "http://127.0.0.1:9000/stand-in").unwrap();
/// let openai = upstreams.named("openai").unwrap();
/// let url = openai.url("/v1/models?limit=1").unwrap();
/// assert_eq!(url.as_str(), "http://127.0.0.1:9000/stand-in/v1/models?limit=1");
/// assert!(upstreams.named("evil").is_none());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upstreams(Vec<Upstream>);

impl Default for Upstreams {
    /// Those that everybody knows.
    fn default() -> Upstreams {
        let known = KNOWN.iter().filter_map(|known| Upstream::read(known.name, known.url).ok());
        Upstreams(known.collect())
    }
}

impl Upstreams {
    /// Adds a provider, or gives a known one another address.
    pub fn set(&mut self, name: &str, url: &str) -> Result<(), GatewayError> {
        let upstream = Upstream::read(name, url)?;
        self.put(upstream);
        Ok(())
    }

    /// In the place of the one of the same name, so that the order stays.
    fn put(&mut self, upstream: Upstream) {
        match self.0.iter_mut().find(|other| other.name == upstream.name) {
            Some(other) => *other = upstream,
            None => self.0.push(upstream),
        }
    }

    /// Takes over the addresses that the environment gives to the providers' clients: where a client would go
    /// without a gateway, it goes with one. What is no address is left to fail where it always did.
    pub fn adopt(&mut self, variable: impl Fn(&str) -> Option<String>) {
        for known in KNOWN {
            let given = known.variables.iter().find_map(|(name, end)| Some((variable(name)?, *end)));
            let Some((address, end)) = given.filter(|(address, _)| !address.trim().is_empty()) else {
                continue;
            };
            let address = address.trim().trim_end_matches('/');
            let address =
                if address.contains("://") { address.to_owned() } else { format!("http://{address}") };
            let (base, is_bare) = match address.strip_suffix(end) {
                Some(base) => (base, false),
                None => (address.as_str(), true),
            };
            if let Ok(upstream) = Upstream::read(known.name, base) {
                self.put(Upstream { is_bare, ..upstream });
            }
        }
    }

    /// The provider of this name.
    pub fn named(&self, name: &str) -> Option<&Upstream> {
        self.0.iter().find(|upstream| upstream.name == name)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Upstream> {
        self.0.iter()
    }

    /// Refuses a list in which the gateway itself is an upstream.
    pub(crate) fn refuse_own_port(&self, port: u16) -> Result<(), GatewayError> {
        match self.0.iter().find(|upstream| upstream.is_local() && upstream.port() == Some(port)) {
            Some(own) => Err(GatewayError::Upstream {
                name: own.name.clone(),
                reason: format!("port {port} of this machine is the gateway's own"),
            }),
            None => Ok(()),
        }
    }
}

impl Upstream {
    fn read(name: &str, url: &str) -> Result<Upstream, GatewayError> {
        let wrong = |reason: String| GatewayError::Upstream { name: name.to_owned(), reason };
        let is_word =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'_';
        if name.is_empty() || !name.bytes().all(is_word) {
            return Err(wrong("a name is of small letters, digits, - and _".to_owned()));
        }
        let base = Url::parse(url).map_err(|error| wrong(format!("{url:?} is no address: {error}")))?;
        if !matches!(base.scheme(), "http" | "https") {
            return Err(wrong(format!("it must begin with http:// or https://, and is {url:?}")));
        }
        if !base.username().is_empty() || base.password().is_some() {
            // Not shown: it may be a real password.
            return Err(wrong(
                "an address holds no user and no password; clients send their keys themselves".to_owned(),
            ));
        }
        if base.query().is_some() || base.fragment().is_some() {
            return Err(wrong(format!("an address ends with its path, and this is {url:?}")));
        }
        let Some(host) = base.host_str().map(|host| host.trim_matches(['[', ']']).to_owned()) else {
            return Err(wrong(format!("{url:?} names no host")));
        };
        Ok(Upstream { name: name.to_owned(), base, host, is_bare: false })
    }

    /// Its name, which is a part of the path that clients ask for.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its host.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Its address.
    pub fn address(&self) -> &str {
        self.base.as_str().trim_end_matches('/')
    }

    /// Whether it is on this machine: then no proxy stands between.
    pub fn is_local(&self) -> bool {
        let address = self.host.parse::<IpAddr>();
        unitai_wire::is_local(&self.host) || address.is_ok_and(|address| address.to_canonical().is_loopback())
    }

    fn port(&self) -> Option<u16> {
        self.base.port_or_known_default()
    }

    /// The whole path of what is asked for there.
    pub fn path(&self, rest: &str) -> String {
        let rest = rest.split('?').next().unwrap_or_default();
        format!("{}{rest}", self.base.path().trim_end_matches('/'))
    }

    /// The address of what is asked for there: `rest` is a path that the guard has let through. `None` when
    /// it would lead anywhere else.
    pub fn url(&self, rest: &str) -> Option<Url> {
        let url = Url::parse(&format!("{}{rest}", self.address())).ok()?;
        let is_there = url.origin() == self.base.origin()
            && url.username().is_empty()
            && url.path().starts_with(self.base.path().trim_end_matches('/'));
        is_there.then_some(url)
    }

    /// The variables that lead its clients to a gateway at this address.
    pub fn variables(&self, gateway: &str) -> impl Iterator<Item = (&'static str, String)> {
        let here = format!("{gateway}/{}", self.name);
        let known = KNOWN.iter().find(|known| known.name == self.name);
        let variables = known.map_or(&[][..], |known| known.variables);
        let is_bare = self.is_bare;
        variables.iter().map(move |(variable, end)| {
            let end = if is_bare { "" } else { end };
            (*variable, format!("{here}{end}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adopted(name: &str, value: &str) -> Upstreams {
        let mut upstreams = Upstreams::default();
        upstreams.adopt(|variable| (variable == name).then(|| value.to_owned()));
        upstreams
    }

    fn variable(upstreams: &Upstreams, upstream: &str, name: &str) -> String {
        let mut all = upstreams.named(upstream).unwrap().variables("http://127.0.0.1:1/t");
        all.find(|(variable, _)| *variable == name).unwrap().1
    }

    #[test]
    fn the_environment_says_where_a_client_would_go_without_a_gateway() {
        let upstreams = adopted("OPENAI_BASE_URL", "http://vllm.local:8000/v1/");
        assert_eq!(upstreams.named("openai").unwrap().address(), "http://vllm.local:8000");
        assert_eq!(variable(&upstreams, "openai", "OPENAI_BASE_URL"), "http://127.0.0.1:1/t/openai/v1");
        // Without the usual end the client adds its own path to the address as it is.
        let upstreams = adopted("OPENAI_BASE_URL", "https://models.example/llm");
        assert_eq!(upstreams.named("openai").unwrap().address(), "https://models.example/llm");
        assert_eq!(variable(&upstreams, "openai", "OPENAI_BASE_URL"), "http://127.0.0.1:1/t/openai");
        assert_eq!(
            adopted("OLLAMA_HOST", "box:11434").named("ollama").unwrap().address(),
            "http://box:11434"
        );
        for nonsense in ["", "  ", "ftp://x", "https://user:secret@x"] {
            assert_eq!(adopted("OPENAI_BASE_URL", nonsense), Upstreams::default(), "{nonsense}");
        }
    }
}
