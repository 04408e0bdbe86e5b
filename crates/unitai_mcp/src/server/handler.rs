//! The protocol's side of an offer: who we are, what there is, and calls.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestMethod, CompleteRequestParams, CompleteResult,
    Implementation, JsonObject, ListPromptsRequestMethod, ListPromptsResult,
    ListResourceTemplatesRequestMethod, ListResourceTemplatesResult, ListResourcesRequestMethod,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler};
use unitai_spec::data::from_json;
use unitai_spec::run::Tool;

use super::answer::answer;
use super::offer::Offer;

/// The name by which clients' configurations know the server: `mcp__llm_pytest__http_get` is its `http_get`.
pub const NAME: &str = "llm_pytest";

/// What a model is told about the server.
pub const INSTRUCTIONS: &str = "\
Tools of UnitAI, which tests AI agents and anything else that has tools.
http_get, http_post, sleep, assert_equals, assert_true, compare_values and store_value are those that YAML tests call, \
beside the tools of the project's own plugins; an assertion that does not hold answers `passed: false`.
create_test writes a YAML test below tests/llm, validate_test says what is wrong with one and where, list_tests and \
list_plugins say what there is, run_test runs a file and gives its verdict, steps and issues.";

/// Speaks for an offer, with one client.
#[derive(Clone)]
pub(super) struct Handler(pub(super) Arc<Offer>);

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let about = Implementation::new(NAME, env!("CARGO_PKG_VERSION")).with_title("UnitAI");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(about)
            .with_instructions(self.0.instructions())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.0.tools().await.into_iter().map(told).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let given = request.arguments.unwrap_or_default();
        let args = given.iter().map(|(name, it)| (name.clone(), from_json(it))).collect();
        let called = tokio::select! {
            // The one who cancelled waits for no answer; to stop waiting cancels the call.
            biased;
            () = context.ct.cancelled() => return Err(ErrorData::internal_error("the call was cancelled", None)),
            called = self.0.call(&request.name, args) => called,
        };
        match called {
            Ok(called) => Ok(answer(called).into()),
            Err(unknown) => Err(ErrorData::invalid_params(unknown, None)),
        }
    }

    fn get_tool(&self, name: &str) -> Option<rmcp::model::Tool> {
        self.0.known(name).map(told)
    }

    // No capability says that we have more than tools, and what is not there must not seem to be.

    async fn complete(
        &self,
        _request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourcesRequestMethod>())
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourceTemplatesRequestMethod>())
    }
}

fn told(tool: &Tool) -> rmcp::model::Tool {
    let schema = match &tool.input_schema {
        serde_json::Value::Object(schema) => schema.clone(),
        // The protocol wants an object; whoever describes nothing takes anything.
        _ => JsonObject::from_iter([("type".to_owned(), "object".into())]),
    };
    rmcp::model::Tool::new(tool.name.clone(), tool.description.clone(), schema)
}
