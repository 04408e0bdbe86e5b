"""The plugins of one test: their instances, who has which tool, and giving everything back."""

from __future__ import annotations

import asyncio
import inspect
from pathlib import Path
from typing import Any

from unitai.llm.host import loading
from unitai.llm.host.values import headline, plain, trace
from unitai.llm.own_thread import OwnThread
from unitai.llm.plugin_base import LLMPlugin, clean_up, unknown_tool

#: Seconds that the cleanup of one plugin may take.
CLEANUP = 5.0
#: Seconds that calls may take to end when they are cancelled.
GRACE = 0.5


class Player:
    """One instance of a plugin class."""

    def __init__(self, plugin: LLMPlugin, home: str) -> None:
        self.plugin = plugin
        self.home = home
        self.tools: list[dict[str, Any]] = []
        #: Whether nothing was called since it was cleaned up.
        self.is_clean = False

    async def call(self, tool: str, args: dict[str, Any]) -> Any:
        """Calls one of its tools."""
        self.is_clean = False
        return await self.plugin.call_tool(tool, args)

    async def clean(self) -> None:
        """Cleans it up, unless a test has done so as its last word."""
        if not self.is_clean:
            self.is_clean = True
            await clean_up(self.plugin)


class NoSuchToolError(Exception):
    """Nobody has this tool."""


class Stage:
    """What tests call. Instances of the session stay, those of a test are new each time."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._loaded: loading.Loaded | None = None
        self._session: dict[type[LLMPlugin], Player] = {}
        self._test: dict[type[LLMPlugin], Player] = {}
        self._offered: dict[str, tuple[Player, dict[str, Any]]] = {}
        self._troubles: list[str] = []
        self._is_open = False
        #: Whether it is open because somebody asked for its tools, and nothing was called since: a test that begins
        #: then takes the instances as they are.
        self._is_unused = False
        self._calls: set[asyncio.Task[Any]] = set()
        #: A test does not begin while another one ends, and is not called before it has begun.
        self._turn = asyncio.Lock()

    async def open(self) -> dict[str, Any]:
        """Begins a test: what is offered, and what is not and why."""
        async with self._turn:
            troubles = [] if self._is_unused else await self._open()
            self._is_unused = False
            return {
                "tools": self.tools(),
                "cleanups": self.cleanups(),
                "plugins": self.plugins(),
                "troubles": [*troubles, *self._troubles],
            }

    async def _open(self) -> list[str]:
        troubles = await self._close() if self._is_open else []
        if self._loaded is None:
            self._loaded = loading.load(self._root)
        self._is_open = True
        self._troubles = [*self._loaded.troubles]
        for plugin in self._loaded.classes:
            await self._engage(plugin)
        self._offer()
        return troubles

    async def listing(self) -> list[dict[str, Any]]:
        """The tools, for who never says that a test begins."""
        async with self._turn:
            if not self._is_open:
                await self._open()
                self._is_unused = True
            return self.tools()

    def tools(self) -> list[dict[str, Any]]:
        """The tools that are offered."""
        return [tool for _, tool in self._offered.values()]

    def plugins(self) -> list[dict[str, Any]]:
        """The plugins, where each is written, and which of the tools are its own."""
        offered = [(player, name) for name, (player, _) in self._offered.items()]
        return [
            {
                "name": player.plugin.name,
                "filename": loading.file_of(type(player.plugin)),
                "tools": [name for owner, name in offered if owner is player],
            }
            for player in self._players()
        ]

    def cleanups(self) -> list[dict[str, Any]]:
        """What a test may call to clean a plugin up by itself. The list of tools is without them."""
        names = [f"{player.plugin.name}_cleanup" for player in self._players()]
        return [{"name": name, "description": "Cleans up."} for name in names if name not in self._offered]

    async def call(self, name: str, args: dict[str, Any]) -> Any:
        """Calls a tool."""
        await self.listing()
        self._is_unused = False
        task = asyncio.current_task()
        if task is not None:
            self._calls.add(task)
            task.add_done_callback(self._calls.discard)
        player, _ = self._offered.get(name, (None, None))
        if player is not None:
            return await player.call(name, args)
        for player in self._players():
            if name == f"{player.plugin.name}_cleanup":
                return await player.clean()
        told = [unknown_tool(name, list(self._offered)), *self._troubles]
        raise NoSuchToolError("\n".join(told))

    async def close(self) -> list[str]:
        """Ends a test: its calls, and its instances. Gives what went wrong."""
        async with self._turn:
            return await self._close()

    async def _close(self) -> list[str]:
        await self._cancel_calls()
        players, self._test = list(self._test.values()), {}
        self._offered, self._is_open, self._is_unused = {}, False, False
        return await self._retire(players)

    async def shutdown(self) -> list[str]:
        """Ends the session."""
        async with self._turn:
            return await self.end()

    async def end(self) -> list[str]:
        """Ends the session, whoever has the turn: the process is about to end."""
        troubles = await self._close()
        players, self._session = list(self._session.values()), {}
        return troubles + await self._retire(players)

    def _players(self) -> list[Player]:
        return [*self._test.values(), *self._session.values()]

    async def _engage(self, plugin: type[LLMPlugin]) -> None:
        """Makes an instance, if none is there."""
        home = loading.home_of(plugin, self._root)
        cast = self._session if plugin.scope == "session" else self._test
        if plugin.scope not in ("test", "session"):
            self._troubles.append(f'{home}: scope is "test" or "session", not {plugin.scope!r}')
            return
        try:
            if plugin not in cast:
                cast[plugin] = Player(await _made(plugin), home)
            tools: Any = cast[plugin].plugin.get_tools()
            cast[plugin].tools = [_described(tool) for tool in (await tools if inspect.isawaitable(tools) else tools)]
        except (Exception, SystemExit) as error:
            self._troubles.append(f"{home} could not be started: {headline(error)}\n{trace(error)}")

    def _offer(self) -> None:
        claims: dict[str, list[tuple[Player, dict[str, Any]]]] = {}
        for player in self._players():
            for tool in player.tools:
                claims.setdefault(tool["name"], []).append((player, tool))
        self._offered = {name: claim[0] for name, claim in claims.items() if len(claim) == 1}
        for name, claim in claims.items():
            if len(claim) > 1:
                homes = " and ".join(player.home for player, _ in claim)
                self._troubles.append(
                    f"the tool `{name}` is there more than once: {homes}; give one plugin another name"
                )

    async def _cancel_calls(self) -> None:
        calls = {call for call in self._calls if call is not asyncio.current_task()}
        for call in calls:
            call.cancel()
        if calls:
            await asyncio.wait(calls, timeout=GRACE)

    async def _retire(self, players: list[Player]) -> list[str]:
        """Cleans up, all at once: one that hangs takes no time from the others."""
        troubles = await asyncio.gather(*(_within(player) for player in players))
        for player in players:
            thread: OwnThread | None = player.plugin.__dict__.get("_unitai_thread")
            if thread is not None:
                thread.leave()
        return [trouble for trouble in troubles if trouble]


async def _made(plugin: type[LLMPlugin]) -> LLMPlugin:
    """An instance. One whose tools are all plain methods lives in its own thread from the beginning."""
    methods = [
        getattr(plugin, name) for name in dir(plugin) if not name.startswith("_") and name not in vars(LLMPlugin)
    ]
    if any(inspect.iscoroutinefunction(method) for method in methods) or not any(map(inspect.isfunction, methods)):
        return plugin()
    thread = OwnThread()
    made: LLMPlugin = await thread.run(plugin)
    made.__dict__["_unitai_thread"] = thread
    return made


def _described(tool: Any) -> dict[str, Any]:
    """A tool as MCP wants it, also where a plugin describes its tools itself."""
    told = plain(tool)
    if not isinstance(told, dict) or not isinstance(told.get("name"), str):
        raise TypeError("get_tools must give mappings with a `name`")
    schema = told.get("inputSchema")
    told["inputSchema"] = schema if isinstance(schema, dict) else {"type": "object"}
    return told


async def _within(player: Player) -> str | None:
    """Waits for a cleanup as long as it may take. What swallows its cancellation is left behind."""
    task = asyncio.ensure_future(_outcome(player))
    await asyncio.wait({task}, timeout=CLEANUP)
    if not task.done():
        task.cancel()
        return f"{player.home}: cleanup() did not end within {CLEANUP:g} seconds"
    error = task.result()
    return None if error is None else f"{player.home}: cleanup() failed: {headline(error)}\n{trace(error)}"


async def _outcome(player: Player) -> BaseException | None:
    """What a cleanup raised. An exit, too, is only its failure."""
    try:
        await player.clean()
    except BaseException as error:
        return error
    return None
