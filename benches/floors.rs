//! What the same questions cost in bare Rust: no Python, no framework, data laid out for the question.
//!
//! Prints one line of JSON: microseconds by operation, named as in cases/trajectories.py. The argument
//! is the number of steps. Compiled by run.py with `rustc -O`.

use std::collections::HashMap;
use std::fmt::Write;
use std::hint::black_box;
use std::time::Instant;

const TOOLS: usize = 20;
const REFUND: u32 = 99;

/// Columns: the tool of each call as a number, its order id, and its arguments as text.
struct Calls {
    tools: Vec<u32>,
    orders: Vec<u64>,
    args: Vec<String>,
}

impl Calls {
    fn new(size: usize) -> Calls {
        let mut tools: Vec<u32> = (0..size).map(|i| (i % TOOLS) as u32).collect();
        tools[size - 1] = REFUND;
        let orders: Vec<u64> = (0..size as u64).collect();
        let args = orders.iter().map(|order| format!("{{\"order_id\":{order},\"amount\":5.0}}")).collect();
        Calls { tools, orders, args }
    }

    fn first(&self, tool: u32) -> Option<usize> {
        self.tools.iter().position(|found| *found == tool)
    }

    fn called_with(&self, tool: u32, order: u64) -> bool {
        self.tools.iter().zip(&self.orders).any(|(found, given)| *found == tool && *given == order)
    }

    fn contains_in_order(&self, wanted: &[u32]) -> bool {
        let mut rest = self.tools.iter();
        wanted.iter().all(|tool| rest.any(|found| found == tool))
    }

    fn same_strict(&self, other: &Calls) -> bool {
        self.tools == other.tools && self.args == other.args
    }

    fn same_unordered(&self, other: &Calls) -> bool {
        let mut counts: HashMap<(u32, &str), i64> = HashMap::with_capacity(self.tools.len());
        for (tool, args) in self.tools.iter().zip(&self.args) {
            *counts.entry((*tool, args)).or_default() += 1;
        }
        for (tool, args) in other.tools.iter().zip(&other.args) {
            *counts.entry((*tool, args)).or_default() -= 1;
        }
        counts.values().all(|count| *count == 0)
    }

    fn to_json(&self, names: &[String]) -> String {
        let mut out = String::with_capacity(self.tools.len() * 160);
        for (i, tool) in self.tools.iter().enumerate() {
            // Formatted field by field, as a program does that has not stored any of it as text.
            let _ = write!(
                out,
                "{{\"step_type\":\"tool_call\",\"timestamp\":{i}.0,\"tool_name\":\"{}\",\
                 \"tool_args\":{{\"order_id\":{i},\"amount\":5.0}},\
                 \"tool_result\":{{\"ok\":true,\"note\":\"done\"}}}},",
                names[*tool as usize]
            );
        }
        out
    }
}

/// Microseconds of one run: the best of several loops, since noise can only add.
fn microseconds<T>(mut run: impl FnMut() -> T) -> f64 {
    let mut loops = 1;
    let mut best = f64::MAX;
    let mut rounds = 0;
    while rounds < 7 {
        let start = Instant::now();
        for _ in 0..loops {
            black_box(run());
        }
        let spent = start.elapsed().as_secs_f64();
        if spent < 0.01 {
            loops *= 4;
            continue;
        }
        best = best.min(spent / f64::from(loops));
        rounds += 1;
    }
    best * 1e6
}

fn main() {
    let size: usize = std::env::args().nth(1).and_then(|size| size.parse().ok()).expect("a number of steps");
    let names: Vec<String> = (0..100).map(|i| format!("tool_{i}")).collect();
    let (calls, same) = (Calls::new(size), Calls::new(size));
    let last = ((size - 2) / TOOLS * TOOLS) as u64;
    let wanted = [0, 1, 2, 3, 4, REFUND];

    let figures = [
        ("tool_called_before", microseconds(|| black_box(&calls).first(0) < black_box(&calls).first(REFUND))),
        ("tool_called_with_partial", microseconds(|| black_box(&calls).called_with(REFUND, size as u64 - 1))),
        (
            "tool_called_with_partial, its last call",
            microseconds(|| black_box(&calls).called_with(0, black_box(last))),
        ),
        ("call_order_contains", microseconds(|| black_box(&calls).contains_in_order(&wanted))),
        ("matches strict", microseconds(|| black_box(&calls).same_strict(black_box(&same)))),
        ("matches unordered", microseconds(|| black_box(&calls).same_unordered(black_box(&same)))),
        ("to JSON", microseconds(|| black_box(&calls).to_json(&names))),
    ];
    let lines: Vec<String> = figures.iter().map(|(name, us)| format!("\"{name}\": {us}")).collect();
    println!("{{{}}}", lines.join(", "));
}
