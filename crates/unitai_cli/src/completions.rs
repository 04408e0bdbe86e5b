//! `unitai completions`: what a shell needs to know to complete our commands and options.

use clap::Args;
use clap_complete::Shell;

use crate::say::say;

/// The examples of the help: how each shell is taught.
pub(crate) const EXAMPLES: &str = "Install:\n  bash        unitai completions bash > ~/.local/share/bash-completion/completions/unitai\n  zsh         unitai completions zsh > ~/.zfunc/_unitai    # with fpath+=~/.zfunc before compinit in ~/.zshrc\n  fish        unitai completions fish > ~/.config/fish/completions/unitai.fish\n  powershell  unitai completions powershell >> $PROFILE\n  elvish      unitai completions elvish >> ~/.config/elvish/rc.elv\n\nOnly for this shell:  eval \"$(unitai completions bash)\"";

/// The arguments of `unitai completions`.
#[derive(Args)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    /// Writes the script for the shell.
    pub(crate) fn run(&self, mut command: clap::Command) -> i32 {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, "unitai", &mut script);
        // Nobody may be reading any more.
        let _ = say(String::from_utf8_lossy(&script).trim_end());
        0
    }
}
