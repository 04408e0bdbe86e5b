//! The block that ends a run: how many passed, and what it came to.

use unitai_model::value::plain;

use crate::{Run, Style, layers, words};

const WIDTH: usize = 64;

/// The block that ends a run.
///
/// ```
/// use unitai_report::{Run, Style, results_block};
/// let run = Run::read(concat!(
///     r#"{"event":"run_started","format":"unitai.events","version":1,"at":0,"run_id":"1","unitai":"0.1.0","python":"3","pytest":"9"}"#, "\n",
///     r#"{"event":"test_finished","at":1,"test":"t","outcome":"passed","duration_seconds":1,"#,
///     r#""spending":{"live":{"calls":38,"tokens":52340,"cost":0.47}}}"#, "\n",
///     r#"{"event":"run_finished","at":34.2,"duration_seconds":34.2,"ending":"completed","budget":{"limit":5,"spent":0.47}}"#, "\n",
/// )).unwrap();
/// assert_eq!(results_block(&run, false, Style::plain()), "\
/// ======================== UnitAI Results ========================
/// 1 passed in 34.2s
/// Total cost: $0.47 | Total tokens: 52,340 | LLM calls: 38
/// Model calls: 38 live, $0.47 paid
/// Budget remaining: $4.53 / $5.00
/// ================================================================");
/// ```
pub fn results_block(run: &Run, verbose: bool, style: Style) -> String {
    let mark = |text: &str| if run.is_green() { style.expected(text) } else { style.offending(text) };
    let counts = format!("{} in {}", words::counts(run.counts()), words::duration(run.duration_seconds()));
    let mut lines = vec![format!("{:=^WIDTH$}", " UnitAI Results "), mark(&counts)];
    lines.extend(layers::of_run(run));
    lines.extend(words::totals(run));
    if verbose {
        lines.extend(cost_per_test(run));
    }
    lines.push("=".repeat(WIDTH));
    lines.join("\n")
}

/// What each test came to that made model calls, the dearest first.
fn cost_per_test(run: &Run) -> Vec<String> {
    let spent = |test: &crate::Test| Some((test.end.spending.as_ref()?.all(), plain(&test.end.test)));
    let mut tests: Vec<_> = run.tests.iter().filter_map(spent).collect();
    tests.sort_by(|(one, _), (other, _)| other.cost.total_cmp(&one.cost));
    let costs: Vec<String> = tests.iter().map(|(part, _)| words::short_cost(*part)).collect();
    let tokens: Vec<String> = tests.iter().map(|(part, _)| words::thousands(part.tokens)).collect();
    let width = |texts: &[String]| texts.iter().map(|text| text.chars().count()).max().unwrap_or(0);
    let (wide, deep) = (width(&costs).max("cost".len()), width(&tokens).max("tokens".len()));
    let mut lines = Vec::new();
    if !tests.is_empty() {
        lines.push(format!("{:>wide$}  {:>deep$}  test", "cost", "tokens"));
    }
    for (((_, test), cost), tokens) in tests.iter().zip(&costs).zip(&tokens) {
        lines.push(format!("{cost:>wide$}  {tokens:>deep$}  {test}"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(finished: &str, verbose: bool) -> String {
        block_of(5, finished, verbose)
    }

    fn block_of(found: usize, finished: &str, verbose: bool) -> String {
        let found = format!(r#"{{"event":"tests_found","at":0,"count":{found}}}"#);
        let lines = [
            r#"{"event":"run_started","format":"unitai.events","version":1,"at":0,"run_id":"1","unitai":"0.1.0","python":"3","pytest":"9"}"#,
            &found,
            r#"{"event":"test_finished","at":1,"test":"cheap","outcome":"passed","duration_seconds":1,"spending":{"scripted":{"calls":2,"tokens":30,"cost":0.003}}}"#,
            r#"{"event":"test_finished","at":1,"test":"dear\u001b[31m","outcome":"inconclusive","duration_seconds":1,"spending":{"live":{"calls":4,"tokens":3000,"cost":0.25,"unpriced":3}}}"#,
            r#"{"event":"test_finished","at":1,"test":"none","outcome":"xpassed","duration_seconds":1}"#,
            finished,
        ];
        results_block(&Run::read(lines.join("\n").trim_end()).unwrap(), verbose, Style::plain())
    }

    #[test]
    fn a_run_that_its_last_test_stopped_left_nothing_out() {
        let finished = r#"{"event":"run_finished","at":9,"duration_seconds":9,"ending":"stopped","reason":"stopping after 1 failures"}"#;
        assert!(!block_of(3, finished, false).contains("stopp"));
        let told = "The run was stopped after a failure (`unitai test --keep-going` runs the rest); 1 of 4 tests were not run.\n";
        assert!(block_of(4, finished, false).contains(told));
    }

    #[test]
    fn what_is_unknown_unpaid_and_overspent_is_said() {
        let finished = r#"{"event":"run_finished","at":9,"duration_seconds":9,"ending":"stopped","budget":{"limit":0.2,"spent":0.25}}"#;
        assert_eq!(
            block(finished, true),
            "\
======================== UnitAI Results ========================
1 passed, 1 failed (1 inconclusive), 1 xpassed in 9.0s
The run was stopped after a failure (`unitai test --keep-going` runs the rest); 2 of 5 tests were not run.
Total cost: $0.25 and 3 calls of unknown price | Total tokens: 3,030 | LLM calls: 6
Model calls: 4 live, at least $0.25 paid; 2 scripted
Budget overspent by $0.05: $0.25 of $0.20
  cost  tokens  test
$0.25+   3,000  dear\\x1b[31m
$0.003      30  cheap
================================================================"
        );
    }

    #[test]
    fn a_run_that_was_killed_says_so() {
        assert!(
            block("", false)
                .contains("The run did not come to its end: its process was killed; 2 of 5 tests")
        );
        assert!(!block("", false).contains("Budget"));
    }
}
