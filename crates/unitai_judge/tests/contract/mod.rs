//! What every provider must do, whoever it is. A [`Subject`] makes a provider that meets one [`Behaviour`] of its service
//! or program; [`check`] says what must come of it.

pub(crate) mod http;
pub(crate) mod tools;

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use unitai_judge::{Ask, Drive, Metered, Provider, Trouble};
use unitai_wire::meter::{Budgets, PriceTable};

use crate::stopwatch::Stopwatch;

/// The key of every service here. It must be in no text that anybody gets.
pub(crate) const KEY: &str = "sk-contract-Zk3vQ8xWn2LmR7tYpB4cXq9";

/// What the other side does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Behaviour {
    /// Answers with [`answer`] as the schema wants it, for 100 tokens in and 20 out, by a model with a price.
    Structured,
    /// Answers `I think so.`, which is no JSON.
    TextOnly,
    /// Answers, and the answer has no words.
    Empty,
    /// Says that nobody is logged in, or that the key is wrong, and says the [`KEY`] with it.
    Unauthorised,
    /// Is busy once, and then answers as in [`Behaviour::Structured`].
    BusyOnce,
    /// Is busy however often it is asked, and says the [`KEY`] with it.
    BusyForever,
    /// Answers after half a minute.
    Slow,
    /// Answers with what is none of its own interface, the [`KEY`] in it.
    Garbage,
    /// As [`Behaviour::Structured`], by a model that nobody knows the price of.
    Unpriced,
    /// When it is driven: calls `shop.lookup` with `{"order": 7}`, and then says what the tool said.
    CallsATool,
    /// When it is driven: calls a tool for ever.
    CallsForever,
}

/// Makes providers.
pub(crate) trait Subject {
    /// One that meets this behaviour. What must live as long as it is used is given along.
    async fn made(&self, behaviour: Behaviour) -> (Arc<dyn Provider>, Box<dyn Any>);
}

/// The answer.
pub(crate) fn answer() -> Value {
    json!({"verdict": "yes", "why": "the order is there"})
}

/// Its schema.
pub(crate) fn schema() -> Value {
    let text = json!({"type": "string"});
    json!({
        "type": "object",
        "properties": {"verdict": text, "why": text},
        "required": ["verdict", "why"],
        "additionalProperties": false,
    })
}

/// Has a provider meet a behaviour.
pub(crate) async fn check(subject: &impl Subject, behaviour: Behaviour) {
    let (provider, _kept) = subject.made(behaviour).await;
    let limit = if behaviour == Behaviour::Slow { Duration::from_secs(1) } else { Duration::from_secs(20) };
    let schema = schema();
    let metered = Metered::new(provider.clone(), Budgets::default(), PriceTable::release().clone());
    let watch = Stopwatch::start();
    let (said, called) = if matches!(behaviour, Behaviour::CallsATool | Behaviour::CallsForever) {
        let tools = tools::Tools::open().await;
        let drive =
            Drive { system: "You test.", prompt: "Look it up.", schema: &schema, timeout: limit, turns: 5 };
        let said = metered.drive(&drive, &tools.reach).await;
        (said, tools.calls())
    } else {
        let ask = Ask { system: "You judge.", prompt: "Is it there?", schema: &schema, timeout: limit };
        (metered.ask(&ask).await, Vec::new())
    };
    let name = provider.name();
    let shown = format!("{said:?}");
    assert!(!shown.contains(KEY) && !shown.contains("Zk3vQ8xWn2LmR7tYp"), "{name} tells its key: {shown}");
    let tally = metered.tally();
    match behaviour {
        Behaviour::Structured | Behaviour::BusyOnce => {
            let said = said.unwrap_or_else(|trouble| panic!("{name}: {trouble}"));
            let read = said.structured.or_else(|| serde_json::from_str(&said.text).ok());
            assert_eq!(read, Some(answer()), "{name}: {}", said.text);
            assert_eq!((said.spent.input_tokens, said.spent.output_tokens), (Some(100), Some(20)), "{name}");
            assert!(said.spent.cost.is_some_and(|cost| cost.dollars() > 0.0), "{name}: {:?}", said.spent);
            assert!(!said.model.is_empty(), "{name}");
            assert_eq!((tally.calls, tally.unpriced, tally.input_tokens), (1, 0, 100), "{name}");
            assert_eq!(Some(tally.cost), said.spent.cost);
        }
        Behaviour::TextOnly => {
            let said = said.unwrap_or_else(|trouble| panic!("{name}: {trouble}"));
            assert_eq!((said.text.trim(), said.structured), ("I think so.", None), "{name}");
        }
        Behaviour::Empty => {
            // Whoever asked may ask once more: that is not ours to decide.
            let said = said.unwrap_or_else(|trouble| panic!("{name}: {trouble}"));
            assert_eq!((said.text.trim(), said.structured), ("", None), "{name}");
        }
        Behaviour::Garbage => {
            let Err(Trouble::Broken(why)) = said else { panic!("{name}: {shown}") };
            assert!(why.len() > 10, "{name} must say more than {why:?}");
        }
        Behaviour::Unauthorised => {
            let Err(Trouble::Absent(why)) = said else { panic!("{name}: {shown}") };
            assert!(why.contains("log") || why.contains("_KEY") || why.contains("key"), "{name}: {why}");
            assert_eq!(tally.calls, 0, "{name}: nobody bills a refusal");
        }
        Behaviour::BusyForever => {
            let Err(Trouble::Unavailable(why)) = said else { panic!("{name}: {shown}") };
            assert!(
                why.to_lowercase().contains("slow down"),
                "{name} must say it in the other's words: {why}"
            );
        }
        Behaviour::Slow => {
            let Err(Trouble::TimedOut { seconds, .. }) = said else { panic!("{name}: {shown}") };
            assert_eq!(seconds, 1, "{name}");
            let took = watch.fair();
            assert!(took < limit + Duration::from_secs(1), "{name} took {took:?}");
        }
        Behaviour::Unpriced => {
            let said = said.unwrap_or_else(|trouble| panic!("{name}: {trouble}"));
            assert_eq!(said.spent.cost, None, "{name}: unknown is not nothing");
            assert_eq!((tally.calls, tally.unpriced), (1, 1), "{name}");
        }
        Behaviour::CallsATool => {
            let said = said.unwrap_or_else(|trouble| panic!("{name}: {trouble}"));
            assert_eq!(called, [("shop.lookup".to_owned(), json!({"order": 7}))], "{name}");
            assert!(said.text.contains(tools::RESULT), "{name}: {}", said.text);
        }
        Behaviour::CallsForever => {
            let Err(Trouble::Broken(why)) = said else { panic!("{name}: {shown}") };
            assert!(why.contains("5 turns"), "{name}: {why}");
            assert_eq!(called.len(), 5, "{name}");
        }
    }
    let identity = provider.identity().await.unwrap_or_else(|trouble| panic!("{name}: {trouble}"));
    assert_eq!(identity.provider, name);
    assert!(!identity.version.is_empty(), "{name}");
}
