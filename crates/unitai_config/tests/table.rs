//! Every key of the table, in every spelling, from everybody who may say it.

mod support;

use support::{of_own_file, of_variables, settings};
use unitai_config::{
    CacheSettings, Choice, JudgeAnswers, JudgeProvider, JudgeSettings, KEYS, Key, Kind, Name, Project,
    Settings, Source, Spoken, Value, Variables, What, Written, named,
};
use unitai_model::{Money, TapeMode};

/// A value that is not the default: as TOML, as a variable, and what both mean.
fn sample(key: &Key) -> (String, String, Value) {
    let (toml, text, value) = match key.kind {
        Kind::Whole { .. } => ("7", "7", Value::Whole(7)),
        Kind::Share => ("0.5", "0.5", Value::Number(0.5)),
        Kind::Dollars => ("2.5", "2.50", Value::Dollars(Money::from_dollars(2.5).expect("a value"))),
        Kind::Hours | Kind::Seconds => ("12", "12", Value::Number(12.0)),
        Kind::Word { .. } => ("'my-word'", "my-word", Value::Text("my-word".to_owned())),
        Kind::Path => ("'a/b'", "a/b", Value::Path("a/b".into())),
        Kind::Choice(words) => {
            let word = words[words.len() - 1];
            return (format!("'{word}'"), word.to_owned(), Value::Text(word.to_owned()));
        }
        Kind::Flag if key.default == Some("true") => ("false", "off", Value::Flag(false)),
        Kind::Flag => ("true", "YES", Value::Flag(true)),
        Kind::Texts => ("['uuid', 'time']", "uuid, time", texts(&["uuid", "time"])),
        Kind::Command => ("['judge', '--fast']", "judge --fast", texts(&["judge", "--fast"])),
        Kind::Variables => {
            ("['A_KEY', 'B_KEY|C_KEY']", "A_KEY, B_KEY|C_KEY", texts(&["A_KEY", "B_KEY|C_KEY"]))
        }
        Kind::Addresses => ("['https://a.example/']", "https://a.example/", texts(&["https://a.example/"])),
        Kind::Words(words) => {
            let value = Value::Words([("some-rule".to_owned(), words[1].to_owned())].into());
            return (
                format!("{{ some-rule = '{}' }}", words[1]),
                format!(r#"{{"some-rule": "{}"}}"#, words[1]),
                value,
            );
        }
        Kind::Lists => {
            let value = Value::Lists([("tests/old/**".to_owned(), vec!["some-rule".to_owned()])].into());
            return (
                "{ 'tests/old/**' = ['some-rule'] }".to_owned(),
                r#"{"tests/old/**": ["some-rule"]}"#.to_owned(),
                value,
            );
        }
        Kind::Prices => {
            let json = r#"{"my-model": {"input": 1, "output": 2.5, "cache_write": 0}}"#;
            let spoken = Spoken {
                arguments: vec![(key.name, Written::of_json(&serde_json::from_str(json).expect("a value")))],
                ..Spoken::default()
            };
            let value = settings("unitai.toml", "", &spoken).expect("a value").get(key.name).value.clone();
            let toml = "{ my-model = { input = 1, output = 2.5, cache_write = 0 } }";
            return (toml.to_owned(), json.to_owned(), value);
        }
    };
    (toml.to_owned(), text.to_owned(), value)
}

fn texts(texts: &[&str]) -> Value {
    Value::Texts(texts.iter().map(|text| (*text).to_owned()).collect())
}

/// Paths are made whole, from whatever folder.
fn is_same(found: &Value, expected: &Value) -> bool {
    match (found, expected) {
        (Value::Path(found), Value::Path(expected)) => found.is_absolute() && found.ends_with(expected),
        _ => found == expected,
    }
}

#[test]
fn every_key_is_taken_in_both_spellings_from_both_files_and_from_its_variable() {
    for key in &KEYS {
        let (toml, text, expected) = sample(key);
        let mut spellings = vec![(format!("{} = {toml}\n", key.flat), 1)];
        if let Some((section, inner)) = key.table {
            spellings.push((format!("[{section}]\n{inner} = {toml}\n"), 2));
            spellings.push((format!("{section}.{inner} = {toml}\n"), 1));
            spellings.push((format!("{section} = {{ {inner} = {toml} }}\n"), 1));
        }
        for (spelling, line) in spellings {
            let own = of_own_file(&spelling).unwrap_or_else(|trouble| panic!("{spelling}: {trouble}"));
            let pyproject = format!("[tool.unitai]\n{}", spelling.replace("\n[", "\n[tool.unitai."));
            let pyproject = match spelling.strip_prefix('[') {
                Some(rest) => format!("\n[tool.unitai.{rest}"),
                None => pyproject,
            };
            let other = settings("pyproject.toml", &pyproject, &Spoken::default()).unwrap();
            for (settings, file, line) in [(own, "unitai.toml", line), (other, "pyproject.toml", line + 1)] {
                let setting = settings.get(key.name);
                assert!(is_same(&setting.value, &expected), "{spelling}: {:?}", setting.value);
                let Source::File(place) = &setting.source else { panic!("{:?}", setting.source) };
                assert!(place.path.ends_with(file) && place.line == line, "{spelling}: {place}");
                for (other, setting) in settings.iter() {
                    assert_eq!(setting.source == Source::Default, other.name != key.name, "{}", other.flat);
                }
            }
        }
        for variable in key.variables() {
            let settings = of_variables(&[(&variable, &text)]).unwrap();
            let setting = settings.get(key.name);
            assert!(is_same(&setting.value, &expected), "{variable}: {:?}", setting.value);
            assert_eq!(setting.source, Source::Variable(variable));
        }
    }
}

#[test]
fn nobody_says_anything_and_every_default_is_what_the_specification_says() {
    let settings = of_own_file("").unwrap();
    let shown: Vec<String> = settings
        .iter()
        .map(|(key, setting)| {
            assert_eq!(setting.source, Source::Default);
            let value = match &setting.value {
                Value::Path(path) => path.strip_prefix(settings.root()).unwrap().display().to_string(),
                other => other.to_string(),
            };
            format!("{} {value}", key.flat)
        })
        .collect();
    assert_eq!(
        shown,
        [
            "adapter none",
            "default_n 10",
            "default_threshold 0.95",
            "default_mode \"all\"",
            "max_workers 5",
            "cost_budget_per_test none",
            "cost_budget_per_suite none",
            "cost_budget_per_repeated_test 5",
            "model_override none",
            "live_models \"allow\"",
            "strict_mocks true",
            "max_tool_calls 50",
            "timeout 60",
            "hard_timeout none",
            "cache_enabled false",
            "cache_mode none",
            "cache_directory .unitai/cache",
            "cache_ttl_hours 168",
            "cache_volatile []",
            "cache_apis []",
            "baseline_directory tests/baselines",
            "judge_provider \"auto\"",
            "judge_model none",
            "judge_command []",
            "judge_second_provider none",
            "judge_second_model none",
            "judge_repeats 1",
            "judge_answers \"auto\"",
            "judge_canaries true",
            "judge_mask []",
            "judge_timeout 120",
            "judge_min_tpr none",
            "judge_min_tnr none",
            "judge_min_kappa none",
            "layers_keys []",
            "layers_integration_keys none",
            "layers_behavioral_keys none",
            "layers_env_file .env.test",
            "layers_unit_seconds 1",
            "lint_select []",
            "lint_ignore []",
            "lint_rules {}",
            "lint_per_folder {}",
            "lint_exclude []",
            "junit_xml test-results/unitai.xml",
            "verbose false",
            "prices {}",
        ]
    );
    let typed = (settings.statistics(), settings.runs());
    assert_eq!((typed.0.n, typed.0.threshold, typed.0.max_workers), (10, 0.95, 5));
    assert!(typed.1.is_strict);
    assert_eq!((typed.1.max_tool_calls, typed.1.timeout), (50, 60.0));
}

#[test]
fn an_argument_comes_before_the_command_line_the_environment_and_the_file() {
    let file = "default_n = 2\n";
    let mut spoken = Spoken::default();
    let mut seen = Vec::new();
    let mut look = |spoken: &Spoken| {
        let settings = settings("unitai.toml", file, spoken).unwrap();
        let n = settings.get(Name::DefaultN);
        seen.push((n.value.whole().unwrap(), n.source.kind()));
    };
    look(&spoken);
    spoken.variables = Variables::of([("UNITAI_DEFAULT_N", "3")]);
    look(&spoken);
    spoken.command_line = vec![("--n".to_owned(), Name::DefaultN, "4".to_owned())];
    look(&spoken);
    spoken.arguments = vec![(Name::DefaultN, Written::nowhere(What::Whole(5)))];
    look(&spoken);
    assert_eq!(seen, [(2, "file"), (3, "environment"), (4, "command line"), (5, "argument")]);
}

#[test]
fn whoever_is_wrong_is_named() {
    let wrong = |spoken: Spoken| settings("unitai.toml", "", &spoken).unwrap_err().told();
    let variables = Variables::of([("UNITAI_DEFAULT_N", "many")]);
    let told = wrong(Spoken { variables, ..Spoken::default() });
    assert_eq!(
        told,
        "the environment variable UNITAI_DEFAULT_N: it is `many`; expected a whole number of at least 1, and at most 999999999"
    );
    let command_line = vec![("--unitai-model".to_owned(), Name::DefaultN, "0".to_owned())];
    assert!(
        wrong(Spoken { command_line, ..Spoken::default() })
            .starts_with("the option --unitai-model: it is `0`")
    );
    let arguments =
        vec![(Name::CacheApis, Written::nowhere(What::List(vec![Written::nowhere(What::Flag(true))])))];
    assert!(wrong(Spoken { arguments, ..Spoken::default() }).starts_with("cache_apis[0]: it is true"));
    assert!(named("default_m").unwrap_err().told().contains("perhaps `default_n`"));
}

#[cfg(unix)]
#[test]
fn a_variable_that_is_no_text_is_refused() {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;
    let variables = Variables::of([("UNITAI_MODEL_OVERRIDE", OsString::from_vec(vec![b'a', 0xff]))]);
    let trouble = settings("unitai.toml", "", &Spoken { variables, ..Spoken::default() }).unwrap_err();
    assert!(trouble.told().contains("UNITAI_MODEL_OVERRIDE") && trouble.expected.ends_with("in UTF-8"));
}

#[test]
fn an_empty_word_is_none_and_an_empty_variable_says_nothing() {
    let settings_of = |text: &str| of_own_file(text).unwrap();
    let none = settings_of("model_override = \"\"\nadapter = ''\n");
    assert_eq!(none.get(Name::ModelOverride).value, Value::Nothing);
    assert!(matches!(none.get(Name::Adapter).source, Source::File(_)));
    assert_eq!((none.runs().model, none.runs().adapter), (None, None));
    assert_eq!(
        of_variables(&[("UNITAI_DEFAULT_N", "")]).unwrap().get(Name::DefaultN).source,
        Source::Default
    );
    for spelling in ["langraph", "langgraph"] {
        assert_eq!(
            settings_of(&format!("adapter = '{spelling}'")).runs().adapter.as_deref(),
            Some("langgraph")
        );
    }
}

#[test]
fn paths_of_the_file_are_from_its_folder_and_others_from_where_one_is() {
    let own = of_own_file("junit_xml = 'out.xml'").unwrap();
    assert_eq!(own.get(Name::JunitXml).value.path(), Some(own.root().join("out.xml").as_path()));
    let told = of_variables(&[("UNITAI_JUNIT_XML", "out.xml")]).unwrap();
    assert_eq!(told.get(Name::JunitXml).value.path(), Some(told.root().join("deep/out.xml").as_path()));
}

#[test]
fn unknown_variables_are_found_with_what_was_meant() {
    let variables = Variables::of([
        ("UNITAI_CACHE", "auto"),
        ("UNITAI_STRICT_MOCK", "1"),
        ("UNITAI_MODEL", "x"),
        ("OTHER_THING", "1"),
        ("UNITAI_XYZZY", "1"),
    ]);
    let found: Vec<_> =
        variables.unknown().into_iter().map(|unknown| (unknown.name, unknown.nearest)).collect();
    assert_eq!(
        found,
        [
            ("UNITAI_MODEL".to_owned(), Some("UNITAI_MODEL_OVERRIDE".to_owned())),
            ("UNITAI_STRICT_MOCK".to_owned(), Some("UNITAI_STRICT_MOCKS".to_owned())),
            ("UNITAI_XYZZY".to_owned(), None),
        ]
    );
}

fn cache(text: &str, variables: &[(&str, &str)]) -> CacheSettings {
    let variables = Variables::of(variables.iter().copied());
    settings("unitai.toml", text, &Spoken { variables, ..Spoken::default() }).expect("a project").cache()
}

#[test]
fn the_switch_and_the_mode_of_recordings_say_one_thing_together() {
    let (auto, replay) = (Some(Choice::On(TapeMode::Auto)), Some(Choice::On(TapeMode::Replay)));
    let off = Some(Choice::Off);
    let (on_env, off_env) = (("UNITAI_CACHE_ENABLED", "1"), ("UNITAI_CACHE_ENABLED", "0"));
    for (file, variables, expected) in [
        ("", &[][..], None),
        ("cache_enabled = true", &[], auto),
        ("cache_enabled = false", &[], off),
        ("cache_mode = 'replay'", &[], replay),
        ("cache_enabled = true\ncache_mode = 'replay'", &[], replay),
        ("cache_enabled = false\ncache_mode = 'replay'", &[], off),
        ("cache_enabled = true\ncache_mode = 'off'", &[], off),
        ("cache_mode = 'off'", &[on_env], auto),
        ("cache_mode = 'replay'", &[on_env], replay),
        ("cache_mode = 'replay'", &[off_env], off),
        ("cache_enabled = false", &[("UNITAI_CACHE", "replay")], replay),
        ("", &[off_env, ("UNITAI_CACHE", "replay")], replay),
        ("", &[("UNITAI_CACHE", "replay"), ("UNITAI_CACHE_MODE", "off")], replay),
    ] {
        assert_eq!(cache(file, variables).mode, expected, "{file} {variables:?}");
    }
}

#[test]
fn the_nearest_file_that_speaks_of_unitai_counts() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("a/b");
    std::fs::create_dir_all(&inner).unwrap();
    let write = |path: &str, text: &str| std::fs::write(folder.path().join(path), text).unwrap();
    let file = || {
        Project::of(&inner).unwrap().file().map(|file| file.strip_prefix(folder.path()).unwrap().to_owned())
    };
    write("unitai.toml", "");
    assert_eq!(file().unwrap().to_str(), Some("unitai.toml"));
    write("a/pyproject.toml", "[project]\nname = 'unitai-user'\n");
    assert_eq!(file().unwrap().to_str(), Some("unitai.toml"));
    write("a/unitai.toml", "");
    assert_eq!(file().unwrap().to_str(), Some("a/unitai.toml"));
    write("a/pyproject.toml", "[tool.unitai]\n");
    assert_eq!(file().unwrap().to_str(), Some("a/pyproject.toml"));
    // Not our business: it does not speak of us, so its mistakes are not ours to tell.
    write("a/b/pyproject.toml", "[broken");
    assert_eq!(file().unwrap().to_str(), Some("a/pyproject.toml"));
    assert_eq!(Settings::of(&inner).unwrap().root(), folder.path().join("a"));
}

fn judge(text: &str, variables: &[(&str, &str)]) -> JudgeSettings {
    let variables = Variables::of(variables.iter().copied());
    settings("unitai.toml", text, &Spoken { variables, ..Spoken::default() }).expect("a project").judge()
}

#[test]
fn the_judge_is_who_the_table_says() {
    let usual = judge("", &[]);
    assert_eq!((usual.provider, usual.answers), (JudgeProvider::Auto, JudgeAnswers::Auto));
    assert_eq!((usual.model, usual.second_provider, usual.repeats), (None, None, 1));
    assert_eq!((usual.timeout.as_secs(), usual.canaries, usual.min_kappa), (120, true, None));
    let said = judge(
        "[judge]\nprovider = 'openai'\nmodel = 'm'\nsecond_provider = 'anthropic'\nrepeats = 3\ntimeout = 0.5\n\
         min_tpr = 0.9\nanswers = 'live'\n",
        &[],
    );
    assert_eq!(
        (said.provider, said.second_provider),
        (JudgeProvider::OpenAi, Some(JudgeProvider::Anthropic))
    );
    assert_eq!((said.model.as_deref(), said.repeats, said.min_tpr), (Some("m"), 3, Some(0.9)));
    assert_eq!((said.timeout.as_millis(), said.answers), (500, JudgeAnswers::Live));
}

#[test]
fn a_second_model_alone_is_of_the_same_judge() {
    let of_same = judge("judge_provider = 'openai'\njudge_second_model = 'm'", &[]);
    assert_eq!(of_same.second_provider, Some(JudgeProvider::OpenAi));
    let nobody = judge("judge_second_provider = 'none'\njudge_second_model = 'm'", &[]);
    assert_eq!(nobody.second_provider, None);
}

#[test]
fn a_model_is_none_of_a_provider_that_a_stronger_source_names() {
    let file = "[judge]\nprovider = 'openai'\nmodel = 'm'\nsecond_model = 'n'\n";
    let other = judge(file, &[("UNITAI_JUDGE_PROVIDER", "anthropic")]);
    assert_eq!((other.provider, other.model), (JudgeProvider::Anthropic, None));
    assert_eq!((other.second_provider, other.second_model), (None, None));
    let both = judge(file, &[("UNITAI_JUDGE_PROVIDER", "anthropic"), ("UNITAI_JUDGE_MODEL", "c")]);
    assert_eq!(both.model.as_deref(), Some("c"));
    let model = judge(file, &[("UNITAI_JUDGE_MODEL", "c")]);
    assert_eq!((model.provider, model.model.as_deref()), (JudgeProvider::OpenAi, Some("c")));
}

#[test]
fn a_model_of_the_file_stays_where_the_same_provider_is_named_again() {
    let again = [("UNITAI_JUDGE_PROVIDER", "openai")];
    let same = judge("[judge]\nprovider = 'openai'\nmodel = 'm'\nsecond_model = 'n'\n", &again);
    assert_eq!((same.model.as_deref(), same.second_model.as_deref()), (Some("m"), Some("n")));
    // A model for whoever judges: the file names nobody.
    for file in ["[judge]\nmodel = 'm'\n", "[judge]\nprovider = 'auto'\nmodel = 'm'\n"] {
        assert_eq!(judge(file, &again).model.as_deref(), Some("m"));
    }
}

#[test]
fn every_word_of_the_judge_is_one_of_its_table() {
    for (name, words) in [
        (Name::JudgeProvider, JudgeProvider::ALL.map(JudgeProvider::word).to_vec()),
        (Name::JudgeSecondProvider, JudgeProvider::ALL[1..].iter().map(|one| one.word()).collect()),
        (Name::JudgeAnswers, JudgeAnswers::ALL.map(JudgeAnswers::word).to_vec()),
    ] {
        let Kind::Choice(known) = name.key().kind else { panic!("{name:?}") };
        assert_eq!(known, words);
    }
}

#[test]
fn texts_with_commas_and_programs_with_spaces_are_written_as_json() {
    let said = judge(
        "",
        &[
            ("UNITAI_JUDGE_MASK", r#"["\\d{1,3} ms", "id"]"#),
            ("UNITAI_JUDGE_COMMAND", r#"["my judge", "--fast"]"#),
        ],
    );
    assert_eq!(said.mask, [r"\d{1,3} ms", "id"]);
    assert_eq!(said.command, ["my judge", "--fast"]);
    let plain = judge("judge_command = 'python judge.py'", &[("UNITAI_JUDGE_MASK", "[0-9]+, [a]")]);
    assert_eq!(plain.command, ["python", "judge.py"]);
    assert_eq!(plain.mask, ["[0-9]+", "[a]"]);
}
