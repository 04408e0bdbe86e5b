//! Faults: which calls meet them, that the same seed repeats them, and what they make of an answer.

use std::num::NonZeroU64;
use std::sync::Arc;

use proptest::prelude::*;
use unitai_model::{FaultKind, Packed, Value};
use unitai_wire::common::{Message, Request, Role};
use unitai_wire::faults::{
    ArgumentMatcher, Extent, ModelFault, Plan, Rule, Spoiled, Standing, ToolFault, When, contradict, corrupt,
    empty, garble, replace_schema,
};
use unitai_wire::frames::{Framing, write_event_stream, write_sse};
use unitai_wire::script::{Condition, Subject, Test, TextMatcher};

struct Has(&'static str);

impl TextMatcher for Has {
    fn matches(&self, text: &str) -> Result<bool, String> {
        Ok(text.contains(self.0))
    }

    fn shown(&self) -> String {
        format!("{:?}", self.0)
    }
}

struct Names(&'static str);

impl ArgumentMatcher for Names {
    fn matches(&self, arguments: &Packed) -> Result<bool, String> {
        Ok(arguments.text().contains(self.0))
    }
}

struct Broken;

impl ArgumentMatcher for Broken {
    fn matches(&self, _: &Packed) -> Result<bool, String> {
        Err("it raised ZeroDivisionError".to_owned())
    }
}

fn asks(text: &str) -> Request {
    Request {
        model: "gpt-4o".to_owned(),
        messages: vec![Message::text(Role::User, text)],
        ..Request::default()
    }
}

fn on_model(when: When, fault: ModelFault) -> Rule {
    Rule::Model { condition: Condition::default(), when, fault }
}

fn on_tool(tool: Option<&str>, when: When) -> Rule {
    Rule::Tool { tool: tool.map(str::to_owned), arguments: None, when, fault: ToolFault::Empty }
}

fn args(n: usize) -> Packed {
    Packed::from_trusted(&format!("{{\"n\":{n}}}"))
}

/// Which of so many equal requests meet a fault.
fn met(plan: &Plan, requests: usize) -> Vec<usize> {
    let standing = Standing::default();
    let request = asks("hello");
    (1..=requests).filter(|_| plan.for_model(&standing, &request).is_ok_and(|hit| hit.is_some())).collect()
}

fn numbered(when: When) -> Vec<usize> {
    met(&Plan { seed: 1, rules: vec![on_model(when, ModelFault::Reset)] }, 10)
}

#[test]
fn a_rule_names_calls_by_number_by_every_and_by_how_often() {
    assert_eq!(numbered(When { numbers: vec![2, 5], ..When::default() }), [2, 5]);
    assert_eq!(numbered(When { every: NonZeroU64::new(4), ..When::default() }), [4, 8]);
    assert_eq!(numbered(When { times: Some(3), ..When::default() }), [1, 2, 3]);
    assert_eq!(numbered(When { every: NonZeroU64::new(2), times: Some(2), ..When::default() }), [2, 4]);
    assert_eq!(numbered(When::default()).len(), 10);
}

#[test]
fn a_rule_counts_only_the_calls_that_it_looks_at() {
    let condition =
        Condition(vec![Test::Text { subject: Subject::LastMessage, matcher: Arc::new(Has("refund")) }]);
    let when = When { numbers: vec![2], ..When::default() };
    let plan = Plan { seed: 0, rules: vec![Rule::Model { condition, when, fault: ModelFault::Reset }] };
    let standing = Standing::default();
    let hits: Vec<bool> = ["refund a", "hello", "refund b", "refund c"]
        .iter()
        .map(|text| plan.for_model(&standing, &asks(text)).unwrap().is_some())
        .collect();
    assert_eq!(hits, [false, false, true, false]);
}

#[test]
fn the_first_rule_that_wants_a_call_has_it_and_the_others_still_count_it() {
    let rules = vec![
        on_tool(Some("a"), When { numbers: vec![1], ..When::default() }),
        on_tool(None, When { numbers: vec![2], ..When::default() }),
    ];
    let plan = Plan { seed: 0, rules };
    let standing = Standing::default();
    let rule = |tool: &str| plan.for_tool(&standing, tool, &args(1)).unwrap().map(|hit| hit.rule);
    assert_eq!([rule("a"), rule("b"), rule("a"), rule("a")], [Some(0), Some(1), None, None]);
}

#[test]
fn runs_stand_apart() {
    let plan = Plan { seed: 0, rules: vec![on_tool(None, When { times: Some(1), ..When::default() })] };
    for _ in 0..3 {
        let standing = Standing::default();
        assert!(plan.for_tool(&standing, "a", &args(1)).unwrap().is_some());
        assert!(plan.for_tool(&standing, "a", &args(1)).unwrap().is_none());
    }
}

#[test]
fn arguments_choose_a_call_and_a_matcher_that_fails_says_so() {
    let rule = |matcher: Arc<dyn ArgumentMatcher>| Plan {
        seed: 0,
        rules: vec![Rule::Tool {
            tool: None,
            arguments: Some(matcher),
            when: When::default(),
            fault: ToolFault::Corrupt,
        }],
    };
    let plan = rule(Arc::new(Names("7")));
    let hit = |n| plan.for_tool(&Standing::default(), "a", &args(n)).unwrap().is_some();
    assert_eq!((hit(7), hit(8)), (true, false));
    let broken = rule(Arc::new(Broken));
    let told = broken.for_tool(&Standing::default(), "a", &args(1));
    assert_eq!(told.unwrap_err(), "it raised ZeroDivisionError");
}

fn chance(p: f64) -> When {
    When { chance: Some(p), ..When::default() }
}

proptest! {
    #[test]
    fn the_same_seed_meets_the_same_faults(seed: u64, p in 0.0..=1.0, calls in proptest::collection::vec(0usize..20, 0..60)) {
        let plan = Plan { seed, rules: vec![on_tool(None, chance(p))] };
        let hits = || -> Vec<Option<u64>> {
            let standing = Standing::default();
            calls.iter().map(|n| plan.for_tool(&standing, "a", &args(*n)).unwrap().map(|hit| hit.drawn)).collect()
        };
        prop_assert_eq!(hits(), hits());
    }

    #[test]
    fn the_order_of_calls_that_differ_does_not_matter(seed: u64, order in Just((0..40usize).collect::<Vec<_>>()).prop_shuffle()) {
        let plan = Plan { seed, rules: vec![on_tool(None, chance(0.5))] };
        let hits = |order: &[usize]| -> Vec<usize> {
            let standing = Standing::default();
            let mut met: Vec<usize> = order.iter().copied()
                .filter(|n| plan.for_tool(&standing, "a", &args(*n)).unwrap().is_some()).collect();
            met.sort_unstable();
            met
        };
        prop_assert_eq!(hits(&order), hits(&(0..40).collect::<Vec<_>>()));
    }

    #[test]
    fn chance_is_as_likely_as_it_says(seed: u64, percent in 0u32..=100) {
        let p = f64::from(percent) / 100.0;
        let plan = Plan { seed, rules: vec![on_model(chance(p), ModelFault::Reset)] };
        let count = met(&plan, 1000).len() as f64;
        // Five standard deviations of 1000 draws.
        let room = 5.0 * (1000.0 * p * (1.0 - p)).sqrt();
        prop_assert!((count - 1000.0 * p).abs() <= room, "{count} of 1000 at {p}");
    }

    #[test]
    fn what_is_garbled_is_another_value_of_the_same_kind(text in ".+", n: i64, x in -1e9..1e9, yes: bool, seed: u64) {
        let value = Value::Dict(vec![
            (Value::Str("text".into()), Value::Str(text)),
            (Value::Str("n".into()), Value::Int(n)),
            (Value::Str("x".into()), Value::Float(x)),
            (Value::Str("list".into()), Value::List(vec![Value::Bool(yes), Value::Null])),
        ]);
        let garbled = corrupt(&value, seed);
        prop_assert_eq!(&garbled, &corrupt(&value, seed));
        let (Value::Dict(before), Value::Dict(after)) = (&value, &garbled) else { panic!() };
        for ((key, old), (same, new)) in before.iter().zip(after) {
            prop_assert_eq!(key, same);
            prop_assert_ne!(old, new);
            prop_assert_eq!(std::mem::discriminant(old), std::mem::discriminant(new));
        }
    }

    #[test]
    fn a_garbled_document_is_none(keys in proptest::collection::btree_map("[a-z]{1,8}", ".*", 0..6), seed: u64) {
        let body = serde_json::to_vec(&keys).unwrap();
        let garbled = garble(&body, None, seed);
        prop_assert!(serde_json::from_slice::<serde_json::Value>(&garbled).is_err());
    }
}

#[test]
fn a_text_that_looks_garbled_already_is_garbled_too() {
    let text = Value::Str(char::REPLACEMENT_CHARACTER.to_string());
    for seed in 0..100 {
        assert_ne!(corrupt(&text, seed), text, "seed {seed}");
    }
}

#[test]
fn a_system_prompt_with_the_date_in_it_does_not_change_what_chance_says() {
    let plan = Plan { seed: 3, rules: vec![on_model(chance(0.5), ModelFault::Reset)] };
    for n in 0..50 {
        let with_date = |date: &str| {
            let mut request = asks(&format!("question {n}"));
            request.messages.insert(0, Message::text(Role::System, date));
            plan.for_model(&Standing::default(), &request).unwrap().is_some()
        };
        assert_eq!(with_date("today is Monday"), with_date("today is Tuesday"));
    }
}

#[test]
fn threads_meet_the_same_faults_as_one_thread() {
    let plan = Plan { seed: 11, rules: vec![on_tool(None, chance(0.3))] };
    let standing = Standing::default();
    let alone: Vec<bool> =
        (0..200).map(|n| plan.for_tool(&standing, "a", &args(n)).unwrap().is_some()).collect();
    let shared = Standing::default();
    let mut together = vec![false; 200];
    std::thread::scope(|scope| {
        for part in together.chunks_mut(25).enumerate() {
            let (plan, shared) = (&plan, &shared);
            scope.spawn(move || {
                for (at, slot) in part.1.iter_mut().enumerate() {
                    *slot = plan.for_tool(shared, "a", &args(part.0 * 25 + at)).unwrap().is_some();
                }
            });
        }
    });
    assert_eq!(alone, together);
}

#[test]
fn nothing_is_the_empty_value_of_what_has_no_empty_one() {
    assert_eq!(empty(&Value::Dict(vec![(Value::Str("a".into()), Value::Null)])), Value::Dict(vec![]));
    assert_eq!(empty(&Value::List(vec![Value::Null])), Value::List(vec![]));
    assert_eq!(empty(&Value::Str("a".into())), Value::Str(String::new()));
    assert_eq!(empty(&Value::Int(3)), Value::Null);
}

fn dict(entries: &[(&str, Value)]) -> Value {
    Value::Dict(entries.iter().map(|(key, value)| (Value::Str((*key).to_owned()), value.clone())).collect())
}

#[test]
fn a_contradiction_says_the_contrary_of_the_same_thing() {
    let text = |text: &str| Value::Str(text.to_owned());
    let order = dict(&[
        ("order_id", text("A-123")),
        ("id", Value::Int(7)),
        ("status", text("delivered")),
        ("paid", Value::Bool(true)),
        ("amount", Value::Float(49.99)),
        ("note", text("at the door")),
    ]);
    let contrary = dict(&[
        ("order_id", text("A-123")),
        ("id", Value::Int(7)),
        ("status", text("lost")),
        ("paid", Value::Bool(false)),
        ("amount", Value::Float(-49.99)),
        ("note", text("not at the door")),
    ]);
    assert_eq!(contradict(&order), Some(contrary));
    for nothing in [Value::Null, Value::List(vec![]), text("A-123"), dict(&[("id", Value::Int(1))])] {
        assert_eq!(contradict(&nothing), None);
    }
}

fn sse(events: &[&str]) -> Vec<u8> {
    let mut out = Vec::new();
    events.iter().for_each(|event| write_sse(&mut out, "", event));
    out
}

#[test]
fn one_event_of_a_stream_is_garbled_and_its_end_mark_stays() {
    let body = sse(&["{\"a\":1}", "{\"b\":2}", "[DONE]"]);
    let garbled = String::from_utf8(garble(&body, Some(Framing::Sse), 5)).unwrap();
    let data: Vec<&str> = garbled.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
    assert_eq!(data.len(), 3);
    assert_eq!(data[2], "[DONE]");
    let unread = data[..2].iter().filter(|text| serde_json::from_str::<serde_json::Value>(text).is_err());
    assert_eq!(unread.count(), 1);
}

#[test]
fn another_schema_is_still_json_in_every_framing() {
    assert_eq!(replace_schema(b"{\"choices\":[]}", None), br#"{"unexpected":true}"#);
    let changed = replace_schema(&sse(&["{\"a\":1}", "[DONE]"]), Some(Framing::Sse));
    assert_eq!(changed, sse(&[r#"{"unexpected":true}"#, "[DONE]"]));
    assert_eq!(replace_schema(b"{\"a\":1}\n", Some(Framing::Lines)), b"{\"unexpected\":true}\n");
    let (mut before, mut after) = (Vec::new(), Vec::new());
    write_event_stream(&mut before, "contentBlockDelta", "{\"a\":1}");
    write_event_stream(&mut after, "contentBlockDelta", r#"{"unexpected":true}"#);
    assert_eq!(replace_schema(&before, Some(Framing::EventStream)), after);
}

fn through(fault: ModelFault, framing: Option<Framing>, chunks: &[&[u8]]) -> (Vec<u8>, bool) {
    let mut spoiled = Spoiled::new(fault, framing, 0);
    let mut out = Vec::new();
    for chunk in chunks {
        out.extend(spoiled.feed(chunk.to_vec()));
        if spoiled.is_cut() {
            return (out, true);
        }
    }
    out.extend(spoiled.end());
    (out, spoiled.is_cut())
}

#[test]
fn a_plain_answer_is_cut_after_so_many_bytes_or_in_its_middle() {
    let chunks: [&[u8]; 3] = [b"abc", b"def", b"ghij"];
    let cut = |after| through(ModelFault::Cut { after }, None, &chunks);
    assert_eq!(cut(Extent::Bytes(4)), (b"abcd".to_vec(), true));
    assert_eq!(cut(Extent::Chunks(1)), (b"abcde".to_vec(), true));
    assert_eq!(cut(Extent::Chunks(0)), (Vec::new(), true));
    // At the latest, the connection ends where the answer does.
    assert_eq!(cut(Extent::Bytes(100)), (b"abcdefghij".to_vec(), true));
    assert_eq!(through(ModelFault::WrongSchema, None, &chunks), (br#"{"unexpected":true}"#.to_vec(), false));
}

#[test]
fn a_stream_is_cut_after_so_many_events_however_they_come() {
    let body = sse(&["{\"a\":1}", "{\"b\":2}", "{\"c\":3}"]);
    let two = sse(&["{\"a\":1}", "{\"b\":2}"]);
    for size in [1, 5, 17, 100] {
        let chunks: Vec<&[u8]> = body.chunks(size).collect();
        let cut = through(ModelFault::Cut { after: Extent::Chunks(2) }, Some(Framing::Sse), &chunks);
        assert_eq!(cut, (two.clone(), true));
    }
}

#[test]
fn a_fault_is_recorded_in_words() {
    let refuse = ModelFault::Refuse { status: 429, message: String::new(), retry_after: Some(1.0) };
    let recorded = refuse.recorded(7);
    assert_eq!(
        (recorded.kind, &*recorded.text, recorded.seed),
        (FaultKind::RateLimit, "429, retry after 1 s", 7)
    );
    assert_eq!(&*ModelFault::Cut { after: Extent::Chunks(2) }.recorded(0).text, "cut after 2 parts");
    assert_eq!(&*ToolFault::Error { message: "down".into() }.recorded(0).text, "error: down");
}
