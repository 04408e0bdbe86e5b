//! The tools of a test that is driven: in hand, and by a small MCP server for programs.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};
use unitai_judge::Reach;
use unitai_spec::data::{from_json, to_json};
use unitai_spec::run::{Called, Hands, Tool};

use super::http::{Asked, Reply, Server};

/// What the tool says.
pub(crate) const RESULT: &str = "order 7 is delivered";

const TOKEN: &str = "token-of-the-contract";

/// The tool `shop.lookup`, and what it was called with.
pub(crate) struct Tools {
    pub(crate) reach: Reach,
    calls: Arc<Mutex<Vec<(String, Value)>>>,
    _server: Server,
}

impl Tools {
    pub(crate) async fn open() -> Tools {
        let tool = Tool {
            name: "shop.lookup".to_owned(),
            description: "Looks an order up.".to_owned(),
            input_schema: json!({"type": "object", "properties": {"order": {"type": "integer"}}}),
        };
        let (hands, mut wanted) = Hands::new(vec![tool]);
        let calls: Arc<Mutex<Vec<(String, Value)>>> = Arc::default();
        let made = calls.clone();
        tokio::spawn(async move {
            while let Some(call) = wanted.recv().await {
                let args: serde_json::Map<String, Value> =
                    call.args.iter().map(|(name, value)| (name.clone(), to_json(value))).collect();
                made.lock().unwrap_or_else(PoisonError::into_inner).push((call.tool, Value::Object(args)));
                let value = from_json(&json!(RESULT));
                let _ = call.answer.send(Called::Returned { value, text: RESULT.to_owned() });
            }
        });
        let shared = hands.clone();
        let server = Server::start(move |asked| {
            let hands = shared.clone();
            Box::pin(async move { served(&asked, &hands).await })
        })
        .await;
        let url = format!("http://{}/mcp", server.address);
        Tools { reach: Reach { hands, url, token: TOKEN.to_owned(), pay: None }, calls, _server: server }
    }

    /// What was called, in order.
    pub(crate) fn calls(&self) -> Vec<(String, Value)> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// As much of MCP as a fake program needs. Names have no dots there.
async fn served(asked: &Asked, hands: &Hands) -> Reply {
    if asked.header("authorization") != format!("Bearer {TOKEN}") {
        return Reply::of(401, "{}");
    }
    let params = &asked.body["params"];
    let result = match asked.body["method"].as_str() {
        Some("initialize") => json!({
            "protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}},
            "serverInfo": {"name": "contract", "version": "1"},
        }),
        Some("tools/list") => {
            let tools = hands.tools().iter();
            let named =
                tools.map(|it| json!({"name": it.name.replace('.', "_"), "inputSchema": it.input_schema}));
            json!({"tools": named.collect::<Vec<_>>()})
        }
        Some("tools/call") => {
            let said = params["name"].as_str().unwrap_or_default();
            let name = hands.tools().iter().find(|it| it.name.replace('.', "_") == said);
            let args = params["arguments"].as_object().cloned().unwrap_or_default();
            let args = args.iter().map(|(name, value)| (name.clone(), from_json(value))).collect();
            match hands.call(name.map_or(said, |it| &it.name), args).await {
                Called::Returned { text, .. } => {
                    json!({"content": [{"type": "text", "text": text}], "isError": false})
                }
                Called::Failed { message, .. } => {
                    json!({"content": [{"type": "text", "text": message}], "isError": true})
                }
            }
        }
        _ => return Reply::of(202, ""),
    };
    Reply::of(200, json!({"jsonrpc": "2.0", "id": asked.body["id"], "result": result}))
}
