//! Where one run stands in a script.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::offered::check_calls;
use super::step::quoted;
use super::{Fail, Line, Play, Script, Step};
use crate::common::{Request, Stamp};

/// Where one run stands in a script.
#[derive(Debug)]
pub struct Playback {
    /// Which run of the script this is, from 0: seeded choices differ from run to run.
    ordinal: u64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Requests so far.
    turn: u64,
    /// For each line, how often it was played.
    played: Vec<usize>,
}

/// What to do with a request.
#[derive(Debug, Clone, Copy)]
pub enum Move<'a> {
    /// Answer it.
    Play(&'a Play),
    /// Fail it.
    Fail(&'a Fail),
}

/// Why a script does not answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// No step is left, and no rule holds.
    NothingLeft {
        /// Which request of the run, from 1.
        turn: u64,
        /// What came.
        came: String,
        /// Rules whose conditions did not hold.
        left: Vec<String>,
    },
    /// The step calls a tool that the request does not offer.
    NotOffered {
        /// The call, as one writes it.
        call: String,
        /// Its tool.
        tool: String,
        /// The tools that the request offers.
        offered: Vec<String>,
    },
    /// The step calls a tool with arguments that the schema of the tool refuses.
    WrongArguments {
        /// The call, as one writes it.
        call: String,
        /// Its tool.
        tool: String,
        /// What the schema refuses.
        violations: Vec<String>,
    },
    /// A condition is the user's code, and it failed.
    Condition {
        /// What it said.
        reason: String,
    },
}

impl Playback {
    /// The `ordinal`-th run of a script, at its beginning.
    pub fn new(ordinal: u64) -> Playback {
        Playback { ordinal, state: Mutex::default() }
    }

    /// What the script does with the next request.
    pub fn next<'a>(&self, script: &'a Script, request: &Request) -> Result<(Move<'a>, Stamp), Trouble> {
        let turn = {
            let mut state = self.state();
            state.played.resize(script.lines().len(), 0);
            state.turn += 1;
            state.turn
        };
        // Conditions may be the user's code: no lock is held while they are asked.
        let mut holding = Vec::new();
        for (at, line) in script.lines().iter().enumerate() {
            if let Line::Rule(rule) = line
                && rule.condition.holds(request, turn).map_err(|reason| Trouble::Condition { reason })?
            {
                holding.push(at);
            }
        }
        let step = self.choose(script, &holding).ok_or_else(|| Trouble::NothingLeft {
            turn,
            came: describe(request),
            left: self.left(script),
        })?;
        let stamp = Stamp { turn };
        let next = self
            .resolve(step, turn)
            .ok_or_else(|| Trouble::Condition { reason: "a choice of a script is empty".to_owned() })?;
        if let Move::Play(play) = next {
            check_calls(play, request)?;
        }
        Ok((next, stamp))
    }

    /// Steps that were not played, and rules that must be met and were not, as one writes them.
    pub fn unplayed(&self, script: &Script) -> Vec<String> {
        let state = self.state();
        let played = |at: usize| state.played.get(at).copied().unwrap_or(0);
        let mut unplayed = Vec::new();
        for (at, line) in script.lines().iter().enumerate() {
            match line {
                Line::Step(step) if played(at) == 0 => unplayed.push(step.shown()),
                Line::Rule(rule) if !rule.is_standing => {
                    unplayed.extend(rule.steps.iter().skip(played(at)).map(|step| rule.shown(step)));
                }
                Line::Step(_) | Line::Rule(_) => {}
            }
        }
        unplayed
    }

    /// How many requests came.
    pub fn turns(&self) -> u64 {
        self.state().turn
    }

    fn choose<'a>(&self, script: &'a Script, holding: &[usize]) -> Option<&'a Step> {
        let mut state = self.state();
        for at in holding {
            let Line::Rule(rule) = &script.lines()[*at] else { continue };
            let step =
                rule.steps.get(state.played[*at]).or(if rule.is_standing { rule.steps.last() } else { None });
            if let Some(step) = step {
                state.played[*at] += 1;
                return Some(step);
            }
        }
        for (at, line) in script.lines().iter().enumerate() {
            if let Line::Step(step) = line
                && state.played[at] == 0
            {
                state.played[at] = 1;
                return Some(step);
            }
        }
        None
    }

    fn resolve<'a>(&self, step: &'a Step, turn: u64) -> Option<Move<'a>> {
        match step {
            Step::Play(play) => Some(Move::Play(play)),
            Step::Fail(fail) => Some(Move::Fail(fail)),
            Step::Choice(choice) => self.resolve(choice.choose(self.ordinal, turn)?, turn),
        }
    }

    fn left(&self, script: &Script) -> Vec<String> {
        let state = self.state();
        let rules = script.lines().iter().zip(&state.played).filter_map(|(line, played)| match line {
            Line::Rule(rule) => rule.steps.get(*played).or(rule.steps.last()).map(|step| rule.shown(step)),
            Line::Step(_) => None,
        });
        rules.collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request in a few words.
fn describe(request: &Request) -> String {
    let mut words = vec![format!("model {}", quoted(&request.model))];
    let results = request.tool_results();
    if results.is_empty() {
        words.push(format!("last_message={}", quoted(&request.last_message())));
    }
    for (tool, result) in results.into_iter().take(4) {
        words.push(format!("tool_result={} of {}", quoted(result), tool.unwrap_or("a tool")));
    }
    words.join(", ")
}
