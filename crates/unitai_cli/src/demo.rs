//! `unitai demo`: the refund example, run by pytest, then its deliberate failure.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

use clap::Args;
use unitai_wire::gate::write_private;

use crate::say::{complain, say, secrets};

/// The example's files are part of the command, so that the demo needs no checkout.
const FILES: [(&str, &str); 3] = [
    ("refund_agent.py", include_str!("../demo/refund_agent.py")),
    ("test_refund.py", include_str!("../demo/test_refund.py")),
    ("failing_refund.py", include_str!("../demo/failing_refund.py")),
];

/// The arguments of `unitai demo`.
#[derive(Args)]
pub(crate) struct Demo {
    /// Leave the demo's files in this folder
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
}

impl Demo {
    /// Runs the demo. Exits 0 only if the passing tests passed and the failing one failed.
    pub(crate) fn run(&self, python: &str) -> i32 {
        let folder = match &self.keep {
            Some(folder) => folder.clone(),
            None => env::temp_dir().join(format!("unitai-demo-{}", std::process::id())),
        };
        let made = match &self.keep {
            Some(_) => fs::create_dir_all(&folder),
            // A folder that is there already is somebody else's, and stays.
            None => fs::create_dir(&folder),
        };
        let shown = made.and_then(|()| {
            let shown = self.show(python, &folder);
            if self.keep.is_none() {
                // Best effort: a left-over temporary folder is no failure of the demo.
                let _ = fs::remove_dir_all(&folder);
            }
            shown
        });
        match shown {
            Ok(code) => code,
            Err(error) => {
                let folder = folder.display();
                complain(&format!(
                    "the demo could not run in {folder}: {error}; `unitai demo --keep FOLDER` runs it in another"
                ));
                2
            }
        }
    }

    fn show(&self, python: &str, folder: &Path) -> io::Result<i32> {
        for (name, text) in FILES {
            lay_down(&folder.join(name), text)?;
        }
        say("1. Tests of a refund agent. Its tools are mocked: no key, no network.\n")?;
        let passed = pytest(python, folder, "test_refund.py", &["-v"])?;
        say(
            "\n2. The same agent with a bug: it refunds before it looks the order up. This test fails on purpose.\n",
        )?;
        let failed = pytest(python, folder, "failing_refund.py", &[])?;
        if passed != 0 || failed != 1 {
            say("\nThe demo did not go as it should: its tests must pass, and its broken test must fail.")?;
            return Ok(1);
        }
        match &self.keep {
            Some(folder) => {
                say(&format!("\nThe files are in {}: change them and run pytest there.", folder.display()))?
            }
            None => say("\nKeep the files to play with:  unitai demo --keep refund-demo")?,
        }
        Ok(0)
    }
}

/// Writes a file of the demo, and never over one that somebody has changed.
fn lay_down(path: &Path, text: &str) -> io::Result<()> {
    match fs::read(path) {
        Ok(found) if found == text.as_bytes() => Ok(()),
        Ok(_) => {
            let message = format!("{} is there already and differs from the demo's", path.display());
            Err(io::Error::new(io::ErrorKind::AlreadyExists, message))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            write_private(path, text.as_bytes(), secrets())
        }
        Err(error) => Err(error),
    }
}

fn pytest(python: &str, folder: &Path, file: &str, more: &[&str]) -> io::Result<i32> {
    let colour = if io::stdout().is_terminal() { "--color=yes" } else { "--color=no" };
    let status = Command::new(python)
        .args(["-m", "pytest", "--no-header", "-p", "no:cacheprovider", "--rootdir", ".", colour])
        .args(["-c", os_null(), "--tb=short"])
        .args(more)
        .arg(file)
        .current_dir(folder)
        .env_remove("PYTEST_ADDOPTS")
        .status()?;
    Ok(status.code().unwrap_or(1))
}

/// An empty configuration file: the demo must not read the settings of a project around it.
const fn os_null() -> &'static str {
    if cfg!(windows) { "NUL" } else { "/dev/null" }
}
