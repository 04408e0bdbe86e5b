//! Files with something wrong in them, in `malformed/`. Each says on its first lines what must be told, in order and
//! nothing else: `# expect: line:column part of the message (part of the remedy)`.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::fs;
use std::path::PathBuf;

use unitai_spec::document::read_file;

fn files() -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/malformed");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "yaml"))
        .collect();
    files.sort();
    files
}

#[test]
fn what_is_wrong_is_told_where_it_is() {
    let mut wrong = vec![];
    for file in files() {
        let bytes = fs::read(&file).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let expected: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("# expect: ")).collect();
        let reading = read_file(&file);
        assert!(reading.specs.is_empty(), "{name} gives a test: {:?}", reading.troubles);
        let found: Vec<String> = reading
            .troubles
            .iter()
            .map(|it| format!("{}:{} {} ({})", it.place.line, it.place.column, it.message, it.remedy))
            .collect();
        let is_right = expected.len() == found.len()
            && expected.iter().zip(&found).all(|(expected, found)| {
                let (place, words) = expected.split_once(' ').unwrap_or((expected, ""));
                found.split(' ').next() == Some(place) && found.contains(words)
            });
        if !is_right {
            wrong.extend(found.iter().map(|found| format!("{name}\t{found}")));
        }
    }
    assert!(wrong.is_empty(), "expected something else of these:\n{}", wrong.join("\n"));
}

#[test]
fn there_are_enough_of_them() {
    assert!(files().len() >= 100, "{}", files().len());
}

#[test]
fn each_of_them_can_be_shown() {
    for file in files() {
        for trouble in read_file(&file).troubles {
            let Ok(text) = fs::read_to_string(trouble.place.file.as_path()) else { continue };
            let shown = trouble.render(Some(&text));
            assert!(shown.starts_with(&trouble.place.to_string()), "{shown}");
            let (_, excerpt) = shown.split_once('\n').unwrap_or_else(|| panic!("no excerpt: {shown}"));
            assert!(excerpt.ends_with('^'), "{shown}");
        }
    }
}
