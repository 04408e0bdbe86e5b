//! Recordings: what is kept is found again, what is changed is not.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use unitai_wire::Target;
use unitai_wire::cassette::{
    Cassette, CassetteError, Chunk, Entry, Inquiry, Look, Mode, Options, Recording, Volatile,
};
use unitai_wire::exchange::Asked;
use unitai_wire::redact::Secrets;

const CHAT: &str = "https://api.openai.com/v1/chat/completions";

fn options(mode: Mode) -> Options {
    Options { mode, ttl: None, volatile: Vec::new(), secrets: Arc::new(Secrets::none()) }
}

fn open(folder: &Path, mode: Mode) -> Cassette {
    Cassette::open(folder, options(mode))
}

fn asking(body: &Value) -> Inquiry {
    let target = Target::of(CHAT).unwrap();
    Inquiry::of_model(&Asked::read(&target, body.to_string().as_bytes()).unwrap(), target.path)
}

fn answer(text: &str) -> Recording {
    Recording {
        status: 200,
        headers: vec![("content-type".to_owned(), "application/json".to_owned())],
        chunks: vec![Chunk { after: 0.5, bytes: format!("{{ \"said\": {text:?}}}").into_bytes() }],
        latency: 0.5,
        hides_usage: false,
        usage: None,
    }
}

fn body() -> Value {
    json!({
        "model": "gpt-4.1",
        "messages": [
            {"role": "system", "content": "You help with orders."},
            {"role": "user", "content": "Refund order 123, please. It was delivered broken and I am not happy."},
            {"role": "assistant", "tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "lookup", "arguments": "{\"order\":123}"}}]},
            {"role": "tool", "tool_call_id": "call_1", "content": "{\"status\":\"delivered\"}"}
        ],
        "tools": [{"type": "function", "function": {
            "name": "lookup", "description": "Looks up an order",
            "parameters": {"type": "object", "properties": {"order": {"type": "integer"}}}}}],
        "temperature": 0.2
    })
}

fn record(cassette: &Cassette, scope: &str, body: &Value, text: &str) {
    match cassette.look(scope, asking(body)).unwrap() {
        Look::Record(ticket) => ticket.keep(answer(text)).unwrap(),
        Look::Hit { .. } => panic!("expected a ticket"),
    }
}

fn replay(cassette: &Cassette, scope: &str, body: &Value) -> Result<String, CassetteError> {
    match cassette.look(scope, asking(body))? {
        Look::Hit { recording, .. } => Ok(String::from_utf8(recording.body()).unwrap()),
        Look::Record(_) => panic!("expected a recording"),
    }
}

fn miss(result: Result<String, CassetteError>) -> String {
    match result {
        Err(CassetteError::Miss(miss)) => miss.to_string(),
        other => panic!("expected a miss, not {other:?}"),
    }
}

#[test]
fn the_very_same_bytes_come_back_in_the_very_same_pieces() {
    let folder = tempfile::tempdir().unwrap();
    let pieces: Vec<Vec<u8>> = vec![
        b"data: {\"a\":".to_vec(),
        b"1}\n\n".to_vec(),
        vec![0xe2, 0x82],
        vec![0xac],
        Vec::new(),
        b" {} ".to_vec(),
    ];
    let chunks: Vec<Chunk> =
        pieces.iter().map(|bytes| Chunk { after: 0.125, bytes: bytes.clone() }).collect();
    let kept = Recording { chunks, hides_usage: true, usage: Some(json!({"total": 3})), ..answer("x") };
    match open(folder.path(), Mode::Record).look("t", asking(&body())).unwrap() {
        Look::Record(ticket) => ticket.keep(kept.clone()).unwrap(),
        Look::Hit { .. } => unreachable!(),
    }
    match open(folder.path(), Mode::Replay).look("t", asking(&body())).unwrap() {
        Look::Hit { recording, .. } => assert_eq!(*recording, kept),
        Look::Record(_) => unreachable!(),
    }
}

#[test]
fn n_requests_replay_n_answers_in_their_order() {
    let folder = tempfile::tempdir().unwrap();
    let recording = open(folder.path(), Mode::Record);
    for at in 0..20 {
        record(&recording, "t", &body(), &format!("answer {at}"));
    }
    let replaying = open(folder.path(), Mode::Replay);
    for at in 0..20 {
        assert!(replay(&replaying, "t", &body()).unwrap().contains(&format!("answer {at}\"")));
    }
    let text = miss(replay(&replaying, "t", &body()));
    assert!(text.contains("request 21 to gpt-4.1") && text.contains("recorded 20 times"), "{text}");
}

#[test]
fn many_who_share_a_seat_take_each_answer_once() {
    let folder = tempfile::tempdir().unwrap();
    let recording = open(folder.path(), Mode::Record);
    (0..40).for_each(|at| record(&recording, "t", &body(), &format!("answer {at}")));
    let replaying = open(folder.path(), Mode::Replay);
    let inquiry = replaying.ready(asking(&body()));
    let seat = replaying.seat(&replaying.ready_scope("t"), &inquiry);
    assert!(replaying.next_known(&seat).is_none(), "nothing was read yet");
    assert!(replay(&replaying, "t", &body()).unwrap().contains("answer 0\""), "and no turn was taken");
    let take = || std::iter::from_fn(|| replaying.next_known(&seat)).map(|(place, _)| place).collect();
    let taken: Vec<Vec<usize>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(take)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let mut places = taken.concat();
    places.sort_unstable();
    assert_eq!(places, (1..40).collect::<Vec<_>>());
    let text = miss(replay(&replaying, "t", &body()));
    assert!(text.contains("request 41 to gpt-4.1"), "{text}");
}

#[test]
fn each_scope_has_answers_of_its_own_and_borrows_only_when_it_has_none() {
    let folder = tempfile::tempdir().unwrap();
    let recording = open(folder.path(), Mode::Record);
    record(&recording, "a", &body(), "for a");
    record(&recording, "b", &body(), "for b");
    let replaying = open(folder.path(), Mode::Replay);
    assert!(replay(&replaying, "b", &body()).unwrap().contains("for b"));
    assert!(replay(&replaying, "a", &body()).unwrap().contains("for a"));
    assert!(replay(&replaying, "c", &body()).unwrap().contains("for a"));
    // One more than it recorded is a miss, whatever the others have.
    assert!(miss(replay(&replaying, "a", &body())).contains("recorded once"));
}

#[test]
fn recording_again_replaces_what_the_scope_had_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let first = open(folder.path(), Mode::Record);
    record(&first, "a", &body(), "old");
    record(&first, "a", &body(), "old too");
    record(&first, "b", &body(), "of b");
    std::thread::sleep(Duration::from_millis(5));
    record(&open(folder.path(), Mode::Record), "a", &body(), "new");
    let replaying = open(folder.path(), Mode::Replay);
    assert!(replay(&replaying, "a", &body()).unwrap().contains("new"));
    assert!(replay(&replaying, "a", &body()).is_err());
    assert!(replay(&replaying, "b", &body()).unwrap().contains("of b"));
}

#[test]
fn two_that_record_at_once_keep_the_answers_of_both() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (open(folder.path(), Mode::Record), open(folder.path(), Mode::Record));
    record(&one, "a", &body(), "one");
    record(&two, "a", &body(), "two");
    record(&one, "a", &body(), "one again");
    let replaying = open(folder.path(), Mode::Replay);
    let mut all: Vec<String> = (0..3).map(|_| replay(&replaying, "a", &body()).unwrap()).collect();
    all.sort();
    assert_eq!(all.len(), 3);
    assert!(all.windows(2).all(|pair| pair[0] != pair[1]));
}

#[test]
fn auto_replays_what_is_there_and_records_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    record(&open(folder.path(), Mode::Auto), "a", &body(), "first");
    let auto = open(folder.path(), Mode::Auto);
    assert!(replay(&auto, "a", &body()).unwrap().contains("first"));
    record(&auto, "a", &body(), "second");
    let replaying = open(folder.path(), Mode::Replay);
    assert!(replay(&replaying, "a", &body()).unwrap().contains("first"));
    assert!(replay(&replaying, "a", &body()).unwrap().contains("second"));
}

#[test]
fn a_ticket_that_is_not_used_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let recording = open(&folder.path().join("new"), Mode::Record);
    drop(recording.look("a", asking(&body())).unwrap());
    assert!(!folder.path().join("new").exists());
    record(&recording, "a", &body(), "the second try");
    assert!(
        replay(&open(&folder.path().join("new"), Mode::Replay), "a", &body()).unwrap().contains("second try")
    );
}

#[test]
fn a_miss_shows_what_changed() {
    let folder = tempfile::tempdir().unwrap();
    record(&open(folder.path(), Mode::Record), "a", &body(), "x");
    let changes: [(&str, Value, &str); 7] = [
        ("/model", json!("gpt-4o"), "the model: [-gpt-4.1-]{+gpt-4o+}"),
        (
            "/messages/0/content",
            json!("You help with parcels."),
            "the system prompt: You help with [-orders-]{+parcels+}.",
        ),
        (
            "/messages/1/content",
            json!("Refund order 124, please. It was delivered broken and I am not happy."),
            "message 2 (user): Refund order [-123-]{+124+}, please. It was deliver…",
        ),
        ("/messages/3/content", json!("{\"status\":\"lost\"}"), "message 4 (tool):"),
        (
            "/tools/0/function/description",
            json!("Finds an order"),
            "the description of the tool lookup: [-Looks up-]{+Finds+} an order",
        ),
        ("/tools/0/function/parameters/type", json!("array"), "the schema of the tool lookup:"),
        ("/temperature", json!(0.3), "the setting temperature: [-0.2-]{+0.3+}"),
    ];
    for (pointer, value, expected) in changes {
        let mut changed = body();
        *changed.pointer_mut(pointer).unwrap() = value;
        let text = miss(replay(&open(folder.path(), Mode::Replay), "a", &changed));
        assert!(text.contains(expected), "{pointer}: {text}");
    }
    let mut longer = body();
    longer["messages"].as_array_mut().unwrap().push(json!({"role": "user", "content": "And now?"}));
    let text = miss(replay(&open(folder.path(), Mode::Replay), "a", &longer));
    assert!(text.contains("message 5 (user): not recorded, and there now: And now?"), "{text}");
}

#[test]
fn a_miss_names_the_nearest_of_many() {
    let folder = tempfile::tempdir().unwrap();
    let recording = open(folder.path(), Mode::Record);
    for at in 0..50 {
        let mut other = body();
        other["messages"][1]["content"] = json!(format!("Something else altogether, number {at}"));
        other["temperature"] = json!(0.9);
        record(&recording, "a", &other, "x");
    }
    record(&recording, "a", &body(), "x");
    let mut changed = body();
    changed["messages"][1]["content"] =
        json!("Refund order 123, please. It was delivered broken and I am very happy.");
    let text = miss(replay(&open(folder.path(), Mode::Replay), "a", &changed));
    assert!(text.contains("51 recordings; the nearest"), "{text}");
    assert!(text.contains("[-not-]{+very+} happy"), "{text}");
}

/// Every way to change one field: each leaf of the body, in several ways.
fn mutations() -> Vec<Value> {
    fn pointers(value: &Value, at: String, out: &mut Vec<String>) {
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    pointers(member, format!("{at}/{name}"), out);
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    pointers(item, format!("{at}/{index}"), out);
                }
            }
            _ => out.push(at),
        }
    }
    let original = body();
    let mut leaves = Vec::new();
    pointers(&original, String::new(), &mut leaves);
    let mut out = Vec::new();
    for leaf in leaves {
        let was = original.pointer(&leaf).unwrap().clone();
        let mut others: Vec<Value> = vec![json!(null), json!([was.clone()])];
        match &was {
            Value::String(text) => {
                for at in 0..text.len() {
                    let mut bytes = text.clone().into_bytes();
                    bytes[at] = if bytes[at] == b'x' { b'y' } else { b'x' };
                    others.push(json!(String::from_utf8(bytes).unwrap()));
                    others.push(json!(format!("{}{}", &text[..at], &text[at + 1..])));
                    others.push(json!(format!("{} {}", &text[..at], &text[at..])));
                    others.push(json!(format!("{}\u{e9}{}", &text[..at], &text[at..])));
                    others.push(json!(format!("{}\n{}", &text[..at], &text[at..])));
                }
            }
            _ => others.extend((1..50).map(|step| json!(0.2 + f64::from(step) / 64.0))),
        }
        for other in others.into_iter().filter(|other| *other != was) {
            let mut changed = original.clone();
            *changed.pointer_mut(&leaf).unwrap() = other;
            out.push(changed);
        }
    }
    out
}

#[test]
fn no_request_with_one_field_changed_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    record(&open(folder.path(), Mode::Record), "a", &body(), "x");
    let replaying = open(folder.path(), Mode::Replay);
    let target = Target::of(CHAT).unwrap();
    let mutations = mutations();
    assert!(mutations.len() >= 1_000, "{}", mutations.len());
    for changed in mutations {
        let text = changed.to_string();
        // A body that is no longer one of this dialect is recorded as any other API's.
        let inquiry = match Asked::read(&target, text.as_bytes()) {
            Some(asked) => Inquiry::of_model(&asked, target.path),
            None => Inquiry::of_api("POST", CHAT, text.as_bytes()),
        };
        assert!(matches!(replaying.look("a", inquiry), Err(CassetteError::Miss(_))), "{text}");
    }
    assert!(replay(&replaying, "a", &body()).is_ok());
}

#[test]
fn every_flipped_bit_and_every_cut_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    record(&open(folder.path(), Mode::Record), "a", &body(), "x");
    let key = asking(&body()).key().clone();
    let path = folder.path().join(format!("{key}.json"));
    let whole = fs::read(&path).unwrap();
    assert!(whole.len() > 1_000);
    assert!(Entry::read(&path, &key, &whole).is_ok());
    for at in 0..whole.len() {
        for bit in [1_u8, 32, 128] {
            let mut flipped = whole.clone();
            flipped[at] ^= bit;
            assert!(Entry::read(&path, &key, &flipped).is_err(), "bit {bit} of byte {at}");
        }
        assert!(Entry::read(&path, &key, &whole[..at]).is_err(), "cut at {at}");
    }
}

#[test]
fn damage_is_loud_in_replay_and_set_aside_in_auto() {
    let folder = tempfile::tempdir().unwrap();
    record(&open(folder.path(), Mode::Record), "a", &body(), "x");
    let path = folder.path().join(format!("{}.json", asking(&body()).key()));
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&path, &bytes).unwrap();
    assert!(matches!(
        replay(&open(folder.path(), Mode::Replay), "a", &body()),
        Err(CassetteError::Damaged(_))
    ));
    assert!(path.exists());
    record(&open(folder.path(), Mode::Auto), "a", &body(), "fresh");
    let replaying = open(folder.path(), Mode::Replay);
    assert!(replay(&replaying, "a", &body()).unwrap().contains("fresh"));
    assert_eq!(replaying.shelf().stats().unwrap().quarantined, 1);
}

#[test]
fn a_later_form_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    record(&open(folder.path(), Mode::Record), "a", &body(), "x");
    let path = folder.path().join(format!("{}.json", asking(&body()).key()));
    let text = fs::read_to_string(&path).unwrap();
    let entry = text.split_once("\"entry\": ").unwrap().1.strip_suffix("\n}\n").unwrap();
    let newer = entry.replacen("\"format\": 1", "\"format\": 2", 1);
    let sum = {
        use sha2::{Digest, Sha256};
        Sha256::digest(newer.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect::<String>()
    };
    fs::write(&path, format!("{{\n\"checksum\": \"sha256:{sum}\",\n\"entry\": {newer}\n}}\n")).unwrap();
    let before = fs::read(&path).unwrap();
    for mode in [Mode::Replay, Mode::Auto] {
        match open(folder.path(), mode).look("a", asking(&body())) {
            Err(CassetteError::Damaged(damage)) => assert!(damage.to_string().contains("later UnitAI")),
            _ => panic!("expected damage"),
        }
    }
    let Look::Record(ticket) = open(folder.path(), Mode::Record).look("a", asking(&body())).unwrap() else {
        panic!("expected a ticket")
    };
    assert!(ticket.keep(answer("y")).is_err());
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn recordings_expire() {
    let folder = tempfile::tempdir().unwrap();
    record(&open(folder.path(), Mode::Record), "a", &body(), "x");
    std::thread::sleep(Duration::from_millis(30));
    let ttl = Some(Duration::from_millis(10));
    let replaying = Cassette::open(folder.path(), Options { ttl, ..options(Mode::Replay) });
    let text = miss(replay(&replaying, "a", &body()));
    assert!(text.contains("old") && text.contains("ttl_hours"), "{text}");
    let shelf = replaying.shelf();
    assert_eq!(shelf.prune(Some(Duration::from_secs(3600))).unwrap(), 0);
    assert_eq!(shelf.prune(Some(Duration::from_millis(10))).unwrap(), 1);
    assert_eq!(shelf.stats().unwrap().entries, 0);
}

#[test]
fn what_is_declared_volatile_does_not_matter_and_everything_else_does() {
    let folder = tempfile::tempdir().unwrap();
    let volatile = || vec![Volatile::Uuid, Volatile::Time, Volatile::of_word("metadata.request").unwrap()];
    let at = |uuid: &str, time: &str, request: &str| {
        let mut body = body();
        body["messages"][3]["content"] = json!(format!("id {uuid} at {time}"));
        body["metadata"] = json!({"request": request});
        body
    };
    let first = at("0b5e2cbe-6d2a-4a8a-9df5-3cf1d2a4c111", "2026-11-15T10:00:00Z", "1");
    let later = at("aaaaaaaa-6d2a-4a8a-9df5-3cf1d2a4c111", "2027-01-01T11:30:00Z", "2");
    let recording = Cassette::open(folder.path(), Options { volatile: volatile(), ..options(Mode::Record) });
    record(&recording, "a", &first, "x");
    let replaying = Cassette::open(folder.path(), Options { volatile: volatile(), ..options(Mode::Replay) });
    assert!(replay(&replaying, "a", &later).is_ok());
    let mut other = later.clone();
    other["messages"][3]["content"] = json!("id none at all");
    assert!(replay(&replaying, "a", &other).is_err());
    let (key, _) = replaying.shelf().files().unwrap().remove(0);
    let entry = replaying.shelf().read(&key).unwrap().unwrap();
    assert_eq!(entry.normalised.len(), 3, "{:?}", entry.normalised);
    assert_eq!(entry.asked.key().as_deref(), Some(key.as_str()));
    let strict = open(folder.path(), Mode::Replay);
    assert!(miss(replay(&strict, "a", &later)).contains("the nearest"));
}

#[test]
fn a_miss_hints_at_what_could_be_declared() {
    let folder = tempfile::tempdir().unwrap();
    let at = |time: &str| {
        let mut body = body();
        body["messages"][3]["content"] = json!(format!("it is {time}"));
        body
    };
    record(&open(folder.path(), Mode::Record), "a", &at("2026-11-15T10:00:00Z"), "x");
    let text = miss(replay(&open(folder.path(), Mode::Replay), "a", &at("2026-11-16T10:00:00Z")));
    assert!(text.contains("volatile=[\"time\"]"), "{text}");
}

#[test]
fn any_api_can_be_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let ask = |body: &[u8]| Inquiry::of_api("post", "https://me:pw@api.example.com/v1/embed?x=1#frag", body);
    let Look::Record(ticket) = open(folder.path(), Mode::Record).look("", ask(br#"{"a":1,"b":2}"#)).unwrap()
    else {
        panic!()
    };
    ticket.keep(answer("vector")).unwrap();
    let replaying = open(folder.path(), Mode::Replay);
    assert!(matches!(replaying.look("", ask(br#"{"b":2, "a":1}"#)), Ok(Look::Hit { .. })));
    let Err(CassetteError::Miss(miss)) = replaying.look("", ask(br#"{"b":3, "a":1}"#)) else { panic!() };
    assert!(miss.to_string().contains("`b`: [-2-]{+3+}"), "{miss}");
    let (_, path) = replaying.shelf().files().unwrap().remove(0);
    assert!(!fs::read_to_string(path).unwrap().contains("pw@"));
}

#[cfg(unix)]
#[test]
fn everything_is_private_and_kept_out_of_version_control() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join(".unitai").join("cache");
    record(&open(&cache, Mode::Record), "a", &body(), "x");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&cache), 0o700);
    assert_eq!(mode(cache.parent().unwrap()), 0o700);
    for entry in fs::read_dir(&cache).unwrap() {
        assert_eq!(mode(&entry.unwrap().path()), 0o600);
    }
    assert!(fs::read_to_string(cache.join(".gitignore")).unwrap().contains('*'));
    assert!(cache.join(".gitattributes").exists());
}

#[test]
fn a_folder_of_recordings_that_is_named_can_be_committed() {
    let folder = tempfile::tempdir().unwrap();
    let named = folder.path().join("tests").join("recordings");
    record(&open(&named, Mode::Record), "a", &body(), "x");
    let ignored = fs::read_to_string(named.join(".gitignore")).unwrap();
    assert!(ignored.lines().all(|line| line != "*") && ignored.contains(".lock\n"), "{ignored}");
}

#[test]
fn what_somebody_else_keeps_in_the_folder_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let theirs = ["package.json", "notes.txt", "quarantine/notes.json", ".gitkeep"];
    fs::create_dir(folder.path().join("quarantine")).unwrap();
    for name in theirs {
        fs::write(folder.path().join(name), "{}").unwrap();
    }
    let recording = open(folder.path(), Mode::Record);
    let shelf = recording.shelf();
    assert_eq!((shelf.clear().unwrap(), shelf.stats().unwrap().entries), (0, 0));
    assert!(!folder.path().join(".lock").exists());
    record(&recording, "a", &body(), "x");
    assert_eq!(shelf.stats().unwrap().entries, 1);
    assert_eq!(shelf.clear().unwrap(), 1);
    for name in theirs {
        assert!(folder.path().join(name).exists(), "{name}");
    }
    assert!(!folder.path().join(".gitignore").exists());
}

#[test]
fn which_key_was_sent_is_no_part_of_what_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let ask = |key: &str| {
        let body = format!("{{\"q\": \"rome\", \"api_key\": \"{key}\"}}");
        Inquiry::of_api("POST", &format!("https://api.example.com/v1?q=rome&appid={key}"), body.as_bytes())
    };
    let Look::Record(ticket) = open(folder.path(), Mode::Record).look("", ask("f00dfeed12345678")).unwrap()
    else {
        panic!()
    };
    ticket.keep(answer("sunny")).unwrap();
    let replaying = open(folder.path(), Mode::Replay);
    assert!(matches!(replaying.look("a", ask("dummy")), Ok(Look::Hit { .. })));
    let (_, path) = replaying.shelf().files().unwrap().remove(0);
    assert!(!fs::read_to_string(path).unwrap().contains("f00dfeed"));
}
