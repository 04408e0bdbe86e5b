//! How services refuse, and what is made of it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use unitai_judge::providers::openai::OpenAi;
use unitai_judge::{Ask, Drive, Provider, Said, Trouble};

use super::{address, client};
use crate::contract::http::{Reply, Server};
use crate::contract::{KEY, schema, tools};
use crate::stopwatch::Stopwatch;

/// OpenAI's API at a server.
fn openai(server: &Server) -> OpenAi {
    OpenAi::new(KEY).at(&address(server, "/v1")).through(client(server))
}

async fn asked(provider: &impl Provider) -> Result<Said, Trouble> {
    let schema = schema();
    let timeout = Duration::from_secs(20);
    provider.ask(&Ask { system: "s", prompt: "p", schema: &schema, timeout }).await
}

#[tokio::test]
async fn nobody_waits_longer_than_there_is_time() {
    let busy = |_: &_| Reply { headers: "retry-after: 100\r\n", ..Reply::of(529, "overloaded") };
    let server = Server::plain(busy).await;
    let watch = Stopwatch::start();
    let Err(Trouble::Unavailable(why)) = asked(&openai(&server)).await else { panic!("it is busy") };
    assert!(why.contains("529: overloaded") && why.contains("100 s"), "{why}");
    assert!(watch.fair() < Duration::from_secs(10), "{:?}", watch.fair());
}

#[tokio::test]
async fn what_is_refused_for_good_is_said_in_its_words_and_not_asked_again() {
    for (status, expected, times) in [
        // With the schema and without.
        (400, "400: no such model", 2),
        (404, "404: no such model", 1),
        (402, "402: no such model", 1),
    ] {
        let count = Arc::new(Mutex::new(0));
        let counted = count.clone();
        let server = Server::plain(move |_| {
            *counted.lock().unwrap_or_else(PoisonError::into_inner) += 1;
            Reply::of(status, json!({"error": {"message": "no such model"}}))
        })
        .await;
        let Err(Trouble::Broken(why)) = asked(&openai(&server)).await else { panic!("{status}") };
        assert!(why.contains(expected), "{why}");
        assert_eq!(*count.lock().unwrap_or_else(PoisonError::into_inner), times, "{status}");
    }
}

#[tokio::test]
async fn a_service_that_is_not_there_is_not_to_be_had() {
    let server = Server::plain(|_| Reply::of(200, "")).await;
    let provider = openai(&server);
    drop(server);
    tokio::task::yield_now().await;
    let Err(Trouble::Unavailable(why)) = asked(&provider).await else { panic!("nobody is there") };
    assert!(why.contains("was not reached") && !why.contains("judge.example"), "{why}");
}

#[tokio::test]
async fn an_answer_that_was_cut_or_declined_is_none() {
    for (message, reason, expected) in [
        (json!({"content": "{\"verdict\""}), "length", "cut"),
        (json!({"content": null, "refusal": "I will not"}), "stop", "I will not"),
        (json!({"content": ""}), "content_filter", "filter"),
    ] {
        let server = Server::plain(move |_| {
            let choice = json!({"index": 0, "finish_reason": reason, "message": message});
            Reply::of(200, json!({"model": "m", "choices": [choice]}))
        })
        .await;
        let Err(Trouble::Broken(why)) = asked(&openai(&server)).await else { panic!("{expected}") };
        assert!(why.contains(expected), "{why}");
    }
}

#[tokio::test]
async fn what_a_model_gets_wrong_about_tools_is_told_to_it() {
    let seen: Arc<Mutex<Vec<Value>>> = Arc::default();
    let noted = seen.clone();
    let server = Server::plain(move |asked| {
        let messages = asked.body["messages"].as_array().cloned().unwrap_or_default();
        let results: Vec<Value> = messages.iter().filter(|it| it["role"] == "tool").cloned().collect();
        let call = |id: &str, name: &str, args: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": args}});
        let message = if results.is_empty() {
            let calls = [call("a", "nope", "{}"), call("b", "shop_lookup", "[7]"), call("c", "shop_lookup", "")];
            json!({"role": "assistant", "content": null, "tool_calls": calls})
        } else {
            *noted.lock().unwrap_or_else(PoisonError::into_inner) = results;
            json!({"role": "assistant", "content": "done"})
        };
        Reply::of(200, json!({"model": "m", "choices": [{"index": 0, "message": message}]}))
    })
    .await;
    let tools = tools::Tools::open().await;
    let schema = schema();
    let timeout = Duration::from_secs(20);
    let drive = Drive { system: "s", prompt: "p", schema: &schema, timeout, turns: 3 };
    let said = openai(&server).drive(&drive, &tools.reach).await.expect("an end");
    assert_eq!((said.text.as_str(), said.spent.input_tokens, said.spent.cost), ("done", None, None));
    assert!(said.notes.iter().any(|note| note.contains("no price") || note.contains("not known")));
    let seen = seen.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let told: Vec<&str> = seen.iter().filter_map(|it| it["content"].as_str()).collect();
    assert_eq!(
        told,
        ["Error: there is no tool nope", "Error: the arguments are no JSON object: [7]", tools::RESULT]
    );
    assert_eq!(tools.calls(), [("shop.lookup".to_owned(), json!({}))]);
}

#[tokio::test]
async fn what_runs_on_this_machine_costs_nothing() {
    let server = Server::plain(|_| {
        let message = json!({"role": "assistant", "content": "{}"});
        let usage = json!({"prompt_tokens": 1_000, "completion_tokens": 1_000});
        Reply::of(200, json!({"model": "m", "choices": [{"index": 0, "message": message}], "usage": usage}))
    })
    .await;
    let local = OpenAi::new("").at(&format!("http://{}/v1", server.address)).through(client(&server));
    assert!(local.is_free() && !openai(&server).is_free());
    let said = asked(&local).await.expect("an answer");
    assert_eq!(said.spent.cost.map(|cost| cost.dollars()), Some(0.0));
}
