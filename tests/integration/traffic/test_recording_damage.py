"""Files that are not what was written: loud in a replay, set aside and recorded anew in auto, never another answer."""

from __future__ import annotations

import random

import pytest
from loopback import Answered
from provider_bodies import as_provider
from wire import CHAT, ask, chat, post

from unitai import DamagedRecordingError, ReplayCache, cassette

# That something is set aside, or not kept, is what some of these tests are about.
pytestmark = [pytest.mark.integration, pytest.mark.filterwarnings("ignore::unitai.RecordingWarning")]

OFFSETS = 1_000


@pytest.fixture
def recorded(server, tmp_path):
    """A file that was recorded, and its bytes."""
    server.respond = lambda asked: Answered(
        **as_provider(asked.path, asked.body, text=f"answer {len(server.requests)}")
    )
    with cassette("record", tmp_path):
        assert ask(server) == "answer 1"
    (file,) = tmp_path.glob("*.json")
    return file, file.read_bytes()


def damaged(whole, seed):
    """The file with a bit flipped, or cut, or with zeros, at a place of its own."""
    chance = random.Random(seed)
    at = chance.randrange(len(whole))
    kind = seed % 4
    if kind == 0:
        return whole[:at]
    if kind == 1:
        # As a power cut leaves it: the right length, and nothing in it.
        return whole[:at] + bytes(len(whole) - at)
    flipped = bytearray(whole)
    flipped[at] ^= 1 << chance.randrange(8)
    return bytes(flipped)


def test_a_replay_says_so_at_each_of_1000_places(server, recorded, tmp_path):
    file, whole = recorded
    for seed in range(OFFSETS):
        file.write_bytes(bad := damaged(whole, seed))
        with pytest.raises(DamagedRecordingError, match="checksum does not fit"), cassette("replay", tmp_path):
            assert post(server.url + CHAT, chat()).status == 400
        with pytest.raises(DamagedRecordingError):
            ReplayCache(tmp_path).get(file.stem)
        # It is evidence, and was paid for.
        assert file.read_bytes() == bad
    assert len(server.requests) == 1
    file.write_bytes(whole)
    with cassette("replay", tmp_path):
        assert ask(server) == "answer 1"


def test_auto_sets_it_aside_and_records_anew(server, recorded, tmp_path):
    file, whole = recorded
    kept = 100
    for seed in range(kept):
        file.write_bytes(bad := damaged(whole, seed))
        with cassette("auto", tmp_path) as tape:
            assert ask(server) == f"answer {seed + 2}"
        assert (tape.recorded, tape.replayed) == (1, 0)
        with cassette("replay", tmp_path):
            assert ask(server) == f"answer {seed + 2}"
        aside = (tmp_path / "quarantine" / f"{file.stem}-{seed + 1}.json").read_bytes()
        assert aside == bad
    assert len(server.requests) == 1 + kept
    assert ReplayCache(tmp_path).stats().quarantined == kept
    ReplayCache(tmp_path).clear()
    assert not (tmp_path / "quarantine").exists()


def test_a_file_of_another_request_is_no_answer(server, recorded, tmp_path):
    file, whole = recorded
    with cassette("record", tmp_path):
        ask(server, "Something else")
    (other,) = set(tmp_path.glob("*.json")) - {file}
    other.write_bytes(whole)
    with pytest.raises(DamagedRecordingError, match="it is the recording of"), cassette("replay", tmp_path):
        post(server.url + CHAT, chat("Something else"))


def test_64_that_meet_the_same_damage_lose_none_of_the_new_answers(server, recorded, tmp_path):
    """One sets it aside and records; those who saw the damage before must not set aside the new file."""
    from concurrent.futures import ThreadPoolExecutor

    file, whole = recorded
    for seed in range(5):
        file.write_bytes(damaged(whole, seed))
        before = len(server.requests)
        with cassette("auto", tmp_path) as tape, ThreadPoolExecutor(64) as pool:
            said = list(pool.map(lambda _: ask(server), range(64)))
        sent = len(server.requests) - before
        assert tape.recorded == sent
        with cassette("replay", tmp_path) as tape:
            again = {ask(server) for _ in range(sent)}
        assert again == set(said)
        assert ReplayCache(tmp_path).stats().quarantined == seed + 1
