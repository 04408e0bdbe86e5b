//! The first step at which failing runs part from passing ones.

use std::collections::HashMap;
use std::hash::Hash;

use rustc_hash::FxBuildHasher;
use unitai_model::value::{hash, plain};
use unitai_model::{ToolCall, Trajectory};

use super::fisher::fisher;
use crate::describe;

/// A difference that counts as one even where most runs of both kinds do the same.
const TELLING: f64 = 0.05;

/// Where failing runs part from passing ones, and what each kind does there.
#[derive(Debug, Clone, PartialEq)]
pub struct Parting {
    /// The position among the tool calls of a run, from 1.
    pub step: usize,
    /// What failing runs do there; `None` when they have ended.
    pub failing: Option<String>,
    /// What passing runs do there; `None` when they have ended.
    pub passing: Option<String>,
    /// The exact p value of "does what failing runs do" against "fails", at this step alone.
    pub p_value: f64,
}

/// Where failing runs part from passing ones: by the tools they call, and if these do not part, by tools
/// with their arguments.
///
/// That is the first step at which what the failing runs do most is not what the passing runs do most.
/// Failing that, the step at which the two kinds differ most surely, if at all; there, what each kind does
/// more often than the other is told.
pub fn parting(failing: &[&Trajectory], passing: &[&Trajectory]) -> Option<Parting> {
    if failing.is_empty() || passing.is_empty() {
        return None;
    }
    let by_tool = |call: &ToolCall| call.tool.clone();
    let by_call = |call: &ToolCall| (call.tool.clone(), hash(&call.args.value()));
    let tool = |call: &ToolCall| plain(call.tool.as_str());
    let whole = |call: &ToolCall| describe::call(call.tool.as_str(), &call.args);
    parting_by(failing, passing, Most::Common, by_tool, tool)
        .or_else(|| parting_by(failing, passing, Most::OfAll, by_call, whole))
}

/// What it takes to be what runs of a kind do.
#[derive(Clone, Copy, PartialEq)]
enum Most {
    /// No other thing is done by more of them.
    Common,
    /// More than half of them do it. Arguments hold ids and words that no two runs share, and one of those
    /// is always the most common.
    OfAll,
}

/// What runs do at one step: how many of the failing and how many of the passing, and one of the calls.
struct Choice<'a> {
    failing: u64,
    passing: u64,
    call: Option<&'a ToolCall>,
}

fn parting_by<'a, K: Hash + Eq>(
    failing: &[&'a Trajectory],
    passing: &[&'a Trajectory],
    most: Most,
    key: impl Fn(&ToolCall) -> K,
    shown: impl Fn(&ToolCall) -> String,
) -> Option<Parting> {
    let runs = failing.iter().map(|run| (*run, true)).chain(passing.iter().map(|run| (*run, false)));
    let mut going: Vec<(&Trajectory, bool)> = runs.collect();
    let (failing, passing) = (failing.len() as u64, passing.len() as u64);
    let parting = |at: usize, theirs: &Choice<'_>, others: &Choice<'_>| Parting {
        step: at + 1,
        failing: theirs.call.map(&shown),
        passing: others.call.map(&shown),
        p_value: fisher(theirs.failing, failing - theirs.failing, theirs.passing, passing - theirs.passing),
    };
    let mut surest: Option<Parting> = None;
    for at in 0.. {
        going.retain(|(run, _)| run.calls().order().len() > at);
        if going.is_empty() {
            break;
        }
        let choices = choices(&going, at, (failing, passing), &key);
        let theirs =
            choices.iter().reduce(|a, b| if (b.failing, b.passing) > (a.failing, a.passing) { b } else { a });
        let others =
            choices.iter().reduce(|a, b| if (b.passing, b.failing) > (a.passing, a.failing) { b } else { a });
        let (Some(theirs), Some(others)) = (theirs, others) else { break };
        let are_of_most = 2 * theirs.failing > failing && 2 * others.passing > passing;
        if !std::ptr::eq(theirs, others) && (most == Most::Common || are_of_most) {
            return Some(parting(at, theirs, others));
        }
        // Shares compared without division: their difference, times both numbers of runs.
        let excess = |choice: &Choice<'_>| {
            i128::from(choice.failing) * i128::from(passing)
                - i128::from(choice.passing) * i128::from(failing)
        };
        let theirs = choices.iter().reduce(|a, b| if excess(b) > excess(a) { b } else { a });
        let others = choices.iter().reduce(|a, b| if excess(b) < excess(a) { b } else { a });
        let (Some(theirs), Some(others)) = (theirs, others) else { break };
        let found = parting(at, theirs, others);
        if found.p_value < surest.as_ref().map_or(TELLING, |surest| surest.p_value) {
            surest = Some(found);
        }
    }
    surest
}

/// What the runs do at one position, in the order in which it is first met; those that have ended come last.
fn choices<'a, K: Hash + Eq>(
    going: &[(&'a Trajectory, bool)],
    at: usize,
    (failing, passing): (u64, u64),
    key: impl Fn(&ToolCall) -> K,
) -> Vec<Choice<'a>> {
    let mut places: HashMap<K, usize, FxBuildHasher> = HashMap::default();
    let mut choices: Vec<Choice<'a>> = Vec::new();
    let mut ended = Choice { failing, passing, call: None };
    for (run, fails) in going {
        let call = run.call_at(at).call;
        let place = *places.entry(key(call)).or_insert_with(|| {
            choices.push(Choice { failing: 0, passing: 0, call: Some(call) });
            choices.len() - 1
        });
        let choice = &mut choices[place];
        let (here, rest) = match fails {
            true => (&mut choice.failing, &mut ended.failing),
            false => (&mut choice.passing, &mut ended.passing),
        };
        *here += 1;
        *rest -= 1;
    }
    choices.push(ended);
    choices
}

#[cfg(test)]
mod tests {
    use unitai_model::{Action, Ending, Outcome, Packed, Step, ToolName};

    use super::*;

    /// A run that calls these tools, each with a number.
    fn run(calls: &[(&str, u32)]) -> Trajectory {
        let steps = calls.iter().map(|(tool, n)| Step {
            timestamp: 0.0,
            agent_id: None,
            action: Action::ToolCall(ToolCall {
                tool: ToolName::new(tool),
                args: Packed::from_trusted(&format!("{{\"n\":{n}}}")),
                outcome: Outcome::Returned(Packed::null()),
            }),
            fault: None,
        });
        Trajectory::new("run", Packed::null(), 0.0, 0.0, steps.collect(), Ending::returned(Packed::null()))
    }

    fn found(failing: &[Trajectory], passing: &[Trajectory]) -> Option<(usize, String, String, f64)> {
        let parting = parting(&failing.iter().collect::<Vec<_>>(), &passing.iter().collect::<Vec<_>>())?;
        let word = |thing: Option<String>| thing.unwrap_or_else(|| "ended".to_owned());
        Some((parting.step, word(parting.failing), word(parting.passing), parting.p_value))
    }

    fn said(step: usize, failing: &str, passing: &str, p_value: f64) -> Option<(usize, String, String, f64)> {
        Some((step, failing.to_owned(), passing.to_owned(), p_value))
    }

    #[test]
    fn runs_part_at_the_first_tool_that_most_do_differently() {
        let hasty = run(&[("look", 1), ("refund", 1), ("mail", 1)]);
        let careful = run(&[("look", 1), ("check", 1), ("refund", 1)]);
        let parted = found(&[hasty.clone(), hasty.clone(), careful.clone()], &vec![careful.clone(); 4]);
        assert_eq!(parted, said(2, "refund", "check", fisher(2, 1, 0, 4)));
        let short = run(&[("look", 1)]);
        let (short, careful) = ([short], [careful]);
        assert_eq!(found(&short, &careful), said(2, "ended", "check", 1.0));
        assert_eq!(found(&careful, &short), said(2, "check", "ended", 1.0));
    }

    #[test]
    fn a_tie_is_no_parting() {
        let (a, b) = (run(&[("a", 1)]), run(&[("b", 1)]));
        assert_eq!(found(&[a.clone(), b.clone()], &[b.clone(), b.clone(), a.clone()]), None);
        assert_eq!(found(&[b.clone(), a.clone()], &[a, b]), None);
    }

    #[test]
    fn where_most_do_the_same_the_surest_difference_is_told() {
        let (look, skip) = (run(&[("look", 1), ("end", 1)]), run(&[("skip", 1), ("end", 1)]));
        let failing = [vec![look.clone(); 6], vec![skip; 4]].concat();
        let parted = found(&failing, &vec![look; 30]);
        assert_eq!(parted, said(1, "skip", "look", fisher(4, 6, 0, 30)));
        assert!(fisher(4, 6, 0, 30) < 0.05);
    }

    #[test]
    fn runs_that_call_the_same_tools_part_by_arguments() {
        let (one, two) = (run(&[("look", 1), ("refund", 5)]), run(&[("look", 1), ("refund", 7)]));
        let parted = found(&vec![one.clone(); 3], &vec![two.clone(); 3]);
        assert_eq!(parted, said(2, "refund(n=5)", "refund(n=7)", fisher(3, 0, 0, 3)));
        assert_eq!(found(&[one.clone(), two.clone()], &[two, one]), None);
    }

    #[test]
    fn arguments_that_no_two_runs_share_are_no_parting() {
        let runs: Vec<Trajectory> = (0..8).map(|n| run(&[("look", n)])).collect();
        assert_eq!(found(&runs[..4], &runs[4..]), None);
        assert_eq!(found(&runs[..1], &runs[4..]), None);
    }

    #[test]
    fn nothing_parts_from_nothing() {
        assert_eq!(found(&[], &[run(&[("a", 1)])]), None);
        assert_eq!(found(&[run(&[("a", 1)])], &[]), None);
        assert_eq!(found(&[run(&[])], &[run(&[])]), None);
    }
}
