//! The schema for editors says what the reader says, as far as a schema can say it.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};
use unitai_spec::document::{read, schema, to_value};

/// Files that are well formed.
const ACCEPTED: &[&str] = &[
    "test: {name: a}\nsteps: []\nverdict: checks\n",
    "test: {name: a, description: b, tags: c, timeout: 30}\nsetup:\nsteps:\nteardown:\nverdict: {pass_if: a, fail_if: b}\n",
    "test: {name: a, timeout: '30', tags: [a, b]}\nsteps: [{tool: x, repeat: '3'}]\nverdict: {check: a == 1}\n",
    "test: {name: a, timeout: 30.0, max_calls: 5}\nsteps: [{tool: x, repeat: 0}]\nverdict: {check: [a == 1, {match: {b: 1}}]}\n",
    "test: {name: a, teardown_timeout: 0, on_setup_failure: continue, teardown_errors: warn, judge: always, compat: llm-pytest}\n\
     steps: []\nverdict: checks\n",
    "test: {name: a}\nsteps: [{expect: x}, {analyze: x}, {check: x}, {steps: [{tool: x}], stop_early: true}]\nverdict: checks\n",
    "test: {name: a}\nsteps: [{tool: x, args: {a: [1, {b: null}]}, save_as: s, when: z, timeout: 1.5, retry: 3, retry_delay: 0.5}]\n\
     verdict: checks\n",
    "test: {name: a}\nsteps: [{tool: x, retry: {times: 3, delay: 1, until: z}}]\nverdict: checks\n",
    "test: {name: a}\nsteps: []\nverdict: checks\nvars: {a: 1}\ncases: [{name: x, b: 1}, {}]\n",
    "test: {name: a}\nsteps: []\nverdict: checks\nservers:\n  a: {command: node x}\n  b: {command: [node, 1], env: {A: 1}, cwd: x}\n  \
     c: {url: 'http://x', headers: {A: b}, protocol: x, start_timeout: 3}\n  d: {url: '${vars.u}'}\n",
];

/// Files in `malformed/` that are wrong in a way that no schema of JSON sees: the rest must be refused by it.
const BEYOND_SCHEMAS: &[&str] = &[
    // What an expression says.
    "check_syntax",
    "match_type",
    "reference_open",
    "tab_in_an_expression",
    "arg_key_is_a_number",
    "binary",
    "cases_of_one_name",
    "duplicate_key_of_another_kind",
    "include_in_a_circle",
    "include_of_a_test",
    "include_of_itself",
    "include_that_is_not_there",
    "own_tag",
    "python_object",
    "server_command_opens_a_quote",
    "two_merges",
];

/// A document of a text as JSON, by another reader than the one under test.
fn json_of(text: &str) -> Option<Json> {
    serde_saphyr::from_str(text).ok()
}

fn validator() -> jsonschema::Validator {
    jsonschema::draft202012::new(&schema()).unwrap()
}

#[test]
fn it_is_a_schema_that_describes_every_key() {
    assert!(jsonschema::draft202012::meta::is_valid(&schema()));
    fn look(schema: &Json, path: &str) {
        if let Some(properties) = schema.get("properties").and_then(Json::as_object)
            && schema.get("additionalProperties") == Some(&json!(false))
        {
            for (key, inner) in properties {
                let described = ["title", "description"].map(|word| inner[word].as_str().unwrap_or_default());
                assert!(described.iter().all(|text| !text.is_empty()), "{path}.{key}");
            }
        }
        match schema {
            Json::Object(all) => all.iter().for_each(|(key, inner)| look(inner, &format!("{path}.{key}"))),
            Json::Array(all) => all.iter().for_each(|inner| look(inner, path)),
            _ => {}
        }
    }
    look(&schema(), "");
}

#[test]
fn what_the_reader_accepts_fits() {
    let validator = validator();
    for text in ACCEPTED {
        let reading = read(text, Path::new("a.yaml"));
        assert_eq!(reading.troubles, [], "{text}");
        let json = json_of(text).unwrap_or_else(|| panic!("{text}"));
        let wrong: Vec<String> = validator.iter_errors(&json).map(|error| error.to_string()).collect();
        assert!(wrong.is_empty(), "{text}\n{wrong:?}");
        for spec in reading.specs {
            let json: Json = serde_json::from_str(to_value(&spec).pack().text()).unwrap();
            assert!(validator.is_valid(&json), "{json}");
        }
    }
}

#[test]
fn what_the_reader_rejects_does_not_fit() {
    let validator = validator();
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/malformed");
    let (mut looked_at, mut wrong) = (0, vec![]);
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        // What is no YAML never reaches a schema.
        let Some(json) = fs::read_to_string(&path).ok().and_then(|text| json_of(&text)) else { continue };
        looked_at += 1;
        if validator.is_valid(&json) != BEYOND_SCHEMAS.contains(&name.as_str()) {
            wrong.push(format!("{name}: {json}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(looked_at > 60, "{looked_at}");
}
