//! Every `unitai` command in the documents is one that the command line takes, with every option that stands there.

use std::fs;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

/// A command as a document says it.
struct Said {
    text: String,
    /// To be typed as it stands, or a mention, which may leave out what is required.
    is_whole: bool,
}

#[test]
fn every_command_in_the_documents_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages = Vec::new();
    for name in ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md", "SECURITY.md"] {
        pages.extend(Some(root.join(name)).filter(|path| path.exists()));
    }
    for folder in ["docs", "examples", "ci"] {
        collect(&root.join(folder), &mut pages);
    }
    let mut wrong = Vec::new();
    let mut count = 0;
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        for said in commands_of(&text) {
            count += 1;
            if let Some(trouble) = refused(&said) {
                wrong.push(format!("{}: `{}`: {trouble}", page.display(), said.text));
            }
        }
    }
    assert!(count > 100, "only {count} commands were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_does_not_exist_is_found() {
    for (text, is_refused) in [
        ("```console\n$ unitai tset\n```", true),
        ("```console\n$ unitai results --jsn\n```", true),
        ("```yaml\n- run: unitai serve --jsn -- node agent.mjs\n```", true),
        ("`unitai cache claer`", true),
        ("```console\n$ OPENAI_API_KEY=x unitai test --record | tee log  # what it does\n```", false),
        ("`unitai judge label`", false),
        ("`unitai COMMAND --help`", false),
    ] {
        let said = commands_of(text);
        assert_eq!(said.len(), 1, "{text}");
        assert_eq!(refused(&said[0]).is_some(), is_refused, "{text}: {:?}", refused(&said[0]));
    }
}

/// Markdown files of a folder and of those below.
fn collect(folder: &Path, pages: &mut Vec<PathBuf>) {
    for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, pages);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
}

fn commands_of(page: &str) -> Vec<Said> {
    let (mut said, mut language) = (Vec::new(), None);
    for event in Parser::new(page) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                language = info.split_whitespace().next().map(str::to_owned);
            }
            Event::End(TagEnd::CodeBlock) => language = None,
            Event::Text(text) => match language.as_deref() {
                Some("console") => {
                    let typed = text.lines().filter_map(|line| line.strip_prefix("$ "));
                    said.extend(typed.filter_map(|line| said_in(line, true)));
                }
                Some("bash" | "sh" | "yaml" | "groovy" | "toml" | "json" | "dockerfile") => {
                    let is_remark = |line: &&str| line.trim_start().starts_with('#');
                    said.extend(
                        text.lines().filter(|line| !is_remark(line)).filter_map(|line| said_in(line, true)),
                    );
                }
                _ => {}
            },
            Event::Code(text) if text.starts_with("unitai ") => said.extend(said_in(&text, false)),
            _ => {}
        }
    }
    said
}

/// The command of a line, from the program's name to the end of whatever it stands in.
fn said_in(line: &str, is_whole: bool) -> Option<Said> {
    let (before, text) =
        line.match_indices("unitai ").map(|(at, _)| line.split_at(at)).find(|(before, _)| {
            let is_package = ["install ", "add "].iter().any(|word| before.contains(word));
            let last = before.chars().next_back();
            !is_package && last.is_none_or(|last| last.is_whitespace() || "'\"/`(".contains(last))
        })?;
    let opened = |open: char| before.matches(open).count();
    let is_open = |close: char| match close {
        '}' => opened('{') > opened('}'),
        quote => opened(quote) % 2 == 1,
    };
    let end = text.find(|letter| "'\"`}".contains(letter) && is_open(letter)).unwrap_or(text.len());
    Some(Said { text: text[..end].to_owned(), is_whole })
}

/// Why the command line does not take it.
fn refused(said: &Said) -> Option<String> {
    let Some(words) = shlex::split(&said.text) else { return Some("the shell cannot read it".to_owned()) };
    let ends =
        |word: &&String| !matches!(word.as_str(), "|" | "||" | "&&" | ";" | "<" | ">" | ">>" | "&" | "\\");
    let words: Vec<String> =
        words.iter().take_while(ends).filter(|word| !matches!(word.as_str(), "..." | "…")).cloned().collect();
    let is_placeholder =
        |word: &String| !word.is_empty() && word.chars().all(|letter| letter.is_ascii_uppercase());
    if words.get(1).is_some_and(is_placeholder) {
        return None;
    }
    let error = unitai_cli::command().try_get_matches_from(words).err()?;
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => None,
        ErrorKind::InvalidValue
        | ErrorKind::MissingRequiredArgument
        | ErrorKind::MissingSubcommand
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
            if !said.is_whole =>
        {
            None
        }
        _ => Some(error.to_string().lines().next().unwrap_or_default().to_owned()),
    }
}
