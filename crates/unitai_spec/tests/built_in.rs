//! The built-in tools: exact results, and what is odd about each.

#[path = "support/http.rs"]
mod http;

use http::Http;
use serde_json::json;
use unitai_spec::data::{from_json, to_json};
use unitai_spec::run::Called;
use unitai_spec::tools::BuiltIn;

fn call_of(tools: &BuiltIn, name: &str, args: serde_json::Value) -> Called {
    let args = args.as_object().expect("a mapping");
    let args = args.iter().map(|(name, it)| (name.clone(), from_json(it))).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(tools.call(name, args))
}

fn result(name: &str, args: serde_json::Value) -> serde_json::Value {
    match call_of(&BuiltIn::default(), name, args) {
        Called::Returned { value, text } => {
            let json = to_json(&value);
            assert_eq!(serde_json::from_str::<serde_json::Value>(&text).expect("JSON"), json);
            json
        }
        Called::Failed { message, .. } => panic!("{message}"),
    }
}

fn failure(name: &str, args: serde_json::Value) -> String {
    match call_of(&BuiltIn::default(), name, args) {
        Called::Failed { message, .. } => message,
        Called::Returned { text, .. } => panic!("{text}"),
    }
}

#[test]
fn values_are_compared_as_python_does() {
    for (actual, expected, passed) in [
        (json!(1), json!(1.0), true),
        (json!(1), json!(true), true),
        (json!("1"), json!(1), false),
        (json!({"a": 1, "b": [2]}), json!({"b": [2], "a": 1}), true),
        (json!([1, 2]), json!([2, 1]), false),
        (json!(null), json!(false), false),
    ] {
        let found = result("assert_equals", json!({"actual": actual, "expected": expected}));
        let message = if passed { "OK" } else { "" };
        let whole = json!({"passed": passed, "actual": actual, "expected": expected, "message": message});
        assert_eq!(found, whole);
    }
    let found = result("assert_equals", json!({"actual": 1, "expected": 2, "message": "ids differ"}));
    assert_eq!(found["message"], "ids differ");
}

#[test]
fn a_condition_is_true_as_python_says() {
    for (condition, passed) in [
        (json!("false"), true),
        (json!(""), false),
        (json!(0), false),
        (json!(0.0), false),
        (json!([]), false),
        (json!({"a": 0}), true),
        (json!(null), false),
    ] {
        let message = if passed { "OK" } else { "why" };
        let found = result("assert_true", json!({"condition": condition, "message": "why"}));
        assert_eq!(found, json!({"passed": passed, "message": message}), "{condition}");
    }
}

#[test]
fn a_tolerance_is_a_part_of_the_second_value() {
    let found = result("compare_values", json!({"value1": 100.5, "value2": 100.0, "tolerance": 0.005}));
    assert_eq!(
        found,
        json!({"equal": true, "value1": 100.5, "value2": 100.0, "difference_percent": 0.5, "tolerance_percent": 0.5})
    );
    // Swapped, the same difference is less of the second.
    let one = result("compare_values", json!({"value1": 100, "value2": 110, "tolerance": 0.095}));
    let other = result("compare_values", json!({"value1": 110, "value2": 100, "tolerance": 0.095}));
    assert_eq!((&one["equal"], &other["equal"]), (&json!(true), &json!(false)));
    // Below nought it is the size that counts.
    assert_eq!(
        result("compare_values", json!({"value1": -99, "value2": -100, "tolerance": 0.01}))["equal"],
        true
    );
    for (value1, value2, tolerance, equal) in [
        (json!(5), json!(0), json!(0.5), false),
        (json!(0), json!(0), json!(0.5), true),
        (json!("a"), json!("a"), json!(0.5), true),
        (json!(1), json!(1.0), json!(0), true),
        (json!(1), json!(2), json!(0.0), false),
    ] {
        let found =
            result("compare_values", json!({"value1": value1, "value2": value2, "tolerance": tolerance}));
        assert_eq!(found, json!({"equal": equal, "value1": value1, "value2": value2}));
    }
}

#[test]
fn sleeping_takes_its_time_and_says_how_long() {
    let began = std::time::Instant::now();
    let slept = result("sleep", json!({"seconds": 0.05}))["slept"].as_f64().expect("a number");
    let passed = began.elapsed().as_secs_f64();
    // What it says is rounded to milliseconds.
    assert!(passed >= 0.05 && (0.05..passed + 0.001).contains(&slept), "{slept} of {passed}");
    assert_eq!(result("sleep", json!({"seconds": "0"})).as_object().expect("a mapping").len(), 1);
    assert!(failure("sleep", json!({"seconds": -1})).contains("not -1"));
    assert!(failure("sleep", json!({"seconds": "soon"})).contains("a number as seconds"));
}

#[test]
fn values_are_stored_found_and_listed() {
    let tools = BuiltIn::default();
    let returned = |called: Called| match called {
        Called::Returned { value, .. } => to_json(&value),
        Called::Failed { message, .. } => panic!("{message}"),
    };
    let stored = returned(call_of(&tools, "store_value", json!({"name": "id", "value": [1]})));
    assert_eq!(stored, json!({"stored": "id", "value": [1]}));
    let found = returned(call_of(&tools, "get_value", json!({"name": "id"})));
    assert_eq!(found, json!({"name": "id", "value": [1], "found": true}));
    let found = returned(call_of(&tools, "get_value", json!({"name": "other"})));
    assert_eq!(found, json!({"name": "other", "value": null, "found": false}));
    for (name, value, is_found) in [("other", json!(3), false), ("id", json!([1]), true)] {
        let found = returned(call_of(&tools, "get_value", json!({"name": name, "default": 3})));
        assert_eq!(found, json!({"name": name, "value": value, "found": is_found}));
    }
    assert_eq!(returned(call_of(&tools, "list_values", json!({}))), json!({"keys": ["id"], "count": 1}));
}

#[test]
fn arguments_that_a_tool_does_not_take_are_refused() {
    assert_eq!(
        failure("http_get", json!({"ur": "x", "url": "y"})),
        "http_get takes no argument ur; did you mean url?"
    );
    assert_eq!(failure("http_get", json!({})), "http_get needs the argument url");
    assert_eq!(failure("http_get", json!({"url": 5})), "http_get needs a text as url, not 5");
}

#[test]
fn an_answer_is_status_body_and_headers() {
    let answer = "HTTP/1.1 404 Not Found\r\nX-One: a\r\nX-One: b\r\ncontent-length: 4\r\nconnection: close\r\n\r\ngone";
    let server = Http::answering(answer.as_bytes().to_vec());
    let headers = json!({"Authorization": "Bearer token123"});
    let found = result("http_get", json!({"url": format!("{}/users", server.url), "headers": headers}));
    assert_eq!((&found["status_code"], &found["body"]), (&json!(404), &json!("gone")));
    assert_eq!(found["headers"]["x-one"], "a, b");
    assert_eq!(found.as_object().expect("a mapping").len(), 3);
    let asked = server.last();
    assert!(
        asked.starts_with("GET /users HTTP/1.1\r\n") && asked.contains("authorization: Bearer token123"),
        "{asked}"
    );
}

#[test]
fn a_redirect_is_an_answer() {
    let answer = "HTTP/1.1 302 Found\r\nlocation: /there\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    let server = Http::answering(answer.as_bytes().to_vec());
    let found = result("http_get", json!({"url": server.url}));
    assert_eq!((&found["status_code"], &found["headers"]["location"]), (&json!(302), &json!("/there")));
    assert_eq!(server.asked.lock().expect("no panic").len(), 1);
}

#[test]
fn data_is_sent_as_json_unless_there_is_none() {
    let server = Http::saying("201 Created", "{}");
    result("http_post", json!({"url": server.url, "data": {"name": "John Doe"}}));
    let asked = server.last();
    assert!(
        asked.contains("content-type: application/json") && asked.ends_with(r#"{"name":"John Doe"}"#),
        "{asked}"
    );
    result(
        "http_post",
        json!({"url": server.url, "data": {}, "headers": {"Content-Type": "application/vnd.api+json"}}),
    );
    let asked = server.last().to_ascii_lowercase();
    assert!(
        asked.contains("content-type: application/vnd.api+json") && !asked.contains("application/json"),
        "{asked}"
    );
    result("http_post", json!({"url": server.url}));
    let asked = server.last();
    assert!(asked.ends_with("\r\n") && !asked.contains("content-type"), "{asked}");
}

#[test]
fn ten_thousand_characters_of_a_body_are_kept() {
    let body = "é".repeat(9_999) + "ab";
    let found = result("http_get", json!({"url": Http::saying("200 OK", &body).url}));
    let kept = found["body"].as_str().expect("a text");
    // The mark tells that there was more.
    assert_eq!(kept.chars().count(), 10_001);
    assert!(kept.ends_with("éa…"));
    let whole = "é".repeat(9_999) + "a";
    assert_eq!(result("http_get", json!({"url": Http::saying("200 OK", &whole).url}))["body"], whole);
    // One that never ends is no reason to wait for its end.
    let endless = format!("HTTP/1.1 200 OK\r\ncontent-length: 100000000\r\n\r\n{}", "x".repeat(200_000));
    let found = result("http_get", json!({"url": Http::answering(endless.into_bytes()).url}));
    assert_eq!(found["body"], "x".repeat(10_000) + "…");
}

#[test]
fn bytes_that_are_no_text_do_no_harm() {
    let mut answer = b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\nconnection: close\r\n\r\n".to_vec();
    answer.extend([0xff, b'a', 0x00]);
    assert_eq!(result("http_get", json!({"url": Http::answering(answer).url}))["body"], "\u{fffd}a\0");
}

#[test]
fn no_answer_is_a_failure_of_the_tool() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    assert!(failure("http_get", json!({"url": format!("http://{port}")})).contains("Connection refused"));
    assert!(
        failure("http_get", json!({"url": "nonsense"})).contains("URL"),
        "{}",
        failure("http_get", json!({"url": "nonsense"}))
    );
    assert!(
        failure("http_get", json!({"url": "http://x", "headers": {"a b": "c"}}))
            .contains("no name of a header")
    );
}

#[test]
fn every_tool_is_described() {
    let tools = BuiltIn::tools();
    assert_eq!(tools.len(), 9);
    for tool in tools {
        assert!(BuiltIn::has(&tool.name) && !tool.description.is_empty());
        assert_eq!(tool.input_schema["type"], "object");
    }
    assert!(!BuiltIn::has("http_put"));
}
