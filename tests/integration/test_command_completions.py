"""`unitai completions`: the scripts, and what a real bash makes of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

COMMAND = Path(sys.executable).parent / "unitai"
BASH = shutil.which("bash")


def unitai(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([COMMAND, *args], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell", "elvish"])
def test_every_shell_has_a_script(shell):
    done = unitai("completions", shell)
    assert (done.returncode, done.stderr) == (0, "")
    assert "unitai" in done.stdout
    assert "dry-run" in done.stdout


@pytest.mark.skipif(BASH is None, reason="bash is not here")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["unitai", ""], {"init", "test", "cache", "serve", "doctor", "completions", "demo"}),
        (["unitai", "do"], {"doctor"}),
        (["unitai", "init", "--"], {"--dry-run", "--framework", "--help"}),
        (["unitai", "init", "--framework", "lang"], {"langgraph"}),
        (["unitai", "test", "--re"], {"--record", "--replay"}),
        (["unitai", "cache", "c"], {"clear"}),
        (["unitai", "completions", "z"], {"zsh"}),
    ],
)
def test_bash_completes_commands_options_and_values(words, offered, tmp_path):
    script = tmp_path / "unitai.bash"
    script.write_text(unitai("completions", "bash").stdout, encoding="utf-8")
    quoted = " ".join(f"'{word}'" for word in words)
    before = words[-2]
    code = f"""
        source '{script}'
        COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; COMPREPLY=()
        _unitai unitai '{words[-1]}' '{before}'
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    assert BASH is not None
    done = subprocess.run(
        [BASH, "--noprofile", "--norc", "-c", code], capture_output=True, text=True, env=os.environ, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert offered <= set(done.stdout.split())
    assert all(word.startswith(words[-1]) for word in done.stdout.split())


def test_the_help_says_how_to_install_them():
    done = unitai("completions", "--help")
    assert done.returncode == 0
    for shell in ("bash-completion/completions/unitai", "_unitai", "unitai.fish", "$PROFILE", "rc.elv"):
        assert shell in done.stdout


@pytest.mark.parametrize("args", [(), ("tcsh",)])
def test_a_shell_that_is_not_known_is_wrong_usage(args):
    done = unitai("completions", *args)
    assert (done.returncode, done.stdout) == (2, "")
    assert "bash" in done.stderr or "<SHELL>" in done.stderr
