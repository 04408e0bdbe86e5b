"""How long plugins live, and that each is cleaned up, proven by what they leave on the disk."""

from __future__ import annotations

import os
import signal
import time

import pytest
from processes import soon
from stopwatch import Stopwatch

pytestmark = pytest.mark.integration

DIARY = """
import asyncio, os, time
from unitai.llm import LLMPlugin

def note(text):
    with open("diary", "a") as file:
        file.write(text + " ")

class OfTest(LLMPlugin):
    name = "test"
    def __init__(self): note("+test"); self.count = 0
    async def count_up(self):
        self.count += 1
        return self.count
    async def hang(self):
        note("hanging")
        try:
            await asyncio.sleep(60)
        finally:
            note("unhung")
    async def stubborn(self):
        note("hanging")
        end = time.monotonic() + 3
        while time.monotonic() < end:
            try:
                await asyncio.sleep(0.05)
            except asyncio.CancelledError:
                note("ignored")
        return "late"
    async def block(self):
        note("hanging")
        time.sleep(60)
    def cleanup(self): note("-test")

class OfSession(LLMPlugin):
    name = "session"
    scope = "session"
    def __init__(self): note("+session"); self.count = 0
    async def count_up(self):
        self.count += 1
        return self.count
    def hang(self):
        note("hanging")
        time.sleep(60)
    async def cleanup(self):
        await asyncio.sleep(0.01)
        note("-session")
"""


def diary(running) -> list[str]:
    file = running.root / "diary"
    return file.read_text().split() if file.exists() else []


def wait_for(running, word: str) -> None:
    assert soon(lambda: word in diary(running), 20), f"{word} is not in {diary(running)}"


def value(told) -> object:
    return told["_meta"]["unitai/value"]


def test_instances_are_new_for_each_test_and_those_of_the_session_stay(host):
    running = host(it=DIARY)
    for n in (1, 2):
        running.open()
        assert value(running.call("test_count_up")) == 1
        assert value(running.call("session_count_up")) == n
        assert running.close() == []
    assert diary(running) == ["+test", "+session", "-test", "+test", "-test"]
    assert running.call("_unitai_shutdown")["structuredContent"] == {"troubles": []}
    assert diary(running)[-1] == "-session"
    running.end()
    assert diary(running).count("-session") == 1


def test_a_test_that_begins_ends_the_one_before(host):
    running = host(it=DIARY)
    running.open()
    running.open()
    assert diary(running) == ["+test", "+session", "-test", "+test"]


def test_a_test_takes_what_was_made_to_list_the_tools(host):
    running = host(it=DIARY)
    running.ask("tools/list")
    assert list(running.open()["tools"])[0] == "test_count_up"
    assert diary(running) == ["+test", "+session"]
    running.open()
    assert diary(running) == ["+test", "+session", "-test", "+test"]


def test_what_was_called_before_a_test_begins_is_not_taken(host):
    running = host(it=DIARY)
    running.call("test_count_up")
    running.open()
    assert diary(running) == ["+test", "+session", "-test", "+test"]


def test_the_end_of_the_input_cleans_up(host):
    running = host(it=DIARY)
    running.open()
    assert running.end() == 0
    assert sorted(diary(running)[2:]) == ["-session", "-test"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("is_busy", [False, True])
def test_a_signal_cleans_up(host, number, is_busy):
    running = host(it=DIARY)
    running.open()
    if is_busy:
        running.start_call("test_hang")
        wait_for(running, "hanging")
    running.process.send_signal(number)
    # As clients do that are in a hurry.
    # unitai: ignore[sleep-in-test] clients in a hurry leave so much time between two signals
    time.sleep(0.05)
    running.process.send_signal(signal.SIGTERM)
    assert running.wait() == 128 + number
    assert {"-session", "-test"} <= set(diary(running))
    assert ("unhung" in diary(running)) is is_busy


@pytest.mark.parametrize("how", ["end", "signal"])
def test_a_plugin_that_blocks_everything_does_not_keep_the_process(host, how):
    running = host(it=DIARY)
    running.open()
    running.start_call("test_block")
    wait_for(running, "hanging")
    with Stopwatch() as watch:
        if how == "signal":
            running.process.send_signal(signal.SIGTERM)
            running.wait()
        else:
            running.end()
    assert watch.seconds > 4
    assert watch.fair < 9


def test_a_plain_method_that_hangs_does_not_keep_the_process(host):
    running = host(it=DIARY)
    running.open()
    running.start_call("session_hang")
    wait_for(running, "hanging")
    with Stopwatch() as watch:
        running.end()
    assert watch.fair < 9
    assert "-session" in diary(running)


def test_a_cancelled_call_is_stopped_and_not_answered(host):
    running = host(it=DIARY)
    running.open()
    number = running.start_call("test_hang")
    wait_for(running, "hanging")
    running.notify("notifications/cancelled", requestId=number, reason="no time")
    wait_for(running, "unhung")
    assert value(running.call("test_count_up")) == 1
    running.end()
    assert f'"id":{number},'.encode() not in b"".join(running.raw)


def test_a_cancelled_call_that_goes_on_is_not_answered_and_keeps_nobody(host):
    running = host(it=DIARY)
    running.open()
    number = running.start_call("test_stubborn")
    wait_for(running, "hanging")
    running.notify("notifications/cancelled", requestId=number)
    wait_for(running, "ignored")
    assert value(running.call("test_count_up")) == 1
    # unitai: ignore[sleep-in-test] an answer that must not come would have come by then
    time.sleep(3.2)
    running.end()
    assert f'"id":{number},'.encode() not in b"".join(running.raw)


def test_a_cancelled_plain_method_keeps_no_other_call(host):
    running = host(it=DIARY)
    running.open()
    number = running.start_call("session_hang")
    wait_for(running, "hanging")
    running.notify("notifications/cancelled", requestId=number)
    assert value(running.call("session_count_up")) == 1
    assert running.close() == []


def test_calls_run_side_by_side(host):
    running = host(
        it="""
import asyncio
from unitai.llm import LLMPlugin
class It(LLMPlugin):
    name = "it"
    def __init__(self): self.go = asyncio.Event()
    async def wait(self): await self.go.wait(); return "gone"
    async def release(self): self.go.set()
"""
    )
    running.open()
    number = running.start_call("it_wait")
    running.call("it_release")
    assert value(running.answer(number)["result"]) == "gone"


def test_a_call_that_is_under_way_ends_with_its_test(host):
    running = host(it=DIARY)
    running.open()
    number = running.start_call("test_hang")
    wait_for(running, "hanging")
    assert running.close() == []
    assert running.answer(number)["result"]["isError"] is True
    assert diary(running)[-2:] == ["unhung", "-test"]


def test_cleanup_that_fails_or_hangs_is_told(host):
    running = host(
        it="""
import asyncio, sys, time
from unitai.llm import LLMPlugin
class Failing(LLMPlugin):
    name = "failing"
    async def cleanup(self): raise OSError("still open")
class Leaving(LLMPlugin):
    name = "leaving"
    async def cleanup(self): sys.exit(2)
class Hanging(LLMPlugin):
    name = "hanging"
    async def cleanup(self):
        while True:
            try: await asyncio.sleep(60)
            except asyncio.CancelledError: pass
class Blocking(LLMPlugin):
    name = "blocking"
    def cleanup(self): time.sleep(60)
"""
    )
    running.open()
    with Stopwatch() as watch:
        told = running.close()
    assert watch.fair < 8
    firsts = [trouble.splitlines()[0] for trouble in told]
    home = "in tests/llm/plugins/it.py: cleanup()"
    assert firsts == [
        f"Failing {home} failed: OSError: still open",
        f"Leaving {home} failed: SystemExit: 2",
        f"Hanging {home} did not end within 5 seconds",
        f"Blocking {home} did not end within 5 seconds",
    ]
    assert running.ask("ping")["result"] == {}


def test_a_test_may_call_cleanup_itself_and_it_is_not_called_twice(host):
    running = host(it=DIARY)
    running.open()
    assert running.call("test_cleanup")["isError"] is False
    running.close()
    assert diary(running).count("-test") == 1
    running.open()
    running.call("test_cleanup")
    running.call("test_count_up")
    running.close()
    assert diary(running).count("-test") == 3


def test_children_do_not_hold_the_protocol(host):
    running = host(
        it="""
import subprocess
from unitai.llm import LLMPlugin
class It(LLMPlugin):
    name = "it"
    def start(self):
        return subprocess.Popen(["sleep", "60"], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL).pid
"""
    )
    running.open()
    child = value(running.call("it_start"))
    with Stopwatch() as watch:
        running.end()
    os.kill(child, signal.SIGKILL)
    assert watch.fair < 5


BLOCKING = """
import asyncio, subprocess, time
from unitai.llm import LLMPlugin

class Blocking(LLMPlugin):
    name = "it"
    held = 0
    def hold(self):
        self.held += 1
        with open("diary", "a") as file:
            file.write("blocking ")
    async def sleeps(self):
        self.hold()
        time.sleep(60)
    async def computes(self):
        self.hold()
        while True: pass
    async def waits_for_a_program(self):
        self.hold()
        subprocess.run(["sleep", "60"], capture_output=True)
    async def blocks_in_a_task(self):
        await asyncio.ensure_future(self.sleeps())
    async def tries_again(self):
        self.hold()
        for _ in range(3):
            try: time.sleep(60)
            except BaseException: pass
    async def count(self): return self.held
"""


@pytest.mark.parametrize("tool", ["sleeps", "computes", "waits_for_a_program", "blocks_in_a_task", "tries_again"])
def test_who_blocks_all_others_is_interrupted_once_nobody_waits(host, tool):
    running = host(it=BLOCKING)
    running.open()
    number = running.start_call(f"it_{tool}")
    wait_for(running, "blocking")
    running.notify("notifications/cancelled", requestId=number)
    # The same instance goes on.
    assert value(running.call("it_count")) == 1
    assert running.close() == []
    assert running.end() == 0


def test_who_waits_as_it_should_is_not_interrupted(host):
    running = host(it=DIARY)
    running.open()
    number = running.start_call("test_stubborn")
    wait_for(running, "hanging")
    running.notify("notifications/cancelled", requestId=number)
    assert value(running.call("test_count_up")) == 1
    assert running.close() == []
