//! Whom to ask and how often: the first judge as often as is wanted, in another order each time; the second where the first is
//! split or does not know.

use std::sync::Arc;
use std::time::Duration;

use unitai_spec::run::{Answer, Evidence, Question, Reply, Spent, Votes};

use crate::asking::{Heard, ask_once};
use crate::canaries::{Canaries, Passed};
use crate::provider::{Provider, Trouble};

/// One who is asked.
pub(crate) struct Seat {
    pub(crate) provider: Arc<dyn Provider>,
    canaries: Option<Arc<Canaries>>,
}

/// How to ask.
#[derive(Debug, Clone, Copy)]
pub(crate) struct How<'a> {
    pub(crate) repeats: u32,
    pub(crate) timeout: Duration,
    /// What the orders of questions come from: the same the next time.
    pub(crate) seed: &'a str,
}

/// What came of it.
#[derive(Debug)]
pub(crate) enum Polled {
    Heard(Heard),
    /// A judge has no say. Why, for people.
    Unfit(String),
}

impl Seat {
    pub(crate) fn new(provider: Arc<dyn Provider>, has_canaries: bool) -> Seat {
        Seat { provider, canaries: has_canaries.then(Arc::default) }
    }

    /// The same seat, with whoever pays for it before the provider.
    pub(crate) fn paid_from(&self, pay: &dyn Fn(Arc<dyn Provider>) -> Arc<dyn Provider>) -> Seat {
        Seat { provider: pay(self.provider.clone()), canaries: self.canaries.clone() }
    }

    async fn pass(&self, timeout: Duration) -> Result<Passed, Trouble> {
        match &self.canaries {
            Some(canaries) => canaries.pass(&*self.provider, timeout).await,
            None => Ok(Passed::Well(Spent::NOTHING)),
        }
    }
}

/// Asks.
pub(crate) async fn poll(
    first: &Seat,
    second: Option<&Seat>,
    questions: &[Question],
    evidence: &[Evidence],
    how: How<'_>,
) -> Result<Polled, Trouble> {
    let spent = match first.pass(how.timeout).await? {
        Passed::Well(spent) => spent,
        Passed::Badly(why) => return Ok(Polled::Unfit(why)),
    };
    let mut all = Heard {
        replies: Vec::new(),
        votes: Vec::new(),
        is_whole: true,
        model: String::new(),
        second: None,
        spent,
        notes: Vec::new(),
    };
    let mut rounds = Vec::new();
    for order in orders(questions.len(), how.repeats.max(1), how.seed) {
        let asked: Vec<Question> = order.iter().map(|at| questions[*at].clone()).collect();
        let heard = ask_once(&*first.provider, &asked, evidence, how.timeout).await?;
        all.take(&heard);
        rounds.push(heard.replies);
    }
    all.replies = questions.iter().map(|question| counted(&question.id, &rounds)).collect();
    if how.repeats > 1 {
        all.votes =
            questions.iter().map(|question| (question.id.clone(), votes(&question.id, &rounds))).collect();
    }
    let open: Vec<Question> = questions
        .iter()
        .zip(&all.replies)
        .filter(|(_, it)| it.answer == Answer::Unknown)
        .map(|(it, _)| it.clone())
        .collect();
    let Some(second) = second.filter(|_| !open.is_empty()) else { return Ok(Polled::Heard(all)) };
    let asked = async {
        Ok(match second.pass(how.timeout).await? {
            Passed::Well(spent) => {
                Ok((spent, ask_once(&*second.provider, &open, evidence, how.timeout).await?))
            }
            Passed::Badly(why) => Err(why),
        })
    };
    let (spent, heard) = match asked.await {
        Ok(Ok(heard)) => heard,
        Ok(Err(why)) => return Ok(Polled::Unfit(why)),
        // What the first said still counts.
        Err(Trouble::Absent(how)) => {
            all.notes.push(format!("the second judge is not there: {how}"));
            return Ok(Polled::Heard(all));
        }
        Err(trouble) => return Err(trouble),
    };
    all.spent = all.spent.plus(spent);
    let model = std::mem::take(&mut all.model);
    all.take(&heard);
    all.second = Some(std::mem::replace(&mut all.model, model));
    for reply in heard.replies {
        if let Some(known) = all.replies.iter_mut().find(|it| it.id == reply.id) {
            overrule(known, reply, second.provider.name());
        }
    }
    Ok(Polled::Heard(all))
}

impl Heard {
    /// Counts what another answer took, and what is to be known about it.
    fn take(&mut self, other: &Heard) {
        self.spent = self.spent.plus(other.spent);
        self.is_whole &= other.is_whole;
        self.model.clone_from(&other.model);
        for note in &other.notes {
            if !self.notes.contains(note) {
                self.notes.push(note.clone());
            }
        }
    }
}

fn votes(id: &str, rounds: &[Vec<Reply>]) -> Votes {
    let mut votes = Votes::default();
    rounds.iter().flatten().filter(|it| it.id == id).for_each(|it| votes.count(it.answer));
    votes
}

/// What several answers to one question come to: the answer if all are the same, else nobody knows.
fn counted(id: &str, rounds: &[Vec<Reply>]) -> Reply {
    let replies: Vec<&Reply> = rounds.iter().flatten().filter(|it| it.id == id).collect();
    let count = |answer: Answer| replies.iter().filter(|it| it.answer == answer).count();
    let kinds: Vec<String> = [Answer::Yes, Answer::No, Answer::Unknown]
        .into_iter()
        .filter(|answer| count(*answer) > 0)
        .map(|answer| format!("{} {}", count(answer), answer.word()))
        .collect();
    match replies.first() {
        Some(first) if kinds.len() == 1 => (*first).clone(),
        _ => {
            let whys: Vec<String> = replies
                .iter()
                .filter(|it| !it.why.is_empty())
                .map(|it| format!("{}: {}", it.answer.word(), it.why))
                .collect();
            let quotes = Vec::new();
            let why = format!("the judge is split, {} ({})", kinds.join(", "), whys.join("; "));
            Reply { id: id.to_owned(), answer: Answer::Unknown, quotes, why }
        }
    }
}

/// The second judge's answer counts if it has one.
fn overrule(known: &mut Reply, reply: Reply, name: &str) {
    if reply.answer == Answer::Unknown {
        let why = if reply.why.is_empty() { String::new() } else { format!(": {}", reply.why) };
        known.why = format!("{}; the second judge, {name}, does not know either{why}", known.why);
    } else {
        let why = format!("{} (so says the second judge, {name}, after: {})", reply.why, known.why);
        *known = Reply { why: why.trim_start().to_owned(), ..reply };
    }
}

/// The orders in which questions are asked: first as they stand, then each time another, as long as there are others.
fn orders(count: usize, repeats: u32, seed: &str) -> Vec<Vec<usize>> {
    let mut orders: Vec<Vec<usize>> = Vec::new();
    for round in 0..repeats {
        let mut order: Vec<usize> = (0..count).collect();
        if round > 0 {
            let digest = unitai_wire::digest(&[seed, &round.to_string()]);
            // Fisher and Yates, with eight digits of the digest for each step.
            for at in (1..count).rev() {
                let begin = at * 8 % (digest.len() - 7);
                let drawn = usize::from_str_radix(&digest[begin..begin + 8], 16).unwrap_or(0);
                order.swap(at, drawn % (at + 1));
            }
            for _ in 0..count {
                if !orders.contains(&order) {
                    break;
                }
                order.rotate_left(1);
            }
        }
        orders.push(order);
    }
    orders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_order_is_another_and_the_same_the_next_time() {
        let some = orders(5, 4, "seed");
        assert_eq!(some, orders(5, 4, "seed"));
        assert_ne!(some, orders(5, 4, "another"));
        assert_eq!(some[0], [0, 1, 2, 3, 4]);
        for (n, order) in some.iter().enumerate() {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3, 4]);
            assert!(!some[..n].contains(order), "{some:?}");
        }
        assert_eq!(orders(2, 3, "x")[1], [1, 0]);
        assert_eq!(orders(1, 3, "x"), vec![vec![0]; 3]);
        assert_eq!(orders(0, 1, "x"), vec![Vec::<usize>::new()]);
    }

    fn reply(answer: Answer, why: &str) -> Reply {
        Reply { id: "Q1".to_owned(), answer, quotes: Vec::new(), why: why.to_owned() }
    }

    #[test]
    fn all_the_same_is_the_answer_and_anything_else_a_tally() {
        let yes = || vec![reply(Answer::Yes, "seen")];
        assert_eq!(counted("Q1", &[yes(), yes()]), reply(Answer::Yes, "seen"));
        let split = counted("Q1", &[yes(), vec![reply(Answer::No, "gone")], yes()]);
        assert_eq!(split.answer, Answer::Unknown);
        assert_eq!(split.why, "the judge is split, 2 yes, 1 no (yes: seen; no: gone; yes: seen)");
        let unsure = counted("Q1", &[yes(), vec![reply(Answer::Unknown, "")]]);
        assert_eq!(unsure.why, "the judge is split, 1 yes, 1 unknown (yes: seen)");
    }
}
