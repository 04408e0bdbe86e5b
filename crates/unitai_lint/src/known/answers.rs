//! What a model said: which names of a test hold its words.

use rustc_hash::FxHashSet;

use crate::ast::Expr;
use crate::known::asking::{asks_model, is_asked, is_asking};
use crate::known::words::has_word;
use crate::{Call, Def, Layer};

/// Where the words of an answer stand.
const TEXTS: [&str; 13] = [
    "answer",
    "content",
    "data",
    "final_output",
    "message",
    "messages",
    "output",
    "output_text",
    "raw",
    "reply",
    "response",
    "result",
    "text",
];

/// How words begin in files in which answers are made up: there, a text is known to the letter.
const MADE_UP: [&str; 15] = [
    "canned",
    "cassette",
    "deterministic",
    "dummy",
    "echo",
    "fake",
    "mock",
    "monkeypatch",
    "patch",
    "record",
    "replay",
    "respx",
    "script",
    "stub",
    "vcr",
];

/// Whether a test asks a model that nobody has told what to answer, as far as one can see: it is of a layer where agents are
/// real, or marked as live, and its file says nothing of scripts, mocks or recordings.
pub(crate) fn is_about_live_answers(test: Def<'_, '_>, layers: &[Layer]) -> bool {
    let is_meant = test.layer.is_some_and(|layer| layers.contains(&layer)) || test.has_marker("live");
    is_meant && !is_made_up(test)
}

/// Whether the file of a test is one in which answers are made up. It is read once, however many tests ask.
fn is_made_up(test: Def<'_, '_>) -> bool {
    *test.file.is_made_up.get_or_init(|| says_it_is_made_up(test.file.source))
}

fn says_it_is_made_up(source: &str) -> bool {
    // `MockToolkit` replaces tools and no model, and so does its method.
    let is_of_toolkit = |word: &str, at: usize| {
        let (before, after) = (&source[..at], &source[at + word.len()..]);
        word == "mock"
            && (after.starts_with("_toolkit")
                || after.starts_with("Toolkit")
                || before.ends_with('.') && after.starts_with('('))
    };
    let folded = source.to_ascii_lowercase();
    ["TestModel", "FunctionModel"].iter().any(|name| source.contains(name))
        || MADE_UP.iter().any(|word| {
            folded.match_indices(word).any(|(at, _)| {
                let is_begin = !folded[..at].ends_with(|c: char| c.is_ascii_alphabetic())
                    || source.as_bytes()[at].is_ascii_uppercase();
                is_begin && !is_of_toolkit(word, at)
            })
        })
}

/// The names of a test that hold what a model said, or a part of it.
pub(crate) struct Answers<'a> {
    names: FxHashSet<&'a str>,
}

impl<'a> Answers<'a> {
    /// Of one test.
    pub(crate) fn of(test: Def<'_, 'a>) -> Answers<'a> {
        let mut answers = Answers { names: FxHashSet::default() };
        for assign in test.assigns() {
            if let Some(value) = assign.value
                && !assign.name.is_empty()
                && !assign.name.contains('.')
                && answers.is_answer(test, value)
            {
                answers.names.insert(assign.name);
            }
        }
        answers
    }

    /// Whether an expression is what a model said: the answer, or its text, perhaps in lower case or stripped.
    pub(crate) fn is_answer(&self, test: Def<'_, 'a>, expr: &Expr) -> bool {
        match expr {
            Expr::Await(awaited) => self.is_answer(test, &awaited.value),
            Expr::Name(name) => self.names.contains(name.id.as_str()),
            Expr::Attribute(attribute) => {
                (TEXTS.contains(&attribute.attr.as_str()) || attribute.attr.as_str() == "choices")
                    && self.is_answer(test, &attribute.value)
            }
            Expr::Subscript(subscript) => self.is_answer(test, &subscript.value),
            Expr::FString(text) => text.value.elements().any(|part| {
                part.as_interpolation().is_some_and(|part| self.is_answer(test, &part.expression))
            }),
            Expr::Call(call) => match &*call.func {
                Expr::Attribute(method) if is_of_text(method.attr.as_str()) => {
                    self.is_answer(test, &method.value)
                }
                Expr::Name(name) if name.id.as_str() == "str" => {
                    call.arguments.find_positional(0).is_some_and(|given| self.is_answer(test, given))
                }
                _ => test.file.call(call).is_some_and(|known| asks_a_model(test, known)),
            },
            _ => false,
        }
    }
}

/// What changes a text, or writes all of an answer down, and leaves it the same words.
fn is_of_text(method: &str) -> bool {
    matches!(
        method,
        "strip"
            | "lower"
            | "upper"
            | "casefold"
            | "rstrip"
            | "lstrip"
            | "model_dump"
            | "model_dump_json"
            | "to_dict"
            | "to_json"
    )
}

/// Whether a call asks a model: by who is asked and how. An agent that is a function of this file is none.
fn asks_a_model(test: Def<'_, '_>, call: &Call<'_>) -> bool {
    let receiver = call.receiver();
    let is_written_here = |name: &str| test.file.has_function(name);
    if has_word(receiver.rsplit('.').next().unwrap_or_default(), &["toolkit"]) {
        let agent = call.argument("agent", 0).and_then(Expr::as_name_expr).map(|name| name.id.as_str());
        return is_asking(call) && agent.is_some_and(|name| is_asked(name) && !is_written_here(name));
    }
    call.node.func.is_attribute_expr() && asks_model(receiver, call.last)
}
