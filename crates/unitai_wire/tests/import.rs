//! Cassettes of vcrpy and cassetter, recorded by these tools themselves (`data/foreign/record.py`), are read,
//! brought, and found again by the same requests.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use unitai_wire::Target;
use unitai_wire::cassette::import::{self, Contents, Imported, Interaction, Plan, Unreadable, Why};
use unitai_wire::cassette::{
    Cassette, CassetteError, Inquiry, Look, Mode, Options, Recording, Shelf, Volatile,
};
use unitai_wire::exchange::Asked;
use unitai_wire::redact::Secrets;

const BASE: &str = "http://127.0.0.1:18765";
const CHAT: &str = "http://127.0.0.1:18765/v1/chat/completions";
const KEY: &str = "Zk3vQ8xWn2LmR7tYpL0aFAKE";

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/foreign")
}

fn read(name: &str) -> Contents {
    import::read(&data().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Imports a file and opens what came of it.
fn brought(name: &str, folder: &Path) -> (Cassette, Vec<(String, Why)>) {
    let secrets = Arc::new(Secrets::none());
    let contents = read(name);
    contents.interactions.iter().for_each(|interaction| interaction.teach(&secrets));
    let plan = Plan::of(contents.interactions, &secrets, &[]);
    let left_out = plan.left_out.iter().map(|left| (left.what.clone(), left.why.clone())).collect();
    Shelf::at(folder, secrets.clone()).import(plan).expect("an import");
    let options = Options { mode: Mode::Replay, ttl: None, volatile: Vec::new(), secrets };
    (Cassette::open(folder, options), left_out)
}

fn found(cassette: &Cassette, scope: &str, inquiry: Inquiry) -> Arc<Recording> {
    match cassette.look(scope, inquiry) {
        Ok(Look::Hit { recording, .. }) => recording,
        Ok(Look::Record(_)) => panic!("nothing is recorded here"),
        Err(error) => panic!("{error}"),
    }
}

fn asking(body: &Value) -> Inquiry {
    let target = Target::of(CHAT).expect("a URL");
    let asked = Asked::read(&target, body.to_string().as_bytes()).expect("a request");
    Inquiry::of_model(&asked, target.path)
}

fn chat(text: &str) -> Value {
    json!({"model": "gpt-5.4-mini", "messages": [{"role": "user", "content": text}]})
}

/// What the recorder sends as `NASTY`.
fn nasty() -> Value {
    json!({
        "yes": "yes", "null": "null", "tilde": "~", "exp": "1e3", "hex": "0x1F", "oct": "0o17", "day": "2024-01-01",
        "one": 1, "float": 1.0, "big": 18_446_744_073_709_551_615_u64, "neg": i64::MIN, "huge": 1e100, "tenth": 0.1,
        "nan": "NaN", "<<": "merge", "1": "a key", "lines": "a\nb\n", "lead": "  x", "ctl": "\u{1}\u{1b}",
        "nel": "a\u{85}b\u{2028}c", "emoji": "😀", "empty": "", "nothing": null,
        "list": [[], {}, null, true, [1, 2.5, "3"]], "colon": "a: b", "bang": "!tag x", "alias": "*a", "dash": "- x",
        "crlf": "a\r\nb", "time": "12:30:45", "long": "word ".repeat(40),
    })
}

fn text(recording: &Recording) -> String {
    String::from_utf8(recording.body()).expect("a text")
}

fn all_bytes(folder: &Path) -> Vec<u8> {
    let files = fs::read_dir(folder).expect("a folder").filter_map(|entry| Some(entry.ok()?.path()));
    files.filter(|path| path.is_file()).flat_map(|path| fs::read(path).expect("a file")).collect()
}

const MODEL: [&str; 4] =
    ["vcrpy/model.yaml", "vcrpy/model.json", "cassetter/model.yaml", "cassetter/model.toml"];

#[test]
fn a_models_answers_are_found_by_the_same_requests() {
    for name in MODEL {
        let folder = tempfile::tempdir().unwrap();
        let (cassette, left_out) = brought(name, folder.path());
        let mut body = chat("hello \"quoted\" ✓");
        body["temperature"] = json!(0.5);
        for scope in ["one test", "another"] {
            for _ in 0..2 {
                let answer: Value =
                    serde_json::from_str(&text(&found(&cassette, scope, asking(&body)))).unwrap();
                assert_eq!(answer["choices"][0]["message"]["content"], "Grüße: hello \"quoted\" ✓", "{name}");
            }
        }
        // Two were recorded, so there is no third.
        let third = cassette.look("one test", asking(&body));
        assert!(matches!(third, Err(CassetteError::Miss(_))), "{name}");
        let recording = found(&cassette, "", asking(&body));
        assert_eq!(recording.usage.as_ref().unwrap()["total_tokens"], 13, "{name}");
        assert_eq!(
            recording.headers,
            [("content-type", "application/json"), ("x-request-id", "req_1")]
                .map(|(name, value)| (name.to_owned(), value.to_owned())),
            "{name}"
        );
        let mut body = chat("nasty");
        body["metadata"] = nasty();
        found(&cassette, "", asking(&body));
        assert_eq!(left_out, [(format!("POST {CHAT}"), Why::Status(429))], "{name}");
    }
}

#[test]
fn members_keep_their_order() {
    let folder = tempfile::tempdir().unwrap();
    let (cassette, _) = brought("cassetter/model.yaml", folder.path());
    let mut body = chat("hello \"quoted\" ✓");
    body["temperature"] = json!(0.5);
    assert!(text(&found(&cassette, "", asking(&body))).starts_with(r#"{"id":"chatcmpl-1","object":"#));
}

#[test]
fn a_stream_is_found_event_by_event() {
    let mut bodies = Vec::new();
    for name in ["vcrpy/stream.yaml", "vcrpy/stream.json", "cassetter/stream.yaml", "cassetter/stream.toml"] {
        let folder = tempfile::tempdir().unwrap();
        let (cassette, left_out) = brought(name, folder.path());
        let mut body = chat("stream: ja");
        body["stream"] = json!(true);
        body["stream_options"] = json!({"include_usage": true});
        let recording = found(&cassette, "", asking(&body));
        assert_eq!(recording.chunks.len(), 6, "{name}");
        assert!(recording.chunks.iter().all(|chunk| chunk.bytes.starts_with(b"data: ")), "{name}");
        assert_eq!(recording.usage.as_ref().unwrap()["total_tokens"], 11, "{name}");
        assert_eq!(left_out, [], "{name}");
        bodies.push(text(&recording));
    }
    assert!(bodies.iter().all(|body| *body == bodies[0] && body.ends_with("data: [DONE]\n\n")));
}

#[test]
fn compressed_answers_are_decoded() {
    for name in ["vcrpy/zipped.yaml", "cassetter/zipped.yaml", "cassetter/zipped.toml"] {
        let folder = tempfile::tempdir().unwrap();
        let (cassette, _) = brought(name, folder.path());
        let recording = found(&cassette, "", asking(&chat("zipped")));
        assert!(text(&recording).contains("Grüße: zipped"), "{name}");
        assert!(recording.headers.iter().all(|(name, _)| name != "content-encoding"), "{name}");
    }
}

#[test]
fn any_other_api_is_found() {
    for name in ["vcrpy/api.yaml", "vcrpy/api.json", "cassetter/api.yaml", "cassetter/api.toml"] {
        let folder = tempfile::tempdir().unwrap();
        let (cassette, left_out) = brought(name, folder.path());
        let get = |path: &str| Inquiry::of_api("GET", &format!("{BASE}{path}"), b"");
        let first: Value = serde_json::from_str(&text(&found(&cassette, "", get("/counter")))).unwrap();
        let second: Value = serde_json::from_str(&text(&found(&cassette, "", get("/counter")))).unwrap();
        assert_eq!(second["n"].as_u64(), first["n"].as_u64().map(|first| first + 1), "{name}");
        assert_eq!(text(&found(&cassette, "", get("/text"))), "plain ünïcode\nline two\ttab\n", "{name}");
        assert_eq!(found(&cassette, "", get("/empty")).status, 204, "{name}");
        // vcrpy's own file held the key in a header, so it is known where it stands in a body. cassetter keeps
        // no such header.
        let is_cleaned = name.starts_with("vcrpy");
        let sent = json!({"key": KEY, "nasty": nasty()}).to_string();
        let echo = found(&cassette, "", Inquiry::of_api("POST", &format!("{BASE}/echo"), sent.as_bytes()));
        let echo: Value = serde_json::from_str(&text(&echo)).unwrap();
        assert_eq!(echo["nasty"], nasty(), "{name}");
        assert_eq!(echo["key"], if is_cleaned { "[redacted]" } else { KEY }, "{name}");
        let form = found(&cassette, "", Inquiry::of_api("POST", &format!("{BASE}/echo"), b"a=b+c"));
        assert_eq!(text(&form), "a=b+c", "{name}");
        assert_eq!(left_out, [(format!("GET {BASE}/missing"), Why::Status(404))], "{name}");
        let url = format!("{BASE}/text?api_key=another-5678");
        cassette.secrets().learn_url(&url);
        assert!(
            text(&found(&cassette, "", Inquiry::of_api("GET", &url, b""))).starts_with("plain"),
            "{name}"
        );
        let held = String::from_utf8(all_bytes(folder.path())).unwrap();
        assert_eq!(held.contains(KEY), !is_cleaned, "{name}");
        assert!(!held.contains("FAKEcookie") && !held.contains("made-up-1234"), "{name}");
    }
}

#[test]
fn what_was_filtered_out_of_a_question_leaves_it_unknown() {
    let asked = |url: &str, body: &str| Interaction {
        method: "POST".to_owned(),
        url: url.to_owned(),
        request_headers: Vec::new(),
        request_body: body.as_bytes().to_vec(),
        status: 200,
        headers: Vec::new(),
        body: b"yes".to_vec(),
    };
    let interactions = vec![
        asked("https://api.shop/v1", r#"{"name": "[FILTERED]"}"#),
        asked("https://api.shop/v1?api_key=[FILTERED]", "{}"),
    ];
    let plan = Plan::of(interactions, &Secrets::none(), &[]);
    assert_eq!(plan.apis, 1);
    assert!(plan.left_out.iter().all(|left| left.why == Why::Filtered));
}

#[test]
fn bytes_stay_bytes() {
    for name in ["vcrpy/binary.yaml", "cassetter/binary.yaml", "cassetter/binary.toml"] {
        let folder = tempfile::tempdir().unwrap();
        let (cassette, _) = brought(name, folder.path());
        let image = found(&cassette, "", Inquiry::of_api("GET", &format!("{BASE}/image"), b""));
        assert_eq!(image.body(), (0..=255).collect::<Vec<u8>>(), "{name}");
        let sent: Vec<u8> = (128..160).collect();
        let echo = found(&cassette, "", Inquiry::of_api("POST", &format!("{BASE}/echo"), &sent));
        assert_eq!(echo.body(), sent, "{name}");
    }
}

#[test]
fn bodies_that_were_objects_of_python_are_read_and_not_built() {
    let contents = read("vcrpy/pieces.yaml");
    let sent: Vec<&[u8]> =
        contents.interactions.iter().map(|interaction| interaction.request_body.as_slice()).collect();
    assert_eq!(sent, [b"a piece\n".as_slice(), b"abcd"]);
}

#[test]
fn an_import_can_be_done_again() {
    let folder = tempfile::tempdir().unwrap();
    let secrets = Arc::new(Secrets::none());
    let shelf = Shelf::at(folder.path(), secrets.clone());
    let import = || shelf.import(Plan::of(read("vcrpy/model.yaml").interactions, &secrets, &[])).unwrap();
    assert_eq!(import(), Imported { added: 3, ..Imported::default() });
    assert_eq!(import(), Imported { known: 3, ..Imported::default() });
    assert_eq!(shelf.stats().unwrap().entries, 2);
}

#[test]
fn what_is_declared_volatile_is_made_equal() {
    let folder = tempfile::tempdir().unwrap();
    let secrets = Arc::new(Secrets::none());
    let volatile = vec![Volatile::of_word("temperature").unwrap()];
    let plan = Plan::of(read("vcrpy/model.yaml").interactions, &secrets, &volatile);
    Shelf::at(folder.path(), secrets.clone()).import(plan).unwrap();
    let cassette =
        Cassette::open(folder.path(), Options { mode: Mode::Replay, ttl: None, volatile, secrets });
    let mut body = chat("hello \"quoted\" ✓");
    body["temperature"] = json!(0.9);
    found(&cassette, "", asking(&body));
}

fn why(interaction: Interaction) -> Option<Why> {
    let plan = Plan::of(vec![interaction], &Secrets::none(), &[]);
    plan.left_out.first().map(|left| left.why.clone())
}

#[test]
fn what_is_not_whole_stays_outside() {
    let stream = read("vcrpy/stream.yaml").interactions.remove(0);
    let cut = stream.body.len() / 2;
    assert_eq!(why(stream.clone()), None);
    assert_eq!(why(Interaction { body: stream.body[..cut].to_vec(), ..stream.clone() }), Some(Why::Cut));
    let error = b"data: {\"error\": {\"message\": \"overloaded\"}}\n\n".to_vec();
    assert_eq!(why(Interaction { body: error, ..stream.clone() }), Some(Why::Error));
    let plain = read("vcrpy/api.yaml").interactions.remove(0);
    assert_eq!(why(Interaction { body: br#"{"error": "x"}"#.to_vec(), ..plain.clone() }), Some(Why::Error));
    let hidden = br#"{"user": "[FILTERED]", "page": 2}"#.to_vec();
    assert_eq!(why(Interaction { request_body: hidden, ..plain.clone() }), Some(Why::Filtered));
    // A password is no part of what is asked.
    let hidden = br#"{"user": "me", "password": "[FILTERED]"}"#.to_vec();
    assert_eq!(why(Interaction { request_body: hidden, ..plain.clone() }), None);
    let odd = vec![("Content-Encoding".to_owned(), "rot13".to_owned())];
    assert!(matches!(why(Interaction { headers: odd, body: vec![0, 255], ..plain }), Some(Why::Encoding(_))));
}

fn written(name: &str, text: &str) -> Result<Contents, Unreadable> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    fs::write(&path, text).expect("a file");
    import::read(&path)
}

#[test]
fn other_ways_to_write_the_same_are_read() {
    let older = "
interactions:
- request: {body: '', headers: {host: [x], x-id: !!binary aGk=}, method: GET, uri: 'https://x.test/'}
  response: {content: 'said', headers: {X-Request-Id: [5e12, null]}, http_version: HTTP/1.1, status_code: 200}
- request: {method: POST, uri: 'https://x.test/', parsed_body: {b: 1, a: 2}}
  response: {parsed_body: [1], status: {code: 200, message: OK}}
version: 1
";
    let contents = written("older.yml", older).unwrap();
    let [first, second] = contents.interactions.as_slice() else { panic!("{contents:?}") };
    assert_eq!((first.status, first.body.as_slice()), (200, b"said".as_slice()));
    assert_eq!(first.headers, [("X-Request-Id".to_owned(), "5e12".to_owned())]);
    assert_eq!(
        (second.request_body.as_slice(), second.body.as_slice()),
        (&b"{\"b\":1,\"a\":2}"[..], &b"[1]"[..])
    );
    let spelled =
        "interactions: [{request: {method: GET, uri: u}, response: {status: 200, body: {string: 1e3}}}]";
    assert_eq!(written("spelled.yaml", spelled).unwrap().left_out[0].why, Why::Spelling);
    let others = written("others.yaml", "interactions: []\nws_interactions: [{a: 1}, {b: 2}]\n").unwrap();
    assert_eq!(others.left_out[0].what, "2 of WebSocket");
}

#[test]
fn what_is_no_cassette_says_so() {
    for (name, text) in [
        ("a.json", "[1, 2]"),
        ("b.json", r#"{"name": "package"}"#),
        ("c.yaml", "on: push\njobs: {}\n"),
        ("d.yaml", ""),
        ("e.yaml", "- 1\n"),
        ("f.toml", "[project]\nname = 'x'\n"),
    ] {
        assert!(matches!(written(name, text), Err(Unreadable::Other)), "{name}");
    }
    for text in [
        r#"{"status": 200, "headers": {}, "body": "{}"}"#,
        r#"{"id": "chatcmpl-1", "choices": [], "usage": {}}"#,
        r#"{"type": "message", "content": [], "stop_reason": "end_turn"}"#,
    ] {
        assert!(matches!(written("a.json", text), Err(Unreadable::AnswerAlone)), "{text}");
    }
    assert!(matches!(written("a.txt", ""), Err(Unreadable::Unknown)));
    for (name, text) in [
        ("a.json", "{\"interactions\": [\n{\"request\": \"sk-proj-quoted\"}]}"),
        ("b.yaml", "interactions:\n- request: sk-proj-quoted\n"),
        ("c.toml", "version = 1\n[[interactions]]\nrequest = 'sk-proj-quoted'\n"),
        ("d.json", "{\n"),
        ("e.yaml", "interactions: [\n  {"),
    ] {
        match written(name, text) {
            Err(error @ Unreadable::Broken { line: 2..=3, .. }) => {
                assert!(!error.to_string().contains("quoted"), "{name}: {error}");
            }
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn bombs_do_not_go_off() {
    let began = Instant::now();
    let laughs: String =
        (1..12).map(|n| format!("a{n}: &a{n} [{}]\n", vec![format!("*a{}", n - 1); 10].join(", "))).collect();
    let wide =
        format!("a: &a '{}'\nb: [{}]\ninteractions: []\n", "x".repeat(1 << 20), vec!["*a"; 9_000].join(", "));
    // The same where the values are kept.
    let kept = format!(
        "interactions:\n- request: {{method: GET, uri: u, body: &a '{}', parsed_body: [{}]}}\n  response: {{status: 200}}\n",
        "x".repeat(1 << 20),
        vec!["*a"; 9_000].join(", ")
    );
    for (name, text) in [
        ("laughs.yaml", format!("a0: &a0 lol\n{laughs}interactions: []\n")),
        ("wide.yaml", wide),
        ("kept.yaml", kept),
        ("deep.yaml", format!("interactions: {}{}", "[".repeat(100_000), "]".repeat(100_000))),
        ("deep.json", format!("{{\"interactions\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000))),
        ("deep.toml", format!("interactions = {}{}", "[".repeat(100_000), "]".repeat(100_000))),
        ("itself.yaml", "interactions: &a [*a]\n".to_owned()),
    ] {
        let read = written(name, &text);
        assert!(matches!(read, Err(Unreadable::Broken { .. })), "{name}");
    }
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}

/// As LangChain's serializer for vcrpy writes it, and as its suite compresses it.
#[test]
fn two_lists_are_read_and_gzip_is_undone() {
    let text = r#"
requests:
- {body: '{"model":"gpt-4o","messages":[]}', headers: {}, method: POST, uri: 'https://api.openai.com/v1/chat/completions'}
- {body: '', headers: {}, method: GET, uri: 'https://x.test/'}
- {body: '', headers: {}, method: GET, uri: '**REDACTED**'}
responses:
- {status: {code: 200, message: OK}, headers: {}, body: {string: one}}
- {status: {code: 200, message: OK}, headers: {}, body: {string: two}}
"#;
    let contents = written("lists.yaml", text).unwrap();
    let bodies: Vec<&[u8]> = contents.interactions.iter().map(|it| it.body.as_slice()).collect();
    assert_eq!(bodies, [b"one", b"two"]);
    assert_eq!(contents.left_out.len(), 1, "{:?}", contents.left_out);

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lists.yaml.gz");
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut encoder, text.as_bytes()).unwrap();
    let compressed = encoder.finish().unwrap();
    fs::write(&path, &compressed).unwrap();
    assert_eq!(import::read(&path).unwrap(), contents);
    assert_eq!(import::find(&[folder.path().to_owned()]).unwrap().len(), 1);
    fs::write(&path, &compressed[..compressed.len() / 2]).unwrap();
    assert!(import::read(&path).unwrap_err().to_string().contains("not gzip, or was cut"));
}

#[test]
fn an_exchange_without_its_address_is_left_out() {
    let text = r#"
requests: [{body: '', headers: {}, method: GET, uri: '**REDACTED**'}]
responses: [{status: {code: 200}, headers: {}, body: {string: one}}]
"#;
    let contents = written("lists.yaml", text).unwrap();
    let plan = Plan::of(contents.interactions, &Secrets::none(), &[]);
    assert_eq!((plan.models, plan.apis), (0, 0));
    assert!(plan.left_out[0].why.to_string().contains("its address is not a URL"));
}

#[test]
fn tags_build_nothing() {
    let text = "
interactions:
- request: {body: !!python/object/apply:os.system ['touch owned'], headers: {}, method: GET, uri: 'https://x.test/'}
  response: {status: {code: 200}, headers: {}, body: {string: !!python/unicode 'fine'}}
";
    let contents = written("evil.yaml", text).unwrap();
    assert_eq!(contents.interactions[0].request_body, b"touch owned");
    assert_eq!(contents.interactions[0].body, b"fine");
}

#[test]
fn folders_are_walked() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["b/two.yaml", "a/one.json", ".hidden/no.yaml", "a/notes.txt", "c.toml"] {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    let named = folder.path().join("a/notes.txt");
    let found = import::find(&[folder.path().to_owned(), named]).unwrap();
    let shown: Vec<(String, bool)> = found
        .iter()
        .map(|found| (found.path.strip_prefix(folder.path()).unwrap().display().to_string(), found.is_named))
        .collect();
    let expected = [("a/one.json", false), ("b/two.yaml", false), ("c.toml", false), ("a/notes.txt", true)];
    assert_eq!(shown, expected.map(|(path, is_named)| (path.to_owned(), is_named)));
}
