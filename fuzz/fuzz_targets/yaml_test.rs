//! A YAML test: what can be read gives tests whose JSON reads back the same, and what cannot is told with a place that is
//! in the file.

#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use unitai_spec::document::{Spec, looks_like_test, read, to_value};

fuzz_target!(|input: &[u8]| {
    let Ok(text) = std::str::from_utf8(input) else { return };
    // Includes read files, and no file of the machine is part of the input.
    if text.contains("include") {
        return;
    }
    looks_like_test(text);
    let file = Path::new("tests/llm/a.yaml");
    let reading = read(text, file);
    // A carriage return alone ends a line in YAML, too.
    let lines = text.replace("\r\n", "\n").split(['\n', '\r']).count() + 1;
    for trouble in &reading.troubles {
        assert!((1..=lines).contains(&trouble.place.line), "{trouble:?}");
        let shown = trouble.render(Some(text));
        assert!(!shown.chars().any(|c| c.is_control() && c != '\n'), "{shown:?}");
    }
    for spec in &reading.specs {
        reads_back(spec, file);
    }
});

fn reads_back(spec: &Spec, file: &Path) {
    let packed = to_value(spec).pack();
    // What only Python can say has tags of ours, and YAML allows keys of 1,024 characters.
    if packed.is_tagged() || packed.text().len() > 1000 {
        return;
    }
    let again = read(packed.text(), file);
    let told: Vec<String> =
        again.troubles.iter().filter(|it| it.is_error()).map(ToString::to_string).collect();
    assert!(told.is_empty(), "{told:?} {}", packed.text());
    assert_eq!(to_value(&again.specs[0]).pack().text(), packed.text());
}
