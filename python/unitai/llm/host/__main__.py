"""`python -m unitai.llm.host <root>`: the host of a project's plugins."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from unitai.llm.host.ending import Ending
from unitai.llm.host.nudging import Nudging
from unitai.llm.host.protocol import Protocol
from unitai.llm.host.stage import Stage
from unitai.llm.host.streams import Streams


async def serve(root: Path, streams: Streams) -> None:
    """Answers until the end is called for."""
    loop = asyncio.get_running_loop()
    stage = Stage(root)
    protocol = Protocol(stage, streams.send)

    async def finish() -> None:
        for trouble in await stage.end():
            os.write(2, f"{trouble}\n".encode(errors="backslashreplace"))
        streams.finish(1.0)

    ending = Ending(loop, finish)
    ending.watch()
    nudging = Nudging(loop)

    def told(line: bytes) -> None:
        loop.call_soon_threadsafe(protocol.receive, line)
        nudging.after(line)

    streams.start(told, ending.ask)
    # The end comes from the thread that watches for it.
    await loop.create_future()


def main() -> None:
    """The program."""
    if len(sys.argv) != 2 or not os.path.isdir(sys.argv[1]):
        sys.exit("usage: python -m unitai.llm.host ROOT, which is the folder of a project")
    asyncio.run(serve(Path(sys.argv[1]).absolute(), Streams()))


if __name__ == "__main__":
    main()
