//! Which framework a project uses: what it says it needs, what its code imports, what its lock holds.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::framework::Framework;
use super::pyproject::{Pyproject, normal, requirement};

/// How much is looked at: an answer must come at once, in a folder of any size.
const ENTRIES: usize = 5_000;
const DEPTH: usize = 6;
const HEAD: u64 = 64 * 1024;
const LOCK: u64 = 16 * 1024 * 1024;

/// Frameworks that were found, the preferred first, and the file that named them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) frameworks: Vec<Framework>,
    pub(crate) file: PathBuf,
}

/// What the project in this folder uses. A lock comes last: it also holds what others need.
pub(crate) fn find(folder: &Path) -> Option<Found> {
    in_pyproject(folder)
        .or_else(|| in_requirements(folder))
        .or_else(|| in_code(folder))
        .or_else(|| in_locks(folder))
}

fn in_pyproject(folder: &Path) -> Option<Found> {
    found(Pyproject::of(folder).needs(), "pyproject.toml".into())
}

fn in_requirements(folder: &Path) -> Option<Found> {
    let is_list = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        name.starts_with("requirements") && (name.ends_with(".txt") || name.ends_with(".in"))
    };
    let files = listed(folder).into_iter().filter(is_list);
    let more = listed(&folder.join("requirements")).into_iter();
    files.chain(more).find_map(|file| {
        let text = head(&file, HEAD)?;
        found(text.lines().filter_map(requirement).collect(), within(folder, &file))
    })
}

fn in_code(folder: &Path) -> Option<Found> {
    let mut named: BTreeMap<Framework, PathBuf> = BTreeMap::new();
    let mut hinted: BTreeMap<Framework, PathBuf> = BTreeMap::new();
    let mut left = ENTRIES;
    // `agents` may be a package of the project.
    let own_agents = ["agents", "src/agents", "agents.py", "src/agents.py"];
    let has_own = own_agents.iter().any(|name| folder.join(name).exists());
    walk(folder, DEPTH, &mut left, &mut |file| {
        let Some(text) = head(file, HEAD) else { return };
        for &framework in Framework::all() {
            let is_own = framework == Framework::OpenaiAgents && has_own;
            if !is_own && imports(&text, |name| framework.module() == Some(name)) {
                named.entry(framework).or_insert_with(|| file.to_owned());
            }
            if imports(&text, |name| is_companion(framework, name)) {
                hinted.entry(framework).or_insert_with(|| file.to_owned());
            }
        }
    });
    let present =
        present(|framework| named.contains_key(&framework), |framework| hinted.contains_key(&framework));
    let framework = *present.first()?;
    let file = named.get(&framework).or_else(|| hinted.get(&framework))?;
    Some(Found { frameworks: vec![framework], file: within(folder, file) })
}

fn in_locks(folder: &Path) -> Option<Found> {
    ["uv.lock", "poetry.lock", "pdm.lock"].iter().find_map(|name| {
        let text = head(&folder.join(name), LOCK)?;
        let table: toml::Table = text.parse().ok()?;
        let packages = table.get("package")?.as_array()?;
        let names = packages.iter().filter_map(|package| Some(normal(package.get("name")?.as_str()?)));
        found(names.collect(), PathBuf::from(name))
    })
}

fn found(names: Vec<String>, file: PathBuf) -> Option<Found> {
    let frameworks = present(
        |framework| names.iter().any(|name| framework.distributions().contains(&name.as_str())),
        |framework| names.iter().any(|name| is_companion(framework, name)),
    );
    (!frameworks.is_empty()).then_some(Found { frameworks, file })
}

/// The frameworks that are named, the preferred first; and one that is only hinted at, where nothing is named but a client.
fn present(is_named: impl Fn(Framework) -> bool, is_hinted: impl Fn(Framework) -> bool) -> Vec<Framework> {
    let all = Framework::all().iter().copied();
    let named: Vec<Framework> = all.clone().filter(|framework| is_named(*framework)).collect();
    let is_undecided = named.iter().all(|framework| *framework == Framework::Openai);
    let hinted = all.clone().find(|framework| is_undecided && is_hinted(*framework));
    hinted.into_iter().chain(named).collect()
}

/// Whether a package or a module is a companion of a framework: `langchain-openai`, `langchain_openai`.
fn is_companion(framework: Framework, name: &str) -> bool {
    let rest = framework.companion().and_then(|companion| name.strip_prefix(companion));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_']))
}

/// Whether code imports a module of this kind, or one that is in it.
fn imports(text: &str, is_meant: impl Fn(&str) -> bool) -> bool {
    text.lines().any(|line| {
        let mut words = line.split_whitespace();
        let is_import = matches!(words.next(), Some("import" | "from"));
        is_import
            && words.next().is_some_and(|name| {
                let name = name.trim_end_matches([',', ';']);
                let parents = name.match_indices('.').map(|(at, _)| &name[..at]);
                parents.chain([name]).any(&is_meant)
            })
    })
}

/// Goes through the Python files of a project, not through what was installed or made.
fn walk(folder: &Path, depth: usize, left: &mut usize, see: &mut dyn FnMut(&Path)) {
    const NOT_OURS: [&str; 8] =
        ["venv", "env", "node_modules", "__pycache__", "site-packages", "build", "dist", "target"];
    // An environment, whatever its name is.
    if folder.join("pyvenv.cfg").exists() {
        return;
    }
    for path in listed(folder) {
        if *left == 0 {
            return;
        }
        *left -= 1;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        // Links are not followed: they may lead in a circle, or out of the project.
        let Ok(kind) = fs::symlink_metadata(&path).map(|found| found.file_type()) else { continue };
        if kind.is_file() && name.ends_with(".py") {
            see(&path);
        } else if kind.is_dir() && depth > 0 && !name.starts_with('.') && !NOT_OURS.contains(&name.as_str()) {
            walk(&path, depth - 1, left, see);
        }
    }
}

/// What is in a folder, in the order of names: what is found must not depend on the file system.
fn listed(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().take(ENTRIES);
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths
}

/// The beginning of a file, if it is one.
fn head(file: &Path, limit: u64) -> Option<String> {
    // A pipe would be waited for.
    fs::metadata(file).ok().filter(|found| found.is_file())?;
    let mut bytes = Vec::new();
    File::open(file).ok()?.take(limit).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn within(folder: &Path, file: &Path) -> PathBuf {
    file.strip_prefix(folder).unwrap_or(file).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn told(files: &[(&str, &str)]) -> Option<(Framework, String)> {
        let folder = project(files);
        find(folder.path()).map(|found| (found.frameworks[0], found.file.display().to_string()))
    }

    fn some(framework: Framework, file: &str) -> Option<(Framework, String)> {
        Some((framework, file.to_owned()))
    }

    #[test]
    fn what_is_asked_for_comes_before_what_is_imported_and_that_before_a_lock() {
        let pyproject = ("pyproject.toml", "[project]\ndependencies = [\"openai>=2\"]\n");
        let list = ("requirements-dev.txt", "# crewai\n-r other.txt\ncrewai==1.15\n");
        let code = ("src/app/main.py", "import os\nfrom pydantic_ai.models import Model\n");
        let lock = ("uv.lock", "[[package]]\nname = \"langgraph\"\n[[package]]\nname = \"openai\"\n");
        assert_eq!(told(&[pyproject, list, code, lock]), some(Framework::Openai, "pyproject.toml"));
        assert_eq!(told(&[list, code, lock]), some(Framework::Crewai, "requirements-dev.txt"));
        assert_eq!(told(&[code, lock]), some(Framework::PydanticAi, "src/app/main.py"));
        assert_eq!(told(&[lock]), some(Framework::Langgraph, "uv.lock"));
        assert_eq!(told(&[("notes.txt", "langgraph")]), None);
    }

    #[test]
    fn a_framework_comes_before_its_client() {
        let list = "[project]\ndependencies = [\"openai\", \"langgraph\", \"openai-agents\"]\n";
        let folder = project(&[("pyproject.toml", list)]);
        let found = find(folder.path()).unwrap();
        assert_eq!(found.frameworks, [Framework::Langgraph, Framework::OpenaiAgents, Framework::Openai]);
    }

    #[test]
    fn what_goes_with_several_frameworks_speaks_for_one_where_no_other_is_there() {
        let langgraph = |file| some(Framework::Langgraph, file);
        for need in ["langchain>=1", "langchain-openai", "openai\nlangchain_anthropic"] {
            assert_eq!(told(&[("requirements.txt", need)]), langgraph("requirements.txt"), "{need}");
        }
        let agent = ("agent.py", "import openai\nfrom langchain.agents import create_agent\n");
        assert_eq!(told(&[agent]), langgraph("agent.py"));
        assert_eq!(told(&[("agent.py", "from langchain_openai import ChatOpenAI\n")]), langgraph("agent.py"));
        let crew = ("requirements.txt", "crewai\nlangchain-openai\n");
        assert_eq!(told(&[crew, agent]), some(Framework::Crewai, "requirements.txt"));
        let crew = ("crew.py", "from crewai import Crew\n");
        assert_eq!(told(&[crew, agent]), some(Framework::Crewai, "crew.py"));
        assert_eq!(told(&[("main.py", "import langchains\n")]), None);
    }

    #[test]
    fn what_was_installed_or_is_the_projects_own_is_not_looked_at() {
        let code = "import langgraph\n";
        assert_eq!(told(&[(".venv/x.py", code), ("node_modules/x.py", code), ("venv/lib/x.py", code)]), None);
        assert_eq!(told(&[("odd/pyvenv.cfg", ""), ("odd/lib/x.py", code)]), None);
        assert_eq!(told(&[("main.py", "from agents import mine\n"), ("agents/__init__.py", "")]), None);
        let sdk = "from agents import Agent, Runner\n";
        assert_eq!(told(&[("main.py", sdk)]), some(Framework::OpenaiAgents, "main.py"));
        assert_eq!(told(&[("main.py", "import langgraphic\n# import openai\n")]), None);
    }

    #[test]
    fn a_large_project_is_not_read_to_its_end() {
        let folder = project(&[("a/a.py", ""), ("z/z.py", "import openai\n")]);
        for n in 0..ENTRIES {
            fs::write(folder.path().join("a").join(format!("{n}.py")), "").unwrap();
        }
        assert_eq!(find(folder.path()), None);
    }
}
