//! JUnit XML: any run is written so that two parsers read it, and comes back as it was; files of other tools are read;
//! what is hostile is refused.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

use proptest::prelude::*;
use unitai_model::event::{Captured, Part, Phase, TestFailure, TestOutcome};
use unitai_report::junit::{Form, JunitError, read, write};
use unitai_report::{Run, Test};

fn is_legal(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..)
}

/// The text as it is written: without commands of a terminal, and with what is not allowed spelled out. Only what the
/// generator makes has to be known here.
fn shown(text: &str) -> String {
    let text = text.replace("\u{1b}[31m", "").replace("\u{1b}]8;;x\u{7}", "");
    text.chars()
        .map(|c| match c {
            c if is_legal(c) => c.to_string(),
            c if u32::from(c) < 0x100 => format!("\\x{:02x}", u32::from(c)),
            c => format!("\\u{:04x}", u32::from(c)),
        })
        .collect()
}

/// Whether an escape character is left that might begin a command by chance.
fn has_stray_escape(run: &Run) -> bool {
    let is_stray = |text: &str| {
        text.replace("\u{1b}[31m", "").replace("\u{1b}]8;;x\u{7}", "").contains('\u{1b}')
            || text.contains("\u{1b}\u{1b}")
    };
    let texts = |test: &Test| {
        let end = &test.end;
        let mut all = vec![end.test.clone()];
        all.extend(end.reason.clone());
        all.extend(end.statistics.iter().map(|statistics| statistics.claim.clone()));
        for TestFailure { message, text, report, .. } in &end.failures {
            all.extend([
                message.clone(),
                text.clone(),
                format!("{text}{}", report.clone().unwrap_or_default()),
            ]);
        }
        all.extend(end.captured.iter().map(|captured| captured.text.clone()));
        all
    };
    run.tests.iter().flat_map(texts).any(|text| is_stray(&text))
        || run.started.iter().any(|started| is_stray(&started.unitai))
        || run.finished.iter().filter_map(|finished| finished.reason.as_ref()).any(|reason| is_stray(reason))
}

/// What is left of a test in JUnit: everything but who said what in which order.
fn as_kept(test: &Test) -> Test {
    let mut test = test.clone();
    let end = &mut test.end;
    end.test = shown(&end.test);
    end.reason = end.reason.as_deref().map(shown);
    let is_open = end.outcome == TestOutcome::Inconclusive;
    for failure in &mut end.failures {
        let report = failure.report.take();
        let text = match report {
            Some(report) if failure.text.is_empty() => report,
            Some(report) => format!("{}\n\n{report}", failure.text),
            None => failure.text.clone(),
        };
        failure.text = shown(&text);
        if failure.text.chars().all(|c| matches!(c, ' ' | '\t' | '\n' | '\r')) {
            failure.text.clear();
        }
        failure.message = shown(&failure.message);
        failure.phase = if is_open { Phase::Call } else { failure.phase };
    }
    let mut captured = Vec::new();
    for (title, of_stderr) in [("stdout", false), ("stderr", true)] {
        let parts: Vec<String> = end
            .captured
            .iter()
            .filter(|captured| captured.title.contains("stderr") == of_stderr)
            .map(|captured| format!("----- {} -----\n{}", captured.title, shown(&captured.text)))
            .collect();
        if !parts.is_empty() {
            captured.push(Captured { title: title.to_owned(), text: parts.join("\n") });
        }
    }
    end.captured = captured;
    test
}

fn about(part: Part) -> (u64, u64, u64, i64) {
    (part.calls, part.tokens, part.unpriced, (part.cost * 1e6).round() as i64)
}

fn check(run: &Run, form: Form) -> Result<(), TestCaseError> {
    let xml = write(run, form);
    let document = roxmltree::Document::parse(&xml);
    prop_assert!(document.is_ok(), "{:?}\n{xml}", document.err());
    let back = match read(xml.as_bytes()) {
        Ok(back) => back,
        Err(error) => return Err(TestCaseError::fail(format!("{error}\n{xml}"))),
    };
    prop_assert_eq!(back.tests.len(), run.tests.len());
    prop_assert_eq!(back.counts(), run.counts());
    prop_assert!(!back.is_green() || run.is_green());
    prop_assert_eq!(
        back.finished.as_ref().map(|finished| (finished.ending, finished.reason.clone(), finished.budget)),
        run.finished
            .as_ref()
            .map(|finished| { (finished.ending, finished.reason.as_deref().map(shown), finished.budget) })
    );
    for (one, other) in run.tests.iter().zip(&back.tests) {
        let kept = as_kept(one);
        prop_assert_eq!(&other.end.test, &kept.end.test);
        prop_assert_eq!(other.end.outcome, kept.end.outcome);
        prop_assert_eq!(&other.end.failures, &kept.end.failures);
        prop_assert_eq!(&other.end.captured, &kept.end.captured);
        prop_assert_eq!(&other.end.reason, &kept.end.reason);
        prop_assert_eq!(other.end.reruns, kept.end.reruns);
        if form == Form::Common {
            prop_assert_eq!((&other.end.file, other.end.line), (&kept.end.file, kept.end.line));
        }
        let spent = |test: &Test| {
            let spending = test.end.spending.filter(|spending| spending.all().calls > 0);
            spending.map(|spending| (about(spending.all()), spending.live.calls, about(spending.live).3))
        };
        prop_assert_eq!(spent(other), spent(one));
        let numbers = |test: &Test| {
            test.end.statistics.as_ref().map(|statistics| {
                let counts =
                    (statistics.passed, statistics.failed, statistics.inconclusive, statistics.planned);
                (
                    statistics.verdict,
                    counts,
                    statistics.pass_rate,
                    statistics.threshold,
                    statistics.interval,
                    statistics.confidence,
                )
            })
        };
        prop_assert_eq!(numbers(other), numbers(one));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_run_comes_back_as_it_was(run in support::run()) {
        if !has_stray_escape(&run) {
            check(&run, Form::Common)?;
            check(&run, Form::Strict)?;
        }
    }

    #[test]
    fn any_run_is_well_formed_and_what_is_not_green_is_red_for_everybody(run in support::run()) {
        for form in [Form::Common, Form::Strict] {
            let xml = write(&run, form);
            let document = roxmltree::Document::parse(&xml).unwrap();
            let has_red = document.descendants().any(|node| node.has_tag_name("failure") || node.has_tag_name("error"));
            let is_whole = matches!(&run.finished, Some(finished) if matches!(finished.ending,
                unitai_model::event::RunEnding::Completed | unitai_model::event::RunEnding::Stopped));
            let counts = run.counts();
            prop_assert_eq!(has_red, !is_whole || counts.failed + counts.errors + counts.inconclusive > 0);
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(&bytes);
    }

    #[test]
    fn any_piece_of_xml_is_read_or_refused(pieces in proptest::collection::vec(prop::sample::select(vec![
        "<testsuites>", "</testsuites>", "<testsuite name='a' errors='1'>", "</testsuite>", "<testcase name=\"x\">",
        "</testcase>", "<failure message='&#10;'>", "</failure>", "<error/>", "<skipped/>", "text", "&amp;", "&x;", "&#xD800;",
        "<![CDATA[", "]]>", "<properties>", "</properties>", "<!--", "-->", "<?xml version='1.0'?>", "<system-out>",
        "</system-out>", "<rerunFailure>", "</rerunFailure>", "=", "\"", "<", ">", "<!DOCTYPE a>",
    ]), 0..30)) {
        let _ = read(pieces.concat().as_bytes());
    }

    #[test]
    fn any_file_comes_back_with_its_outcomes(pieces in proptest::collection::vec(prop::sample::select(vec![
        "<testcase name='x'/>", "<testcase name='x'><skipped/></testcase>", "<testcase name='x' status='failed'/>",
        "<testcase name='x'><properties><property name='unitai.outcome' value='xpassed'/></properties></testcase>",
        "<testcase name='x'><properties><property name='unitai.model_calls' value='18446744073709551615'/></properties></testcase>",
        "<testcase name='x'><properties><property name='unitai.scripted_calls' value='18446744073709551615'/></properties></testcase>",
        "<testcase classname='unitai' name='unitai.run'><error/></testcase>", "<testsuite errors='2'/>",
        "<properties><property name='unitai.ending' value='killed'/></properties>",
        "<properties><property name='unitai.ending' value='later'/></properties>",
        "<properties><property name='unitai.ending' value='completed'/></properties>",
        "<properties><property name='unitai.outcome[::x]' value='inconclusive'/></properties>",
        "<testcase name='x'><failure>y</failure><error/></testcase>", "<testcase name='x' result='timeout'/>",
        "<testcase name='x'><error type='inconclusive'/></testcase>", "<error message='&lt;'>z</error>", "<testcase/>",
        "<testsuite><testcase><skipped type='pytest.xfail'> </skipped></testcase></testsuite>", "text", "<other><deep/></other>",
    ]), 0..12)) {
        let run = read(format!("<testsuite>{}</testsuite>", pieces.concat()).as_bytes()).unwrap();
        let _ = run.spending();
        for form in [Form::Common, Form::Strict] {
            let xml = write(&run, form);
            let again = read(xml.as_bytes()).unwrap();
            prop_assert_eq!((again.counts(), again.is_green()), (run.counts(), run.is_green()), "{}", xml);
        }
    }
}

fn outcomes(xml: &str) -> Vec<(String, TestOutcome)> {
    read(xml.as_bytes()).unwrap().tests.into_iter().map(|test| (test.end.test, test.end.outcome)).collect()
}

#[test]
fn files_of_other_tools_are_read() {
    use TestOutcome::{Error, Failed, Passed, Skipped, XFailed};
    let named = |all: &[(&str, TestOutcome)]| -> Vec<_> {
        all.iter().map(|(name, outcome)| ((*name).to_owned(), *outcome)).collect()
    };
    // pytest 9, both of its dialects.
    let pytest = r#"<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest" errors="1"
        failures="1" skipped="2" tests="5" time="0.060" timestamp="2026-11-15T18:46:11.123456+00:00" hostname="box">
        <testcase classname="tests.test_a" name="test_ok" file="tests/test_a.py" line="3" time="0.001"/>
        <testcase classname="tests.test_a.TestB" name="test_no[1]" time="0.002"><failure message="AssertionError: 1 != 2">def test_no():
&gt;   assert 1 == 2
E   assert 1 == 2</failure></testcase>
        <testcase classname="tests.test_a" name="test_setup" time="0.001"><error message="failed on setup with &quot;x&quot;">x</error></testcase>
        <testcase classname="tests.test_a" name="test_skip" time="0"><skipped type="pytest.skip" message="not here">t.py:1: not here</skipped></testcase>
        <testcase classname="tests.test_a" name="test_x" time="0"><skipped type="pytest.xfail" message="known"/></testcase>
        </testsuite></testsuites>"#;
    assert_eq!(
        outcomes(pytest),
        named(&[
            ("tests/test_a.py::test_ok", Passed),
            ("tests.test_a.TestB::test_no[1]", Failed),
            ("tests.test_a::test_setup", Error),
            ("tests.test_a::test_skip", Skipped),
            ("tests.test_a::test_x", XFailed),
        ])
    );
    let run = read(pytest.as_bytes()).unwrap();
    assert_eq!((run.duration_seconds(), run.is_green()), (0.06, false));
    assert_eq!(run.tests[3].end.reason.as_deref(), Some("not here"));
    assert!(run.tests[1].end.failures[0].text.contains(">   assert 1 == 2\nE "));

    let jest = r#"<testsuites name="jest tests" tests="2" failures="1" errors="0" time="1.23">
      <testsuite name="sum" errors="0" failures="1" skipped="0" timestamp="2026-01-01T00:00:00" time="0.9" tests="2">
        <testcase classname="sum adds" name="sum adds" time="0.004"></testcase>
        <testcase classname="sum fails" name="sum fails" time="0.002"><failure>Error: expect(received).toBe(expected)
    at Object.&lt;anonymous&gt; (sum.test.js:5:1)</failure></testcase></testsuite></testsuites>"#;
    assert_eq!(outcomes(jest), named(&[("sum adds", Passed), ("sum fails", Failed)]));
    let failure = &read(jest.as_bytes()).unwrap().tests[1].end.failures[0];
    assert_eq!(failure.message, "Error: expect(received).toBe(expected)");

    // Maven: no <testsuites>, times with commas, tries that do not count.
    let surefire = r#"<?xml version="1.0" encoding="UTF-8"?><testsuite xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
      xsi:noNamespaceSchemaLocation="https://maven.apache.org/surefire/maven-surefire-plugin/xsd/surefire-test-report.xsd"
      name="com.example.FooTest" time="1,234.5" tests="3" errors="0" skipped="1" failures="1"><properties>
      <property name="java.version" value="21"/></properties>
      <testcase name="flaky" classname="com.example.FooTest" time="0.1"><flakyFailure message="no" type="java.lang.AssertionError">
        <stackTrace><![CDATA[at <x>]]></stackTrace><system-out>tried</system-out></flakyFailure></testcase>
      <testcase name="bad" classname="com.example.FooTest" time="0.1"><failure message="1 &lt; 2" type="java.lang.AssertionError"><![CDATA[
java.lang.AssertionError: 1 < 2 & more
]]></failure><system-out><![CDATA[out]]></system-out><system-err>err</system-err></testcase>
      <testcase name="off" classname="com.example.FooTest" time="0"><skipped/></testcase></testsuite>"#;
    let run = read(surefire.as_bytes()).unwrap();
    assert_eq!(run.duration_seconds(), 1234.5);
    assert_eq!(
        (run.tests[0].end.reruns, run.tests[0].end.outcome, run.tests[0].end.captured.len()),
        (1, Passed, 0)
    );
    assert!(run.tests[1].end.failures[0].text.contains("1 < 2 & more"));
    let captured: Vec<_> = run.tests[1].end.captured.iter().map(|captured| captured.text.as_str()).collect();
    assert_eq!(captured, ["out", "err"]);
    assert_eq!(run.tests[2].end.outcome, Skipped);

    let gtest = r#"<testsuites tests="3" failures="1" disabled="1" errors="0" time="0.01" name="AllTests">
      <testsuite name="Math" tests="3" failures="1" disabled="1" errors="0" time="0.01">
      <testcase name="Adds" status="run" result="completed" time="0" classname="Math"/>
      <testcase name="DISABLED_Later" status="notrun" result="suppressed" time="0" classname="Math"/>
      <testcase name="Fails" status="run" result="completed" time="0" classname="Math">
        <failure message="a.cc:1&#x0A;Value" type=""><![CDATA[a.cc:1
Value]]></failure><failure message="b" type=""/></testcase></testsuite></testsuites>"#;
    assert_eq!(
        outcomes(gtest),
        named(&[("Math::Adds", Passed), ("Math::DISABLED_Later", Skipped), ("Math::Fails", Failed)])
    );
    assert_eq!(read(gtest.as_bytes()).unwrap().tests[2].end.failures.len(), 2);

    // PHPUnit nests suites; some tools put what goes wrong outside of tests into the suite.
    let nested = r#"<testsuites><testsuite name="all" tests="1" errors="1"><testsuite name="inner" time="0.5">
      <testcase name="a" class="A" file="/a.php" line="7"/><error message="could not be loaded"/></testsuite></testsuite></testsuites>"#;
    assert_eq!(outcomes(nested), named(&[("A::a", Passed), ("inner", Error)]));
}

#[test]
fn what_only_a_number_tells_of_is_not_green() {
    let xml = r#"<testsuite name="s" tests="1" failures="0" errors="2"><testcase name="a"/></testsuite>"#;
    let run = read(xml.as_bytes()).unwrap();
    assert_eq!((run.counts().passed, run.counts().errors, run.is_green()), (1, 1, false));
    let stated =
        r#"<testsuite><testcase name="a" status="failed"/><testcase name="b" result="timeout"/></testsuite>"#;
    assert_eq!(read(stated.as_bytes()).unwrap().counts().passed, 0);
    let lying = r#"<testsuite><testcase name="a"><properties><property name="unitai.outcome" value="passed"/></properties><failure/></testcase></testsuite>"#;
    assert_eq!(read(lying.as_bytes()).unwrap().counts().failed, 1);
}

#[test]
fn bombs_and_other_files_are_refused() {
    let bomb = r#"<?xml version="1.0"?>
<!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;&lol;&lol;">]>
<testsuite name="&lol2;"/>"#;
    assert!(matches!(read(bomb.as_bytes()), Err(JunitError::DocumentType { .. })));
    let outside = r#"<!DOCTYPE a SYSTEM "file:///etc/passwd"><testsuite/>"#;
    assert!(matches!(read(outside.as_bytes()), Err(JunitError::DocumentType { line: 1 })));
    let entity = "<testsuite>\n<testcase name='a'><failure>&xxe;</failure></testcase></testsuite>";
    assert_eq!(read(entity.as_bytes()), Err(JunitError::Entity { line: 2, name: "xxe".to_owned() }));
    assert!(matches!(read(b"<testsuite name='&xxe;'/>"), Err(JunitError::Malformed { line: 1, .. })));
    let deep = "<testsuite>".repeat(100_000);
    assert!(matches!(read(deep.as_bytes()), Err(JunitError::TooDeep { line: 1 })));
    assert_eq!(read(b"<test-run/>"), Err(JunitError::Another { root: "test-run".to_owned() }));
    assert_eq!(read(&vec![b' '; (64 << 20) + 1]), Err(JunitError::TooLarge));
    for broken in [
        "",
        "  ",
        "{}",
        "hello",
        "<testsuite>",
        "<testsuite></testsuites>",
        "<testsuite/><testsuite/>",
        "<testsuite",
        "<testsuite a=b/>",
    ] {
        assert!(
            matches!(read(broken.as_bytes()), Err(JunitError::Malformed { .. })),
            "{broken:?}: {:?}",
            read(broken.as_bytes())
        );
    }
    assert_eq!(read(b"<testsuite name='\xe9'/>"), Err(JunitError::NotText));
    let wide =
        format!("<testsuite {}/>", (0..200_000).map(|n| format!("a{n}=''")).collect::<Vec<_>>().join(" "));
    assert!(read(wide.as_bytes()).is_ok());
}
