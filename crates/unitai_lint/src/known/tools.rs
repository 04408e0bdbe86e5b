//! Which names of a test are tools: what a tool was called with is what the agent did.

use std::cell::OnceCell;

use crate::ast::Expr;
use crate::known::words::has_word;
use crate::{Call, Def, File, dotted};

/// Words that say it.
const WORDS: [&str; 4] = ["tool", "tools", "toolkit", "toolset"];

/// The tools that are given to agents in the file of a test. They are looked for when somebody asks.
pub(crate) struct Tools<'f, 'a> {
    test: Def<'f, 'a>,
    /// As they are written: `send_email`, `shop.send_email`.
    given: OnceCell<Vec<&'a str>>,
}

impl<'f, 'a> Tools<'f, 'a> {
    /// Those that a test can see.
    pub(crate) fn of(test: Def<'f, 'a>) -> Tools<'f, 'a> {
        Tools { test, given: OnceCell::new() }
    }

    fn given(&self) -> Vec<&'a str> {
        let (test, file) = (self.test, self.test.file);
        let mut given = Vec::new();
        for call in &file.calls {
            each_given(file, call, |expr| {
                let listed = expr.as_name_expr().and_then(|name| list_of(test, name.id.as_str()));
                named(listed.unwrap_or(expr), file.source, &mut given);
            });
        }
        // `lookup = toolkit.mock("lookup")`, `with patch("shop.tools.lookup") as lookup`.
        let made = |value: &Expr| has_word(file.text(value), &WORDS);
        let assigned = test.assigns().iter().filter(|it| it.value.is_some_and(made)).map(|it| it.name);
        let opened = test.withs().iter().filter(|it| made(&it.item.context_expr)).filter_map(|it| it.bound());
        given.extend(assigned.chain(opened).filter(|name| !name.is_empty()));
        given
    }

    /// Whether a name is one of them, or belongs to one. `text` is all of what is written.
    pub(crate) fn has(&self, name: &str, text: &str) -> bool {
        let is_it = |tool: &&str| {
            name.strip_prefix(*tool).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        has_word(text, &WORDS) || self.given.get_or_init(|| self.given()).iter().any(is_it)
    }
}

/// Shows what a call gives an agent as tools: `tools=...`, `bind_tools(...)`, a list for something that is called an agent.
fn each_given<'a>(file: &File<'a>, call: &Call<'a>, mut each: impl FnMut(&'a Expr)) {
    let arguments = &call.node.arguments;
    for keyword in &arguments.keywords {
        if keyword.arg.as_deref().is_some_and(|name| has_word(name, &WORDS)) {
            each(&keyword.value);
        }
    }
    let takes_tools = has_word(call.last, &WORDS);
    let is_agent = || has_word(call.last, &["agent"]);
    for argument in &arguments.args {
        let is_list = || {
            let is_named_so = |name: &str| has_word(name, &WORDS);
            argument.is_list_expr() || is_named_so(dotted(argument, file.source))
        };
        if takes_tools || is_list() && is_agent() {
            each(argument);
        }
    }
}

/// The list that a name holds: `tools = [send_email]`.
fn list_of<'a>(test: Def<'_, 'a>, name: &str) -> Option<&'a Expr> {
    let of_file = test.file.assigns.iter().filter(|assign| assign.owner.is_none());
    let mut all = test.assigns().iter().chain(of_file).filter(|assign| assign.name == name);
    all.find_map(|assign| assign.value.filter(|value| value.is_list_expr() || value.is_tuple_expr()))
}

/// The names in a list, also those that are wrapped: `[send_email, Tool(refund)]`.
fn named<'a>(expr: &'a Expr, source: &'a str, into: &mut Vec<&'a str>) {
    match expr {
        Expr::List(list) => list.elts.iter().for_each(|it| named(it, source, into)),
        Expr::Tuple(tuple) => tuple.elts.iter().for_each(|it| named(it, source, into)),
        Expr::Set(set) => set.elts.iter().for_each(|it| named(it, source, into)),
        Expr::Dict(dict) => dict.iter_values().for_each(|it| named(it, source, into)),
        Expr::Call(call) => {
            call.arguments.args.iter().for_each(|it| named(it, source, into));
            call.arguments.keywords.iter().for_each(|it| named(&it.value, source, into));
        }
        Expr::Name(_) | Expr::Attribute(_) => {
            let name = dotted(expr, source);
            if !name.is_empty() {
                into.push(name);
            }
        }
        _ => {}
    }
}
