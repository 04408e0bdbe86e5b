//! The rules, one in each file, and the one table of them.

mod assert_on_tuple;
mod assert_true;
mod bad_ignore;
mod skip_with_todo;
mod syntax_error;
mod unreadable_file;
mod unused_ignore;

pub(crate) use bad_ignore::RULE as BAD_IGNORE;
pub(crate) use syntax_error::RULE as SYNTAX_ERROR;
pub(crate) use unreadable_file::RULE as UNREADABLE_FILE;
pub(crate) use unused_ignore::RULE as UNUSED_IGNORE;

use crate::Rule;

/// Every rule, by name.
pub static RULES: &[&Rule] = &[
    &assert_on_tuple::RULE,
    &assert_true::RULE,
    &bad_ignore::RULE,
    &skip_with_todo::RULE,
    &syntax_error::RULE,
    &unreadable_file::RULE,
    &unused_ignore::RULE,
];

/// The rule of this name.
pub fn rule(name: &str) -> Option<&'static Rule> {
    RULES.binary_search_by(|rule| rule.name.cmp(name)).ok().map(|at| RULES[at])
}
