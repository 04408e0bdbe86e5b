//! Matching against a reference, compared with what trying every pairing would say.

use proptest::prelude::*;
use unitai_check::Check;
use unitai_check::ports::{Arguments, DataArguments, ExpectedArguments};
use unitai_check::reference::{ExpectedCall, Matches, Mode};
use unitai_model::calls::PlacedCall;
use unitai_model::{Action, Ending, Outcome, Packed, Step, ToolCall, ToolName, Trajectory};

/// What a reference asks of a call's only argument.
#[derive(Debug, Clone, Copy)]
enum Wanted {
    Exactly(u8),
    AnyOf(u8, u8),
    Anything,
}

impl Wanted {
    fn accepts(self, n: u8) -> bool {
        match self {
            Wanted::Exactly(wanted) => n == wanted,
            Wanted::AnyOf(a, b) => n == a || n == b,
            Wanted::Anything => true,
        }
    }
}

struct EitherOf(u8, u8);

impl Arguments for EitherOf {
    fn are_exactly(&self, call: PlacedCall<'_>) -> bool {
        let text = call.call.args.text();
        text == args(self.0).text() || text == args(self.1).text()
    }

    fn are_among(&self, call: PlacedCall<'_>) -> bool {
        self.are_exactly(call)
    }

    fn differences(&self, _: PlacedCall<'_>, _: bool) -> Vec<String> {
        vec![]
    }

    fn shown(&self) -> String {
        format!("n={} or {}", self.0, self.1)
    }

    fn as_data(&self) -> Option<&Packed> {
        None
    }
}

fn args(n: u8) -> Packed {
    Packed::from_trusted(&format!("{{\"n\":{n}}}"))
}

fn trajectory(calls: &[u8]) -> Trajectory {
    let steps = calls.iter().map(|n| Step {
        timestamp: 0.0,
        agent_id: None,
        action: Action::ToolCall(ToolCall {
            tool: ToolName::new("t"),
            args: args(*n),
            outcome: Outcome::Returned(Packed::null()),
        }),
        fault: None,
    });
    Trajectory::new("run", Packed::null(), 0.0, 0.0, steps.collect(), Ending::returned(Packed::null()))
}

fn holds(wanted: &[Wanted], calls: &[u8], mode: Mode) -> bool {
    let expected = wanted.iter().map(|wanted| {
        let args = match wanted {
            Wanted::Exactly(n) => ExpectedArguments::Data(DataArguments::new(args(*n))),
            Wanted::AnyOf(a, b) => ExpectedArguments::Ask(Box::new(EitherOf(*a, *b))),
            Wanted::Anything => ExpectedArguments::Any,
        };
        ExpectedCall { tool: ToolName::new("t"), args }
    });
    Matches { expected: expected.collect(), mode }.judge(&trajectory(calls)).held()
}

/// The most entries that can be paired, by trying everything.
fn best(wanted: &[Wanted], free: &mut Vec<u8>) -> usize {
    let Some((first, rest)) = wanted.split_first() else { return 0 };
    let mut most = best(rest, free);
    for at in 0..free.len() {
        if first.accepts(free[at]) {
            let taken = free.remove(at);
            most = most.max(1 + best(rest, free));
            free.insert(at, taken);
        }
    }
    most
}

fn is_subsequence(wanted: &[Wanted], calls: &[u8]) -> bool {
    let mut rest = calls.iter();
    wanted.iter().all(|wanted| rest.any(|n| wanted.accepts(*n)))
}

fn any_wanted() -> impl Strategy<Value = Wanted> {
    prop_oneof![
        3 => (0u8..4).prop_map(Wanted::Exactly),
        2 => (0u8..4, 0u8..4).prop_map(|(a, b)| Wanted::AnyOf(a, b)),
        1 => Just(Wanted::Anything),
    ]
}

proptest! {
    #[test]
    fn every_mode_agrees_with_trying_everything(
        wanted in proptest::collection::vec(any_wanted(), 0..6),
        calls in proptest::collection::vec(0u8..4, 0..6),
    ) {
        let most = best(&wanted, &mut calls.clone());
        let same = wanted.len() == calls.len() && wanted.iter().zip(&calls).all(|(wanted, n)| wanted.accepts(*n));
        prop_assert_eq!(holds(&wanted, &calls, Mode::Strict), same);
        prop_assert_eq!(holds(&wanted, &calls, Mode::Unordered), most == wanted.len() && most == calls.len());
        prop_assert_eq!(holds(&wanted, &calls, Mode::Subset), most == calls.len());
        prop_assert_eq!(holds(&wanted, &calls, Mode::Superset), most == wanted.len());
        prop_assert_eq!(holds(&wanted, &calls, Mode::InOrder), is_subsequence(&wanted, &calls));
    }
}

#[test]
fn a_hundred_thousand_calls_are_paired_without_comparing_each_with_each() {
    let calls: Vec<u8> = (0..100_000u32).map(|n| (n % 251) as u8).collect();
    let wanted: Vec<Wanted> = calls.iter().rev().map(|n| Wanted::Exactly(*n)).collect();
    assert!(holds(&wanted, &calls, Mode::Unordered));
    let names = vec![Wanted::Anything; calls.len()];
    assert!(holds(&names, &calls, Mode::Unordered));
    assert!(!holds(&names[1..], &calls, Mode::Unordered));
    let off: Vec<Wanted> = wanted.iter().skip(1).copied().chain([Wanted::Exactly(255)]).collect();
    assert!(!holds(&off, &calls, Mode::Unordered));
}
