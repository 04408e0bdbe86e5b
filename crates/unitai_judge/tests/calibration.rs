//! Judges whose answers are known get the figures that they must, and the set that comes with the program is what it says.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use unitai_judge::calibration::{
    JudgeCase, Minima, Progress, Row, Score, Table, Unanswered, bundled, interview,
};
use unitai_spec::document::{CaseKind, CaseOutcome, read_judge_cases};
use unitai_spec::run::{Answer, Brief, Future, Judge, Question, Quote, Reply, Ruling};

/// Answers by a rule.
struct Scripted<F>(F);

impl<F: Fn(&Brief<'_>, &Question) -> Reply + Send + Sync> Judge for Scripted<F> {
    fn judge<'a>(&'a self, brief: &'a Brief<'a>) -> Future<'a, Ruling> {
        let replies: Vec<Reply> = brief.questions.iter().map(|it| (self.0)(brief, it)).collect();
        Box::pin(async move { Ruling::Answered(replies.into()) })
    }
}

/// Rules the same, whatever it is asked.
struct Fixed(Ruling);

impl Judge for Fixed {
    fn judge<'a>(&'a self, _: &'a Brief<'a>) -> Future<'a, Ruling> {
        let ruling = self.0.clone();
        Box::pin(async move { ruling })
    }
}

fn reply(question: &Question, answer: Answer) -> Reply {
    Reply { id: question.id.clone(), answer, quotes: vec![], why: format!("so says {}", question.id) }
}

fn always(answer: Answer) -> Arc<dyn Judge> {
    Arc::new(Scripted(move |_: &Brief<'_>, question: &Question| reply(question, answer)))
}

/// Knows what people say about every question, and makes an answer of it.
fn informed(cases: &[JudgeCase], answer: fn(usize, bool) -> Answer) -> Arc<dyn Judge> {
    let known: Vec<(String, String, Answer)> = cases
        .iter()
        .flat_map(|case| case.questions.iter().map(move |it| (case.name.clone(), it.ask.clone(), it.is_yes)))
        .enumerate()
        .map(|(at, (case, ask, is_yes))| (case, ask, answer(at, is_yes)))
        .collect();
    Arc::new(Scripted(move |brief: &Brief<'_>, question: &Question| {
        let found = known.iter().find(|(case, ask, _)| case == brief.name && *ask == question.text);
        reply(question, found.map_or(Answer::Unknown, |it| it.2))
    }))
}

fn label(is_yes: bool) -> Answer {
    if is_yes { Answer::Yes } else { Answer::No }
}

fn asked(judge: Arc<dyn Judge>, cases: &[JudgeCase]) -> Result<Score, Unanswered> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(interview(judge, cases, 3, |_| {}))
}

fn read(text: &str) -> Vec<JudgeCase> {
    let reading = read_judge_cases(text, Path::new("cases.yaml"));
    assert_eq!(reading.troubles, []);
    reading.cases
}

#[test]
fn the_set_that_comes_along_is_large_varied_and_balanced() {
    let cases = bundled();
    let questions: Vec<_> = cases.iter().flat_map(|case| &case.questions).collect();
    assert!(cases.len() >= 15 && questions.len() >= 40, "{} {}", cases.len(), questions.len());
    let yes = questions.iter().filter(|it| it.is_yes).count();
    assert_eq!(yes * 2, questions.len());
    for kind in [CaseKind::Expect, CaseKind::PassIf, CaseKind::FailIf] {
        let of_kind: Vec<_> = questions.iter().filter(|it| it.kind == kind).collect();
        let yes = of_kind.iter().filter(|it| it.is_yes).count();
        assert!(yes > 0 && yes < of_kind.len(), "{kind:?}: {yes} of {}", of_kind.len());
    }
    let mut calls = cases.iter().flat_map(|case| &case.evidence);
    assert!(calls.any(|it| matches!(it.outcome, CaseOutcome::Failed { .. })));
    let mut names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), cases.len(), "two cases have one name");
    for case in &cases {
        // A case whose labels are all the same would be right for a judge that looks at nothing.
        let yes = case.questions.iter().filter(|it| it.is_yes).count();
        assert!(yes > 0 && yes < case.questions.len(), "{}", case.name);
    }
}

#[test]
fn who_says_what_people_say_agrees_in_everything() {
    let cases = bundled();
    let score = asked(informed(&cases, |_, is_yes| label(is_yes)), &cases).unwrap();
    let table = score.table();
    let half = table.asked() / 2;
    let expected = Table { yes: Row { yes: half, ..Row::default() }, no: Row { no: half, ..Row::default() } };
    assert_eq!(table, expected);
    let kappa = table.kappa().unwrap();
    assert_eq!((kappa.value, table.tpr().value(), table.tnr().value()), (1.0, Some(1.0), Some(1.0)));
    assert!(kappa.interval.low < 1.0 && kappa.interval.low > 0.8, "{kappa:?}");
    assert_eq!(score.disagreements().count(), 0);
    let minima = Minima { tpr: Some(1.0), tnr: Some(1.0), kappa: Some(1.0) };
    assert_eq!(minima.missed(&table), []);
}

#[test]
fn who_always_says_yes_has_no_kappa_and_misses_what_is_required() {
    let cases = bundled();
    let table = asked(always(Answer::Yes), &cases).unwrap().table();
    assert_eq!((table.tpr().value(), table.tnr().value()), (Some(1.0), Some(0.0)));
    assert!(table.kappa().unwrap().value.abs() < 1e-12);
    let missed = Minima { tpr: Some(0.9), tnr: Some(0.9), kappa: Some(0.6) }.missed(&table);
    assert_eq!(missed.iter().map(|it| it.figure).collect::<Vec<_>>(), ["TNR", "kappa"]);
}

#[test]
fn who_never_knows_has_agreed_with_nobody() {
    let cases = bundled();
    let table = asked(always(Answer::Unknown), &cases).unwrap().table();
    assert_eq!((table.tpr().value(), table.tnr().value()), (Some(0.0), Some(0.0)));
    assert_eq!(table.abstention().value(), Some(1.0));
}

/// Of every nine questions the first is answered the other way, and the second not at all: of 54, that is 6 each.
#[test]
fn figures_are_those_that_are_counted_by_hand() {
    let cases = bundled();
    let judge = informed(&cases, |at, is_yes| match at % 9 {
        0 => label(!is_yes),
        1 => Answer::Unknown,
        _ => label(is_yes),
    });
    let score = asked(judge, &cases).unwrap();
    let table = score.table();
    assert_eq!((table.asked(), table.yes.asked()), (54, 27));
    assert_eq!((table.accuracy().hits, table.abstention().hits), (42, 6));
    assert_eq!(table.yes.no + table.no.yes, 6);
    // By chance they agree in half of what the judge answers at all, because half of the labels are yes.
    let (agreed, chance) = (42.0 / 54.0, 0.5 * 48.0 / 54.0);
    assert!((table.kappa().unwrap().value - (agreed - chance) / (1.0 - chance)).abs() < 1e-12);
    let told: Vec<_> = score.disagreements().collect();
    assert_eq!(told.len(), 12);
    assert!(told.iter().all(|it| it.reply.why.starts_with("so says Q")));
}

const SMALL: &str = "case: {name: small}
evidence: [{tool: say, text: it is done}]
questions:
  - {ask: Is it done, label: yes}
  - {ask: Is it red, label: no}
";

#[test]
fn a_quote_that_stands_nowhere_makes_an_answer_unknown() {
    let quoting = |words: &'static str| -> Arc<dyn Judge> {
        Arc::new(Scripted(move |_: &Brief<'_>, question: &Question| Reply {
            quotes: vec![Quote { reference: "E1".into(), quote: words.into() }],
            ..reply(question, Answer::Yes)
        }))
    };
    let table = |words| asked(quoting(words), &read(SMALL)).unwrap().table();
    assert_eq!(table("it is done").yes, Row { yes: 1, ..Row::default() });
    assert_eq!(table("it was done").yes, Row { unknown: 1, ..Row::default() });
}

#[test]
fn a_question_without_an_answer_is_unknown() {
    let score = asked(Arc::new(Fixed(Ruling::Answered(vec![].into()))), &read(SMALL)).unwrap();
    assert_eq!(score.table().abstention().hits, 2);
    assert_eq!(score.heard[0].reply.why, "no answer");
}

#[test]
fn trouble_is_no_answer() {
    let told = |ruling| asked(Arc::new(Fixed(ruling)), &read(SMALL)).unwrap_err().to_string();
    assert_eq!(told(Ruling::Absent("set judge.provider".into())), "set judge.provider");
    assert_eq!(
        told(Ruling::Trouble("not logged in".into())),
        "not logged in (asked about \"small\", after 0 of 1 cases)"
    );
}

/// Those that come first take longest.
struct Slow {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Judge for Slow {
    fn judge<'a>(&'a self, brief: &'a Brief<'a>) -> Future<'a, Ruling> {
        Box::pin(async move {
            let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
            let most = self.most.fetch_max(now, Ordering::SeqCst).max(now);
            let ms = 60u64.saturating_sub(20 * most as u64);
            tokio::time::sleep(std::time::Duration::from_millis(ms)).await;
            self.now.fetch_sub(1, Ordering::SeqCst);
            let said = |it: &Question| Reply { why: brief.name.to_owned(), ..reply(it, Answer::Yes) };
            Ruling::Answered(brief.questions.iter().map(said).collect::<Vec<_>>().into())
        })
    }
}

#[test]
fn no_more_are_asked_at_once_than_may_be_and_answers_stay_in_order() {
    let cases = bundled();
    let judge = Arc::new(Slow { now: AtomicUsize::new(0), most: AtomicUsize::new(0) });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut seen = vec![];
    let told = |it: Progress<'_>| seen.push((it.answered, it.of));
    let score = runtime.block_on(interview(judge.clone(), &cases, 3, told)).unwrap();
    assert_eq!(judge.most.load(Ordering::SeqCst), 3);
    assert_eq!(seen, (1..=cases.len()).map(|it| (it, cases.len())).collect::<Vec<_>>());
    assert!(score.heard.iter().all(|it| it.reply.why == it.case));
}

fn table_of(counts: [u64; 6]) -> Table {
    let row = |it: &[u64]| Row { yes: it[0], no: it[1], unknown: it[2] };
    Table { yes: row(&counts[..3]), no: row(&counts[3..]) }
}

proptest! {
    #[test]
    fn who_agrees_in_everything_has_a_kappa_of_one(yes in 1u64..500, no in 1u64..500) {
        let kappa = table_of([yes, 0, 0, 0, no, 0]).kappa().unwrap();
        prop_assert!((kappa.value - 1.0).abs() < 1e-9 && kappa.interval.low < 1.0);
    }

    #[test]
    fn who_always_says_the_same_has_a_kappa_of_nothing(yes in 1u64..500, no in 1u64..500) {
        for table in [table_of([yes, 0, 0, no, 0, 0]), table_of([0, yes, 0, 0, no, 0])] {
            prop_assert!(table.kappa().unwrap().value.abs() < 1e-9);
        }
    }

    /// Yes and no are only names.
    #[test]
    fn swapping_yes_and_no_swaps_tpr_and_tnr_and_nothing_else(counts in prop::array::uniform6(0u64..60)) {
        let [a, b, c, d, e, f] = counts;
        let (table, other) = (table_of(counts), table_of([e, d, f, b, a, c]));
        prop_assert_eq!(table.tpr(), other.tnr());
        prop_assert_eq!(table.tnr(), other.tpr());
        prop_assert_eq!(table.abstention(), other.abstention());
        match (table.kappa(), other.kappa()) {
            (Some(one), Some(two)) => {
                prop_assert!((one.value - two.value).abs() < 1e-9);
                prop_assert!((one.standard_error - two.standard_error).abs() < 1e-6);
            }
            (one, two) => prop_assert_eq!(one, two),
        }
    }

    #[test]
    fn figures_lie_in_their_intervals(counts in prop::array::uniform6(0u64..60)) {
        let table = table_of(counts);
        for rate in [table.tpr(), table.tnr(), table.accuracy(), table.abstention()] {
            prop_assert!(rate.value().is_none_or(|it| rate.interval().contains(it)));
        }
        if let Some(kappa) = table.kappa() {
            let (low, high) = (kappa.interval.low - 1e-12, kappa.interval.high + 1e-12);
            prop_assert!(low <= kappa.value && kappa.value <= high, "{kappa:?}");
        }
    }
}
