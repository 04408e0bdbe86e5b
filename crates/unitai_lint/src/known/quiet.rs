//! Whether a test says that passing without a word is its point: that nothing is raised, or that something can be done.

use crate::Def;
use crate::ast::Stmt;
use crate::known::asking::is_asking;
use crate::known::words::words;

/// How words begin that say that something goes wrong.
const TROUBLE: [&str; 16] = [
    "rais", "error", "crash", "fail", "except", "throw", "warn", "hang", "deadlock", "break", "complain",
    "panic", "explode", "segfault", "block", "leak",
];

/// Words that say that it does not.
const NO: [&str; 14] = [
    "no", "not", "t", "dont", "doesnt", "doesn", "without", "never", "cannot", "cant", "shouldnt", "wont",
    "nothing", "non",
];

/// How many words may stand between the two.
const NEAR: u32 = 3;

/// Words in a name that say that nothing happens, or that something is let through.
const SILENT: [&str; 22] = [
    "accept",
    "accepted",
    "accepts",
    "allow",
    "allowed",
    "allows",
    "compiles",
    "graceful",
    "gracefully",
    "ignore",
    "ignored",
    "ignores",
    "import",
    "importable",
    "imports",
    "noop",
    "nops",
    "silent",
    "silently",
    "smoke",
    "swallows",
    "tolerates",
];

/// Words in a name that say that something can be done at all.
const DONE: [&str; 22] = [
    "access",
    "can",
    "circumvent",
    "compat",
    "compatible",
    "constructs",
    "crash",
    "exists",
    "handle",
    "handles",
    "ok",
    "passes",
    "possible",
    "regression",
    "succeeds",
    "success",
    "successful",
    "successfully",
    "support",
    "supports",
    "valid",
    "works",
];

/// Whether the point of a test is that nothing goes wrong, by its name, its docstring or a comment; or whether it holds code
/// as a text that asserts.
pub(crate) fn is_meant_to_pass(test: Def<'_, '_>) -> bool {
    let text = whole_text(test);
    let is_about_types =
        text.contains("# type:") || words(test.file.path).any(|word| word.starts_with("typ"));
    // That something can be done is enough for a class that is made, and too little for an agent that answers.
    let is_asked = test.calls().iter().any(is_asking);
    text.contains("assert")
        || text.contains("AssertionError")
        || text.contains("pytest.raises")
        || is_about_types
        || says_no_trouble(text)
        || !is_asked && words(text).any(|word| matches!(&*word, "works" | "succeed" | "succeeds"))
        || name_says(test, is_asked)
        || test.body().iter().any(only_looks)
}

/// To the end of its last line: a comment there is not a part of the function any more.
fn whole_text<'a>(test: Def<'_, 'a>) -> &'a str {
    let (source, range) = (test.file.source, test.function.node.range);
    let end = usize::from(range.end());
    let rest = &source[end..];
    &source[range.start().into()..end + rest.find('\n').unwrap_or(rest.len())]
}

/// `does_not_raise`, "is no error", "must not ever fail".
fn says_no_trouble(text: &str) -> bool {
    let mut since = u32::MAX;
    words(text).any(|word| {
        let is_it = since <= NEAR && TROUBLE.iter().any(|stem| word.starts_with(stem));
        since = if NO.contains(&&*word) { 0 } else { since.saturating_add(1) };
        is_it
    })
}

/// The name, or the docstring, which is the longer name.
fn name_says(test: Def<'_, '_>, is_asked: bool) -> bool {
    let said = test.docstring().map_or("", |text| text.value.to_str());
    words(test.name()).chain(words(said)).any(|word| SILENT.contains(&&*word) || !is_asked && is_done(&word))
        || test.name().contains("no_op")
        || test.name().contains("does_nothing")
}

fn is_done(word: &str) -> bool {
    DONE.contains(&word)
        // Importable, serializable, callable.
        || word.len() > 5 && word.ends_with("able")
        || ["bug", "issue", "recursion", "segfault", "terminat"].iter().any(|stem| word.starts_with(stem))
}

/// `requests.get` as a line of its own: that it is there is the point.
fn only_looks(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Expr(expr) if expr.value.is_attribute_expr())
}
