//! What is written is what is read, for every value and every trajectory.

use std::sync::Arc;

use proptest::prelude::*;
use unitai_model::value::{equal, hash};
use unitai_model::{
    Action, Ending, Exchange, ExchangeEnd, Failure, Fault, FaultKind, GivenTotals, ModelCall, Money, Opaque,
    Outcome, Packed, Source, StateChange, Step, ToolCall, ToolName, Trajectory, Usage, Value,
};

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        "-?[1-9a-f][0-9a-f]{16,40}".prop_map(Value::BigInt),
        any::<f64>().prop_map(Value::Float),
        any::<String>().prop_map(Value::Str),
        proptest::collection::vec(prop_oneof![0u32..0x11_0000, 0xd800u32..0xe000], 1..5)
            .prop_map(Value::Surrogates),
        any::<Vec<u8>>().prop_map(Value::Bytes),
        (any::<String>(), any::<String>())
            .prop_map(|(type_name, repr)| Value::Opaque(Opaque { type_name, repr })),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        let items = || proptest::collection::vec(inner.clone(), 0..6);
        prop_oneof![
            items().prop_map(Value::List),
            items().prop_map(Value::Tuple),
            items().prop_map(Value::Set),
            items().prop_map(Value::FrozenSet),
            proptest::collection::vec((inner.clone(), inner.clone()), 0..6).prop_map(Value::Dict),
            proptest::collection::vec(("\\$unitai|[a-z]{0,3}".prop_map(Value::Str), inner.clone()), 0..6)
                .prop_map(Value::Dict),
        ]
    })
}

fn any_packed() -> impl Strategy<Value = Packed> {
    any_value().prop_map(|value| value.pack())
}

fn any_arguments() -> impl Strategy<Value = Packed> {
    let key = prop_oneof![any::<String>().prop_map(Value::Str), any_value()];
    proptest::collection::vec((key, any_value()), 0..4).prop_map(|entries| Value::Dict(entries).pack())
}

fn any_failure() -> impl Strategy<Value = Failure> {
    (any::<String>(), any::<Vec<String>>(), any::<String>(), any::<Option<String>>())
        .prop_map(|(type_name, bases, message, place)| Failure::new(type_name, bases, message).at(place))
}

fn any_time() -> impl Strategy<Value = f64> {
    any::<f64>().prop_filter("clocks give finite numbers", |time| time.is_finite())
}

fn any_usage() -> impl Strategy<Value = Usage> {
    any::<[u32; 6]>().prop_map(|counts| {
        let [fresh, cache_read, cache_write, cache_write_long, output, reasoning] = counts.map(u64::from);
        Usage { fresh, cache_read, cache_write, cache_write_long, output, reasoning }
    })
}

fn any_exchange() -> impl Strategy<Value = Exchange> {
    let text = || any::<String>().prop_map(Arc::<str>::from);
    let end = prop_oneof![
        Just(ExchangeEnd::Unfinished),
        Just(ExchangeEnd::Cut),
        proptest::option::of(text()).prop_map(|finish_reason| ExchangeEnd::Answered { finish_reason }),
        (any::<Option<u16>>(), text()).prop_map(|(status, message)| ExchangeEnd::Failed { status, message }),
    ];
    let source = prop_oneof![Just(Source::Live), Just(Source::Script), Just(Source::Replay)];
    let seconds = || proptest::option::of(any_time());
    (
        text(),
        source,
        text(),
        any::<(bool, bool)>(),
        (seconds(), seconds()),
        end,
        proptest::option::of(any_packed()),
    )
        .prop_map(
            |(
                dialect,
                source,
                request_digest,
                (streamed, usage_is_estimated),
                (latency, time_to_first_token),
                end,
                raw_usage,
            )| {
                Exchange {
                    dialect,
                    source,
                    request_digest,
                    streamed,
                    latency,
                    time_to_first_token,
                    recorded_latency: latency,
                    end,
                    raw_usage,
                    usage_is_estimated,
                }
            },
        )
}

fn any_model_call() -> impl Strategy<Value = ModelCall> {
    let usage = proptest::option::of(any_usage());
    let exchange = proptest::option::of(any_exchange().prop_map(Box::new));
    (any::<String>(), usage, any::<Option<i64>>(), exchange).prop_map(|(model, usage, cost, exchange)| {
        ModelCall { model: Arc::from(model), usage, cost: cost.map(Money::from_pico_dollars), exchange }
    })
}

fn any_action() -> impl Strategy<Value = Action> {
    let outcome = prop_oneof![
        Just(Outcome::Unfinished),
        any_packed().prop_map(Outcome::Returned),
        any_failure().prop_map(|failure| Outcome::Raised(Box::new(failure))),
        any_failure().prop_map(|failure| Outcome::Rejected(Box::new(failure))),
        any_packed().prop_map(Outcome::Unseen),
    ];
    prop_oneof![
        (any::<String>(), any_arguments(), outcome).prop_map(|(tool, args, outcome)| {
            Action::ToolCall(ToolCall { tool: ToolName::new(&tool), args, outcome })
        }),
        any_model_call().prop_map(Action::ModelCall),
        (any::<String>(), any_packed(), any_packed()).prop_map(|(key, old_value, new_value)| {
            Action::StateChange(StateChange { key: Arc::from(key), old_value, new_value })
        }),
    ]
}

fn any_fault() -> impl Strategy<Value = Fault> {
    let kind = proptest::sample::select(FaultKind::ALL.to_vec());
    (kind, any::<String>(), any::<u64>(), proptest::option::of(any_packed()))
        .prop_map(|(kind, text, seed, instead_of)| Fault { kind, text: Arc::from(text), seed, instead_of })
}

fn any_trajectory() -> impl Strategy<Value = Trajectory> {
    let step = (any_time(), any::<Option<String>>(), any_action(), proptest::option::of(any_fault()))
        .prop_map(|(timestamp, agent, action, fault)| Step {
            timestamp,
            agent_id: agent.map(Arc::from),
            action,
            fault: fault.map(Box::new),
        });
    let ending = prop_oneof![any_packed().prop_map(Ending::Returned), any_failure().prop_map(Ending::Raised)];
    let steps = proptest::collection::vec(step, 0..8);
    let cost = proptest::option::of(any::<i64>().prop_map(Money::from_pico_dollars));
    let totals = (any::<Option<u64>>(), cost, any::<Option<usize>>())
        .prop_map(|(tokens, cost, llm_calls)| GivenTotals { tokens, cost, llm_calls });
    (any::<String>(), any_packed(), any_time(), any_time(), steps, ending, totals).prop_map(
        |(id, input, started, duration, steps, ending, totals)| {
            Trajectory::new(id, input, started, duration, steps, ending).with_totals(totals)
        },
    )
}

proptest! {
    #[test]
    fn a_value_comes_back_as_it_was(value in any_value()) {
        let packed = value.pack();
        let read = Packed::from_text(packed.text()).unwrap().value();
        // By text, because NaN is not equal to itself.
        let again = read.pack();
        prop_assert_eq!(again.text(), packed.text());
        prop_assert_eq!(format!("{read:?}"), format!("{value:?}"));
    }

    #[test]
    fn a_trajectory_comes_back_as_it_was(trajectory in any_trajectory()) {
        let text = trajectory.to_json();
        let read = Trajectory::from_json(&text).unwrap();
        prop_assert_eq!(&read, &trajectory);
        prop_assert_eq!(read.to_json(), text);
    }

    #[test]
    fn keys_of_others_change_nothing(trajectory in any_trajectory(), value in any_packed()) {
        let text = trajectory.to_json();
        let key = format!("{{\"x-note\":{},", value.text());
        let marked = text.replacen('{', &key, 1).replace("{\"step_type\"", &format!("{key}\"step_type\""));
        prop_assert_eq!(Trajectory::from_json(&marked).unwrap().to_json(), text);
    }

    #[test]
    fn what_is_written_is_json(trajectory in any_trajectory()) {
        prop_assert!(serde_json::from_str::<serde_json::Value>(&trajectory.to_json()).is_ok());
    }

    #[test]
    fn equal_values_have_equal_hashes(value in any_value(), other in any_value()) {
        if equal(&value, &other) {
            prop_assert_eq!(hash(&value), hash(&other));
        }
    }

    #[test]
    fn whole_numbers_are_equal_in_every_kind(number in any::<i32>()) {
        let (int, float) = (Value::Int(number.into()), Value::Float(number.into()));
        prop_assert!(equal(&int, &float));
        prop_assert_eq!(hash(&int), hash(&float));
    }

    #[test]
    fn any_text_at_all_is_read_or_refused(text in any::<String>()) {
        let _ = Packed::from_text(&text);
        let _ = Trajectory::from_json(&text);
    }

    #[test]
    fn a_damaged_document_is_read_or_refused(trajectory in any_trajectory(), at in any::<prop::sample::Index>(), byte in 0x20u8..0x7f) {
        let mut bytes = trajectory.to_json().into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(text) = String::from_utf8(bytes) {
            let _ = Trajectory::from_json(&text);
        }
    }

    #[test]
    fn money_comes_back_as_it_was(units in any::<i64>()) {
        let money = Money::from_pico_dollars(units);
        prop_assert_eq!(money.to_string().parse(), Ok(money));
    }

    #[test]
    fn the_fields_of_a_dictionary_are_found_without_reading_it(keys in proptest::collection::btree_set("[a-z\"\\\\{}\\[\\],: é]{0,6}", 0..6), value in any_value()) {
        let entries: Vec<_> = keys.iter().map(|key| (Value::Str(key.clone()), value.clone())).collect();
        let packed = Value::Dict(entries).pack();
        let found: Vec<String> = packed
            .fields()
            .unwrap()
            .map(|(key, text)| {
                assert_eq!(text, value.pack().text());
                serde_json::from_str(&format!("\"{key}\"")).unwrap()
            })
            .collect();
        prop_assert_eq!(found, keys.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn what_is_shown_holds_no_control_character(value in any_value(), limit in 1usize..200) {
        let shown = value.shown(limit);
        prop_assert!(shown.chars().all(|c| !c.is_control()), "{shown:?}");
        prop_assert!(shown.chars().count() <= limit);
    }
}

#[test]
fn large_floats_equal_the_integers_that_they_are() {
    let float = Value::Float(2f64.powi(70));
    assert!(equal(&float, &Value::BigInt(format!("4{}", "0".repeat(17)))));
    assert!(equal(&Value::Float(-(2f64.powi(64))), &Value::BigInt(format!("-1{}", "0".repeat(16)))));
    assert!(!equal(&Value::Float(f64::INFINITY), &Value::Float(f64::NEG_INFINITY)));
    assert!(!equal(&Value::Float(f64::NAN), &Value::Float(f64::NAN)));
}

/// The flat dictionary of the first specification, which has no version.
const FLAT: &str = r#"{"run_id":"r","input":"i","steps":[{"step_index":0,"step_type":"tool_call","timestamp":1.0,"tool_name":"a"}],
    "final_output":"o","total_tokens":847,"total_cost":42.0,"duration_seconds":1.2,"llm_calls":3,"error":null}"#;

#[test]
fn the_totals_of_a_flat_dictionary_win_over_its_steps() {
    let flat = Trajectory::from_json(FLAT).unwrap();
    assert_eq!(flat.total_tokens(), Ok(847));
    assert_eq!(flat.total_cost(), Ok(Money::from_dollars(42.0).unwrap()));
    assert_eq!(flat.llm_calls(), 3);
    assert_eq!(Trajectory::from_json(&flat.to_json()).unwrap(), flat);
}

#[test]
fn an_unknown_key_of_a_flat_dictionary_is_an_error_unless_it_is_an_extension() {
    for (place, key) in [("{\"run_id\"", "run_id"), ("{\"step_index\"", "step_index")] {
        let with = |name: &str| FLAT.replace(place, &format!("{{\"{name}\":1,\"{key}\""));
        let error = Trajectory::from_json(&with("total_coast")).unwrap_err().to_string();
        assert!(error.contains("unknown field `total_coast`"), "{error}");
        assert_eq!(Trajectory::from_json(&with("x-origin")).unwrap(), Trajectory::from_json(FLAT).unwrap());
    }
    let costly = FLAT.replace("42.0", "1e300");
    assert!(Trajectory::from_json(&costly).unwrap_err().to_string().contains("no amount of dollars"));
}
