"""What an agent gives piece by piece is read to its end inside of the run: its tools would be real ones later."""

from __future__ import annotations

import io

import pytest

from unitai import MockToolkit

pytestmark = pytest.mark.unit


class Pieces:
    """Like the streams of frameworks: an object that is read, sync or async."""

    def __init__(self, tools):
        self.tools = tools
        self.left = 3

    def __aiter__(self):
        return self

    async def __anext__(self):
        if not self.left:
            raise StopAsyncIteration
        self.left -= 1
        return self.tools["say"](left=self.left)


class Iterator:
    """The same, sync."""

    def __init__(self, tools):
        self.tools = tools
        self.left = 3

    def __iter__(self):
        return self

    def __next__(self):
        if not self.left:
            raise StopIteration
        self.left -= 1
        return self.tools["say"](left=self.left)


@pytest.fixture
def toolkit():
    toolkit = MockToolkit()
    toolkit.mock("say", return_value="ha")
    return toolkit


async def awaited(input, tools):
    return Pieces(tools)


@pytest.mark.parametrize(
    "agent",
    [
        lambda input, tools: Pieces(tools),
        lambda input, tools: Iterator(tools),
        lambda input, tools: map(tools["say"], [{"left": n} for n in range(3)]),
        awaited,
    ],
    ids=["stream", "iterator", "map", "awaited"],
)
def test_a_stream_is_read_to_its_end(toolkit, agent):
    result = toolkit.run(agent, "go")
    assert result.output == "hahaha"
    assert result.call_order() == ["say"] * 3


def test_a_file_is_handed_on_as_it_is(toolkit):
    file = io.StringIO("a\nb\n")
    assert toolkit.run(lambda input, tools: [file], "go").output == [file]
    result = toolkit.run(lambda input, tools: file, "go")
    assert result.output is file
