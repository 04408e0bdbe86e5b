//! The time that a file takes grows with its length and no faster, whatever it is full of.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use unitai_lint::run::{Run, fix};
use unitai_lint::{Plan, Wanted};

/// A shape: its name, its file, its text at a length, and how much is found in it.
type Shape = (&'static str, &'static str, fn(usize) -> String, fn(usize) -> usize);

const SHAPES: [Shape; 13] = [
    (
        "tests that compare answers",
        "tests/behavioral/test_a.py",
        |n| {
            each(n, |i| {
                format!(
                    "def test_{i}(agent):\n    r = agent.run('q')\n    assert r.content == 'The company was founded'\n"
                )
            })
        },
        |n| n,
    ),
    (
        "one test that compares answers",
        "tests/behavioral/test_a.py",
        |n| {
            let lines = each(n, |i| {
                format!("    r{i} = agent.run('q')\n    assert r{i}.content == 'The company was founded'\n")
            });
            format!("def test_a(agent):\n{lines}")
        },
        |n| n,
    ),
    (
        "fixtures with comments",
        "tests/unit/test_a.py",
        |n| {
            let fixture = |i| format!("@pytest.fixture\ndef mock_{i}():\n    return {i}\n\n\n");
            let test = |i| {
                format!(
                    "def test_{i}(mock_{i}, mocker):  # unitai: ignore[assert-true] {i} is known\n    assert mock_{i}\n    assert True\n"
                )
            };
            format!("import pytest\n{}{}", each(n, fixture), each(n, test))
        },
        |_| 0,
    ),
    (
        "comments that nothing needs",
        "tests/unit/test_a.py",
        |n| {
            format!(
                "{}def test_a():\n    assert f() == 1\n",
                each(n, |_| "# unitai: ignore[assert-true] nothing is\n".to_owned())
            )
        },
        |n| n,
    ),
    (
        "one long line",
        "tests/unit/test_a.py",
        |n| format!("def test_a():\n    x = 'ä'{}\n", each(n, |_| "; assert True".to_owned())),
        |n| n,
    ),
    ("suites that are copies", "tests/contract/test_a.py", |n| each(n, |i| suite(i, "")), |n| n - 1),
    (
        "suites that share one test",
        "tests/contract/test_a.py",
        |n| each(n, |i| suite(i, &format!(" + {i}"))),
        |_| 0,
    ),
    (
        "tools that are misspelled",
        "tests/agents/test_a.py",
        |n| {
            each(n, |i| {
                format!(
                    "def test_{i}(mock_toolkit):\n    mock_toolkit.mock('send_refund', return_value=1)\n    \
                     r = mock_toolkit.run(agent)\n    assert r.output_contains('a')\n    assert r.tool_not_called('sendrefund')\n"
                )
            })
        },
        |n| n,
    ),
    (
        "classes that inherit each other",
        "tests/contract/test_a.py",
        |n| {
            let class = |i: usize| match i {
                0 => "class C0:\n    @abc.abstractmethod\n    def get(self): ...\n\n".to_owned(),
                1 => "class C1(C0):\n    def put(self): ...\n\n".to_owned(),
                _ => format!("class C{i}(C{}, C{}):\n    def put{i}(self): ...\n\n", i - 1, i - 2),
            };
            format!("import abc\n\n\n{}", each(n, class))
        },
        |_| 0,
    ),
    (
        "checks without assert",
        "tests/agents/test_a.py",
        |n| {
            let lines = each(n, |_| "    result.tool_was_called('a')\n".to_owned());
            format!(
                "def test_a(mock_toolkit):\n    result = mock_toolkit.run(agent)\n{lines}    assert result.succeeded\n"
            )
        },
        |n| n,
    ),
    (
        "functions with a check each",
        "tests/agents/test_a.py",
        |n| {
            each(n, |i| {
                format!(
                    "def test_{i}(unitai):\n    result.tool_was_called('a')\n    assert result.succeeded\n"
                )
            })
        },
        |n| n,
    ),
    (
        "steps of YAML",
        "tests/llm/a.yaml",
        |n| {
            let steps = each(n / 2, |_| "  - tool: ping\n    expect: >-\n      Should complete\n".to_owned());
            format!("test: {{name: a}}\nsteps:\n{steps}verdict: checks\n")
        },
        |n| n / 2,
    ),
    (
        "one line of YAML",
        "tests/llm/a.yaml",
        |n| {
            let steps = each(n / 2, |_| "{tool: ping, expect: Should complete}, ".to_owned());
            format!("test: {{name: ä}}\nsteps: [{steps}]\nverdict: checks\n")
        },
        |n| n / 2,
    ),
];

fn each(count: usize, one: impl Fn(usize) -> String) -> String {
    (0..count).map(one).collect()
}

fn suite(number: usize, more: &str) -> String {
    format!(
        "class Test{number}:\n    def test_get(self, store):\n        store.put('a', 1)\n        assert store.get('a') == 1\n\n    \
         def test_put(self, store):\n        store.put('b', 2)\n        assert store.get('b') == 2{more}\n\n"
    )
}

/// How long it takes to look at a project of this one file, and to repair it.
fn took(folder: &Path, file: &str, text: &str) -> (Duration, usize) {
    let path = folder.join(file);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder that can be made");
    std::fs::write(&path, text).expect("a file that can be written");
    let plan = Plan::of(&Wanted::default(), Default::default()).expect("settings that can be used");
    let run = Run {
        root: folder,
        is_project: true,
        here: folder,
        named: &[PathBuf::from(".")],
        force_exclude: false,
        plan: &plan,
        kept: None,
        jobs: 1,
        progress: &|_, _| {},
    };
    let begin = Instant::now();
    let outcome = run.run().expect("a run over what is there");
    for file in &outcome.files {
        fix(file, &plan);
    }
    (begin.elapsed(), outcome.findings().count())
}

/// Work that grows with the square takes sixteen times as long for four times as much; where half of it does, at
/// [`SHORT`], it takes eight times as long. A smaller factor would not stand out from the noise of a busy machine.
const FACTOR: usize = 4;
const MOST: u32 = 8;
const SHORT: usize = 500;

#[test]
fn the_time_grows_with_the_length_of_a_file() {
    for (name, file, text, expected) in SHAPES {
        let folder = tempfile::tempdir().unwrap();
        let (mut short, mut long) = (Duration::MAX, Duration::MAX);
        // The machine has other things to do: the best of a few is what it takes.
        for round in 0.. {
            short = short.min(took(folder.path(), file, &text(SHORT)).0);
            let (time, findings) = took(folder.path(), file, &text(FACTOR * SHORT));
            long = long.min(time);
            assert_eq!(findings, expected(FACTOR * SHORT), "{name}");
            if long < short * MOST {
                break;
            }
            assert!(round < 10, "{name}: {short:?} for {SHORT}, {long:?} for {FACTOR} times as much");
        }
    }
}
