//! Small texts that stand for much: each is refused soon, and costs little memory. Memory is counted by an allocator, so
//! this file has one test.

#![expect(unsafe_code, reason = "an allocator that counts must be one")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use unitai_spec::document::{looks_like_test, read};

struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is handed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(now, Ordering::Relaxed);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const MOST_MEMORY: usize = 64 << 20;
/// The limit is 200 ms; a build without optimisation takes longer for the same work.
const MOST_TIME: Duration = Duration::from_millis(if cfg!(debug_assertions) { 2000 } else { 200 });

/// How long this thread has worked: what others do on a busy machine does not count.
#[cfg(unix)]
fn worked() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).expect("it begins with 0")
}

#[cfg(not(unix))]
fn worked() -> Duration {
    static BEGAN: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    BEGAN.elapsed()
}

fn laughs(opened: char, closed: char, levels: usize, width: usize) -> String {
    let mut text = String::from("test: {name: a}\nvars:\n  a0: &a0 [x]\n");
    for level in 1..levels {
        let each: Vec<String> = (0..width)
            .map(|at| match opened {
                '{' => format!("k{at}: *a{}", level - 1),
                _ => format!("*a{}", level - 1),
            })
            .collect();
        text.push_str(&format!("  a{level}: &a{level} {opened}{}{closed}\n", each.join(", ")));
    }
    text + "steps: []\nverdict: checks\n"
}

fn filled(part: &str) -> String {
    part.repeat(990_000 / part.len())
}

#[test]
fn a_bomb_is_refused_before_it_goes_off() {
    let long = "x".repeat(900_000);
    let rows = "  - {}\n".repeat(9_000);
    let args: String = (0..4_000).map(|at| format!("      k{at}: 1\n")).collect();
    let bombs = [
        ("billion laughs, lists", laughs('[', ']', 30, 10)),
        ("billion laughs, mappings", laughs('{', '}', 30, 10)),
        (
            "quadratic",
            format!(
                "test: &a {{name: [{}]}}\nsteps: [{}]\nverdict: checks\n",
                filled("1,").split_at(8_000).0,
                "*a, ".repeat(9_000)
            ),
        ),
        (
            "one long text, often",
            format!("test: {{name: &a {long}}}\nsteps: [{}]\nverdict: checks\n", "*a, ".repeat(9_000)),
        ),
        ("merges of merges", {
            let levels: String =
                (1..400).map(|at| format!("  a{at}: &a{at} {{<<: *a{}, k{at}: 1}}\n", at - 1)).collect();
            format!("test: {{name: a}}\nvars:\n  a0: &a0 {{k: 1}}\n{levels}steps: []\nverdict: checks\n")
        }),
        ("nested lists", filled("[")),
        ("nested mappings", filled("{a: ")),
        ("nested block lists", filled("- ")),
        ("nested block keys", filled("? ")),
        ("deeper and deeper", (0..1_300).map(|at| format!("{}a:\n", " ".repeat(at))).collect()),
        ("documents", filled("---\n")),
        ("documents with something", filled("--- a\n")),
        ("anchors", filled("&a ")),
        ("anchored items", filled("- &a b\n")),
        ("tags", filled("!a ")),
        ("a long tag", format!("!{}", filled("a"))),
        ("a long quote", format!("\"{}", filled("a\n"))),
        ("escapes", format!("\"{}\"", filled("\\n"))),
        ("commas", format!("[{}", filled(","))),
        ("colons", filled(": ")),
        ("keys", filled("a: 1\n")),
        ("keys on one line", filled("a: ")),
        ("comments", filled("#\n")),
        ("spaces", filled(" ")),
        ("line breaks", filled("\r\n")),
        ("a long key", format!("{}: 1", filled("a"))),
        ("a number without end", format!("a: {}", filled("9"))),
        ("many rows of a large test", {
            format!(
                "test: {{name: a}}\nsteps:\n  - tool: x\n    args:\n{args}verdict: checks\ncases:\n{}",
                &rows[..7 * 1_500]
            )
        }),
        (
            "rows of a long text",
            format!("test: {{name: a, description: {long}}}\nsteps: []\nverdict: checks\ncases:\n{rows}"),
        ),
        (
            "unknown keys",
            format!(
                "test: {{name: a}}\nsteps:\n  - {{{}}}\nverdict: checks\n",
                (0..4_000).map(|at| format!("toool{at}: 1, ")).collect::<String>()
            ),
        ),
        ("too long", filled("#\n") + &filled("#\n")),
    ];
    for (name, text) in bombs {
        let before = NOW.load(Ordering::Relaxed);
        PEAK.store(before, Ordering::Relaxed);
        let start = worked();
        let reading = read(&text, Path::new("a.yaml"));
        let (took, peak) = (worked() - start, PEAK.load(Ordering::Relaxed) - before);
        println!(
            "{name:28} {took:>12.1?} {:>8} KB  {}",
            peak >> 10,
            reading.troubles.first().map_or("", |it| &it.message)
        );
        assert!(reading.specs.is_empty(), "{name} gives tests");
        assert!(!reading.troubles.is_empty(), "{name}");
        assert!(took < MOST_TIME, "{name} took {took:?}");
        assert!(peak < MOST_MEMORY, "{name} took {peak} bytes");
        drop(reading);
        let start = worked();
        looks_like_test(&text);
        let took = worked() - start;
        assert!(took < MOST_TIME, "looking at {name} took {took:?}");
    }
}
