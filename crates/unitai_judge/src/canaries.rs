//! Whether a judge can tell yes from no at all. It is asked something whose answer is known, once in a session and before
//! anything else; the values are drawn anew each time, so that nobody can have learned them.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::OnceCell;
use unitai_model::value::Value;
use unitai_spec::data::from_json;
use unitai_spec::run::{Answer, Evidence, Outcome, Question, QuestionKind, Reply, Spent};

use crate::asking::ask_once;
use crate::provider::{Provider, Trouble};

/// What an order can be, and what it plainly is not then.
const STATES: [(&str, &str); 4] =
    [("shipped", "cancelled"), ("paid", "refused"), ("delivered", "lost"), ("confirmed", "rejected")];

/// What a judge has shown of itself. One for all tests of a session.
#[derive(Debug, Default)]
pub(crate) struct Canaries {
    /// Trouble is not kept: it says nothing about the judge, and may be over the next time.
    found: OnceCell<Result<(), String>>,
    is_told: AtomicBool,
}

/// What a judge that may be asked has taken so far.
pub(crate) enum Passed {
    /// It may be asked.
    Well(Spent),
    /// It has no say. Why, for people.
    Badly(String),
}

impl Canaries {
    /// Asks, unless somebody has. Whoever comes meanwhile waits.
    pub(crate) async fn pass(&self, provider: &dyn Provider, timeout: Duration) -> Result<Passed, Trouble> {
        let mut spent = Spent::NOTHING;
        let spending = &mut spent;
        let found = self.found.get_or_try_init(|| async move {
            let canary =
                Canary::draw().map_err(|error| Trouble::Broken(format!("no random numbers: {error}")))?;
            let heard = ask_once(provider, &canary.questions, &canary.evidence, timeout).await?;
            *spending = heard.spent;
            Ok(canary.look_at(&heard.replies))
        });
        Ok(match found.await? {
            Ok(()) => Passed::Well(spent),
            Err(why) => Passed::Badly(self.told(provider.name(), why)),
        })
    }

    /// In full for the first test, and short for all after it.
    fn told(&self, name: &str, why: &str) -> String {
        if self.is_told.swap(true, Ordering::Relaxed) {
            return format!("{name} has no say: it failed its canaries, as an earlier test tells in full");
        }
        format!(
            "{name} has no say, because it cannot tell yes from no: {why}; choose another model or provider, or set \
             judge.canaries to false to believe it all the same"
        )
    }
}

/// One record that plainly shows what is asked, and one that plainly does not.
struct Canary {
    questions: Vec<Question>,
    evidence: Vec<Evidence>,
    /// The question whose answer is yes, and the record that shows it.
    good: (String, String),
    /// The question whose answer is no.
    bad: String,
}

impl Canary {
    fn draw() -> io::Result<Canary> {
        let chance = unitai_wire::token::make()?;
        let digit = |at: usize| chance[at..=at].chars().next().and_then(|it| it.to_digit(16)).unwrap_or(0);
        let (state, other) = STATES[digit(0) as usize % STATES.len()];
        let (order, lost, receipt) = (&chance[8..14], &chance[16..22], &chance[24..40]);
        let good = serde_json::json!({"order": order, "status": state, "receipt": receipt});
        let bad = serde_json::json!({"order": lost, "status": other, "receipt": null});
        let asked = format!("The order {order} is {state}, and its receipt is {receipt}.");
        let denied = format!("The order {lost} is {state}.");
        let (good_first, yes_first) = (digit(1) % 2 == 0, digit(2) % 2 == 0);
        let records = in_order(good_first, (order, good), (lost, bad));
        let questions = in_order(yes_first, asked, denied);
        let name = |prefix: char, is_first: bool| format!("{prefix}{}", if is_first { 1 } else { 2 });
        Ok(Canary {
            good: (name('Q', yes_first), name('E', good_first)),
            bad: name('Q', !yes_first),
            questions: (1..).zip(questions).map(|(n, text)| question(n, text)).collect(),
            evidence: (1..).zip(records).map(|(n, (order, said))| record(n, order, &said)).collect(),
        })
    }

    fn look_at(&self, replies: &[Reply]) -> Result<(), String> {
        let look = |id: &str, expected: Answer, what: &str| {
            let reply = replies.iter().find(|it| it.id == id);
            let found = reply.map_or(Answer::Unknown, |it| it.answer);
            let text = self.questions.iter().find(|it| it.id == id).map_or("", |it| it.text.as_str());
            let why = reply.map(|it| it.why.as_str()).filter(|it| !it.is_empty());
            let why = why.map_or_else(String::new, |it| format!(" ({it})"));
            if found == expected {
                Ok(reply)
            } else {
                Err(format!(
                    "asked about evidence that plainly {what} \"{text}\", it said {}{why}",
                    found.word()
                ))
            }
        };
        look(&self.bad, Answer::No, "denies")?;
        let good = look(&self.good.0, Answer::Yes, "shows")?;
        if good.is_some_and(|it| it.quotes.iter().any(|quote| quote.reference == self.good.1)) {
            Ok(())
        } else {
            Err("it quoted another record than the one that shows what was asked".to_owned())
        }
    }
}

fn in_order<T>(is_first: bool, one: T, two: T) -> [T; 2] {
    if is_first { [one, two] } else { [two, one] }
}

fn question(number: usize, text: String) -> Question {
    Question { id: format!("Q{number}"), kind: QuestionKind::PassIf, text }
}

fn record(number: usize, order: &str, said: &serde_json::Value) -> Evidence {
    Evidence {
        number,
        path: format!("steps[{}]", number - 1),
        attempt: 1,
        server: String::new(),
        tool: "look_up_order".to_owned(),
        args: vec![("order".to_owned(), Value::Str(order.to_owned()))],
        started: 0.0,
        ms: 0.0,
        outcome: Outcome::Returned { value: from_json(said), text: said.to_string() },
        sha256: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_are_the_same_and_each_has_one_yes_and_one_no() {
        let (one, two) = (Canary::draw().unwrap(), Canary::draw().unwrap());
        assert_ne!(one.questions, two.questions);
        for canary in [one, two] {
            assert_ne!(canary.good.0, canary.bad);
            let text = |id: &str| canary.questions.iter().find(|it| it.id == id).unwrap().text.clone();
            let record = canary.evidence.iter().find(|it| it.reference() == canary.good.1).unwrap();
            let Value::Str(order) = &record.args[0].1 else { panic!("a text") };
            assert!(text(&canary.good.0).contains(order.as_str()));
            assert!(!text(&canary.bad).contains(order.as_str()));
        }
    }
}
