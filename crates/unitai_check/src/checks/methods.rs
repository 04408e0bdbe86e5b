//! The methods of a result that check something, by the names that tests write.

/// A method of a result that gives a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Method {
    /// Its name.
    pub name: &'static str,
    /// What kind of thing it says.
    pub says: Says,
    /// Whether it is written without brackets.
    pub is_property: bool,
    /// Whether it says something without an argument.
    pub is_complete: bool,
    /// Whether it can hold because a tool was not called, so that a misspelled name goes unnoticed.
    pub is_about_absent_tool: bool,
}

/// What kind of thing a check says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Says {
    /// Something happened: it does not hold for an agent that did nothing.
    Happened,
    /// Something did not happen: it holds for an agent that did nothing.
    DidNot,
    /// All went well, or stayed within limits: it holds for an agent that did nothing, too.
    Went,
    /// What a judge makes of it.
    Meaning,
}

const fn method(name: &'static str, says: Says) -> Method {
    Method { name, says, is_property: false, is_complete: false, is_about_absent_tool: false }
}

const fn complete(name: &'static str, says: Says) -> Method {
    Method { is_complete: true, ..method(name, says) }
}

const fn property(name: &'static str, says: Says) -> Method {
    Method { is_property: true, ..complete(name, says) }
}

const fn about_absent_tool(name: &'static str, says: Says) -> Method {
    Method { is_about_absent_tool: true, ..method(name, says) }
}

/// Every one of them, by name.
pub static METHODS: [Method; 24] = [
    method("call_order_contains", Says::Happened),
    method("call_order_is", Says::Happened),
    complete("did_not_invent", Says::Went),
    method("error_is", Says::Happened),
    property("failed", Says::Happened),
    method("judge", Says::Meaning),
    method("llm_judge", Says::Meaning),
    method("matches", Says::Happened),
    method("output_contains", Says::Happened),
    method("output_matches", Says::Happened),
    method("output_not_contains", Says::DidNot),
    complete("recovered_from", Says::Happened),
    method("retried_at_most", Says::Went),
    method("step_called_before", Says::Happened),
    property("succeeded", Says::Went),
    method("tool_call_attempted", Says::Happened),
    about_absent_tool("tool_call_count_is", Says::Happened),
    method("tool_called_before", Says::Happened),
    method("tool_called_immediately_before", Says::Happened),
    method("tool_called_with", Says::Happened),
    method("tool_called_with_partial", Says::Happened),
    about_absent_tool("tool_not_called", Says::DidNot),
    method("tool_was_called", Says::Happened),
    method("within", Says::Went),
];

impl Method {
    /// The check of this name.
    ///
    /// ```
    /// use unitai_check::checks::{Method, Says};
    /// assert_eq!(Method::of_name("tool_not_called").map(|it| it.says), Some(Says::DidNot));
    /// assert_eq!(Method::of_name("get_calls"), None);
    /// ```
    pub fn of_name(name: &str) -> Option<&'static Method> {
        METHODS.binary_search_by(|it| it.name.cmp(name)).ok().map(|at| &METHODS[at])
    }
}
