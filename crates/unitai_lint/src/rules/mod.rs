//! The rules, one in each file, and the one table of them.

mod assert_on_tuple;
mod assert_true;
mod asserted_internal_call;
mod assertion_cannot_fail;
mod bad_ignore;
mod check_without_assert;
mod client_per_test;
mod duplicated_contract;
mod exact_model_text;
mod expectation_without_check;
mod key_in_unit;
mod live_without_budget;
mod missing_cleanup;
mod misspelled_tool;
mod mock_in_integration;
mod mock_in_unit;
mod needless_judge;
mod network_in_unit;
mod no_assertion;
mod only_negative;
mod overwritten_value;
mod replay_without_run;
mod skip_with_todo;
mod sleep_in_test;
mod slow_in_unit;
mod snapshot_of_model;
mod swallowed_assertion;
mod syntax_error;
mod too_few_runs;
mod uncovered_contract;
mod unreadable_file;
mod unused_ignore;
mod unused_mock;
mod unused_saved_value;
mod vague_expectation;

pub(crate) use bad_ignore::RULE as BAD_IGNORE;
pub(crate) use syntax_error::RULE as SYNTAX_ERROR;
pub(crate) use unreadable_file::RULE as UNREADABLE_FILE;
pub(crate) use unused_ignore::RULE as UNUSED_IGNORE;

use crate::Rule;

/// Every rule, by name.
pub static RULES: &[&Rule] = &[
    &assert_on_tuple::RULE,
    &assert_true::RULE,
    &asserted_internal_call::RULE,
    &assertion_cannot_fail::RULE,
    &bad_ignore::RULE,
    &check_without_assert::RULE,
    &client_per_test::RULE,
    &duplicated_contract::RULE,
    &exact_model_text::RULE,
    &expectation_without_check::RULE,
    &key_in_unit::RULE,
    &live_without_budget::RULE,
    &missing_cleanup::RULE,
    &misspelled_tool::RULE,
    &mock_in_integration::RULE,
    &mock_in_unit::RULE,
    &needless_judge::RULE,
    &network_in_unit::RULE,
    &no_assertion::RULE,
    &only_negative::RULE,
    &overwritten_value::RULE,
    &replay_without_run::RULE,
    &skip_with_todo::RULE,
    &sleep_in_test::RULE,
    &slow_in_unit::RULE,
    &snapshot_of_model::RULE,
    &swallowed_assertion::RULE,
    &syntax_error::RULE,
    &too_few_runs::RULE,
    &uncovered_contract::RULE,
    &unreadable_file::RULE,
    &unused_ignore::RULE,
    &unused_mock::RULE,
    &unused_saved_value::RULE,
    &vague_expectation::RULE,
];

/// The rule of this name.
pub fn rule(name: &str) -> Option<&'static Rule> {
    RULES.binary_search_by(|rule| rule.name.cmp(name)).ok().map(|at| RULES[at])
}
