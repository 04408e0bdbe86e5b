//! Who is asked: the provider that settings name, or the first one that is usable here.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use unitai_config::{JudgeProvider, JudgeSettings};
use unitai_wire::Target;
use unitai_wire::keys::{ALL as KEYS, is_key};
use unitai_wire::meter::PriceTable;

use super::anthropic::{Anthropic, Messages};
use super::claude_code::ClaudeCode;
use super::codex::Codex;
use super::command::Command;
use super::discreet::Discreet;
use super::form::Form;
use super::gemini_cli::GeminiCli;
use super::openai::{ChatCompletions, OpenAi};
use crate::Provider;

/// What choosing looks at. Nothing else is: whoever tests it has nothing of this machine in it.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// A variable of the environment.
    pub env: &'a dyn Fn(&str) -> Option<String>,
    /// A program by its name: see [`on_path`].
    pub find: &'a dyn Fn(&str) -> Option<PathBuf>,
    /// What models cost.
    pub prices: &'a PriceTable,
    /// The folder of the project, from which `judge.command` is named and in which it runs.
    pub folder: &'a Path,
}

/// Whether a provider is usable here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Usable {
    /// The provider.
    pub provider: JudgeProvider,
    /// What makes it usable; or why it is not, and what to do.
    pub how: Result<String, String>,
    /// Whether it is the one that settings choose.
    pub is_chosen: bool,
}

/// What [`JudgeProvider::Auto`] tries, in this order, where settings name no program of one's own.
const TRIED: [JudgeProvider; 5] = [
    JudgeProvider::ClaudeCode,
    JudgeProvider::Codex,
    JudgeProvider::GeminiCli,
    JudgeProvider::Anthropic,
    JudgeProvider::OpenAi,
];

/// The first judge. `None` is nobody: no provider is usable, or none is wanted. A provider that is named and not usable
/// is an error.
pub fn choose(
    settings: &JudgeSettings,
    around: Surroundings<'_>,
) -> Result<Option<Box<dyn Provider>>, String> {
    made(settings.provider, settings.model.as_deref(), settings, around)
}

/// The second judge, which is asked when the first is split or does not know.
pub fn choose_second(
    settings: &JudgeSettings,
    around: Surroundings<'_>,
) -> Result<Option<Box<dyn Provider>>, String> {
    match settings.second_provider {
        Some(second) => made(second, settings.second_model.as_deref(), settings, around),
        None => Ok(None),
    }
}

/// For each provider whether it is usable. Nothing is started and nobody is asked.
pub fn usable(settings: &JudgeSettings, around: Surroundings<'_>) -> Vec<Usable> {
    let chosen = settled(settings.provider, settings, around);
    TRIED
        .into_iter()
        .chain([JudgeProvider::Command])
        .map(|provider| Usable {
            provider,
            how: seen(provider, settings, around).map(|place| place.told(provider)),
            is_chosen: chosen == Some(provider),
        })
        .collect()
}

/// How to get a judge, for whoever has none.
pub fn how_to_get_one() -> String {
    format!(
        "install Claude Code, Codex or Gemini CLI; or set {} or {}; or name a program of your own with \
         judge.command",
        Messages::KEY,
        ChatCompletions::KEY
    )
}

/// A program in the folders of `PATH`.
pub fn on_path(path: Option<&OsStr>, program: &str) -> Option<PathBuf> {
    let named = Path::new(program);
    if named.components().count() > 1 {
        return is_program(named).then(|| named.to_owned());
    }
    std::env::split_paths(path?)
        .filter(|folder| folder.is_absolute())
        .flat_map(|folder| ENDINGS.iter().map(move |ending| folder.join(format!("{program}{ending}"))))
        .find(|file| is_program(file))
}

#[cfg(unix)]
const ENDINGS: [&str; 1] = [""];
#[cfg(not(unix))]
const ENDINGS: [&str; 4] = [".exe", ".cmd", ".bat", ""];

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(file).is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}

/// The provider that is meant, with `auto` settled.
fn settled(
    wanted: JudgeProvider,
    settings: &JudgeSettings,
    around: Surroundings<'_>,
) -> Option<JudgeProvider> {
    match wanted {
        JudgeProvider::Nobody => None,
        JudgeProvider::Auto if !settings.command.is_empty() => Some(JudgeProvider::Command),
        JudgeProvider::Auto => TRIED.into_iter().find(|one| seen(*one, settings, around).is_ok()),
        named => Some(named),
    }
}

/// Where a provider is.
enum Place {
    Program(PathBuf),
    /// An address, and whether somebody has said it.
    Address(String, bool),
}

impl Place {
    /// In words, without folders: what `unitai doctor` says is shown to others.
    fn told(&self, provider: JudgeProvider) -> String {
        match self {
            Place::Program(path) => {
                format!("the program {}", path.file_name().unwrap_or_default().to_string_lossy())
            }
            Place::Address(_, false) => format!("{} is set", key_of(provider)),
            Place::Address(address, true) => {
                let host = Target::of(address).map_or("an address of your own", |target| target.host);
                format!("{} is set, at {host}", key_of(provider))
            }
        }
    }
}

/// Where a provider is here, or why it is not usable.
fn seen(
    provider: JudgeProvider,
    settings: &JudgeSettings,
    around: Surroundings<'_>,
) -> Result<Place, String> {
    let said = |name: &str| (around.env)(name).filter(|text| !text.is_empty());
    let service = |key: &str, address: &str, usual: &str| match (said(key), said(address)) {
        (None, _) => Err(format!("{key} is not set")),
        // A server of one's own may want no key.
        (Some(_), Some(own)) => Ok(Place::Address(own, true)),
        (Some(value), None) if !is_key(&value) => Err(format!("{key} holds no key")),
        (Some(_), None) => Ok(Place::Address(usual.to_owned(), false)),
    };
    match provider {
        JudgeProvider::ClaudeCode | JudgeProvider::Codex | JudgeProvider::GeminiCli => {
            let (name, package) = program_of(provider);
            (around.find)(name).map(Place::Program).ok_or_else(|| {
                format!("the program {name} is not on the path; npm install -g {package} gets it")
            })
        }
        JudgeProvider::Anthropic => service(Messages::KEY, Messages::ADDRESS, Messages::USUAL_ADDRESS),
        JudgeProvider::OpenAi => {
            service(ChatCompletions::KEY, ChatCompletions::ADDRESS, ChatCompletions::USUAL_ADDRESS)
        }
        JudgeProvider::Command => match settings.command.first() {
            None => Err("judge.command names no program".to_owned()),
            Some(program) => (around.find)(&rooted(program, around.folder))
                .map(Place::Program)
                .ok_or_else(|| format!("judge.command names {program}, which is not there")),
        },
        JudgeProvider::Auto | JudgeProvider::Nobody => Err("nobody is wanted".to_owned()),
    }
}

/// A program that is named by its path, from a folder; one that is named alone is on the path.
fn rooted(program: &str, folder: &Path) -> String {
    let is_path = Path::new(program).components().count() > 1;
    if is_path { folder.join(program).display().to_string() } else { program.to_owned() }
}

/// The variable of a service's key.
fn key_of(provider: JudgeProvider) -> &'static str {
    if provider == JudgeProvider::Anthropic { Messages::KEY } else { ChatCompletions::KEY }
}

/// The program of a provider, and the package that it comes in.
fn program_of(provider: JudgeProvider) -> (&'static str, &'static str) {
    match provider {
        JudgeProvider::Codex => ("codex", "@openai/codex"),
        JudgeProvider::GeminiCli => ("gemini", "@google/gemini-cli"),
        _ => ("claude", "@anthropic-ai/claude-code"),
    }
}

fn made(
    wanted: JudgeProvider,
    model: Option<&str>,
    settings: &JudgeSettings,
    around: Surroundings<'_>,
) -> Result<Option<Box<dyn Provider>>, String> {
    let Some(provider) = settled(wanted, settings, around) else { return Ok(None) };
    let place = seen(provider, settings, around).map_err(|why| {
        format!("the judge {} is not usable: {why}; or choose another with judge.provider", provider.word())
    })?;
    let key = || (around.env)(key_of(provider)).unwrap_or_default();
    Ok(Some(match (provider, place) {
        (JudgeProvider::Anthropic, Place::Address(address, _)) => {
            let api = Anthropic::new(&key()).at(&address).priced(around.prices.clone());
            Box::new(if let Some(model) = model { api.with_model(model) } else { api })
        }
        (_, Place::Address(address, _)) => {
            let api = OpenAi::new(&key()).at(&address).priced(around.prices.clone());
            Box::new(if let Some(model) = model { api.with_model(model) } else { api })
        }
        (_, Place::Program(path)) => {
            let model = model.unwrap_or_default();
            let program: Box<dyn Provider> = match provider {
                JudgeProvider::Codex => Box::new(Codex::new(path, model)),
                JudgeProvider::GeminiCli => Box::new(GeminiCli::new(path, model)),
                JudgeProvider::Command => {
                    let args = settings.command.get(1..).unwrap_or_default().to_vec();
                    Box::new(Command::new(path, args, around.folder, model))
                }
                _ => Box::new(ClaudeCode::new(path, model)),
            };
            Box::new(Discreet::new(program, KEYS.iter().filter_map(|name| (around.env)(name))))
        }
    }))
}
