//! Nothing is served to anybody who is not the agent, and nothing in a request chooses where it goes.

#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use support::{Provider, before, post, respond, send, status, token_path};
use unitai_gateway::{Settings, start};

const BODY: &str = r#"{"model":"gpt-5","messages":[{"role":"user","content":"hi"}]}"#;
const SECRET: &str = "only for the agent";

fn provider() -> Provider {
    Provider::saying(r#"{"secret":"only for the agent"}"#)
}

/// Host x Origin x token x method x content type: all but the good combinations are refused, in the same
/// words, and reach no provider.
#[test]
fn only_the_agent_is_served() {
    let provider = provider();
    let gateway = before(&provider);
    let (port, token) = (gateway.port(), token_path(&gateway));
    let token = token.trim_start_matches('/');
    let hosts: Vec<(Option<String>, bool)> = [
        (format!("127.0.0.1:{port}"), true),
        (format!("localhost:{port}"), true),
        ("127.0.0.1".into(), false),
        ("localhost".into(), false),
        (format!("127.0.0.1:{}", port ^ 1), false),
        (format!("evil.example:{port}"), false),
        (format!("localhost.evil.example:{port}"), false),
        (format!("evil@127.0.0.1:{port}"), false),
        (format!("127.0.0.1:{port}.evil.example"), false),
        (format!("[::1]:{port}"), false),
        (format!("LOCALHOST:{port}"), false),
        (format!("localhost.:{port}"), false),
        (format!("0.0.0.0:{port}"), false),
        (format!("127.1:{port}"), false),
        (format!("2130706433:{port}"), false),
        (String::new(), false),
    ]
    .into_iter()
    .map(|(host, is_good)| (Some(host), is_good))
    .chain([(None, false)])
    .collect();
    let origins = [
        ("", true),
        ("origin: http://evil.example\r\n", false),
        ("Origin: null\r\n", false),
        ("origin: http://127.0.0.1\r\n", false),
        ("origin:\r\n", false),
        ("sec-fetch-site: cross-site\r\n", false),
    ];
    let last_is_wrong = format!("{}{}", &token[..63], if token.ends_with('0') { "1" } else { "0" });
    let tokens = [
        (token.to_owned(), true),
        (String::new(), false),
        ("x".repeat(64), false),
        (token[..63].to_owned(), false),
        (format!("{token}0"), false),
        (last_is_wrong, false),
        (token.to_uppercase(), token.to_uppercase() == token),
    ];
    let methods = [("POST", true), ("OPTIONS", false), ("PUT", false), ("TRACE", false), ("post", false)];
    let kinds = [
        ("content-type: application/json\r\n", true),
        ("Content-Type: application/json; charset=utf-8\r\n", true),
        ("content-type: text/plain\r\n", false),
        ("content-type: application/x-www-form-urlencoded\r\n", false),
        ("", false),
    ];
    let (mut cases, mut served) = (0, 0);
    let mut check = |host: &Option<String>,
                     origin: &str,
                     token: &str,
                     method: &str,
                     kind: &str,
                     is_good: bool| {
        let host = host.as_ref().map_or(String::new(), |host| format!("host: {host}\r\n"));
        let length = BODY.len();
        let request = format!(
            "{method} /{token}/openai/v1/chat/completions HTTP/1.1\r\n{host}{origin}{kind}connection: close\r\n\
             content-length: {length}\r\n\r\n{BODY}"
        );
        let answer = send(&gateway, request.as_bytes());
        cases += 1;
        served += usize::from(is_good);
        assert_eq!(status(&answer) == 200 && answer.contains(SECRET), is_good, "{request}\n{answer}");
        if !is_good {
            assert!(answer.is_empty() || answer == REFUSAL, "{request}\n{answer}");
        }
    };
    for (host, host_is_good) in &hosts {
        for (origin, origin_is_good) in origins {
            for (token, token_is_good) in &tokens {
                for (method, method_is_good) in methods {
                    for (kind, kind_is_good) in kinds {
                        let wrong =
                            [*host_is_good, origin_is_good, *token_is_good, method_is_good, kind_is_good];
                        let wrong = wrong.into_iter().filter(|is_good| !is_good).count();
                        check(host, origin, token, method, kind, wrong == 0);
                    }
                }
            }
        }
    }
    assert!(cases >= 2_000, "{cases}");
    assert_eq!(provider.seen().len(), served, "a refused request reached the provider");
    assert!(served >= 4);
}

const REFUSAL: &str = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// Every way to say another target, in the target itself, in headers and in the body.
#[test]
fn a_request_cannot_choose_its_upstream() {
    let (provider, other) = (provider(), provider());
    let gateway = before(&provider);
    let (port, token, evil) = (gateway.port(), token_path(&gateway), other.port);
    let mut targets = vec![
        format!("http://127.0.0.1:{evil}{token}/openai/v1/models"),
        format!("http://127.0.0.1:{port}{token}/openai/v1/models"),
        format!("127.0.0.1:{evil}"),
        "*".to_owned(),
        format!("//127.0.0.1:{evil}/v1"),
        format!("{token}"),
        format!("{token}/"),
        format!("{token}/openai"),
        format!("{token}//127.0.0.1:{evil}/v1/models"),
        format!("{token}/http://127.0.0.1:{evil}/v1/models"),
        format!("{token}/http:%2f%2f127.0.0.1:{evil}/v1/models"),
        format!("{token}/127.0.0.1:{evil}/v1/models"),
        format!("{token}/OpenAI/v1/models"),
        format!("{token}/openai%2fv1/models"),
        format!("{token}/openai@127.0.0.1:{evil}/v1/models"),
        format!("{token}?/openai/v1/models"),
        format!("{token}#/openai/v1/models"),
        format!("/%2e%2e{token}/openai/v1/models"),
        format!("/x/..{token}/openai/v1/models"),
        format!("/x/%2e%2e{token}/openai/v1/models"),
        format!("{token}%2fopenai/v1/models"),
        format!("{token}\\openai\\v1"),
        format!("{token};/openai/v1/models"),
        format!("/.{token}/openai/v1/models"),
    ];
    let up = [
        "..",
        ".",
        "%2e%2e",
        "%2E%2e",
        ".%2e",
        "%2e.",
        "%2e",
        "%252e%252e",
        "..%2f..",
        "..%5c..",
        "%2f",
        "%5C",
        "%00",
        "a%0d%0ab",
        "..\\",
        "..;",
        "..;a=b",
        "%2e.%3B",
    ];
    for part in up {
        for form in [
            format!("/{part}/v1"),
            format!("/v1/{part}"),
            format!("/v1/{part}/{part}/x"),
            format!("/v1/{part}?a=b"),
        ] {
            targets.push(format!("{token}/openai{form}"));
        }
    }
    for target in &targets {
        let request = format!(
            "GET {target} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nauthorization: Bearer sk-canary\r\nconnection: close\r\n\r\n"
        );
        let answer = send(&gateway, request.as_bytes());
        assert!(answer.is_empty() || answer == REFUSAL, "{target}\n{answer}");
    }
    assert_eq!(provider.seen().len(), 0, "{:?}", provider.seen());
    // What is allowed goes to the upstream of the configuration, whatever headers, query and body say.
    let elsewhere = format!("http://127.0.0.1:{evil}");
    let headers = [
        "x-forwarded-host",
        "x-upstream",
        "x-original-url",
        "x-rewrite-url",
        "forwarded",
        "x-portkey-custom-host",
        "helicone-target-url",
    ];
    for header in headers {
        for rest in [
            "/v1/chat/completions",
            "/v1//127.0.0.1/x",
            "/v1/@127.0.0.1/x",
            "/v1/x?base_url=http://127.0.0.1",
            "/@evil.example/",
        ] {
            let body =
                format!(r#"{{"model":"m","messages":[],"api_base":"{elsewhere}","base_url":"{elsewhere}"}}"#);
            let length = body.len();
            let request = format!(
                "POST {token}/openai{rest} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\n{header}: {elsewhere}\r\n\
                 content-type: application/json\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
            );
            assert_eq!(status(&send(&gateway, request.as_bytes())), 200, "{request}");
        }
    }
    assert_eq!(provider.seen().len(), headers.len() * 5);
    for request in provider.seen() {
        assert!(
            request.to_lowercase().contains(&format!("host: 127.0.0.1:{}\r\n", provider.port)),
            "{request}"
        );
        assert!(!request.contains(&token[1..]), "the token left the gateway: {request}");
    }
    assert_eq!(other.seen().len(), 0);
}

#[test]
fn redirects_are_handed_through_and_not_followed() {
    let other = provider();
    let (elsewhere, next) = (other.url(), Arc::new(AtomicUsize::new(0)));
    let provider = Provider::new(move |_, stream| {
        let status = ["301 Moved", "302 Found", "303 See", "307 Temporary", "308 Permanent"];
        let status = status[next.fetch_add(1, Ordering::SeqCst) % status.len()];
        respond(stream, status, &format!("location: {elsewhere}/v1/chat/completions\r\n"), "");
    });
    let gateway = before(&provider);
    for expected in [301, 302, 303, 307, 308] {
        let answer = post(&gateway, "/openai/v1/chat/completions", BODY);
        assert_eq!(status(&answer), expected, "{answer}");
        assert!(answer.contains("location: "), "{answer}");
    }
    assert_eq!((provider.seen().len(), other.seen().len()), (5, 0), "the key went elsewhere");
}

#[test]
fn framing_that_can_be_read_in_two_ways_is_refused() {
    let provider = provider();
    let gateway = before(&provider);
    let (port, token) = (gateway.port(), token_path(&gateway));
    let smuggled = format!("GET {token}/openai/v1/models HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\n\r\n");
    for (framing, body) in [
        ("content-length: 4\r\ntransfer-encoding: chunked\r\n", format!("0\r\n\r\n{smuggled}")),
        ("transfer-encoding: chunked\r\ncontent-length: 4\r\n", format!("0\r\n\r\n{smuggled}")),
        ("content-length: 0\r\ncontent-length: 4\r\n", smuggled.clone()),
        ("transfer-encoding: xchunked\r\n", smuggled.clone()),
        ("transfer-encoding: chunked\r\n", format!("0\r\nx: y\r\n\r\n{smuggled}")),
        ("transfer-encoding: chunked\r\n", format!("zz\r\n{smuggled}")),
        ("transfer-encoding: chunked\r\n", format!("2\r\n{{}}0\r\n\r\n{smuggled}")),
        ("content-length: -1\r\n", smuggled.clone()),
        ("content-length: 99999999999\r\n", smuggled.clone()),
        ("content-length : 0\r\n", smuggled.clone()),
    ] {
        let request = format!(
            "POST {token}/openai/v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\n\
             content-type: application/json\r\n{framing}\r\n{body}"
        );
        let answer = send(&gateway, request.as_bytes());
        assert!(answer.is_empty() || answer == REFUSAL, "{framing:?}\n{answer}");
    }
    assert_eq!(provider.seen().len(), 0, "{:?}", provider.seen());
}

#[test]
fn upstreams_are_refused_that_cannot_be_meant() {
    let mut upstreams = Settings::live().upstreams;
    for (name, url) in [
        ("openai", "ftp://api.openai.com"),
        ("openai", "api.openai.com"),
        ("openai", "https://user:password@api.openai.com"),
        ("openai", "https://api.openai.com/?x=1"),
        ("openai", "https://"),
        ("", "https://api.openai.com"),
        ("a/b", "https://api.openai.com"),
        ("..", "https://api.openai.com"),
    ] {
        let error = upstreams.set(name, url).unwrap_err().to_string();
        assert!(!error.contains("password@"), "{error}");
    }
    // The gateway is never its own upstream, however that is written.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    for host in [
        "127.0.0.1",
        "localhost",
        "127.1",
        "0x7f000001",
        "2130706433",
        "0.0.0.0",
        "[::1]",
        "[::ffff:127.0.0.1]",
    ] {
        let mut settings = Settings { port: free, ..Settings::live() };
        settings.upstreams.set("self", &format!("http://{host}:{free}")).unwrap();
        assert!(start(settings, "x", unitai_model::Packed::null()).is_err(), "{host}");
    }
}

#[test]
fn the_gateway_listens_on_loopback_alone_and_each_start_has_its_own_token() {
    let provider = provider();
    let (one, two) = (before(&provider), before(&provider));
    assert_ne!(token_path(&one), token_path(&two));
    assert_eq!(token_path(&one).len(), 65);
    let request = format!(
        "GET {}/openai/v1/models HTTP/1.1\r\nhost: 127.0.0.1:{}\r\nconnection: close\r\n\r\n",
        token_path(&one),
        two.port()
    );
    assert_eq!(send(&two, request.as_bytes()), REFUSAL);
    assert!(std::net::TcpStream::connect(("127.0.0.2", one.port())).is_err());
}
