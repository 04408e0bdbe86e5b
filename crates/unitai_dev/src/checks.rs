//! The pages about checks, made of the documents that the tests run: what is shown is what is found.

use std::path::{Path, PathBuf};
use std::{fs, io};

const HEAD: &str = "<!-- Made by `cargo dev generate` of tests/behavioral. -->\n\n";

/// A page for every check and the table of them, each with its file's name.
pub(crate) fn pages(root: &Path) -> io::Result<Vec<(PathBuf, String)>> {
    let mut documents: Vec<(String, String)> = Vec::new();
    for entry in fs::read_dir(root.join("tests/behavioral"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "md") {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            documents.push((name, fs::read_to_string(&path)?));
        }
    }
    documents.sort();
    let mut index = format!(
        "{HEAD}# Checks\n\nEvery check of a result, with what it says when it holds and when it does not. How they are \
         used: [Assertions](../../guides/assertions.md).\n\n| check | what it holds for |\n|---|---|\n"
    );
    let mut pages = Vec::new();
    for (name, text) in documents {
        let title = text.lines().next().unwrap_or_default().trim_start_matches("# ");
        index.push_str(&format!("| [{title}]({name}.md) | {} |\n", summary(&text)));
        pages.push((PathBuf::from(format!("{name}.md")), page(&text)));
    }
    pages.push((PathBuf::from("README.md"), index));
    Ok(pages)
}

/// The first paragraph, as one line.
fn summary(text: &str) -> String {
    let lines = text.lines().skip(1).skip_while(|line| line.is_empty());
    lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

/// A document with every block introduced to somebody who has not seen one before.
fn page(text: &str) -> String {
    let mut page = HEAD.to_owned();
    for line in text.lines() {
        let told = match line {
            "```script" => "The agent did:\n\n```text",
            "```python" => "The check:\n\n```python",
            "```finding" => "What it finds:\n\n```text",
            "```report" => "The report of a failed test:\n\n```text",
            other => other,
        };
        page.push_str(told);
        page.push('\n');
    }
    page
}
