//! The report of a run as one HTML file. It asks for nothing over a network, and works without its script, which only
//! filters, searches, sorts and opens what is there.
//!
//! No text of a test, a model or a tool can become markup: `write.rs` takes markup from this program alone. Were that
//! to fail, the page's own policy still lets no other script or style run, and nothing leave.

mod cut;
mod outcome;
mod overview;
mod place;
mod statistics;
mod step;
mod test;
mod timeline;
mod value;
mod words;
mod write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use crate::Run;
use test::Depth;
use write::Html;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// What is behind the tests may take so many bytes of the page; past that, only summaries are added. What is red comes
/// first.
const ALLOWANCE: usize = 12_000_000;

/// The report of a run: one HTML file.
///
/// ```
/// use unitai_report::{Run, html_report};
/// let run = Run::read("{\"event\":\"test_started\",\"at\":1.0,\"test\":\"<script>alert(1)</script>\"}\n").unwrap();
/// let page = html_report(&run);
/// assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
/// assert!(page.contains("The run did not come to its end"));
/// ```
pub fn html_report(run: &Run) -> String {
    let mut html = Html::default();
    head(&mut html, run);
    html.raw("<body><a class=\"skip\" href=\"#tests\">Skip to the tests</a>");
    html.raw(
        "<header class=\"top\"><span class=\"brand\">UnitAI</span><span class=\"sub\">test report</span>",
    );
    html.raw("<button type=\"button\" class=\"script-only\" id=\"theme\" aria-label=\"Switch between light and dark\" title=\"Switch between light and dark (t)\"><svg aria-hidden=\"true\" viewBox=\"0 0 16 16\" width=\"16\" height=\"16\"><circle cx=\"8\" cy=\"8\" r=\"6.25\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\"/><path d=\"M8 1.75a6.25 6.25 0 0 1 0 12.5z\" fill=\"currentColor\"/></svg></button></header><main>");
    overview::overview(&mut html, run);
    tests(&mut html, run);
    html.raw("</main><footer><p class=\"script-only keys\"><kbd>/</kbd> search <kbd>j</kbd> <kbd>k</kbd> move <kbd>Enter</kbd> open <kbd>Esc</kbd> clear <kbd>t</kbd> theme</p><p>Made by UnitAI ");
    html.raw(env!("CARGO_PKG_VERSION")).raw(" from the events of the run. This page asks for nothing over a network.</p></footer></body></html>\n");
    html.done()
}

fn head(html: &mut Html, run: &Run) {
    html.raw("<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta http-equiv=\"Content-Security-Policy\" content=\"");
    html.text(&policy()).raw("\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
    html.raw("<meta name=\"color-scheme\" content=\"light dark\"><meta name=\"referrer\" content=\"no-referrer\"><title>");
    html.text(&overview::headline(run))
        .raw(" · UnitAI</title><style>")
        .raw(STYLE)
        .raw("</style><script>")
        .raw(SCRIPT);
    html.raw("</script></head>");
}

/// Nothing is loaded, sent or framed, and only the two texts of this page are a style and a script.
fn policy() -> String {
    let digest = |text: &str| STANDARD.encode(Sha256::digest(text.as_bytes()));
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'; \
         require-trusted-types-for 'script'; trusted-types 'none'",
        digest(STYLE),
        digest(SCRIPT)
    )
}

fn tests(html: &mut Html, run: &Run) {
    // A column that has nothing to say is not there.
    let has_rate = run.tests.iter().any(|test| test.end.statistics.is_some());
    let has_cost = run.tests.iter().any(|test| test.end.spending.is_some());
    html.raw("<section class=\"list").raw(if has_rate { "" } else { " no-rate" });
    html.raw(if has_cost { "" } else { " no-cost" }).raw("\" id=\"tests\" aria-label=\"Tests\">");
    toolbar(html, run);
    html.raw("<ul class=\"tests\">");
    let bodies = bodies(run);
    for number in red_first(run) {
        test::test(html, &run.tests[number], number, &bodies[number]);
    }
    html.raw("</ul><p class=\"none\" hidden>No test is like that. <button type=\"button\" id=\"clear\">Show all tests</button></p></section>");
}

/// The numbers of the tests: those that did not pass before the others, and each in the order in which they ran.
fn red_first(run: &Run) -> Vec<usize> {
    let mut order: Vec<usize> = (0..run.tests.len()).collect();
    order.sort_by_key(|number| !crate::words::is_red(run.tests[*number].end.outcome));
    order
}

/// What is behind each test, in the order of the tests.
fn bodies(run: &Run) -> Vec<Html> {
    let mut bodies = vec![Html::default(); run.tests.len()];
    let mut left = ALLOWANCE;
    for number in red_first(run) {
        let depth = if left > 0 { Depth::Whole } else { Depth::Short };
        bodies[number] = test::body(&run.tests[number], number, depth);
        left = left.saturating_sub(bodies[number].len());
    }
    bodies
}

fn toolbar(html: &mut Html, run: &Run) {
    let counts = run.counts();
    html.raw("<div class=\"toolbar script-only\" role=\"search\"><input type=\"search\" id=\"search\" placeholder=\"Search names and text\" aria-label=\"Search names and text\" autocomplete=\"off\" spellcheck=\"false\"><div class=\"filters\" role=\"group\" aria-label=\"Show only\">");
    for outcome in outcome::ALL {
        let count = overview::count(&counts, outcome);
        if count > 0 {
            html.raw("<button type=\"button\" class=\"filter ")
                .raw(outcome::word(outcome))
                .raw("\" aria-pressed=\"false\" data-outcome=\"");
            html.raw(outcome::word(outcome))
                .raw("\"><span class=\"mark\" aria-hidden=\"true\">")
                .raw(outcome::mark(outcome));
            html.raw("</span>").raw(outcome::word(outcome)).raw(" <b>").count(count).raw("</b></button>");
        }
    }
    html.raw("</div><span id=\"shown\" role=\"status\"></span><button type=\"button\" id=\"all\">Open all</button></div>");
    html.raw("<div class=\"columns\"><span></span>");
    for (key, name) in [("name", "Test"), ("rate", "Pass rate"), ("cost", "Cost"), ("time", "Time")] {
        html.raw("<button type=\"button\" class=\"sort ")
            .raw(key)
            .raw("\" data-key=\"")
            .raw(key)
            .raw("\">")
            .raw(name)
            .raw("</button>");
    }
    html.raw("</div>");
}

#[cfg(test)]
mod tests;
