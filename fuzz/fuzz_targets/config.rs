//! The project's file: what can be read gives settings, and what cannot is told with a place that is in the file.

#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use unitai_config::{Project, Settings, Source, Spoken};

fuzz_target!(|input: &[u8]| {
    for name in ["/project/unitai.toml", "/project/pyproject.toml"] {
        let file = Path::new(name);
        match Project::of_bytes(file, input.to_vec()) {
            Ok(None) => {}
            Ok(Some(project)) => {
                let settings = Settings::resolve(&project, Path::new("/project"), &Spoken::default());
                let settings = settings.unwrap_or_else(|trouble| panic!("{trouble}"));
                for (_, setting) in settings.iter() {
                    if let Source::File(place) = &setting.source {
                        is_inside(input, place.line);
                    }
                }
            }
            Err(trouble) => {
                let rest = trouble.place.strip_prefix(name).unwrap_or_else(|| panic!("{trouble}"));
                let line = rest.split(':').nth(1).and_then(|line| line.parse().ok());
                is_inside(input, line.unwrap_or_else(|| panic!("{trouble}")));
                let told = trouble.told();
                assert!(!told.chars().any(char::is_control), "{told:?}");
            }
        }
    }
});

fn is_inside(input: &[u8], line: usize) {
    let lines = input.iter().filter(|byte| **byte == b'\n').count() + 1;
    assert!((1..=lines).contains(&line), "line {line} of {lines}");
}
