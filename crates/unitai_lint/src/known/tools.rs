//! Which names of a test are tools: what a tool was called with is what the agent did.

use std::cell::OnceCell;

use crate::ast::Expr;
use crate::known::around::before;
use crate::known::words::has_word;
use crate::{Call, Def, File, dotted};

/// Words that say it.
const WORDS: [&str; 4] = ["tool", "tools", "toolkit", "toolset"];

/// The tools that a test, what runs before it, or the top of its file gives to agents. They are looked for when somebody asks.
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
        let of_file = file.calls.iter().filter(|call| call.owner.is_none());
        let prepared = before(test);
        let prepared = prepared.iter().flat_map(|def| def.calls());
        for call in test.calls().iter().chain(of_file).chain(prepared) {
            each_given(file, call, |expr| {
                let listed = expr.as_name_expr().and_then(|name| list_of(test, name.id.as_str()));
                named(listed.unwrap_or(expr), file.source, &mut given);
            });
        }
        let assigned = test.assigns().iter().filter(|it| it.value.is_some_and(|value| is_made(file, value)));
        let opened = test.withs().iter().filter(|it| is_made(file, &it.item.context_expr));
        let names = assigned.map(|it| it.name).chain(opened.filter_map(|it| it.bound()));
        given.extend(names.filter(|name| !name.is_empty()));
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

/// `toolkit.mock("lookup")`, `patch("shop.tools.lookup")`.
fn is_made(file: &File<'_>, value: &Expr) -> bool {
    let Expr::Call(call) = value else { return false };
    let target = call.arguments.args.first().and_then(Expr::as_string_literal_expr);
    has_word(dotted(&call.func, file.source), &WORDS)
        || target.is_some_and(|target| has_word(target.value.to_str(), &WORDS))
}

/// Shows what a call gives an agent as tools: `tools=...`, `bind_tools(...)`, a list for something that is called an agent.
fn each_given<'a>(file: &File<'a>, call: &Call<'a>, mut each: impl FnMut(&'a Expr)) {
    let arguments = &call.node.arguments;
    for keyword in &arguments.keywords {
        if keyword
            .arg
            .as_deref()
            .is_some_and(|name| matches!(name, "tool" | "tools" | "toolset" | "toolsets"))
        {
            each(&keyword.value);
        }
    }
    let takes_tools = call.last.rsplit_once('_').is_some_and(|(verb, tools)| {
        WORDS.contains(&tools) && matches!(verb, "add" | "bind" | "register" | "set" | "use" | "with")
    });
    for argument in &arguments.args {
        let is_list = || argument.is_list_expr() || has_word(dotted(argument, file.source), &WORDS);
        if takes_tools || has_word(call.last, &["agent"]) && is_list() {
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
