"""Redaction hides every secret: formats x spellings x places, and wherever a stream is cut. The counterpart of
`test_redaction_precision.py`, which asks what it leaves alone.
"""

from __future__ import annotations

import json

import pytest

from tests.support.canaries import Canary, Search, canaries, spelled
from tests.support.keys import FORMATS
from unitai._engine import clean

pytestmark = pytest.mark.contract

#: Where a spelling of a secret can stand: `{}` is it, as a text has it or as JSON writes it.
TEXTS = {
    "prose": "It is {}, as you asked.",
    "alone": "{}",
    "a line of a log": "2026-11-18T10:00:00Z INFO sent {} to the shop\nand went on",
    "in colour": "\x1b[32m{}\x1b[0m",
    "in colour, spelled out": r"\x1b[32m{}\x1b[0m",
    "after an escaped quotation mark": r"said \u0022{}\u0022 then",
    "after an escaped line end": r"first\x0a{}\x0asecond",
    "a header": "Authorization: Bearer {}\r\nAccept: */*",
    "an assignment": "password={} user=shop",
    "a query": "https://api.shop.example/find?q=shoes&api_key={}&page=2",
}
#: The same inside of structured data, which must stay what it is.
DOCUMENTS = {
    "a string": lambda text: {"content": f"it is {text}", "created": 1794970227},
    "a key": lambda text: {f"of {text}": True, "n": 3},
    "a document in a string": lambda text: {"arguments": json.dumps({"token": text, "n": 3})},
    "a list": lambda text: [[text, 1.5, None], [text]],
}


def known() -> dict[str, Canary]:
    return canaries(91)


@pytest.fixture
def environment(monkeypatch):
    """Every secret is known by its variable."""
    for name, canary in known().items():
        monkeypatch.setenv(name, canary.value)


def parts(canary: Canary) -> tuple[str, ...]:
    """What of a variable's value is secret in another text: of a URL the password, of a key file its lines."""
    return canary.own if "://" in canary.value or "\n" in canary.value or ";" in canary.value else (canary.value,)


def test_known_secrets_in_texts(environment, counted):
    search, tried = Search(known()), 0
    for canary in known().values():
        for part in parts(canary):
            for spelling, text in spelled(part).items():
                for place, template in TEXTS.items():
                    cleaned = clean(template.format(text))
                    assert not search.in_text(cleaned), (spelling, place, cleaned)
                    assert clean(cleaned) == cleaned
                    tried += 1
    assert tried > 2_000
    counted("known secrets in texts, 0 left", tried)


def test_known_secrets_in_documents_that_stay_documents(environment, counted):
    def shape(value):
        if isinstance(value, dict):
            return sorted(repr(shape(item)) for item in value.values())
        return [shape(item) for item in value] if isinstance(value, list) else "" if isinstance(value, str) else value

    search, tried = Search(known()), 0
    for canary in known().values():
        for part in parts(canary):
            for spelling, text in spelled(part).items():
                for place, make in DOCUMENTS.items():
                    for end, indent in (("", None), ("\n", 2)):
                        document = make(text)
                        cleaned = clean(json.dumps(document, indent=indent) + end)
                        assert not search.in_text(cleaned), (spelling, place, cleaned)
                        assert shape(json.loads(cleaned)) == shape(document), (spelling, place)
                        tried += 1
    counted("known secrets in documents, 0 left", tried)


def test_known_secrets_where_a_text_was_cut(environment, counted):
    """What is left of a value is hidden from eight characters on that are not the prefix of its format. Whoever cuts a text
    marks the place, in front of the quotation mark behind it or after that."""
    search, tried = Search(known()), 0
    for canary in known().values():
        (part, *_) = parts(canary)
        start = len(part.partition(canary.own[0])[0])
        for length in range(start + 8, len(part)):
            piece = part[:length]
            for cut in (
                f"it begins {piece}...",
                f"it begins {piece}\u2026",
                f'"{piece}\u2026"',
                f'"{piece}"... is cut',
            ):
                assert not search.in_text(clean(cut)), (piece, clean(cut))
                tried += 1
    assert tried > 4_000
    counted("known secrets at cuts, 0 left", tried)


#: Whose form has a fixed part, at its start or in its middle.
WITH_A_FORM = [name for name, (start, _, _) in FORMATS.items() if start]
WITH_A_FORM += [name for name in canaries(92) if name.startswith("AZURE_") and name not in FORMATS]


@pytest.mark.parametrize("name", WITH_A_FORM)
def test_secrets_that_nobody_named_are_known_by_their_form(name, counted):
    canary, tried = canaries(92)[name], 0
    search = Search({name: canary})
    spellings = {
        "plain": canary.value,
        "in a URL": canary.value.replace("-", "%2D").replace("_", "%5F"),
        "in JSON": json.dumps(f"x\n{canary.value}\t")[1:-1],
    }
    for spelling, text in spellings.items():
        for place, template in TEXTS.items():
            if spelling == "in a URL" and place != "a query":
                continue
            cleaned = clean(template.format(text))
            assert not search.in_text(cleaned), (spelling, place, cleaned)
            tried += 1
        for place, make in DOCUMENTS.items():
            cleaned = clean(json.dumps(make(canary.value)))
            assert not search.in_text(cleaned), (spelling, place, cleaned)
            tried += 1
    counted("secrets known by their form, 0 left", tried)


def test_secrets_across_the_chunks_of_a_stream(environment, monkeypatch, tmp_path, counted):
    """A model repeats a secret letter by letter, and the network cuts its events anywhere: no recording holds it."""
    urllib3 = pytest.importorskip("urllib3")
    from loopback import Answered, Server

    from unitai import cassette

    def events(text: str, size: int) -> bytes:
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        choices = [{"index": 0, "delta": {"content": piece}, "finish_reason": None} for piece in pieces]
        choices.append({"index": 0, "delta": {}, "finish_reason": "stop"})
        lines = [
            json.dumps({"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [each]})
            for each in choices
        ]
        return b"".join(f"data: {line}\n\n".encode() for line in [*lines, "[DONE]"])

    search, tried = Search(known()), 0
    with Server() as server, cassette("record", tmp_path) as tape, urllib3.PoolManager(retries=False) as pool:
        for name, canary in known().items():
            for size in (1, 3, 7, 1000):
                body = events(f"It is {parts(canary)[0]}, yes.", size)
                for border in (5, 64, 111):
                    pieces = [body[at : at + border] for at in range(0, len(body), border)]
                    server.respond = lambda asked, pieces=pieces: Answered(pieces, "text/event-stream")
                    question = {"role": "user", "content": f"{name} {size} {border}"}
                    asked = {"model": "m", "stream": True, "messages": [question]}
                    assert pool.request("POST", f"{server.url}/v1/chat/completions", json=asked).status == 200
                    tried += 1
    assert tape.recorded == tape.redacted == tried
    assert search.below(tmp_path) == {}
    counted("secrets across the chunks of a stream, 0 left", tried)
