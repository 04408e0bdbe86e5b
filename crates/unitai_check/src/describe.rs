//! Words that several checks share.

use unitai_model::calls::PlacedCall;
use unitai_model::value::{arguments, plain, quoted};
use unitai_model::{Packed, Trajectory, Value};

use crate::ports::Arguments;
use crate::{Judgement, Names};

/// What a report says of a tool that no call reached: it was never called, or each call was rejected.
pub(crate) fn never_called(trajectory: &Trajectory, tool: &str) -> String {
    let rejected: Vec<usize> = trajectory.rejected_calls_of(tool).map(|attempt| attempt.step).collect();
    match rejected.as_slice() {
        [] => {}
        [_] => {
            return format!(
                "the only call of {}, at {}, was rejected before it reached the tool",
                plain(tool),
                steps(&rejected)
            );
        }
        several => {
            return format!(
                "all {} calls of {}, at {}, were rejected before they reached the tool",
                several.len(),
                plain(tool),
                steps(several)
            );
        }
    }
    let tools = trajectory.calls().tools();
    if tools.is_empty() {
        return "no tool was called".to_owned();
    }
    let called = tools.iter().take(8).map(|name| plain(name.as_str())).collect::<Vec<_>>().join(", ");
    let more = if tools.len() > 8 { ", ..." } else { "" };
    format!("{} was never called (called: {called}{more})", plain(tool))
}

/// `a` with arguments as in a call: `lookup(order_id="123")`.
pub(crate) fn call(tool: &str, args: &Packed) -> String {
    format!("{}({})", plain(tool), arguments(args, 80))
}

/// Steps as a person counts them: `step 1`, `steps 1, 3 and 4`.
pub(crate) fn steps(indices: &[usize]) -> String {
    let numbers: Vec<String> = indices.iter().take(8).map(|at| (at + 1).to_string()).collect();
    match numbers.as_slice() {
        [] => "no step".to_owned(),
        [one] => format!("step {one}"),
        _ if indices.len() > 8 => format!("steps {}, ...", numbers.join(", ")),
        [first @ .., last] => format!("steps {} and {last}", first.join(", ")),
    }
}

/// `once`, `twice`, `3 times`.
pub(crate) fn times(count: usize) -> String {
    match count {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{n} times"),
    }
}

/// `1 call`, `3 calls`.
pub(crate) fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// Names in quotes, as in a list: `["a", "b"]`.
pub(crate) fn names(names: &Names) -> String {
    format!("[{}]", names.iter().map(quoted).collect::<Vec<_>>().join(", "))
}

/// Judges whether some call of a tool had the arguments: exactly if `whole`, else among others.
pub(crate) fn called(trajectory: &Trajectory, tool: &str, wanted: &dyn Arguments, whole: bool) -> Judgement {
    let fits =
        |call: &PlacedCall<'_>| if whole { wanted.are_exactly(*call) } else { wanted.are_among(*call) };
    if let Some(call) = trajectory.calls_of(tool).find(fits) {
        return Judgement::Held(vec![call.step]);
    }
    let calls: Vec<_> = trajectory.calls_of(tool).collect();
    if calls.is_empty() {
        return Judgement::broken(never_called(trajectory, tool), []);
    }
    let (actual, cites) = nearest(&calls, wanted, whole);
    Judgement::broken(actual, cites)
}

/// How the calls of a tool differ from the arguments wanted: the nearest one, in detail.
fn nearest(calls: &[PlacedCall<'_>], wanted: &dyn Arguments, whole: bool) -> (String, Vec<usize>) {
    // The nearest call is sought among the first hundred: beyond that the search costs more than it tells.
    let best = calls
        .iter()
        .take(100)
        .map(|call| (call, wanted.differences(*call, whole)))
        .min_by_key(|(_, differences)| differences.len());
    let Some((call, differences)) = best else { return (String::new(), vec![]) };
    let tool = plain(call.call.tool.as_str());
    let intro = if calls.len() == 1 {
        format!("{tool} was called once, at step {}, with", call.step + 1)
    } else {
        format!(
            "{tool} was called {}, never so; the nearest call is step {}, with",
            times(calls.len()),
            call.step + 1
        )
    };
    (format!("{intro} {}", differences.join("; ")), vec![call.step])
}

/// The final output as text; `None` when the agent gave none.
pub(crate) fn output_text(trajectory: &Trajectory) -> Option<String> {
    let output = trajectory.output()?;
    if let Some(text) = output.as_str() {
        return Some(text);
    }
    match output.value() {
        Value::Null => None,
        Value::Surrogates(points) => Some(
            points
                .into_iter()
                .map(|point| char::from_u32(point).unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect(),
        ),
        other => Some(other.to_string()),
    }
}

/// Why there is no output to look at.
pub(crate) fn no_output(trajectory: &Trajectory) -> String {
    match trajectory.error() {
        Some(error) => format!("there is no output: the agent raised {}", plain(&error.to_string())),
        None => "the agent returned no output".to_owned(),
    }
}

/// Output in quotes, cut.
pub(crate) fn shown_output(text: &str) -> String {
    Value::Str(text.to_owned()).shown(200)
}
