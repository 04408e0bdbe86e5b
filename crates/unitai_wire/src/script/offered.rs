//! Whether a model could make the calls of a scripted answer: the request offers their tools, and the schemas of the tools
//! accept their arguments. Otherwise the framework refuses the call, the tool is never asked, and the test proves nothing.

use super::step::shown_part;
use super::{Play, Trouble};
use crate::common::{Request, Said};

/// Compares the calls of an answer with what the request offers.
pub(super) fn check_calls(play: &Play, request: &Request) -> Result<(), Trouble> {
    for (at, part) in play.parts.iter().enumerate() {
        if let Said::ToolCall { name, args } = part
            && !play.unchecked.contains(&at)
        {
            check_call(part, name, args, request)?;
        }
    }
    Ok(())
}

fn check_call(call: &Said, name: &str, args: &str, request: &Request) -> Result<(), Trouble> {
    let shown = || shown_part(call);
    let Some(tool) = request.tools.iter().find(|tool| tool.name == name) else {
        if offers_more(request) {
            return Ok(());
        }
        let offered = request.tools.iter().map(|tool| tool.name.clone()).collect();
        return Err(Trouble::NotOffered { call: shown(), tool: name.to_owned(), offered });
    };
    match tool.violations(args) {
        violations if violations.is_empty() => Ok(()),
        violations => Err(Trouble::WrongArguments { call: shown(), tool: name.to_owned(), violations }),
    }
}

/// Whether the model may know tools that the request does not name: tools without a schema may stand for others, as a
/// namespace or a server does; functions of the older form, and prompts that the provider keeps, are among the settings.
fn offers_more(request: &Request) -> bool {
    request.tools.iter().any(|tool| !tool.schema.is_object())
        || ["functions", "tools", "prompt"].iter().any(|key| request.settings.contains_key(*key))
        || request.continues()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use unitai_model::Usage;

    use super::*;
    use crate::common::Tool;

    fn request(schema: Value) -> Request {
        let tool = Tool { name: "refund".to_owned(), description: String::new(), schema };
        Request { tools: vec![tool], ..Request::default() }
    }

    fn calls(name: &str, args: &Value) -> Play {
        Play {
            parts: vec![Said::ToolCall { name: name.to_owned(), args: args.to_string() }],
            unchecked: Vec::new(),
            usage: Some(Usage::default()),
            finish: None,
            delay: Default::default(),
            pace: Default::default(),
        }
    }

    fn order_schema() -> Value {
        json!({"type": "object", "properties": {"order": {"type": "string"}}, "required": ["order"]})
    }

    #[test]
    fn a_call_that_the_request_offers_and_the_schema_accepts_passes() {
        assert_eq!(check_calls(&calls("refund", &json!({"order": "1"})), &request(order_schema())), Ok(()));
    }

    #[test]
    fn a_tool_that_is_not_offered_is_named_beside_those_that_are() {
        let found = check_calls(&calls("refnd", &json!({"order": "1"})), &request(order_schema()));
        let Err(Trouble::NotOffered { call, tool, offered }) = found else { panic!("{found:?}") };
        assert_eq!((call.as_str(), tool.as_str()), (r#"call("refnd", order="1")"#, "refnd"));
        assert_eq!(offered, ["refund"]);
        let found = check_calls(&calls("refund", &json!({})), &Request::default());
        assert!(matches!(found, Err(Trouble::NotOffered { offered, .. }) if offered.is_empty()));
    }

    #[test]
    fn arguments_that_the_schema_refuses_are_named() {
        let found = check_calls(&calls("refund", &json!({"ordr": "1"})), &request(order_schema()));
        let Err(Trouble::WrongArguments { violations, .. }) = found else { panic!("{found:?}") };
        assert_eq!(violations, [r#""order" is a required property"#]);
    }

    #[test]
    fn a_schema_of_gemini_s_own_kind_is_understood() {
        let schema = json!({
            "type": "OBJECT",
            "properties": {
                "order": {"type": "STRING", "nullable": true},
                "items": {"type": "ARRAY", "items": {"type": "INTEGER"}},
            },
            "required": ["order"],
        });
        let fits = |args: Value| check_calls(&calls("refund", &args), &request(schema.clone())).is_ok();
        assert!(fits(json!({"order": null, "items": [1]})));
        assert!(!fits(json!({"order": 5})));
        assert!(!fits(json!({"order": "1", "items": ["one"]})));
    }

    #[test]
    fn what_cannot_be_looked_into_is_not_refused() {
        let any = calls("lookup", &json!({}));
        assert_eq!(check_calls(&any, &request(Value::Null)), Ok(()));
        assert_eq!(
            check_calls(&calls("refund", &json!({"x": 1})), &request(json!({"type": "no such"}))),
            Ok(())
        );
        let older = Request {
            settings: json!({"functions": [{"name": "lookup"}]}).as_object().cloned().unwrap_or_default(),
            ..request(order_schema())
        };
        assert_eq!(check_calls(&any, &older), Ok(()));
    }

    #[test]
    fn an_unchecked_call_may_be_impossible_and_its_neighbour_may_not() {
        let mut play = calls("refnd", &json!({}));
        play.unchecked = vec![0];
        assert_eq!(check_calls(&play, &request(order_schema())), Ok(()));
        play.parts.push(Said::ToolCall { name: "refnd".to_owned(), args: "{}".to_owned() });
        assert!(check_calls(&play, &request(order_schema())).is_err());
    }
}
