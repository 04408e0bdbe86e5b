"""A folder in which everything happens, programs that know secrets, and the search of all that they leave and say."""

from __future__ import annotations

import json
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from echo import Echo
from projects import clean_environment

from tests.support.canaries import Canary, Search, canaries, text_of

HERE = Path(__file__).parent

#: These are no words for a header: they have lines, or are addresses.
NOT_IN_HEADERS = ("SIGNING_KEY", "DATABASE_URL", "STORAGE")
#: A few whose streams are cut at every place.
CUT = (("chunks", "STRIPE_API_KEY"), ("events", "SHOP_PASSWORD"))


@dataclass
class Families:
    """Secrets by how they become known."""

    known: dict[str, Canary]
    header: dict[str, Canary]
    query: dict[str, Canary]

    @classmethod
    def of(cls, seed: int) -> Families:
        in_headers = [{n: c for n, c in canaries(seed + by).items() if n not in NOT_IN_HEADERS} for by in (1, 2)]
        return cls(canaries(seed), *in_headers)

    def all(self) -> dict[str, Canary]:
        families = {"known": self.known, "header": self.header, "query": self.query}
        return {f"{family} {name}": canary for family, them in families.items() for name, canary in them.items()}

    def document(self) -> dict[str, Any]:
        """What the agent must know."""

        def words(them: dict[str, Canary]) -> dict[str, Any]:
            return {name: {"value": canary.value, "text": text_of(canary.value)} for name, canary in them.items()}

        cuts = [f"{how} at {at} {name}" for how, name in CUT for at in range(1, 26)]
        cuts += [f"tokens at {size} {name}" for _, name in CUT for size in (1, 3, 5)]
        pieces = {piece.decode() for canary in self.all().values() for piece in canary.pieces()}
        families = {"known": words(self.known), "header": words(self.header), "query": words(self.query)}
        return {**families, "cuts": cuts, "pieces": sorted(pieces)}


@dataclass
class Project:
    """A folder in which everything happens, and what was said meanwhile."""

    folder: Path
    outside: Path
    said: list[str]

    def run(self, *words: object, families: Families, **variables: str) -> subprocess.CompletedProcess[str]:
        """Runs a command that knows these secrets."""
        (self.outside / "canaries.json").write_text(json.dumps(families.document()), encoding="utf-8")
        done = subprocess.run(
            [str(word) for word in words],
            cwd=self.folder,
            env={
                **clean_environment(),
                **{name: canary.value for name, canary in families.known.items()},
                "CANARIES": str(self.outside / "canaries.json"),
                "TOLD": str(self.outside / "told.json"),
                "PYTHONPATH": str(HERE),
                "TMPDIR": str(self.folder / "tmp"),
                "PYTHONDONTWRITEBYTECODE": "1",
                **variables,
            },
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            stdin=subprocess.DEVNULL,
            umask=0,
        )
        self.said += [done.stdout, done.stderr]
        return done

    def is_clean(self, *families: Families) -> bool:
        """Whether nothing of these secrets is in the folder or was said."""
        secrets = {f"{n} {name}": canary for n, them in enumerate(families) for name, canary in them.all().items()}
        search = Search(secrets)
        assert search.below(self.folder) == {}
        assert [(search.in_text(text), text[:3000]) for text in self.said if search.in_text(text)] == []
        ours = [*(self.folder / ".unitai").rglob("*"), *(self.folder / "tmp").rglob("*")]
        assert ours
        assert [path for path in ours if stat.S_IMODE(path.stat().st_mode) & 0o077] == []
        return True


def told_by(provider, families: Families) -> None:
    """Lets the provider repeat these secrets."""
    texts = {name: text_of(canary.value) for name, canary in families.known.items()}
    provider.respond = Echo(texts, {name: canary.value for name, canary in families.known.items()})
