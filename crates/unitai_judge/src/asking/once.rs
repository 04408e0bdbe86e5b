//! Asks one provider once: a request, its answer, and one more turn where the answer cannot be read. What is left then is
//! unknown.

use std::time::Duration;

use unitai_spec::run::{Answer, Evidence, Question, Reply, Spent, Votes, check_quotes, doubt_without_quotes};

use super::prompt::{Earlier, Prompt};
use super::{read, schema};
use crate::provider::{Ask, Provider, Said, Trouble};

/// What came of asking once.
#[derive(Debug)]
pub(crate) struct Heard {
    /// One for each question, in the order in which they were asked.
    pub(crate) replies: Vec<Reply>,
    /// How often each was answered how, by its question; empty where each was asked once.
    pub(crate) votes: Vec<(String, Votes)>,
    /// Whether every question has an answer that could be read.
    pub(crate) is_whole: bool,
    /// The model that answered, as far as it is known.
    pub(crate) model: String,
    /// The model of the second judge, if it was asked.
    pub(crate) second: Option<String>,
    pub(crate) spent: Spent,
    pub(crate) notes: Vec<String>,
}

/// Asks these questions in this order.
pub(crate) async fn ask_once(
    provider: &dyn Provider,
    questions: &[Question],
    evidence: &[Evidence],
    timeout: Duration,
) -> Result<Heard, Trouble> {
    let schema = schema(questions);
    let ask = async |prompt: std::io::Result<Prompt>| {
        let prompt = prompt.map_err(|error| Trouble::Broken(format!("no random numbers: {error}")))?;
        let ask = Ask { system: prompt.system, prompt: &prompt.text, schema: &schema, timeout };
        provider.ask(&ask).await
    };
    let first = ask(Prompt::new(questions, evidence)).await?;
    let mut reading = read(&first, questions, evidence);
    let Said { mut model, mut spent, mut notes, .. } = first.clone();
    if !reading.faults.is_empty() {
        let structured = first.structured.as_ref().map(ToString::to_string);
        let text = structured.as_deref().filter(|_| first.text.is_empty()).unwrap_or(&first.text);
        let earlier = Earlier { text, faults: &reading.faults };
        let second = ask(Prompt::again(questions, evidence, earlier)).await?;
        reading = read(&second, questions, evidence);
        spent = spent.plus(second.spent);
        model = second.model;
        notes.extend(second.notes);
    }
    check_quotes(&mut reading.replies, evidence);
    doubt_without_quotes(&mut reading.replies);
    let is_whole = reading.replies.len() == questions.len();
    let unread = |question: &Question| Reply {
        id: question.id.clone(),
        answer: Answer::Unknown,
        quotes: Vec::new(),
        why: format!(
            "the answer of the judge could not be read, and asking once more did not help ({})",
            reading.faults.join("; ")
        ),
    };
    let reply_to = |question: &Question| reading.replies.iter().find(|it| it.id == question.id).cloned();
    let replies = questions.iter().map(|it| reply_to(it).unwrap_or_else(|| unread(it))).collect();
    Ok(Heard { replies, votes: Vec::new(), is_whole, model, second: None, spent, notes })
}
