//! Every provider meets every behaviour of the contract. A new provider is one more module with its `Subject`, and one
//! more line at the end of this file.

mod contract;
mod playing;
mod services;
mod speaking;
#[path = "../../../tests/support/stopwatch.rs"]
mod stopwatch;

use contract::{Behaviour, check};

/// One test for each behaviour. Services are asked again by us, and their turns counted by us; programs do both
/// themselves.
macro_rules! meets_the_contract {
    (service $name:ident, $subject:expr) => {
        mod $name {
            use super::*;

            meets_the_contract!(@all $subject);
            meets_the_contract!(@each $subject,
                is_busy_once BusyOnce,
                calls_tools_for_ever CallsForever,
            );
        }
    };
    (program $name:ident, $subject:expr) => {
        mod $name {
            use super::*;

            meets_the_contract!(@all $subject);
        }
    };
    (@all $subject:expr) => {
        meets_the_contract!(@each $subject,
            answers_in_the_form_of_the_schema Structured,
            answers_with_text_alone TextOnly,
            says_nothing Empty,
            does_not_know_us Unauthorised,
            is_busy_for_ever BusyForever,
            is_ended_within_a_second_of_its_limit Slow,
            says_what_cannot_be_read Garbage,
            has_no_price Unpriced,
            calls_a_tool_and_gets_its_result CallsATool,
        );
    };
    (@each $subject:expr, $($test:ident $behaviour:ident,)*) => {
        $(
            #[tokio::test]
            async fn $test() {
                check(&$subject, Behaviour::$behaviour).await;
            }
        )*
    };
}

meets_the_contract!(service anthropic, services::Anthropic);
meets_the_contract!(service openai, services::OpenAi);
meets_the_contract!(service openai_without_schemas, services::OlderOpenAi);
#[cfg(unix)]
meets_the_contract!(program command, speaking::Command);
#[cfg(unix)]
meets_the_contract!(program claude_code, playing::ClaudeCode);
#[cfg(unix)]
meets_the_contract!(program codex, playing::Codex);
#[cfg(unix)]
meets_the_contract!(program gemini_cli, playing::GeminiCli);
