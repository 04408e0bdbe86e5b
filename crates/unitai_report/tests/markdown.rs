//! Markdown: whatever texts hold, the page has the same shape, and no text is lost.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use unitai_report::{Run, Test, markdown};

/// The page without its words: what stands in what.
fn shape(text: &str) -> Vec<String> {
    let mut shape: Vec<String> = Vec::new();
    let mut push = |part: String| {
        // Whether words come in one piece or in several is nobody's business.
        if part != "text" || shape.last().is_none_or(|last| last != "text") {
            shape.push(part);
        }
    };
    for event in Parser::new_ext(text, Options::all()) {
        match event {
            Event::Text(_) => push("text".to_owned()),
            // Both spellings of code are code.
            Event::Code(_) => {
                ["<code>", "text", "</code>"].into_iter().for_each(|part| push(part.to_owned()))
            }
            Event::Start(tag) => push(format!("<{tag:?}>")),
            Event::End(tag) => push(format!("</{tag:?}>")),
            Event::Html(html) | Event::InlineHtml(html) => push(tags(&html)),
            other => push(format!("{other:?}")),
        }
    }
    shape
}

/// What a browser takes for tags.
fn tags(html: &str) -> String {
    html.split('<')
        .skip(1)
        .map(|tag| format!("<{}", tag.split_inclusive('>').next().unwrap_or_default()))
        .collect()
}

/// The same run with words that mean nothing.
fn harmless(run: &Run) -> Run {
    let mut run = run.clone();
    for test in &mut run.tests {
        test.end.test = "name".to_owned();
        for failure in &mut test.end.failures {
            for text in [&mut failure.message, &mut failure.text].into_iter().chain(&mut failure.report) {
                *text = if text.trim().is_empty() { text.clone() } else { "word".to_owned() };
            }
        }
    }
    if let Some(reason) = run.finished.as_mut().and_then(|finished| finished.reason.as_mut())
        && !reason.is_empty()
    {
        *reason = "word".to_owned();
    }
    run
}

/// The words among which GitHub looks for names and numbers: those that are no code.
fn spoken(text: &str) -> String {
    let mut words = String::new();
    let mut is_code = false;
    for event in Parser::new_ext(text, Options::all()) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => is_code = true,
            Event::End(TagEnd::CodeBlock) => is_code = false,
            Event::InlineHtml(html) => is_code = &*html == "<code>",
            Event::Text(text) if !is_code => words.push_str(&text),
            Event::Html(html) => {
                words.extend(html.split("<code>").flat_map(|part| part.split("</code>").skip(1)));
            }
            _ => {}
        }
    }
    words
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_text_changes_the_shape_of_the_page(run in support::run()) {
        let text = markdown(&run);
        prop_assert_eq!(shape(&text), shape(&markdown(&harmless(&run))), "{}", text);
        prop_assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{:?}", text);
        let spoken = spoken(&text);
        prop_assert!(!spoken.contains("@octo") && !spoken.contains("#1"), "{}", spoken);
    }
}

fn failed(count: usize, text: &str) -> Run {
    let line = format!(
        r#"{{"event":"test_finished","at":1,"test":"tests/test_a.py::test_x","outcome":"failed","duration_seconds":1,"failures":[{{"phase":"call","message":"no","text":{text:?}}}]}}"#
    );
    let one = Run::read(&format!("{line}\n")).unwrap().tests.remove(0);
    Run { tests: (0..count).map(|_| one.clone()).collect::<Vec<Test>>(), ..Run::default() }
}

#[test]
fn a_page_is_never_too_long() {
    let text = markdown(&failed(5000, &"`x`".repeat(100_000)));
    assert!(text.len() < 950_000, "{}", text.len());
    assert!(text.contains("… and 4900 more tests.") && text.contains("more that did not pass."));
    assert_eq!(text.matches("<details>").count(), text.matches("</details>").count());
}

#[test]
fn failures_come_first_with_what_is_known_of_them() {
    let lines = concat!(
        r#"{"event":"run_started","format":"unitai.events","version":1,"at":0,"run_id":"1","unitai":"0.1.0","python":"3","pytest":"9"}"#,
        "\n",
        r#"{"event":"test_finished","at":1,"test":"t::ok","outcome":"passed","duration_seconds":1.25,"spending":{"live":{"calls":3,"tokens":1500,"cost":0.031}}}"#,
        "\n",
        r#"{"event":"test_finished","at":2,"test":"t::bad","outcome":"failed","duration_seconds":2,"failures":[{"phase":"call","message":"7 of 10","text":"E  no","report":"Pass rate: 7/10"}],"statistics":{"verdict":"failed","passed":7,"failed":3,"inconclusive":0,"planned":10,"pass_rate":0.7,"threshold":0.95,"interval":[0.397,0.892],"confidence":0.95,"claim":"","mode":"all","cost":0,"is_cost_known":true}}"#,
        "\n",
        r#"{"event":"run_finished","at":4,"duration_seconds":4,"ending":"completed","budget":{"limit":5,"spent":0.031}}"#,
        "\n",
    );
    assert_eq!(
        markdown(&Run::read(lines).unwrap()),
        "\
## ❌ UnitAI: 1 passed, 1 failed in 4.0s

```text
Total cost: $0.031 | Total tokens: 1,500 | LLM calls: 3
Model calls: 3 live, $0.031 paid
Budget remaining: $4.97 / $5.00
```

| Outcome | Test | Pass rate | Interval | Cost | Tokens | Time |
| --- | --- | ---: | ---: | ---: | ---: | ---: |
| ❌ failed | `t::bad` | 7/10 (70.0%) | 39.7% to 89.2% |  |  | 2.0s |
| ✅ passed | `t::ok` |  |  | $0.031 | 1,500 | 1.2s |

<details><summary>❌ failed <code>t::bad</code>: 7 of 10</summary>

```text
Pass rate: 7/10
```

</details>

"
    );
}
