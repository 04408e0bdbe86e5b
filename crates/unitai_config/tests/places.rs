//! What is wrong with a file is told with its line and column, the value, and what would be right.

mod support;

use std::fs;

use proptest::prelude::*;
use support::settings;
use unitai_config::{Project, Spoken, Trouble};

/// The place without the file, and the trouble.
fn wrong(file: &str, text: &str) -> (String, Trouble) {
    let trouble = settings(file, text, &Spoken::default()).expect_err(text);
    let place = trouble.place.rsplit_once(file).expect("the file").1.trim_start_matches(':').to_owned();
    (place, trouble)
}

#[test]
fn the_place_is_right_however_it_is_written() {
    for (text, place, words) in [
        // Unknown keys, in every way to write one.
        ("defualt_n = 5\n", "1:1", "perhaps `default_n`"),
        ("verbose = true\n\n  max_worker = 5\n", "3:3", "perhaps `max_workers`"),
        ("\"max worker\" = 5\n", "1:1", "perhaps `max_workers`"),
        ("[cache]\nttl = 5\ndirectry = 'x'\n", "2:1", "perhaps `ttl_hours`"),
        ("[cache]\nxyzzy = 5\n", "2:1", "one of: enabled, mode, directory"),
        ("[cache]\ndirectry = 'x'\n", "2:1", "perhaps `directory`"),
        ("[cache]\ncache_mode = 'x'\n", "2:1", "perhaps `mode`"),
        ("[cache]\nmax_workers = 2\n", "2:1", "perhaps `max_workers`, outside of [cache]"),
        ("cache.modus = 'auto'\n", "1:7", "perhaps `mode`"),
        ("cache = { enabled = true, mod = 'auto' }\n", "1:27", "perhaps `mode`"),
        ("ttl_hours = 5\n", "1:1", "perhaps `cache_ttl_hours`"),
        ("[cach]\nmode = 'auto'\n", "1:2", "perhaps [cache]"),
        ("[ \"zebra\" ]\nx = 1\n", "1:3", "one of: adapter"),
        ("[llm.judge]\nx = 1\n", "1:2", "one of: adapter"),
        ("cost.budget_per_test = 1\n", "1:1", "perhaps `cost_budget_per_test`"),
        ("[[cache]]\nmode = 'auto'\n", "1:1", "a table [cache]"),
        // Wrong values.
        ("default_n = 'ten'\n", "1:13", "a whole number of at least 1"),
        ("default_n = 0\n", "1:13", "a whole number of at least 1"),
        ("default_n = 99999999999999999999999\n", "1:13", "a whole number of at least 1"),
        ("[default]\nn=-3\n", "2:3", "a whole number of at least 1"),
        ("default.n = 2.5\n", "1:13", "a whole number of at least 1"),
        ("default_threshold = 95\n", "1:21", "a number from 0 to 1"),
        ("default_threshold = nan\n", "1:21", "a number from 0 to 1"),
        ("cost_budget_per_suite = 0\n", "1:25", "a number of dollars above 0"),
        ("cost_budget_per_suite = 1e-20\n", "1:25", "a number of dollars above 0"),
        ("cost_budget = { per_suite = inf }\n", "1:29", "a number of dollars above 0"),
        ("cache_ttl_hours = -1\n", "1:19", "a number of hours"),
        ("timeout = 0\n", "1:11", "a number of seconds above 0"),
        ("strict_mocks = 'yes'\n", "1:16", "true or false"),
        ("strict_mocks = 1\n", "1:16", "true or false"),
        ("cache_mode = 'repaly'\n", "1:14", "perhaps `replay`; one of: off, record, replay, auto"),
        ("cache_directory = ''\n", "1:19", "the path of a file or folder"),
        ("junit_xml = 2024-01-01\n", "1:13", "the path of a file or folder"),
        ("cache_volatile = 'uuid'\n", "1:18", "a list of texts"),
        ("cache_volatile = [\n  'uuid',\n  5,\n]\n", "3:3", "a list of texts"),
        ("[cache]\napis = ['https://a', 'b']\n", "2:22", "a list of addresses"),
        ("adapter = ['x']\n", "1:11", "a text"),
        ("model_override = false\n", "1:18", "a text"),
        ("[adapter]\nname = 'x'\n", "1:1", "a text"),
        ("cache = true\n", "1:9", "a table [cache]"),
        ("prices = 5\n", "1:10", "prices by model"),
        ("[prices]\nm = 5\n", "2:5", "a price, as in"),
        ("[prices.m]\ninput = 5\n", "1:9", "a price, as in"),
        ("[prices.'m']\ninput = 5\noutput = -1\n", "3:10", "from 0 to a million"),
        ("[prices.m]\ninput = 5\noutput = 1\ncached = 1\n", "4:1", "one of: input, output"),
        ("prices.m = { input = 5, outptu = 1 }\n", "1:25", "perhaps `output`"),
        // Both spellings.
        ("cache_mode = 'auto'\n[cache]\nmode = 'auto'\n", "3:1", "one of them"),
        ("[default]\nn = 5\n[cache]\n", "", ""),
        // Broken TOML.
        ("[cache\n", "1:7", "a file in TOML"),
        ("verbose = tru\n", "1:11", "a file in TOML"),
        ("default_n = 5\ndefault_n = 6\n", "2:1", "a file in TOML"),
        // Columns are characters, and a mark of byte order is none.
        ("cache = { directory = 'ääää', mod = 1 }\n", "1:31", "perhaps `mode`"),
        ("\u{feff}defualt_n = 5\n", "1:1", "perhaps `default_n`"),
        ("verbose = true\r\ndefualt_n = 5\r\n", "2:1", "perhaps `default_n`"),
    ] {
        if place.is_empty() {
            assert!(settings("unitai.toml", text, &Spoken::default()).is_ok(), "{text}");
            continue;
        }
        let (found, trouble) = wrong("unitai.toml", text);
        assert_eq!(found, place, "{text}: {trouble:?}");
        assert!(trouble.expected.contains(words), "{text}: {trouble:?}");
    }
}

#[test]
fn the_offending_value_is_shown() {
    for (text, words) in [
        ("default_n = 'ten'\n", "`default_n` is a text: \"ten\""),
        ("[default]\nn = 0\n", "`n` in [default] is 0"),
        ("cache_volatile = [5]\n", "`cache_volatile[0]` is 5"),
        ("prices.m = { input = 5, output = 'x' }\n", "`prices[\"m\"].output` is a text: \"x\""),
        ("[prices.m]\ninput = 5\n", "`prices[\"m\"]` has no price of output"),
        ("\n[cache]\nmode = 'auto'\n[more]\n", "there is no table [more]"),
        ("more = 1\n", "there is no setting `more`"),
        ("[cache]\nmore = 1\n", "[cache] has no setting `more`"),
        (
            "cache_mode = 'auto'\ncache.mode = 'auto'\n",
            "`mode` in [cache] and `cache_mode` are both given (line 1)",
        ),
        ("adapter = \"\\u001b[31m\"\nverbose = \"\\u001b[31m\"\n", "`verbose` is a text: \"\\x1b[31m\""),
    ] {
        assert_eq!(wrong("unitai.toml", text).1.message, words, "{text}");
    }
    let long = wrong("unitai.toml", &format!("default_n = '{}'", "x".repeat(1000))).1.message;
    assert!(long.len() < 150, "{long}");
}

#[test]
fn of_several_troubles_the_first_is_told() {
    assert_eq!(wrong("unitai.toml", "zzz = 1\naaa = 1\ndefault_n = 0\n").0, "1:1");
    assert_eq!(wrong("unitai.toml", "default_n = 0\nzzz = 1\n").0, "1:13");
}

#[test]
fn pyproject_is_told_in_the_same_way() {
    for (text, place) in [
        ("[project]\nname = 'x'\n\n[tool.unitai]\ndefualt_n = 5\n", "5:1"),
        ("[tool.unitai.cache]\nmodus = 5\n", "2:1"),
        ("[tool]\nunitai = { defualt_n = 5 }\n", "2:12"),
        ("tool.unitai.defualt_n = 5\n", "1:13"),
        ("[\"tool\".'unitai']\ndefualt_n = 5\n", "2:1"),
        ("[tool]\nunitai = 5\n", "2:1"),
        ("[[tool.unitai]]\n", "1:8"),
        ("[tool.unitai\n", "1:13"),
    ] {
        let (found, trouble) = wrong("pyproject.toml", text);
        assert_eq!(found, place, "{text}: {trouble:?}");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("unitai.toml");
    fs::write(&own, b"verbose = true\nadapter = 'caf\xe9'\n").unwrap();
    let told = Project::of(folder.path()).unwrap_err().told();
    assert!(told.contains("unitai.toml:2:15: the byte 0xe9 is no text"), "{told}");
    fs::remove_file(&own).unwrap();
    fs::create_dir(&own).unwrap();
    assert!(Project::of(folder.path()).unwrap_err().message.contains("cannot be read"));
    fs::remove_dir(&own).unwrap();
    fs::create_dir(folder.path().join("pyproject.toml")).unwrap();
    assert_eq!(Project::of(folder.path()).unwrap().file(), None);
}

fn pieces() -> impl Strategy<Value = String> {
    let words = [
        "[",
        "]",
        "[[",
        "{",
        "}",
        "=",
        ".",
        ",",
        "\n",
        " ",
        "\"",
        "'",
        "'''",
        "#",
        "cache",
        "mode",
        "default",
        "n",
        "prices",
        "tool.unitai",
        "cost_budget",
        "adapter",
        "0",
        "-1",
        "1e400",
        "nan",
        "true",
        "2024-01-01",
        "ä",
        "\\u0000",
        "\u{feff}",
        "\r",
    ];
    prop::collection::vec(prop::sample::select(words.to_vec()), 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_file_panics(text in prop_oneof![pieces(), any::<String>()], name in prop::sample::select(vec!["unitai.toml", "pyproject.toml"])) {
        if let Err(trouble) = settings(name, &text, &Spoken::default()) {
            let line = trouble.place.rsplit_once(name).and_then(|(_, at)| at.split(':').nth(1)?.parse().ok());
            let lines = text.matches('\n').count() + 1;
            prop_assert!(line.is_some_and(|line: usize| (1..=lines).contains(&line)), "{trouble}");
            prop_assert!(!trouble.told().chars().any(char::is_control) && !trouble.expected.is_empty());
        }
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("unitai.toml"), [b"adapter = 'x'\n".as_slice(), &bytes].concat()).unwrap();
        let _ = Project::of(folder.path());
    }

    #[test]
    fn no_variable_panics(at in 0..unitai_config::KEYS.len(), text in any::<String>()) {
        let key = &unitai_config::KEYS[at];
        let _ = support::of_variables(&[(&key.variable(), &text)]);
    }
}
