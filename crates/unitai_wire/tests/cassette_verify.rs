//! Recordings are proven before they are sealed, and what is of no use any more is known.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use unitai_model::ExchangeEnd;
use unitai_wire::Target;
use unitai_wire::cassette::{
    Cassette, CassetteError, Chunk, Inquiry, Look, Mode, Options, Recording, ReplayDefect, Tape, Unused,
};
use unitai_wire::common::{Answer, Said, Stamp};
use unitai_wire::exchange::Asked;
use unitai_wire::redact::Secrets;

const CHAT: &str = "https://api.openai.com/v1/chat/completions";
const BEDROCK: &str =
    "https://bedrock-runtime.us-east-1.amazonaws.com/model/amazon.nova-lite-v1:0/converse-stream";
const SECRET: &str = "Zk3vQ8xWn2LmR7tYbV5k";

fn open(folder: &Path, mode: Mode, secrets: &Arc<Secrets>) -> Cassette {
    Cassette::open(folder, Options { mode, ttl: None, volatile: Vec::new(), secrets: secrets.clone() })
}

fn knowing(secret: &str) -> Arc<Secrets> {
    let secrets = Secrets::none();
    secrets.learn(secret);
    Arc::new(secrets)
}

fn asking(url: &str, text: &str, streamed: bool) -> Inquiry {
    let body =
        json!({"model": "gpt-4.1", "stream": streamed, "messages": [{"role": "user", "content": text}]});
    let target = Target::of(url).unwrap();
    Inquiry::of_model(&Asked::read(&target, body.to_string().as_bytes()).unwrap(), target.path)
}

fn recording(kind: &str, chunks: Vec<Vec<u8>>) -> Recording {
    Recording {
        status: 200,
        headers: vec![("content-type".to_owned(), kind.to_owned())],
        chunks: chunks.into_iter().map(|bytes| Chunk { after: 0.0, bytes }).collect(),
        latency: 0.5,
        hides_usage: false,
        usage: None,
    }
}

fn completion(finish: &str, arguments: &str) -> Value {
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1794970227, "model": "gpt-4.1",
        "choices": [{"index": 0, "finish_reason": finish, "message": {
            "role": "assistant", "content": format!("it is {SECRET}"),
            "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "lookup", "arguments": arguments}}]}}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    })
}

fn keep(cassette: &Cassette, inquiry: Inquiry, recording: Recording) -> Result<(), CassetteError> {
    match cassette.look("a test", inquiry)? {
        Look::Record(ticket) => ticket.keep(recording),
        Look::Hit { .. } => panic!("expected a ticket"),
    }
}

fn defect(result: Result<(), CassetteError>) -> ReplayDefect {
    match result {
        Err(CassetteError::NotReplayable(it)) => it.why,
        other => panic!("expected a defect, not {other:?}"),
    }
}

fn files(folder: &Path) -> usize {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    entries
        .filter(|entry| entry.as_ref().unwrap().path().extension().is_some_and(|end| end == "json"))
        .count()
}

#[test]
fn an_answer_that_stays_the_same_but_for_its_secrets_is_stored() {
    let folder = tempfile::tempdir().unwrap();
    let cassette = open(folder.path(), Mode::Record, &knowing(SECRET));
    let arguments = json!({"token": SECRET, "n": 3}).to_string();
    let body = completion("tool_calls", &arguments).to_string();
    keep(&cassette, asking(CHAT, "Hi", false), recording("application/json", vec![body.into_bytes()]))
        .unwrap();
    assert_eq!(cassette.tally().counts().redacted, 1);

    let events = ["it is Zk3vQ8", "xWn2LmR7tY", "bV5k, as it was"].map(|piece| {
        let choice = json!({"index": 0, "delta": {"content": piece}, "finish_reason": null});
        format!("data: {}\n\n", json!({"id": "chatcmpl-1", "created": 1794970227, "choices": [choice]}))
            .into_bytes()
    });
    let stream = recording("text/event-stream; charset=utf-8", events.to_vec());
    keep(&cassette, asking(CHAT, "Hi", true), stream).unwrap();
    assert_eq!((files(folder.path()), cassette.tally().counts().redacted), (2, 2));
}

#[test]
fn an_answer_that_its_dialect_would_read_differently_is_not_stored() {
    let folder = tempfile::tempdir().unwrap();
    let cassette = open(folder.path(), Mode::Record, &knowing("function-call-Zk3vQ8xWn2"));
    let body = completion("function-call-Zk3vQ8xWn2", "{}").to_string();
    let refused =
        keep(&cassette, asking(CHAT, "Hi", false), recording("application/json", vec![body.into_bytes()]));
    assert_eq!(defect(refused), ReplayDefect::Answer("finish reason".to_owned()));
    assert_eq!((files(folder.path()), cassette.tally().counts().kept), (0, 0));
}

/// With `logprobs`, every token stands in the answer once more, with its bytes: letters of a secret that no rule finds.
#[test]
fn an_answer_whose_tokens_spell_out_a_secret_is_not_stored() {
    let entry = |token: String| json!({"token": token, "bytes": token.as_bytes(), "logprob": -0.1, "top_logprobs": [{"token": token, "logprob": -0.1}]});
    let tokens = |text: &str| text.chars().map(|it| entry(it.to_string())).collect::<Vec<_>>();
    let gemini = |text: &str| text.chars().map(|it| json!({"token": it.to_string()})).collect::<Vec<_>>();
    let choice = |text: &str| json!({"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}});
    let with = |mut choice: Value, logprobs: Value| {
        choice["logprobs"] = logprobs;
        json!({"id": "c", "object": "chat.completion", "created": 1794970227, "model": "gpt-4.1", "choices": [choice]})
    };
    let stream = |text: &str| {
        let event = |piece: String| {
            let logprobs = json!({"content": [entry(piece.clone())]});
            let choice =
                json!({"index": 0, "delta": {"content": piece}, "logprobs": logprobs, "finish_reason": null});
            let other = json!({"index": 1, "delta": {"content": "-"}, "logprobs": {"content": [entry("-".to_owned())]}});
            [choice, other].map(|choice| {
                format!("data: {}\n\n", json!({"id": "c", "created": 1, "model": "m", "choices": [choice]}))
                    .into_bytes()
            })
        };
        text.chars().flat_map(|it| event(it.to_string())).collect::<Vec<_>>()
    };
    let whole = |text: &str| -> Vec<(&str, Vec<Vec<u8>>)> {
        let legacy = text.chars().map(|it| it.to_string()).collect::<Vec<_>>();
        let said = [
            with(choice(text), json!({"content": tokens(text), "refusal": null})),
            with(choice(text), json!({"tokens": legacy, "token_logprobs": [], "text_offset": []})),
            json!({"candidates": [{"index": 0, "content": {"parts": [{"text": text}]}, "logprobsResult": {"chosenCandidates": gemini(text)}}]}),
            json!({"output": [{"type": "message", "content": [{"type": "output_text", "text": text, "logprobs": tokens(text)}]}]}),
        ];
        let mut all: Vec<_> = said.map(|it| ("application/json", vec![it.to_string().into_bytes()])).into();
        all.push(("text/event-stream", stream(text)));
        all
    };
    for (text, is_stored) in
        [(format!("it is {SECRET}, yes"), false), ("it is nothing, yes".to_owned(), true)]
    {
        for (number, (kind, chunks)) in whole(&text).into_iter().enumerate() {
            let folder = tempfile::tempdir().unwrap();
            let cassette = open(folder.path(), Mode::Record, &knowing(SECRET));
            let kept =
                keep(&cassette, asking(CHAT, "Hi", kind == "text/event-stream"), recording(kind, chunks));
            match is_stored {
                true => kept.unwrap(),
                false => assert_eq!(defect(kept), ReplayDefect::Logprobs, "{number}"),
            }
            assert_eq!(files(folder.path()), usize::from(is_stored));
        }
    }
    // Of an answer that was asked for none, the text alone is hidden.
    let folder = tempfile::tempdir().unwrap();
    let cassette = open(folder.path(), Mode::Record, &knowing(SECRET));
    let body = with(choice(&format!("it is {SECRET}")), Value::Null).to_string().into_bytes();
    keep(&cassette, asking(CHAT, "Hi", false), recording("application/json", vec![body])).unwrap();
    assert_eq!(files(folder.path()), 1);
}

/// Frames have lengths and checksums, which a mark would break.
#[test]
fn a_binary_stream_with_a_secret_is_not_stored() {
    let folder = tempfile::tempdir().unwrap();
    let body = json!({"messages": [{"role": "user", "content": [{"text": "Hi"}]}]});
    let target = Target::of(BEDROCK).unwrap();
    let asked = Asked::read(&target, body.to_string().as_bytes()).unwrap();
    let answer = Answer { parts: vec![Said::Text(format!("it is {SECRET}"))], ..Answer::default() };
    let events = asked.stream(&answer, Stamp { turn: 1 });
    for (secrets, is_stored) in [(Arc::new(Secrets::none()), true), (knowing(SECRET), false)] {
        let cassette = open(folder.path(), Mode::Record, &secrets);
        let inquiry = Inquiry::of_model(&asked, target.path);
        let kept = keep(&cassette, inquiry, recording("application/vnd.amazon.eventstream", events.clone()));
        assert_eq!(kept.is_ok(), is_stored, "{kept:?}");
        if !is_stored {
            assert!(matches!(defect(kept), ReplayDefect::Answer(_)));
        }
    }
}

#[test]
fn a_request_with_a_secret_that_became_known_too_late_is_not_stored() {
    let folder = tempfile::tempdir().unwrap();
    let secrets = Arc::new(Secrets::none());
    let cassette = open(folder.path(), Mode::Record, &secrets);
    let inquiry = asking(CHAT, &format!("use {SECRET}"), false);
    let Look::Record(ticket) = cassette.look("a test", inquiry).unwrap() else { panic!("a ticket") };
    secrets.learn(SECRET);
    let kept = ticket.keep(recording("application/json", vec![b"{}".to_vec()]));
    assert_eq!(defect(kept), ReplayDefect::Key);
    assert_eq!(files(folder.path()), 0);
}

/// As release 0.1.0 wrote it: `"created": [redacted]`.
#[test]
fn an_answer_that_an_earlier_release_damaged_is_stale() {
    let folder = tempfile::tempdir().unwrap();
    let secrets = knowing(SECRET);
    let body = completion("stop", "{}").to_string();
    keep(
        &open(folder.path(), Mode::Record, &secrets),
        asking(CHAT, "Hi", false),
        recording("application/json", vec![body.into_bytes()]),
    )
    .unwrap();
    let (_, path) = open(folder.path(), Mode::Replay, &secrets).shelf().files().unwrap().remove(0);
    let text = fs::read_to_string(&path).unwrap();
    let (_, entry) = text.split_once("\"entry\": ").unwrap();
    let mut entry: Value = serde_json::from_str(entry.strip_suffix("\n}\n").unwrap()).unwrap();
    let chunk = &mut entry["slots"][0]["chunks"][0];
    let damaged = chunk["json"].to_string().replace("1794970227", "[redacted]");
    *chunk = json!({"after": 0.0, "text": damaged});
    let entry = serde_json::to_string_pretty(&entry).unwrap();
    let sum = {
        use sha2::{Digest, Sha256};
        Sha256::digest(entry.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect::<String>()
    };
    fs::write(&path, format!("{{\n\"checksum\": \"sha256:{sum}\",\n\"entry\": {entry}\n}}\n")).unwrap();

    match open(folder.path(), Mode::Replay, &secrets).look("a test", asking(CHAT, "Hi", false)) {
        Err(CassetteError::Damaged(damage)) => {
            assert!(damage.to_string().contains("is stale"), "{damage}");
            assert!(damage.remedy().contains("record it again"));
        }
        _ => panic!("expected damage"),
    }
    let auto = open(folder.path(), Mode::Auto, &secrets);
    assert!(matches!(auto.look("a test", asking(CHAT, "Hi", false)), Ok(Look::Record(_))));
}

/// As release 0.1.0 wrote it: words of the prompt were taken for pieces of a secret.
#[test]
fn a_miss_of_a_request_that_an_earlier_release_redacted_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let secrets = Arc::new(Secrets::none());
    let old = asking(CHAT, "Give [redacted]ent results for th[redacted]rompts", false);
    let answer = || recording("application/json", vec![b"{}".to_vec()]);
    keep(&open(folder.path(), Mode::Record, &secrets), old, answer()).unwrap();
    let replaying = open(folder.path(), Mode::Replay, &secrets);
    let miss = |text: &str| match replaying.look("a test", asking(CHAT, text, false)) {
        Err(CassetteError::Miss(miss)) => miss.remedy(),
        _ => panic!("expected a miss"),
    };
    assert!(miss("Give consistent results for three prompts").contains("stale"));
    assert!(!miss("Give other results for three prompts").contains("stale"));
}

#[test]
fn what_a_test_did_not_record_again_is_unused() {
    let folder = tempfile::tempdir().unwrap();
    let secrets = Arc::new(Secrets::none());
    let answer = || recording("application/json", vec![b"{}".to_vec()]);
    let record = |scope: &str, texts: &[&str], opened: SystemTime, is_complete: bool| {
        let cassette = open(folder.path(), Mode::Record, &secrets).begun_at(opened);
        for text in texts {
            let Look::Record(ticket) = cassette.look(scope, asking(CHAT, text, false)).unwrap() else {
                panic!()
            };
            ticket.keep(answer()).unwrap();
        }
        if is_complete {
            cassette.complete(scope).unwrap();
        }
        cassette
    };
    let now = SystemTime::now();
    let cassette = record("a", &["old prompt", "shared", "same"], now, true);
    record("b", &["shared"], now, true);
    record("c", &["of a test that failed later"], now, true);
    assert_eq!(cassette.shelf().unused().unwrap(), []);

    std::thread::sleep(Duration::from_millis(5));
    let later = SystemTime::now();
    record("a", &["new prompt", "same"], later, true);
    record("c", &[], later, false);
    let unused = cassette.shelf().unused().unwrap();
    let mut found: Vec<bool> = unused.iter().map(|unused| unused.is_shared).collect();
    found.sort_unstable();
    assert_eq!(found, [false, true]);
    assert!(unused.iter().all(|unused| unused.scopes.iter().eq(["a"])));

    // A file that was changed after the last test had ended came by version control, perhaps with what its tests use.
    let (_, path) = cassette.shelf().files().unwrap().remove(0);
    let touched = fs::File::options().append(true).open(&path).unwrap();
    let merged = SystemTime::now() + Duration::from_secs(60);
    let before = touched.metadata().unwrap().modified().unwrap();
    for (key, path) in cassette.shelf().files().unwrap() {
        let file = fs::File::options().append(true).open(&path).unwrap();
        file.set_modified(merged).unwrap();
        let found = cassette.shelf().unused().unwrap();
        assert!(found.iter().all(|unused| unused.key != key));
        file.set_modified(before).unwrap();
    }
    assert_eq!(cassette.shelf().prune_unused().unwrap(), unused);
    assert_eq!(cassette.shelf().prune_unused().unwrap(), []);
    let replaying = open(folder.path(), Mode::Replay, &secrets);
    for (scope, text, is_there) in [
        ("a", "old prompt", false),
        ("a", "new prompt", true),
        ("a", "same", true),
        ("b", "shared", true),
        ("c", "of a test that failed later", true),
    ] {
        let found = replaying.look(scope, asking(CHAT, text, false));
        assert_eq!(matches!(found, Ok(Look::Hit { .. })), is_there, "{scope} {text}");
    }
    // Counts and what was recorded lie in one file, and neither takes the other's place.
    cassette.shelf().remember("a", cassette.tally().counts()).unwrap();
    assert_eq!(cassette.shelf().stats().unwrap().counts.kept, 3);
    record("a", &["newest prompt"], SystemTime::now(), true);
    assert_eq!(cassette.shelf().unused().unwrap().len(), 2);
    // On another branch the newest prompt is not there, and the older ones are of use.
    let (_, newest) = cassette
        .shelf()
        .files()
        .unwrap()
        .into_iter()
        .max_by_key(|(_, path)| fs::metadata(path).unwrap().modified().unwrap())
        .unwrap();
    fs::remove_file(newest).unwrap();
    assert_eq!(cassette.shelf().unused().unwrap(), []);
}

#[test]
fn a_recording_that_answers_another_test_is_in_use() {
    let folder = tempfile::tempdir().unwrap();
    let secrets = Arc::new(Secrets::none());
    let answer = || recording("application/json", vec![b"{}".to_vec()]);
    let first = open(folder.path(), Mode::Record, &secrets);
    keep(&first, asking(CHAT, "shared", false), answer()).unwrap();
    first.complete("a test").unwrap();
    let other = open(folder.path(), Mode::Auto, &secrets);
    assert!(matches!(other.look("another", asking(CHAT, "shared", false)), Ok(Look::Hit { .. })));
    other.remember("another").unwrap();
    std::thread::sleep(Duration::from_millis(5));
    let again = open(folder.path(), Mode::Record, &secrets);
    keep(&again, asking(CHAT, "changed", false), answer()).unwrap();
    again.complete("a test").unwrap();
    assert_eq!(again.shelf().unused().unwrap(), []);
}

/// The beta form of an API answers the same body in another way.
#[test]
fn the_beta_form_has_recordings_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let secrets = Arc::new(Secrets::none());
    let (plain, beta) = (asking(CHAT, "Hi", false), asking(&format!("{CHAT}?x=1&beta=true"), "Hi", false));
    let same = asking(&format!("{CHAT}?api-version=2026-01-01"), "Hi", false);
    assert_ne!(plain.key(), beta.key());
    assert_eq!(plain.key(), same.key());
    let answer = recording("application/json", vec![b"{}".to_vec()]);
    keep(&open(folder.path(), Mode::Record, &secrets), beta.clone(), answer).unwrap();
    let replaying = open(folder.path(), Mode::Replay, &secrets);
    assert!(matches!(replaying.look("a test", plain), Err(CassetteError::Miss(_))));
    assert!(matches!(replaying.look("a test", beta), Ok(Look::Hit { .. })));
}

const COOKIE: &str = "Qw9eRt5yUi3oP1aS";

/// Records the answer as it comes from a provider that sets cookies.
fn record_with_cookies(cassette: &Cassette, inquiry: Inquiry, cookies: &[&str], text: &str) {
    let Look::Record(ticket) = cassette.look("a test", inquiry).unwrap() else { panic!("a ticket") };
    let mut tape = Tape::new(ticket);
    tape.head(200, "");
    tape.header("content-type", "application/json");
    for cookie in cookies {
        tape.header("Set-Cookie", cookie);
    }
    let body = json!({"choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}]});
    tape.feed(body.to_string().as_bytes());
    tape.keep(false, false, None).unwrap();
}

/// The text that is replayed; `None` for a miss.
fn replayed(cassette: &Cassette, inquiry: Inquiry) -> Option<String> {
    match cassette.look("a test", inquiry) {
        Ok(Look::Hit { recording, .. }) => {
            let body: Value = serde_json::from_slice(&recording.body()).unwrap();
            Some(body["choices"][0]["message"]["content"].as_str().unwrap().to_owned())
        }
        Err(CassetteError::Miss(_)) => None,
        _ => panic!("a hit or a miss"),
    }
}

fn written(folder: &Path) -> String {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.filter(|path| path.is_file()).map(|path| fs::read_to_string(path).unwrap()).collect()
}

#[test]
fn a_session_that_the_first_answer_names_is_hidden_in_it_and_the_second_request_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let cassette = open(folder.path(), Mode::Record, &Arc::new(Secrets::none()));
    let session = format!("sid={COOKIE}; path=/; HttpOnly");
    let cookies = [session.as_str(), "theme=dark; path=/", "seen=1794970227"];
    let text = format!("session {COOKIE}, dark, 1794970227");
    record_with_cookies(&cassette, asking(CHAT, "start", false), &cookies, &text);
    let second = |session: &str| asking(CHAT, &format!("go on in {session}"), false);
    record_with_cookies(&cassette, second(COOKIE), &[], "done");
    assert!(!written(folder.path()).contains(COOKIE));

    // A new process, which never hears of the cookie.
    let replaying = open(folder.path(), Mode::Replay, &Arc::new(Secrets::none()));
    let said = replayed(&replaying, asking(CHAT, "start", false));
    assert_eq!(said.as_deref(), Some("session [redacted], dark, 1794970227"));
    assert_eq!(replayed(&replaying, second("[redacted]")).as_deref(), Some("done"));
}

#[test]
fn a_value_that_the_request_names_itself_is_no_secret_of_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    let cassette = open(folder.path(), Mode::Record, &Arc::new(Secrets::none()));
    let ask = || asking(CHAT, "deploy to us-central1-a", false);
    record_with_cookies(&cassette, ask(), &["region=us-central1-a; path=/"], "deployed to us-central1-a");
    let replaying = open(folder.path(), Mode::Replay, &Arc::new(Secrets::none()));
    assert_eq!(replayed(&replaying, ask()).as_deref(), Some("deployed to us-central1-a"));
}

#[test]
fn a_request_is_found_though_only_the_recording_knew_a_secret_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let cassette = open(folder.path(), Mode::Record, &Arc::new(Secrets::none()));
    record_with_cookies(&cassette, asking(CHAT, "start", false), &[&format!("zone={COOKIE}")], "welcome");
    let ask = |zone: &str| asking(CHAT, &format!("look into {zone} again"), false);
    for text in ["first", "second"] {
        record_with_cookies(&cassette, ask(COOKIE), &[], text);
    }
    assert!(!written(folder.path()).contains(COOKIE));
    for mode in [Mode::Replay, Mode::Auto] {
        let replaying = open(folder.path(), mode, &Arc::new(Secrets::none()));
        assert_eq!(replayed(&replaying, ask(COOKIE)).as_deref(), Some("first"));
        assert_eq!(replayed(&replaying, ask(COOKIE)).as_deref(), Some("second"));
    }
    // Another question stays another question.
    let replaying = open(folder.path(), Mode::Replay, &Arc::new(Secrets::none()));
    for other in ["the zone", "everything", "1794970227", "gpt-4.1-mini", "", "Zk3vQ8xWn2LmR7tY and go"] {
        assert_eq!(replayed(&replaying, ask(other)), None, "{other}");
    }
    assert_eq!(replayed(&replaying, asking(CHAT, &format!("look into {COOKIE}"), false)), None);
    assert_eq!(replayed(&replaying, asking(CHAT, &format!("look into {COOKIE} again"), true)), None);
}

#[test]
fn of_two_recordings_that_fit_none_is_guessed() {
    let folder = tempfile::tempdir().unwrap();
    let secrets = knowing(COOKIE);
    let cassette = open(folder.path(), Mode::Record, &secrets);
    let ask = || asking(CHAT, &format!("compare {COOKIE} with Zk3vQ8xWn2LmR7tY"), false);
    record_with_cookies(&cassette, ask(), &[], "one");
    secrets.learn("Zk3vQ8xWn2LmR7tY");
    record_with_cookies(&cassette, ask(), &[], "two");
    let replaying = open(folder.path(), Mode::Replay, &Arc::new(Secrets::none()));
    assert_eq!(replayed(&replaying, ask()), None);
}

#[test]
fn two_names_that_are_the_same_without_their_secrets_are_told_with_their_place() {
    let folder = tempfile::tempdir().unwrap();
    let secrets = knowing(SECRET);
    secrets.learn(COOKIE);
    let cassette = open(folder.path(), Mode::Record, &secrets);
    for (body, place) in [
        (json!({SECRET: 1, COOKIE: 2}), "number of members at the top level"),
        (json!({"deep": [{SECRET: 1, COOKIE: 2}]}), "number of members at /deep/0"),
    ] {
        let answer = recording("application/json", vec![body.to_string().into_bytes()]);
        let kept = keep(&cassette, asking(CHAT, "Hi", false), answer);
        assert_eq!(defect(kept), ReplayDefect::Answer(place.to_owned()));
    }
}

/// A picture with a secret among its bytes, and the members of a request that hold it in some dialect.
fn with_medium(data: &str) -> Vec<Value> {
    vec![
        json!({"type": "image_url", "image_url": {"url": format!("data:image/png;base64,{data}")}}),
        json!({"type": "input_audio", "input_audio": {"data": data, "format": "wav"}}),
        json!({"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": data}}),
        json!({"inlineData": {"mimeType": "image/png", "data": data}}),
        json!({"document": {"format": "pdf", "name": "x", "source": {"bytes": data}}}),
        json!({"images": [data]}),
    ]
}

#[test]
fn media_that_differ_in_their_secret_alone_have_recordings_of_their_own() {
    let medium = |secret: &str| {
        let bytes: Vec<u8> = (0..150_u32).map(|n| (n * n % 251) as u8).collect();
        STANDARD.encode([&bytes, secret.as_bytes(), &bytes].concat())
    };
    let secrets = knowing(SECRET);
    secrets.learn(COOKIE);
    let ask = |part: &Value| {
        let body = json!({"model": "gpt-4.1", "messages": [{"role": "user", "content": [part]}]});
        let target = Target::of(CHAT).unwrap();
        Inquiry::of_model(&Asked::read(&target, body.to_string().as_bytes()).unwrap(), target.path)
    };
    let folder = tempfile::tempdir().unwrap();
    let recording = open(folder.path(), Mode::Record, &secrets);
    let (one, two) = (with_medium(&medium(SECRET)), with_medium(&medium(COOKIE)));
    for (at, (one, two)) in one.iter().zip(&two).enumerate() {
        record_with_cookies(&recording, ask(one), &[], &format!("one {at}"));
        record_with_cookies(&recording, ask(two), &[], &format!("two {at}"));
    }
    assert_eq!(files(folder.path()), 2 * one.len());
    let text = written(folder.path());
    assert!(!text.contains(&medium(SECRET)[200..240]) && text.contains("[redacted] sha256:"));
    // Where the secrets are known, and where they are not.
    for secrets in [secrets.clone(), Arc::new(Secrets::none())] {
        let replaying = open(folder.path(), Mode::Replay, &secrets);
        for (at, (one, two)) in one.iter().zip(&two).enumerate() {
            assert_eq!(replayed(&replaying, ask(one)), Some(format!("one {at}")), "{one}");
            assert_eq!(replayed(&replaying, ask(two)), Some(format!("two {at}")), "{two}");
        }
    }
    // Without a secret nothing changes, and neither does the key.
    for part in with_medium(&medium("nothing to hide, only words")) {
        let inquiry = ask(&part);
        let key = inquiry.key().clone();
        assert_eq!(recording.ready(inquiry).key(), &key);
    }
    // What is a secret as a whole is no medium: it is hidden as ever, and found with another key.
    let ready = |secret: &str| {
        let secrets = knowing(secret);
        let part = json!({"tool_result": {"data": secret, "format": "text"}});
        open(folder.path(), Mode::Replay, &secrets).ready(ask(&part)).key().clone()
    };
    assert_eq!(ready(&SECRET.repeat(4)), ready(&format!("{COOKIE}{SECRET}{COOKIE}{SECRET}{COOKIE}")));
}

#[test]
fn tests_that_ask_nothing_any_more_or_are_gone_use_no_recordings() {
    let folder = tempfile::tempdir().unwrap();
    let secrets = Arc::new(Secrets::none());
    let cassette = open(folder.path(), Mode::Record, &secrets);
    for scope in ["silent", "renamed", "there"] {
        let Look::Record(ticket) = cassette.look(scope, asking(CHAT, scope, false)).unwrap() else {
            panic!()
        };
        ticket.keep(recording("application/json", vec![b"{}".to_vec()])).unwrap();
    }
    std::thread::sleep(Duration::from_millis(5));
    let shelf = cassette.shelf();
    shelf.remember_unrecorded(SystemTime::now(), |scope| ["silent", "renamed"].contains(&scope)).unwrap();
    let scopes = |unused: Vec<Unused>| {
        let mut scopes: Vec<String> = unused.into_iter().flat_map(|unused| unused.scopes).collect();
        scopes.sort_unstable();
        scopes
    };
    assert_eq!(scopes(shelf.unused().unwrap()), ["renamed", "silent"]);

    // One that is replayed is back, and so is one that records again.
    let replaying = open(folder.path(), Mode::Replay, &secrets);
    assert!(matches!(replaying.look("renamed", asking(CHAT, "renamed", false)), Ok(Look::Hit { .. })));
    replaying.remember("renamed").unwrap();
    assert_eq!(scopes(shelf.unused().unwrap()), ["silent"]);
    assert_eq!(scopes(shelf.prune_unused().unwrap()), ["silent"]);
    assert_eq!(files(folder.path()), 2);
    shelf.remember_unrecorded(SystemTime::now(), |_| false).unwrap();
    assert_eq!(shelf.unused().unwrap(), []);
}

#[test]
fn an_answer_of_a_model_that_is_not_kept_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let cassette = open(folder.path(), Mode::Record, &Arc::new(Secrets::none()));
    let unstored = |status: u16, kind: &str, body: &str, end: ExchangeEnd| {
        let Look::Record(ticket) = cassette.look("x", asking(CHAT, "Hi", false)).unwrap() else { panic!() };
        let mut tape = Tape::new(ticket);
        tape.head(status, "");
        tape.header("content-type", kind);
        tape.feed(body.as_bytes());
        tape.unstored(&end)
    };
    let failed = |message: &str| ExchangeEnd::Failed { status: Some(200), message: Arc::from(message) };
    let answered = ExchangeEnd::Answered { finish_reason: None };
    for (kind, body, end, why) in [
        (
            "application/json",
            r#"{"p": NaN}"#,
            failed("x"),
            "its body is not valid JSON (expected value at line 1 column 7)",
        ),
        ("application/json", r#"{"p": "\ud83d"}"#, failed("x"), "its body is not valid JSON ("),
        ("text/html; charset=utf-8", "<html>", failed("x"), "its body is text/html and not valid JSON ("),
        ("application/json", r#"{"error": "busy"}"#, failed("busy"), "it is an error: busy"),
        (
            "application/json",
            r#"{"hello": 1}"#,
            ExchangeEnd::Cut,
            "it does not have the form of a model's answer",
        ),
        ("text/event-stream", "data: {}\n\n", ExchangeEnd::Cut, "it was not read to its end"),
    ] {
        let said = unstored(200, kind, body, end).unwrap();
        assert!(said.starts_with(why), "{said}");
    }
    assert_eq!(unstored(200, "application/json", "{}", answered), None);
    // A refusal is no answer: the client asks again, or its user sees the error.
    for status in [0, 429, 503] {
        assert_eq!(unstored(status, "text/html", "<html>", failed("busy")), None);
    }
}
