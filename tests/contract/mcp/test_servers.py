"""Real MCP servers are driven by YAML tests: over standard streams and over HTTP, in old and new versions of the protocol."""

from __future__ import annotations

import subprocess

import pytest

pytestmark = pytest.mark.contract

#: Versions that begin with a handshake, and the first that does not.
OLD = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
NEW = "2026-07-28"
#: Whatever both sides can.
ANY = ""


@pytest.mark.parametrize("protocol", [ANY, *OLD, NEW])
def test_time(project, protocol):
    (project.variables["MCP_TIME"],) = project.has("time")
    project.passes("time", protocol)


@pytest.mark.parametrize("protocol", [ANY, OLD[0]])
def test_time_as_it_was_with_the_first_sdk(project, protocol):
    (project.variables["MCP_TIME"],) = project.has("time-old")
    project.passes("time", protocol)


@pytest.mark.parametrize("protocol", [ANY, OLD[-1], NEW])
def test_git(project, protocol):
    (project.variables["MCP_GIT"],) = project.has("git")
    repository = project.folder / "repository"
    project.variables["REPOSITORY"] = str(repository)
    test = project.test("git", protocol)
    who = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
    subprocess.run(["git", "init", "--quiet", repository], check=True)
    for name, value in (("user.name", "a"), ("user.email", "a@example.com"), ("commit.gpgsign", "false")):
        subprocess.run(["git", "config", name, value], cwd=repository, check=True)
    subprocess.run(["git", *who, "commit", "--quiet", "--allow-empty", "-m", "begin"], cwd=repository, check=True)
    (repository / "new.txt").write_text("something new\n")
    code, out = project.run("command, verbose", test)
    assert code == 0 and "1 passed" in out, out
    log = subprocess.run(["git", "log", "--format=%s"], cwd=repository, check=True, capture_output=True, text=True)
    assert log.stdout.splitlines() == ["add something new", "begin"]


@pytest.mark.parametrize("protocol", [ANY, *OLD])
def test_everything(project, protocol):
    project.variables["MCP_NODE"], project.variables["MCP_EVERYTHING"] = project.has("everything")
    project.passes("everything", protocol)


@pytest.mark.parametrize("protocol", [ANY, *OLD])
def test_everything_over_http(project, everything_url, protocol):
    project.variables["EVERYTHING_URL"] = everything_url
    project.passes("everything-http", protocol)


@pytest.mark.parametrize("protocol", [ANY, *OLD, NEW])
def test_ours(project, protocol):
    project.passes("ours", protocol)


def test_a_version_that_a_server_does_not_speak_is_an_error_and_never_a_skip(project, everything_url):
    project.variables["EVERYTHING_URL"] = everything_url
    test = project.test("everything-http", NEW)
    code, out = project.run("pytest", test)
    assert code == 1 and "ERROR: server `everything` did not start" in out, out
    code, out = project.run("command", test)
    assert code == 2 and "did not start" in out, out


def test_a_server_that_is_not_there_is_an_error(project):
    project.variables["EVERYTHING_URL"] = "http://127.0.0.1:9/mcp"
    code, out = project.run("command", project.test("everything-http", ANY))
    assert code == 2 and "127.0.0.1:9" in out, out
