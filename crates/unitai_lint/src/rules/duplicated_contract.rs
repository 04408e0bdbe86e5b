//! `duplicated-contract`.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use crate::{Check, Example, MethodSummary, Project, ProjectReport, Rule, Severity};

pub(crate) static RULE: Rule = Rule {
    name: "duplicated-contract",
    what: "Contract tests that stand there twice: two classes, or two files, of the contract layer with two or more tests of the same \
           names and the same bodies. Names of classes may differ in them.",
    why: "The copies drift apart: somebody mends one of them, and the implementations do not keep the same contract any more. One \
          class holds the tests; each implementation has a class that inherits them and says what is tested.",
    bad: Example {
        path: "tests/contract/test_stores.py",
        code: "class TestMemoryStore:\n    def test_get(self, store):\n        store.put(\"a\", 1)\n        assert store.get(\"a\") == 1\n\n    def test_missing(self, store):\n        assert store.get(\"nobody\") is None\n\n\nclass TestDiskStore:\n    def test_get(self, store):\n        store.put(\"a\", 1)\n        assert store.get(\"a\") == 1\n\n    def test_missing(self, store):\n        assert store.get(\"nobody\") is None\n",
    },
    good: Example {
        path: "tests/contract/test_stores.py",
        code: "import pytest\n\n\nclass StoreContractTests:\n    def test_get(self, store):\n        store.put(\"a\", 1)\n        assert store.get(\"a\") == 1\n\n    def test_missing(self, store):\n        assert store.get(\"nobody\") is None\n\n\nclass TestMemoryStore(StoreContractTests):\n    @pytest.fixture\n    def store(self):\n        return MemoryStore()\n\n\nclass TestDiskStore(StoreContractTests):\n    @pytest.fixture\n    def store(self, tmp_path):\n        return DiskStore(tmp_path)\n",
    },
    severity: Severity::Error,
    layers: &[crate::Layer::Contract],
    is_fixable: false,
    check: Check::Project(check),
};

const HELP: &str = "put them into one class that every implementation's class inherits";

/// How many of the repeated tests are named.
const SHOWN: usize = 3;

/// The tests of a class, or those of a file that stand in none.
struct Suite<'p> {
    file: usize,
    path: &'p str,
    /// Empty for a file.
    class: &'p str,
    range: (u32, u32),
    tests: &'p [MethodSummary],
}

fn check(project: &Project<'_>, report: &mut ProjectReport<'_>) {
    let suites = suites(project);
    // The suites that have a test of each shape, in their order.
    let mut known: FxHashMap<Shape, Vec<usize>> = FxHashMap::default();
    for (at, suite) in suites.iter().enumerate() {
        within(suite, report);
        let before: Vec<(&MethodSummary, Vec<&[usize]>)> = tests(suite)
            .map(|test| {
                (test, shapes(test).filter_map(|shape| Some(known.get(&shape)?.as_slice())).collect())
            })
            .collect();
        // The first one that has the same tests is the one to keep.
        let found = first_twice(&before).map(|other| {
            let has = |suites: &Vec<&[usize]>| suites.iter().any(|it| it.binary_search(&other).is_ok());
            let repeated = before.iter().filter(|(_, suites)| has(suites)).map(|(test, _)| *test);
            (&suites[other], repeated.collect::<Vec<_>>())
        });
        for shape in tests(suite).flat_map(shapes) {
            let suites = known.entry(shape).or_default();
            if suites.last() != Some(&at) {
                suites.push(at);
            }
        }
        let Some((other, repeated)) = found else { continue };
        let range = if suite.class.is_empty() { repeated[0].range } else { suite.range };
        let whose =
            if suite.class.is_empty() { "this file".to_owned() } else { format!("`{}`", suite.class) };
        let of = match (other.class, other.file == suite.file) {
            ("", _) => format!("`{}`", other.path),
            (class, true) => format!("`{class}`"),
            (class, false) => format!("`{class}` in `{}`", other.path),
        };
        report
            .at(suite.file, range, format!("{whose} repeats tests of {of}: {}", names(&repeated)))
            .help(HELP);
    }
}

fn suites<'p>(project: &Project<'p>) -> Vec<Suite<'p>> {
    let mut suites = Vec::new();
    for (index, file) in project.files.iter().enumerate().filter(|(_, file)| file.is_test) {
        let suite = |class, range, tests| Suite { file: index, path: &file.path, class, range, tests };
        for class in file.classes.iter().filter(|class| class.layer == "contract") {
            suites.push(suite(&class.name, class.range, &class.methods));
        }
        if !file.contract_tests.is_empty() {
            suites.push(suite("", (0, 0), &file.contract_tests));
        }
    }
    suites
}

/// The tests of a suite that say something of their own.
fn tests<'p>(suite: &Suite<'p>) -> impl Iterator<Item = &'p MethodSummary> + use<'p> {
    suite.tests.iter().filter(|test| test.is_test && test.digest != 0)
}

/// A body, and a name with one of its words left out: two tests of one shape are the same, or differ in the word that says
/// whose they are.
type Shape = (u64, String);

fn shapes(test: &MethodSummary) -> impl Iterator<Item = Shape> + use<'_> {
    let words: Vec<&str> = test.name.split('_').collect();
    (0..words.len()).map(move |left_out| {
        let word =
            |(at, word): (usize, &&str)| if at == left_out { "*".to_owned() } else { (*word).to_owned() };
        (test.digest, words.iter().enumerate().map(word).collect::<Vec<_>>().join("_"))
    })
}

/// The first suite that two tests are found in; each has lists of suites, which rise. One test alone is chance: `test_close`
/// looks the same everywhere.
fn first_twice(before: &[(&MethodSummary, Vec<&[usize]>)]) -> Option<usize> {
    before.iter().filter(|(_, suites)| !suites.is_empty()).nth(1)?;
    let lists =
        before.iter().enumerate().flat_map(|(test, (_, suites))| suites.iter().map(move |it| (test, *it)));
    let mut lists: Vec<(usize, &[usize])> = lists.collect();
    let mut heads: BinaryHeap<Reverse<(usize, usize)>> = lists
        .iter()
        .enumerate()
        .filter_map(|(list, (_, suites))| Some(Reverse((*suites.first()?, list))))
        .collect();
    let mut last = None;
    while let Some(Reverse((suite, list))) = heads.pop() {
        let (test, rest) = &mut lists[list];
        match last {
            Some((known, other)) if known == suite && other != *test => return Some(suite),
            _ => last = Some((suite, *test)),
        }
        *rest = &rest[1..];
        if let Some(next) = rest.first() {
            heads.push(Reverse((*next, list)));
        }
    }
    None
}

/// The one word in which two names differ, which says whose test it is: `disk` and `memory` for `test_disk_put` and
/// `test_memory_put`.
fn whose<'p>(a: &'p str, b: &'p str) -> Option<(&'p str, &'p str)> {
    let mut differing = a.split('_').zip(b.split('_')).filter(|(a, b)| a != b);
    let first = differing.next()?;
    (a.split('_').count() == b.split('_').count() && differing.next().is_none()).then_some(first)
}

/// Looks for implementations that have their copies side by side in one suite.
fn within(suite: &Suite<'_>, report: &mut ProjectReport<'_>) {
    // The first test of each shape: whoever comes later is a copy of it.
    let mut firsts: FxHashMap<Shape, &MethodSummary> = FxHashMap::default();
    // By the words that tell two implementations apart: the copies of the second.
    let mut copies: Vec<((&str, &str), Vec<&MethodSummary>)> = Vec::new();
    let mut places: FxHashMap<(&str, &str), usize> = FxHashMap::default();
    for test in tests(suite) {
        let copied = shapes(test).find_map(|shape| whose(&firsts.get(&shape)?.name, &test.name));
        for shape in shapes(test) {
            firsts.entry(shape).or_insert(test);
        }
        let Some(pair) = copied else { continue };
        let at = *places.entry(pair).or_insert(copies.len());
        match copies.get_mut(at) {
            Some((_, all)) => all.push(test),
            None => copies.push((pair, vec![test])),
        }
    }
    for ((first, second), all) in copies.iter().filter(|(_, all)| all.len() >= 2) {
        let message = format!("the tests of `{second}` repeat those of `{first}`: {}", names(all));
        report.at(suite.file, all[0].range, message).help(HELP);
    }
}

/// The first few names, and how many more there are.
fn names(tests: &[&MethodSummary]) -> String {
    let mut names: Vec<String> = tests.iter().take(SHOWN).map(|test| format!("`{}`", test.name)).collect();
    if tests.len() > SHOWN {
        names.push(format!("and {} more", tests.len() - SHOWN));
    }
    names.join(", ")
}
