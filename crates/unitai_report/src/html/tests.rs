//! The page as a whole: what is in it, and what cannot be.

use unitai_model::event::RunEvent;

use super::html_report;
use crate::Run;

fn page(lines: &str) -> String {
    html_report(&Run::read(lines).unwrap())
}

const RUN: &str = include_str!("../../samples/run.jsonl");

#[test]
fn nothing_in_the_page_is_loaded_from_anywhere() {
    let page = page(RUN);
    for word in [
        "src=",
        "href=\"http",
        "url(",
        "@import",
        "<link",
        "<img",
        "<iframe",
        "fetch(",
        "innerHTML",
        "style=\"",
    ] {
        assert!(!page.contains(word), "{word}");
    }
    assert!(page.contains("default-src &#39;none&#39;"));
    // Neither ends its element early, for the policy knows them by their whole text.
    assert!(!super::STYLE.contains("</") && !super::SCRIPT.contains("</"));
}

#[test]
fn a_run_is_told_from_top_to_bottom() {
    let page = page(RUN);
    for text in [
        "3 of 6 tests did not pass",
        "test_refund_is_looked_up_first",
        "lookup_order",
        "Decided by steps <a href=\"#t1r0s0\">1</a>, <a href=\"#t1r0s2\">3</a>",
        "id=\"t1r0s0\"",
        "see a run that failed so",
        "94%",
        "scripted",
        "of $0.50",
    ] {
        assert!(page.contains(text), "{text}");
    }
}

#[test]
fn what_did_not_pass_comes_first_and_keeps_its_number() {
    let page = page(RUN);
    let shown: Vec<&str> =
        page.split("<li class=\"test ").skip(1).map(|it| &it[..it.find('"').unwrap()]).collect();
    assert_eq!(shown, ["failed", "failed", "error", "passed", "passed", "skipped"]);
    let at = |id: &str| page.find(&format!("id=\"{id}\"")).unwrap();
    assert!(at("t1") < at("t2") && at("t2") < at("t4") && at("t4") < at("t0"));
}

#[test]
fn the_steps_of_a_yaml_test_are_no_agents() {
    let trajectory = r#"{"format":"unitai.trajectory","version":1,"run_id":"r","input":"Adds up","started_at":0,"duration_seconds":1,"steps":[],"final_output":"PASS: it does"}"#;
    let ran = |is_yaml: bool| {
        page(&format!(
            "{{\"event\":\"agent_ran\",\"test\":\"t\",\"is_yaml\":{is_yaml},\"trajectory\":{trajectory}}}\n\
             {{\"event\":\"test_finished\",\"at\":1,\"test\":\"t\",\"outcome\":\"passed\",\"duration_seconds\":1}}\n"
        ))
    };
    let words = |page: &str| page[page.find("<body").unwrap()..].to_lowercase();
    assert!(!words(&ran(true)).contains("agent"));
    assert!(ran(true).contains("What its steps called") && ran(true).contains(">Verdict<"));
    assert!(ran(false).contains("What the agent did") && ran(false).contains(">Output<"));
}

#[test]
fn a_run_that_did_not_end_says_so_first() {
    let cut: String =
        RUN.lines().filter(|line| !line.contains("run_finished")).map(|line| format!("{line}\n")).collect();
    assert!(page(&cut).contains("role=\"alert\"><strong>The run did not come to its end"));
    assert!(!page(RUN).contains("role=\"alert\""));
    assert!(page("").contains("No test ran"));
}

#[test]
fn a_trajectory_that_cannot_be_read_is_told_of() {
    let page = page(concat!(
        r#"{"event":"agent_ran","test":"a","trajectory":{"format":"unitai.trajectory","version":9}}"#,
        "\n",
        r#"{"event":"test_finished","at":2.0,"test":"a","outcome":"passed","duration_seconds":1.0}"#,
        "\n",
    ));
    assert!(page.contains("could not be read: the trajectory is of format version 9"));
}

#[test]
fn a_large_run_keeps_what_is_red_and_stays_small() {
    let steps = |n: usize| {
        let result = "x".repeat(1000);
        let step = format!(
            r#"{{"step_type":"tool_call","timestamp":1.0,"tool_name":"a","tool_args":{{}},"tool_result":"{result}"}}"#
        );
        vec![step; n].join(",")
    };
    let trajectory = format!(
        r#"{{"format":"unitai.trajectory","version":1,"run_id":"r","input":null,"started_at":0.0,"duration_seconds":1.0,"steps":[{}],"final_output":null}}"#,
        steps(100)
    );
    let mut lines = String::new();
    for n in 0..400 {
        let outcome = if n == 399 { "failed" } else { "passed" };
        lines.push_str(&format!(
            "{{\"event\":\"agent_ran\",\"test\":\"t{n}\",\"trajectory\":{trajectory}}}\n"
        ));
        lines.push_str(&format!(
            "{{\"event\":\"test_finished\",\"at\":2.0,\"test\":\"t{n}\",\"outcome\":\"{outcome}\",\"duration_seconds\":1.0}}\n"
        ));
    }
    let page = page(&lines);
    assert!(page.len() < super::ALLOWANCE + 1_500_000, "{}", page.len());
    assert!(
        page.contains("id=\"t399r0\"") && page.contains("id=\"t0r0\"") && !page.contains("id=\"t398r0\"")
    );
    assert!(page.contains("is left out to keep this page small"));
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]
    /// Whatever a text is, the page has exactly the tags of the page for a harmless one.
    #[test]
    fn no_text_adds_a_tag(foreign in "(<|>|&|\"|'|/|=|!|-|script|\\PC|[\\x00-\\x1f]){0,40}") {
        let tags = |text: &str| {
            let name = RunEvent::read(r#"{"event":"test_started","at":1.0,"test":"MARK"}"#);
            let Ok(Some(RunEvent::TestStarted(mut started))) = name else { panic!() };
            started.test = format!("MARK{text}");
            started.file = Some(format!("MARK{text}"));
            let line = RunEvent::TestStarted(started).line() + "\n";
            let page = html_report(&Run::read(&line).unwrap());
            (page.matches('<').count(), page.matches('>').count(), page.matches('"').count())
        };
        // A name is split where its file ends, which is markup of ours.
        let foreign = foreign.replace(':', ";");
        proptest::prop_assert_eq!(tags(&foreign), tags("harmless"));
    }
}
