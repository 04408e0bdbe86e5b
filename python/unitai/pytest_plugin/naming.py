"""What tests are called in the reports: no two have one name, and no secret is in any."""

from __future__ import annotations

from unitai._engine import clean


class Names:
    """The names of the tests of one run. pytest may run a test twice, and what is different in two ids may be a secret:
    a second test of the same name must not take the place of the first.
    """

    def __init__(self) -> None:
        self._open: dict[str, str] = {}
        self._given: dict[str, int] = {}

    def begin(self, test: str) -> str:
        """The name of a test that begins."""
        if test in self._open:
            # Another plugin tries it again.
            return self._open[test]
        plain = clean(legal(test))
        times = self._given[plain] = self._given.get(plain, 0) + 1
        name = plain if times == 1 else f"{plain} #{times}"
        self._open[test] = name
        return name

    def end(self, test: str) -> str:
        """The name of a test that is over, whether or not its beginning was seen."""
        self.begin(test)
        return self._open.pop(test)


def legal(text: str) -> str:
    """The text with a mark in the place of each half of a character, which is no text in any file."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
