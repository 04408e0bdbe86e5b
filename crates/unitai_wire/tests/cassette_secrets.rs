//! Recordings and secrets: what is stored is what is matched, and nothing ever brings a secret back.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use unitai_wire::Target;
use unitai_wire::cassette::{Cassette, CassetteError, Chunk, Inquiry, Look, Mode, Options, Recording};
use unitai_wire::exchange::Asked;
use unitai_wire::redact::Secrets;

const CHAT: &str = "https://api.openai.com/v1/chat/completions";
const API: &str = "https://api.example.com/v1/embed";

fn open(folder: &Path, mode: Mode, secrets: &Arc<Secrets>) -> Cassette {
    Cassette::open(folder, Options { mode, ttl: None, volatile: Vec::new(), secrets: secrets.clone() })
}

fn knowing(secret: &str) -> Arc<Secrets> {
    let secrets = Secrets::none();
    secrets.learn(secret);
    Arc::new(secrets)
}

fn to_model(body: &Value) -> Inquiry {
    let target = Target::of(CHAT).unwrap();
    Inquiry::of_model(&Asked::read(&target, body.to_string().as_bytes()).unwrap(), target.path)
}

fn to_api(body: &Value, query: &str) -> Inquiry {
    Inquiry::of_api("POST", &format!("{API}?of={query}"), body.to_string().as_bytes())
}

/// An answer in two pieces, whose border cuts the secret.
fn answer(secret: &str) -> Recording {
    let text = format!("data: {{\"said\": {}}}\n\n", Value::from(format!("it is {secret}, you know")));
    let middle = text.len() / 2;
    let piece = |bytes: &[u8]| Chunk { after: 0.25, bytes: bytes.to_vec() };
    Recording {
        status: 200,
        headers: vec![("x-request-id".to_owned(), format!("req-{secret}"))],
        chunks: vec![piece(&text.as_bytes()[..middle]), piece(&text.as_bytes()[middle..])],
        latency: 0.5,
        hides_usage: false,
        usage: Some(json!({"total_tokens": 3, "account": secret})),
    }
}

/// Every file of the folder, those that begin with a dot as well.
fn written(folder: &Path) -> Vec<u8> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.is_file()).flat_map(|path| fs::read(path).unwrap()).collect()
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 32, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map("\\PC{0,8}", inner, 0..5)
                .prop_map(|members| Value::from(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// The forms in which a secret stands in a request.
fn hidden(secret: &str, form: usize, rest: Value) -> Value {
    match form {
        0 => json!({"deep": [rest, {"token": secret}]}),
        1 => json!({secret: rest}),
        2 => json!({"arguments": json!({"key": secret, "rest": rest}).to_string()}),
        3 => json!({"text": format!("before{secret}after"), "rest": rest}),
        _ => json!([secret, [secret, rest], secret]),
    }
}

/// Values that are long enough to be known, of the characters that keys are made of.
fn any_secret() -> impl Strategy<Value = String> {
    "[A-Za-z0-9_+/=.-]{16,40}".prop_filter("a run of one character is no secret", |secret| {
        let mut letters: Vec<char> = secret.chars().collect();
        letters.sort_unstable();
        letters.dedup();
        letters.len() >= 8
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_stored_is_what_is_matched_and_no_secret_comes_back(
        rest in any_json(), secret in any_secret(), form in 0_usize..5, is_api in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let secrets = knowing(&secret);
        prop_assume!(secrets.clean(&secret) == "[redacted]");
        let body = json!({
            "model": "gpt-4.1",
            "messages": [{"role": "user", "content": format!("my key is {secret}")}],
            "metadata": hidden(&secret, form, rest),
        });
        let ask = || if is_api { to_api(&body, &secret) } else { to_model(&body) };
        let keep = |scope: &str| {
            let recording = open(folder.path(), Mode::Record, &secrets);
            let Look::Record(ticket) = recording.look(scope, ask()).unwrap() else { panic!("a ticket") };
            ticket.keep(answer(&secret)).unwrap();
            recording
        };
        // Recorded, recorded again, beside another's, and pruned: what is written never holds it.
        let scopes = ["tests/test_a.py::test_a".to_owned(), format!("tests/test_a.py::test_a[{secret}]")];
        for scope in [&scopes[0], &scopes[1], &scopes[0]] {
            let recording = keep(scope);
            prop_assert!(!holds(&written(folder.path()), &secret));
            prop_assert_eq!(recording.shelf().prune(Some(Duration::from_secs(3600))).unwrap(), 0);
            prop_assert!(!holds(&written(folder.path()), &secret));
        }
        let replaying = open(folder.path(), Mode::Replay, &secrets);
        let (key, path) = replaying.shelf().files().unwrap().remove(0);
        let entry = replaying.shelf().read(&key).unwrap().unwrap();
        let matched = entry.asked.key().unwrap();
        prop_assert_eq!(&*matched, key.as_str(), "{}", path.display());
        prop_assert_eq!(entry.slots.len(), 2);
        prop_assert!(!entry.redacted.is_empty());
        let hit = matches!(replaying.look(&scopes[1], ask()), Ok(Look::Hit { .. }));
        prop_assert!(hit);
    }
}

#[test]
fn another_key_finds_the_recordings_of_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = ("Zk3vQ8xWn2LmR7tY", "Hq9bT4cJ6sVdPf1K");
    let ask = |secret: &str| {
        to_model(
            &json!({"model": "gpt-4.1", "messages": [{"role": "user", "content": format!("use {secret}")}]}),
        )
    };
    let Look::Record(ticket) = open(folder.path(), Mode::Record, &knowing(one)).look("", ask(one)).unwrap()
    else {
        panic!("a ticket")
    };
    ticket.keep(answer(one)).unwrap();
    assert!(matches!(
        open(folder.path(), Mode::Replay, &knowing(two)).look("", ask(two)),
        Ok(Look::Hit { .. })
    ));
}

/// An answer was recorded before anybody knew that there was a secret in it.
#[test]
fn what_is_known_later_is_taken_out_of_what_was_recorded_before() {
    let folder = tempfile::tempdir().unwrap();
    let secret = "Zk3vQ8xWn2LmR7tY";
    let body = json!({"model": "gpt-4.1", "messages": [{"role": "user", "content": "Hi"}]});
    for (scope, secrets) in
        [("a", Arc::new(Secrets::none())), (secret, Arc::default()), ("b", knowing(secret))]
    {
        let recording = open(folder.path(), Mode::Record, &secrets);
        let Look::Record(ticket) = recording.look(scope, to_model(&body)).unwrap() else {
            panic!("a ticket")
        };
        ticket.keep(answer(secret)).unwrap();
    }
    assert!(!holds(&written(folder.path()), secret));
    let replaying = open(folder.path(), Mode::Replay, &knowing(secret));
    for _ in 0..3 {
        assert!(matches!(replaying.look("somebody else", to_model(&body)), Ok(Look::Hit { .. })));
    }
}

/// Some gateways take the key in the path, and nothing keeps a model's name from holding one.
#[test]
fn a_secret_in_the_path_or_in_the_models_name_is_taken_out() {
    let folder = tempfile::tempdir().unwrap();
    let secret = "Zk3vQ8xWn2LmR7tY";
    let url = format!("https://gateway.example.com/{secret}/v1/chat/completions");
    let body =
        json!({"model": format!("team-{secret}/gpt"), "messages": [{"role": "user", "content": "Hi"}]});
    let ask = || {
        let target = Target::of(&url).unwrap();
        Inquiry::of_model(&Asked::read(&target, body.to_string().as_bytes()).unwrap(), target.path)
    };
    let Look::Record(ticket) = open(folder.path(), Mode::Record, &knowing(secret)).look("", ask()).unwrap()
    else {
        panic!("a ticket")
    };
    ticket.keep(answer(secret)).unwrap();
    assert!(!holds(&written(folder.path()), secret));
    let replaying = open(folder.path(), Mode::Replay, &knowing(secret));
    let (key, _) = replaying.shelf().files().unwrap().remove(0);
    assert_eq!(replaying.shelf().read(&key).unwrap().unwrap().asked.key().as_deref(), Some(key.as_str()));
    assert!(matches!(replaying.look("", ask()), Ok(Look::Hit { .. })));
}

/// Deeper than anybody nests, a body may be refused. It is never answered with something else.
#[test]
fn a_deep_body_is_replayed_or_refused() {
    for depth in 100..130 {
        let folder = tempfile::tempdir().unwrap();
        let deep = format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        let body = format!(
            r#"{{"model":"m","messages":[{{"role":"user","content":"Hi"}}],"metadata":{{"deep":{deep}}}}}"#
        );
        let target = Target::of(CHAT).unwrap();
        let ask = || match Asked::read(&target, body.as_bytes()) {
            Some(asked) => Inquiry::of_model(&asked, target.path),
            None => Inquiry::of_api("POST", API, body.as_bytes()),
        };
        let secrets = Arc::new(Secrets::none());
        let Look::Record(ticket) = open(folder.path(), Mode::Record, &secrets).look("", ask()).unwrap()
        else {
            panic!("a ticket")
        };
        ticket.keep(answer("x")).unwrap();
        match open(folder.path(), Mode::Replay, &secrets).look("", ask()) {
            Ok(Look::Hit { recording, .. }) => assert_eq!(recording.body(), answer("x").body()),
            Err(CassetteError::Damaged(_)) if depth > 120 => {}
            _ => panic!("{depth}"),
        }
    }
}
