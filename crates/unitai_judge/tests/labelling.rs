//! What people say about an answer becomes a case that they can read, beside those that are there.

use std::path::Path;

use proptest::prelude::*;
use unitai_judge::calibration::{JudgeCase, Labelled, add_label};
use unitai_spec::document::read_judge_cases;

fn read(text: &str) -> Vec<JudgeCase> {
    let reading = read_judge_cases(text, Path::new("cases.yaml"));
    assert_eq!(reading.troubles, [], "{text}");
    reading.cases
}

fn labelled(text: &str, case: &str) -> Result<Labelled, String> {
    add_label(text, Path::new("cases.yaml"), &read(case)[0])
}

fn written(text: &str, case: &str) -> String {
    match labelled(text, case) {
        Ok(Labelled::Written(text)) => text,
        other => panic!("{other:?}"),
    }
}

const SMALL: &str = "case: {name: small}
evidence: [{tool: say, text: it is done}]
questions:
  - {ask: Is it done, label: yes}
";

const ASKED: &str = r#"case: {name: Refunds, source: tests/llm/refunds.yaml}
evidence:
  - {step: 'steps[0]', tool: chat, args: {message: 'no: "really"'}, text: "first line\nsecond: line"}
  - {tool: get, result: {paid: true, note: 'a # b'}, text: '{"paid": true}'}
  - {tool: break, error: it's broken, details: "at\tline 3"}
  - {tool: hang, unfinished: true}
questions:
  - {ask: "Is it paid: really?", label: yes, kind: pass_if, note: it says so}
"#;

#[test]
fn a_label_makes_a_case_that_people_can_read() {
    assert_eq!(
        written("", ASKED),
        r#"case:
  name: "Refunds"
  source: "tests/llm/refunds.yaml"
evidence:
  - step: "steps[0]"
    tool: "chat"
    args: {"message":"no: \"really\""}
    text: |-
      first line
      second: line
  - tool: "get"
    result: {"note":"a # b","paid":true}
    text: '{"paid": true}'
  - tool: "break"
    error: "it's broken"
    details: "at\tline 3"
  - tool: "hang"
    unfinished: true
questions:
  - ask: "Is it paid: really?"
    label: yes
    kind: pass_if
    note: "it says so"
"#
    );
}

#[test]
fn a_second_label_of_the_same_evidence_joins_the_case_and_is_not_written_twice() {
    let first = written("", ASKED);
    let second = ASKED.replace("Is it paid: really?", "Was it quick?").replace("label: yes", "label: no");
    let both = written(&first, &second);
    assert!(both.starts_with(&first), "{both}");
    let cases = read(&both);
    assert_eq!((cases.len(), cases[0].questions.len()), (1, 2));
    assert!(!cases[0].questions[1].is_yes);
    let Labelled::Known(place) = labelled(&both, ASKED).unwrap() else { panic!("written twice") };
    assert_eq!(place.to_string(), "cases.yaml:20:5");
    let opposite = labelled(&both, &ASKED.replace("label: yes", "label: no")).unwrap_err();
    assert_eq!(opposite, "cases.yaml:20:5 says yes to this already; change it there");
}

#[test]
fn what_people_have_written_stays_as_it_is() {
    let more = SMALL.replace("Is it done", "Is it blue");
    // The questions are not the last thing of the case: the label stands behind it.
    let by_hand = "# ours\ncase: {name: by hand}   # a note\nquestions: [{ask: Is it done, label: yes}]\n\
                   evidence: [{tool: say, text: it is done}]\n";
    let behind = written(by_hand, &more);
    assert!(behind.starts_with(by_hand) && behind.contains("---\ncase:"), "{behind}");
    assert_eq!(read(&behind).len(), 2);
    // The last line does not end.
    let joined = written(SMALL.trim_end(), &more);
    assert_eq!(read(&joined)[0].questions.len(), 2, "{joined}");
    // Another case stands behind it.
    let between = written(&format!("{SMALL}---\n{ASKED}"), &more);
    assert_eq!(read(&between).iter().map(|it| it.questions.len()).collect::<Vec<_>>(), [2, 1], "{between}");
    assert!(between.ends_with(ASKED));
}

#[test]
fn a_file_that_cannot_be_read_is_not_touched() {
    let wrong = labelled("case: [", ASKED).unwrap_err();
    assert!(wrong.starts_with("the file of cases cannot be read: cases.yaml:"), "{wrong}");
    assert!(wrong.ends_with("; mend it first"), "{wrong}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_a_tool_said_can_be_labelled(text in "(?s).{0,60}", error in "[ -~\n]{0,40}", ask in "\\S.{0,20}\\S") {
        let mut case = read(SMALL).remove(0);
        let said = |text: &str| Some(text.to_owned());
        case.evidence[0].outcome =
            unitai_spec::document::CaseOutcome::Returned { result: None, text: said(&text) };
        let mut failed = case.evidence[0].clone();
        failed.outcome = unitai_spec::document::CaseOutcome::Failed { error, details: text };
        case.evidence.push(failed);
        case.questions[0].ask = ask.trim().to_owned();
        let labelled = add_label("", Path::new("a.yaml"), &case);
        prop_assert!(matches!(labelled, Ok(Labelled::Written(_))), "{labelled:?}");
    }
}
