"""Made-up secrets in many formats and spellings, and a search that finds eight characters of one wherever they are.

Every value is made when it is needed, from a seed: nothing that looks like a key is in the repository.
"""

from __future__ import annotations

import base64
import gzip
import json
import random
import re
import urllib.parse
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.support.keys import FORMATS, WORD

#: So many characters of a secret in a row are a leak.
PIECE = 8


@dataclass(frozen=True)
class Canary:
    """A secret, and the parts of it that nothing else holds: what its format says is no secret."""

    value: str
    own: tuple[str, ...]

    def pieces(self) -> set[bytes]:
        return {part[at : at + PIECE].encode() for part in self.own for at in range(len(part) - PIECE + 1)}


def canaries(seed: int) -> dict[str, Canary]:
    """A secret for each variable, the same for the same seed."""
    chance = random.Random(seed)

    def some(length: int, alphabet: str = WORD) -> str:
        return "".join(chance.choice(alphabet) for _ in range(length))

    made = {}
    for name, (start, alphabet, length) in FORMATS.items():
        own = some(length, alphabet)
        made[name] = Canary(start + own, (own,))
    claims, signature = some(60, WORD + "-_"), some(43, WORD + "-_")
    made["SESSION_JWT"] = Canary(f"eyJhbGciOiJIUzI1NiJ9.eyJ{claims}.{signature}", (claims, signature))
    lines = tuple(some(64, WORD + "+/") for _ in range(6))
    begin, end = (f"-----{word} PRIVATE KEY-----" for word in ("BEGIN", "END"))
    made["SIGNING_KEY"] = Canary("\n".join((begin, *lines, end)), lines)
    password = some(24)
    made["DATABASE_URL"] = Canary(f"postgres://shop:{password}@db.internal:5432/shop", (password,))
    account = some(86, WORD + "+/")
    made["STORAGE"] = Canary(
        f"DefaultEndpointsProtocol=https;AccountName=shop;AccountKey={account}==;EndpointSuffix=core", (account,)
    )
    # Keys of Azure have their signature in the middle.
    for name, length, alphabet, rest in (
        ("AZURE_SERVICE_KEY", 52, WORD, "JQQJ99BKACYeBjFXJ3w3AAABACOG" + some(4)),
        ("AZURE_STORAGE_KEY", 76, WORD + "+/", "+ASt" + some(5) + "Q=="),
        ("AZURE_COSMOS_KEY", 76, WORD + "+/", "ACDb" + some(5) + "A=="),
        ("AZURE_FUNCTION_KEY", 44, WORD, "AzFu" + some(5) + "g=="),
        ("AZURE_SEARCH_KEY", 42, WORD, "AzSeB" + some(5)),
    ):
        own = some(length, alphabet)
        made[name] = Canary(own + rest, (own,))
    return made


def spelled(value: str) -> dict[str, str]:
    """A value in every spelling that is promised to be found. Gzip and cuts are the wire's, not a text's."""
    raw = value.encode()
    return {
        "plain": value,
        "base64": base64.b64encode(raw).decode(),
        "base64 after a name": base64.b64encode(b"user:" + raw).decode(),
        "base64 for URLs": base64.urlsafe_b64encode(b"k=" + raw).decode().rstrip("="),
        "URL": urllib.parse.quote(value, safe=""),
        "URL, every character": "".join(f"%{byte:02X}" for byte in raw),
        "JSON": json.dumps(json.dumps(value)),
        "JSON, every character": "".join(f"\\u{ord(letter):04x}" for letter in value),
        "hexadecimal": raw.hex(),
        "HEXADECIMAL": raw.hex().upper(),
    }


def text_of(value: str) -> str:
    """All spellings in one text, each among ordinary words."""
    return " | ".join(f"as {name}: {spelling} and on" for name, spelling in spelled(value).items())


class Search:
    """Finds pieces of secrets in bytes, also behind encodings."""

    def __init__(self, secrets: dict[str, Canary]) -> None:
        self._names = {piece: name for name, canary in secrets.items() for piece in canary.pieces()}

    def in_bytes(self, data: bytes) -> set[str]:
        """The names of the secrets of which a piece is here."""
        return {name for view in _views(data, 3) for name in self._plain(view)}

    def in_text(self, text: str) -> set[str]:
        return self.in_bytes(text.encode("utf-8", "surrogatepass"))

    def below(self, folder: Path, passed_over: Iterable[str] = ()) -> dict[str, set[str]]:
        """The files below a folder that hold or are named by a piece, and of what."""
        found = {}
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder).as_posix()
            if any(name == other or name.startswith(f"{other}/") for other in passed_over):
                continue
            names = self.in_text(name)
            if path.is_file() and not path.is_symlink():
                names |= self.in_bytes(path.read_bytes())
            if names:
                found[name] = names
        return found

    def _plain(self, data: bytes) -> set[str]:
        here = {data[at : at + PIECE] for at in range(len(data) - PIECE + 1)}
        return {self._names[piece] for piece in here & self._names.keys()}


_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{12,}")
_HEX = re.compile(rb"(?:[0-9a-fA-F]{2}){8,}")
_ESCAPE = re.compile(rb"\\+(?:u00([0-9a-fA-F]{2})|x([0-9a-fA-F]{2})|(n)|(.))|%(?:25)*([0-9a-fA-F]{2})")


def _views(data: bytes, depth: int) -> Iterator[bytes]:
    """The data, and what it says to whoever decodes it, and what that says."""
    yield data
    if depth == 0:
        return
    inner = set()
    if b"\\" in data or b"%" in data:
        inner.add(_ESCAPE.sub(_unescaped, data))
    for run in _BASE64.finditer(data):
        text = run.group().translate(bytes.maketrans(b"-_", b"+/"))
        for start in range(4):
            whole = text[start : start + (len(text) - start) // 4 * 4 + 4]
            inner.add(base64.b64decode(whole + b"=" * (-len(whole) % 4)) if len(whole) % 4 != 1 else b"")
            cut = text[start : start + (len(text) - start) // 4 * 4]
            inner.add(base64.b64decode(cut))
    for run in _HEX.finditer(data):
        inner.add(bytes.fromhex(run.group().decode()))
        if len(run.group()) > 16:
            inner.add(bytes.fromhex(run.group()[1:-1].decode()))
    at = data.find(b"\x1f\x8b\x08")
    while at >= 0:
        try:
            inner.add(zlib.decompressobj(31).decompress(data[at:]))
        except zlib.error:
            pass
        at = data.find(b"\x1f\x8b\x08", at + 1)
    inner -= {data, b""}
    # One search for all that is short: a byte that no secret holds keeps them apart.
    short = [part for part in inner if len(part) < 4096]
    for part in (b"\0\0".join(short), *(part for part in inner if len(part) >= 4096)):
        if part:
            yield from _views(part, depth - 1)


def _unescaped(match: re.Match[bytes]) -> bytes:
    code = match[1] or match[2] or match[5]
    if code:
        return bytes([int(code, 16)])
    return b"\n" if match[3] else match[4]


def zipped(text: str) -> bytes:
    return gzip.compress(text.encode(), mtime=0)
