//! Who is asked, by settings and by what is here. Nothing of this machine takes part.

use std::path::{Path, PathBuf};

use unitai_config::{JudgeProvider, JudgeSettings, Settings};
use unitai_judge::providers::choosing::{Surroundings, Usable, choose, choose_second, on_path, usable};
use unitai_wire::meter::PriceTable;

fn settings(provider: JudgeProvider) -> JudgeSettings {
    let folder = std::env::temp_dir();
    JudgeSettings { provider, ..Settings::usual(&folder).judge() }
}

/// Looks at a machine with these programs and variables.
fn here<T>(programs: &[&str], env: &[(&str, &str)], look: impl FnOnce(Surroundings<'_>) -> T) -> T {
    let find = |name: &str| programs.contains(&name).then(|| PathBuf::from("/programs").join(name));
    let env = |name: &str| env.iter().find(|(it, _)| *it == name).map(|(_, value)| (*value).to_owned());
    look(Surroundings {
        env: &env,
        find: &find,
        prices: PriceTable::release(),
        folder: Path::new("/project"),
    })
}

fn chosen(
    settings: &JudgeSettings,
    programs: &[&str],
    env: &[(&str, &str)],
) -> Result<Option<String>, String> {
    let found = here(programs, env, |around| choose(settings, around))?;
    Ok(found.map(|provider| provider.name().to_owned()))
}

const ANTHROPIC: (&str, &str) = ("ANTHROPIC_API_KEY", "a-key");
const OPENAI: (&str, &str) = ("OPENAI_API_KEY", "a-key");

#[test]
fn auto_is_the_first_that_is_here() {
    let auto = settings(JudgeProvider::Auto);
    let of = |programs: &[&str], env: &[(&str, &str)]| chosen(&auto, programs, env).expect("no error");
    assert_eq!(of(&["claude", "codex", "gemini"], &[ANTHROPIC]).as_deref(), Some("claude-code"));
    assert_eq!(of(&["gemini", "codex"], &[ANTHROPIC]).as_deref(), Some("codex"));
    assert_eq!(of(&["gemini"], &[ANTHROPIC]).as_deref(), Some("gemini-cli"));
    assert_eq!(of(&[], &[OPENAI, ANTHROPIC]).as_deref(), Some("anthropic"));
    assert_eq!(of(&[], &[OPENAI, ("ANTHROPIC_API_KEY", "")]).as_deref(), Some("openai"));
    assert_eq!(of(&["python3"], &[]), None);
}

#[test]
fn a_command_that_is_named_comes_before_all_others() {
    let auto = JudgeSettings { command: vec!["judge".to_owned()], ..settings(JudgeProvider::Auto) };
    assert_eq!(chosen(&auto, &["judge", "claude"], &[]), Ok(Some("command".to_owned())));
    assert!(chosen(&auto, &["claude"], &[]).is_err(), "nobody else is asked in its place");
    let named = JudgeSettings { provider: JudgeProvider::Command, ..auto };
    assert_eq!(chosen(&named, &["judge"], &[]), Ok(Some("command".to_owned())));
    let beside = JudgeSettings { command: vec!["tools/judge".to_owned()], ..named };
    assert!(chosen(&beside, &["tools/judge"], &[]).is_err());
    assert_eq!(chosen(&beside, &["/project/tools/judge"], &[]), Ok(Some("command".to_owned())));
}

#[test]
fn one_that_is_named_and_not_usable_is_an_error_that_says_why() {
    for (provider, expected) in [
        (JudgeProvider::ClaudeCode, "the program claude is not on the path"),
        (JudgeProvider::Anthropic, "ANTHROPIC_API_KEY is not set"),
        (JudgeProvider::OpenAi, "OPENAI_API_KEY is not set"),
        (JudgeProvider::Command, "judge.command names no program"),
    ] {
        let why = chosen(&settings(provider), &[], &[]).expect_err("it is not usable");
        assert!(why.contains(expected) && why.contains(provider.word()), "{why}");
    }
    assert_eq!(chosen(&settings(JudgeProvider::Nobody), &["claude"], &[ANTHROPIC]), Ok(None));
}

#[tokio::test]
async fn the_model_is_the_one_of_settings_or_ours() {
    let mut wanted = settings(JudgeProvider::OpenAi);
    let model = |settings: JudgeSettings| async move {
        let provider = here(&[], &[OPENAI, ANTHROPIC], |around| choose(&settings, around)).ok().flatten();
        provider.expect("a provider").identity().await.expect("an identity").model
    };
    assert!(!model(wanted.clone()).await.is_empty());
    wanted.model = Some("m".to_owned());
    assert_eq!(model(wanted.clone()).await, "m");

    wanted.second_provider = Some(JudgeProvider::Anthropic);
    wanted.second_model = Some("n".to_owned());
    let second = here(&[], &[OPENAI, ANTHROPIC], |around| choose_second(&wanted, around)).expect("no error");
    let identity = second.expect("a second one").identity().await.expect("an identity");
    assert_eq!((identity.provider.as_str(), identity.model.as_str()), ("anthropic", "n"));
    wanted.second_provider = None;
    assert!(here(&[], &[], |around| choose_second(&wanted, around)).expect("no error").is_none());
}

#[test]
fn a_word_that_stands_for_no_key_makes_nobody_usable_but_a_server_of_ones_own() {
    let of_openai = |env: &[(&str, &str)]| {
        let all = here(&[], env, |around| usable(&settings(JudgeProvider::Auto), around));
        all.into_iter().find(|it| it.provider == JudgeProvider::OpenAi).expect("it is known").how
    };
    let none = ("OPENAI_API_KEY", "none");
    assert_eq!(of_openai(&[none]), Err("OPENAI_API_KEY holds no key".to_owned()));
    assert!(of_openai(&[none, ("OPENAI_BASE_URL", "http://127.0.0.1:11434/v1")]).is_ok());
}

#[test]
fn each_is_told_with_what_makes_it_usable_or_not() {
    let env = [ANTHROPIC, OPENAI, ("OPENAI_BASE_URL", "http://me:secret@models.example:99/v1?key=secret")];
    let all = here(&["codex"], &env, |around| usable(&settings(JudgeProvider::Auto), around));
    let told: Vec<String> = all
        .iter()
        .map(|Usable { provider, how, is_chosen }| format!("{} {how:?} {is_chosen}", provider.word()))
        .collect();
    assert_eq!(
        told,
        [
            "claude-code Err(\"the program claude is not on the path; npm install -g @anthropic-ai/claude-code gets it\") false",
            "codex Ok(\"the program codex\") true",
            "gemini-cli Err(\"the program gemini is not on the path; npm install -g @google/gemini-cli gets it\") false",
            "anthropic Ok(\"ANTHROPIC_API_KEY is set\") false",
            "openai Ok(\"OPENAI_API_KEY is set, at models.example\") false",
            "command Err(\"judge.command names no program\") false",
        ]
    );
}

#[cfg(unix)]
#[test]
fn a_program_is_a_file_that_may_be_run() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("judge");
    std::fs::write(&file, "").expect("a file");
    let path = std::env::join_paths(["relative".as_ref(), folder.path()]).expect("a path");
    assert_eq!(on_path(Some(&path), "judge"), None);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).expect("our own file");
    assert_eq!(on_path(Some(&path), "judge"), Some(file.clone()));
    assert_eq!(on_path(Some(&path), &file.display().to_string()), Some(file));
    assert_eq!(on_path(None, "judge"), None);
}

#[cfg(unix)]
#[tokio::test]
async fn the_keys_of_the_environment_are_in_no_word_of_a_program() {
    use std::time::Duration;
    let key = "sk-chosen-Zk3vQ8xWn2LmR7tYpB4cXq9";
    let says = format!("echo '{{\"error\": {{\"kind\": \"absent\", \"message\": \"wrong key {key}\"}}}}'");
    let command = ["sh", "-c", &says].map(str::to_owned).to_vec();
    let wanted = JudgeSettings { command, ..settings(JudgeProvider::Command) };
    let env = |name: &str| (name == "OPENAI_API_KEY").then(|| key.to_owned());
    let find = |_: &str| Some(PathBuf::from("/bin/sh"));
    let folder = tempfile::tempdir().expect("a folder");
    let around =
        Surroundings { env: &env, find: &find, prices: PriceTable::release(), folder: folder.path() };
    let provider = choose(&wanted, around).expect("no error").expect("a provider");
    let schema = serde_json::json!({});
    let timeout = Duration::from_secs(20);
    let ask = unitai_judge::Ask { system: "s", prompt: "p", schema: &schema, timeout };
    let Err(unitai_judge::Trouble::Absent(why)) = provider.ask(&ask).await else { panic!("it is absent") };
    assert!(why.contains("wrong key [redacted]") && !why.contains("Zk3v"), "{why}");
}
