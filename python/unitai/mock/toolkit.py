"""`MockToolkit`: state the mocks, run the agent, get back what it did."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any
from warnings import warn

from unitai._engine import AgentRunResult, Budget, MockTool, Toolbox, Trajectory, unseen_error, usual_timeout
from unitai.adapters.generic import GenericAdapter
from unitai.adapters.ports import ModelCall, Session
from unitai.adapters.registry import choose, load_offered
from unitai.attempt import Attempt, current
from unitai.errors import (
    DamagedRecordingError,
    DuplicateMockError,
    InvalidArgumentError,
    MisuseError,
    NoActiveRunError,
    UnknownToolError,
    UnmockedToolWarning,
    shown,
)
from unitai.faults import FaultRule, Faults, read_faults
from unitai.mock.agent_tools import check_known, defaults, routed
from unitai.mock.registration import check_callable, check_name, choose_strategy, is_async, parameter_names
from unitai.mock.strategies import MISSING, STATELESS, ResponseStrategy
from unitai.mock.wiring import Tools
from unitai.runner.bounded import PATIENCE, arun_bounded, check_event_loop, check_timeout, run_bounded
from unitai.runner.ending import Ending
from unitai.traffic.cassette import standing
from unitai.traffic.door import close_door, open_door, pin_door
from unitai.traffic.policy import TrafficOptions
from unitai.traffic.sockets import guard_sockets, unguard_sockets

if TYPE_CHECKING:
    from unitai.adapters.base import BaseAdapter
    from unitai.mock.patching import Target

__all__ = ["MockToolkit"]


class MockToolkit:
    """Mocked tools for an agent, and the record of what it does with them.

    >>> from unitai import MockToolkit
    >>> toolkit = MockToolkit()
    >>> toolkit.mock("lookup_order", return_value={"status": "delivered"})
    >>> def agent(input, tools):
    ...     return tools["lookup_order"](order_id=input)["status"]
    >>> result = toolkit.run(agent, "123")
    >>> assert result.tool_called_with("lookup_order", order_id="123")
    >>> result.output
    'delivered'
    """

    def __init__(
        self,
        *,
        strict: bool | None = None,
        max_tool_calls: int | None = None,
        awaitable: bool = False,
        budget: float | Budget | None = None,
        prices: Mapping[str, Mapping[str, float]] | None = None,
        block_network: bool = False,
        ask_for_usage: bool = True,
        faults: Faults | Iterable[FaultRule] | None = None,
    ) -> None:
        """
        Args:
            strict: A tool that is not mocked never runs: calling it is an error. Otherwise it warns
                and returns `None`. Unless given, the setting `strict_mocks`: true, if nobody says otherwise.
            max_tool_calls: How often one tool may be called in one run before the run is ended as
                a loop. Unless given, the setting `max_tool_calls`: 50, if nobody says otherwise.
            awaitable: Mocked tools are async functions, unless `mock()` says otherwise; allowed ones are what they are.
            budget: US dollars that the model calls of all runs may cost together. A call that could cost more
                than is left is not sent, and ends its run with `CostLimitExceeded`. A `Budget` can be shared.
            prices: What models cost that the price table does not know, or costs otherwise: US dollars for a
                million tokens, as in `{"my-model": {"input": 2.50, "output": 10.0}}`. Added to the setting
                `prices`.
            block_network: During a run, refuse every connection that leaves this machine.
            ask_for_usage: Ask a provider for the usage of streamed answers where it must be asked.
            faults: What goes wrong on purpose in every run: see `unitai.faults`.
        """
        if max_tool_calls is not None and (not isinstance(max_tool_calls, int) or not 0 < max_tool_calls < 2**32):
            raise InvalidArgumentError(f"max_tool_calls must be a positive whole number, not {shown(max_tool_calls)}")
        self._options: dict[str, Any] = {"strict": strict, "max_tool_calls": max_tool_calls, "awaitable": awaitable}
        self._awaitable = awaitable
        self._awaited: set[str] = set()
        self._optional: set[str] = set()
        #: Real functions that are replaced during runs.
        self._patched: list[Target] = []
        self._parameters: dict[str, list[str] | None] = {}
        self._faults = read_faults(faults)
        self._toolbox = Toolbox(strict, max_tool_calls, None if self._faults is None else self._faults.plan())
        self._traffic = TrafficOptions(budget, prices, block_network, ask_for_usage)
        self._policy = self._traffic.policy()
        #: The attempt of a repeated test that this toolkit was made for, also for threads that do not know it.
        self._attempt: Attempt | None = None
        self._last_result: AgentRunResult | None = None
        #: What came of runs in which the agent raised.
        self._raised: list[AgentRunResult] = []
        #: Whether the test took tools to wire them by hand, so that any mock may be within the agent's reach.
        self._are_tools_taken = False

    def mock(
        self,
        tool_name: str,
        return_value: Any = MISSING,
        side_effect: Any = MISSING,
        sequence: Iterable[Any] = MISSING,
        conditional: Mapping[Any, Any] | Iterable[tuple[Any, Any]] = MISSING,
        *,
        strategy: ResponseStrategy = MISSING,
        signature: Callable[..., Any] | Iterable[str] | None = None,
        awaitable: bool | None = None,
        replace: bool = False,
        optional: bool = False,
    ) -> None:
        """Mocks a tool. Give exactly one way to answer.

        Args:
            tool_name: The tool's name, as the agent calls it.
            return_value: Always this value. `None` counts as given.
            side_effect: An exception or a class of them to raise, or a function of the dictionary
                of arguments, sync or async.
            sequence: One value after the other; an exception among them is raised.
            conditional: A dictionary of condition and value, with `"__default__"` if you like, or a
                list of pairs.
            strategy: A `ResponseStrategy` of your own.
            signature: The real function, or the names of its parameters: binds positional arguments.
            awaitable: The tool is an async function. Known by itself where `side_effect` is one.
            replace: Take the place of an earlier mock of this name.
            optional: An agent may lack this tool. Otherwise the mock of a tool that an agent of a framework does not
                have is an error, for it is most likely misspelt.
        """
        check_name(tool_name)
        if not replace and self._toolbox.get(tool_name) is not None:
            raise DuplicateMockError(
                f"{tool_name} is mocked already",
                remedy=f'remove one of the two, or write mock("{tool_name}", ..., replace=True)',
            )
        chosen = choose_strategy(tool_name, return_value, side_effect, sequence, conditional, strategy)
        if awaitable is None:
            awaitable = self._awaitable or is_async(side_effect)
        self._add(tool_name, chosen, parameter_names(signature), awaitable)
        (self._optional.add if optional else self._optional.discard)(tool_name)

    def patch(
        self,
        target: str,
        return_value: Any = MISSING,
        side_effect: Any = MISSING,
        sequence: Iterable[Any] = MISSING,
        conditional: Mapping[Any, Any] | Iterable[tuple[Any, Any]] = MISSING,
        *,
        name: str | None = None,
        strategy: ResponseStrategy = MISSING,
    ) -> None:
        """Replaces a real function by a mock while an agent runs, for agents whose tools are plain functions, objects
        that are called, or tools of a framework without an adapter (`@tool` of smolagents, Strands, Agno and others).

        It is replaced wherever it is held: in modules, lists, defaults, agents. Its calls are recorded under `name`.
        Without a way to answer, it is a tool that is not mocked: calling it is an error, and it never runs.

        >>> import json
        >>> toolkit = MockToolkit()
        >>> toolkit.patch("json.dumps", return_value="{}")
        >>> result = toolkit.run(lambda input: json.dumps([input]), "go")
        >>> result.output, result.get_call("dumps").args
        ('{}', {'obj': ['go']})

        Args:
            target: Where it is: `package.module.function`, or `package.module.Class.method`; of one object alone,
                `package.module.object.method`.
            return_value: As in `mock`, and so are `side_effect`, `sequence`, `conditional` and `strategy`.
            name: The tool's name in the record. Unless given, the one by which the model knows it, for a tool of a
                framework; else the function's.
        """
        # Most tests replace nothing, and need not load what does it.
        from unitai.mock.patch_target import find
        from unitai.mock.patching import Target

        place = find(target)
        tool = place.tool if name is None else name
        check_name(tool)
        ways = (return_value, side_effect, sequence, conditional, strategy)
        if any(way is not MISSING for way in ways):
            self.mock(tool, *ways[:4], strategy=strategy, signature=place.parameters(), awaitable=False, optional=True)
        self._patched = [*(known for known in self._patched if known.path != target), Target(target, tool)]

    def auto_mock(self, agent: Any, adapter: str | BaseAdapter | None = None) -> list[str]:
        """Mocks every tool of an agent that is neither mocked nor allowed yet, with the plainest result of the shape
        that the tool returns; `"ok"` where that is not known. Gives the names of the tools that it mocked.

        Args:
            agent: The agent of a framework.
            adapter: As in `run`.
        """
        chosen = choose(agent, adapter)
        known = {*self._toolbox.names(), *self._toolbox.allowed()}
        mocked = []
        for tool, value in defaults(agent, chosen).items():
            if known.isdisjoint(tool.names) and tool not in mocked:
                self.mock(str(tool), return_value=value, optional=True)
                mocked.append(str(tool))
        return mocked

    def _add(self, name: str, strategy: ResponseStrategy, parameters: list[str] | None, awaitable: bool) -> None:
        if isinstance(strategy, ResponseStrategy):
            strategy.tool = name
        self._parameters[name] = parameters
        (self._awaited.add if awaitable else self._awaited.discard)(name)
        self._toolbox.add(MockTool(name, strategy, parameters, self._toolbox))

    def allow(self, name: str, tool: Callable[..., Any] | None = None) -> None:
        """Lets a real tool run, recorded like the others.

        Args:
            name: The tool's name.
            tool: The real tool. Needed where no adapter knows it: in `as_dict()`, and for agents
                that are plain functions.
        """
        check_name(name)
        self._toolbox.allow(name, tool)

    def allow_refusal(self, *names: str) -> None:
        """Allows the agent's own code to refuse calls of these mocked tools, as a guard does that answers the model
        instead of the tool. Such a call is a `rejected` step.

        On the wire such an answer looks like that of a real tool, which is why it must be allowed.
        """
        for name in names:
            self._known(name)
        self._toolbox.allow_refusal(list(names))

    def get_tool(self, name: str) -> MockTool:
        """The mock of this name."""
        self._are_tools_taken = True
        return self._known(name)

    def _known(self, name: str) -> MockTool:
        check_name(name)
        tool = self._toolbox.get(name)
        if tool is None:
            known = ", ".join(self._toolbox.names()) or "none"
            raise UnknownToolError(f"there is no mock named {name}", expected=f"one of: {known}", found=name)
        return tool

    def as_dict(self) -> dict[str, Callable[..., Any]]:
        """The tools as callables, to wire into an agent by hand. They take keywords, one mapping, or
        positionals.
        """
        self._are_tools_taken = True
        return Tools(self._toolbox, self._awaited, self._awaitable)

    def copy(self) -> MockToolkit:
        """A toolkit with the same mocks, from their beginning, that has recorded nothing. A budget is shared."""
        twin = type(self).__new__(type(self))
        if not self._parameters and not self._patched and len(vars(self)) == len(_OWN) and not self._toolbox.allowed():
            # As it comes from the fixture: a test that is repeated takes one for each run.
            twin.__dict__.update(self.__dict__)
            twin._awaited, twin._optional, twin._parameters, twin._patched = set(), set(), {}, []
            twin._last_result, twin._raised, twin._are_tools_taken = None, [], False
            plan = None if self._faults is None else self._faults.plan()
            twin._toolbox = Toolbox(self._options["strict"], self._options["max_tool_calls"], plan)
            return twin
        state = self.__getstate__()
        state["tools"] = [(name, _fresh(strategy), *rest) for name, strategy, *rest in state["tools"]]
        twin.__setstate__(state)
        twin._policy = self._policy
        return twin

    def reset(self) -> None:
        """Forgets every recorded call and run, and lets sequences begin again. Mocks stay."""
        self._toolbox.reset()
        self._last_result, self._raised = None, []

    @property
    def last_result(self) -> AgentRunResult | None:
        """What came of the last run; `None` before the first.

        >>> toolkit = MockToolkit()
        >>> result = toolkit.run(lambda message, tools: message.upper(), "hello")
        >>> toolkit.last_result.output
        'HELLO'
        """
        return self._last_result

    def run(
        self,
        agent: Any,
        input: Any,
        adapter: str | BaseAdapter | None = None,
        model_override: str | None = None,
        timeout: float | None = PATIENCE,
    ) -> AgentRunResult:
        """Runs an agent with its tools mocked. What the agent raised is `result.error`.

        Args:
            agent: The agent: a function `agent(input, tools)`, sync or async, or an object that an
                adapter knows.
            input: What the agent is asked.
            adapter: The adapter, or its name. Unless given, the setting `adapter`; else found by looking at the
                agent.
            model_override: The model to use instead: its name takes the place of the one in each request to a
                model, whatever SDK sends it.
            timeout: Seconds after which the run is ended; `None` for no limit. Unless given, the setting `timeout`:
                60, if nobody says otherwise.
        """
        session, call = self._prepare(agent, input, adapter, model_override, timeout)
        return self._conclude(session, run_bounded(call, timeout, session))

    async def arun(
        self,
        agent: Any,
        input: Any,
        adapter: str | BaseAdapter | None = None,
        model_override: str | None = None,
        timeout: float | None = PATIENCE,
    ) -> AgentRunResult:
        """As `run`, for tests that are async themselves: the test's event loop goes on meanwhile. The agent
        runs on another loop.
        """
        check_event_loop()
        session, call = self._prepare(agent, input, adapter, model_override, timeout)
        return self._conclude(session, await arun_bounded(call, timeout, session))

    def run_callable(self, fn: Callable[..., Any], input: Any, timeout: float | None = PATIENCE) -> AgentRunResult:
        """Runs a plain agent, a function `fn(input, tools)`, sync or async."""
        return self.run(fn, input, adapter="generic", timeout=timeout)

    def run_generic(
        self,
        callable: Callable[[], Any],
        timeout: float | None = PATIENCE,
        *,
        input: Any = "",
        model_override: str | None = None,
    ) -> AgentRunResult:
        """Runs an agent whose tools you wired yourself with `as_dict()`.

        Args:
            callable: Runs the agent, sync or async.
            timeout: Seconds after which the run is ended; `None` for no limit.
            input: What the agent is asked, for the record.
            model_override: The model to use instead.
        """
        check_timeout(timeout)
        check_callable(callable)
        session = self._open(input, model_override)
        return self._conclude(session, run_bounded(callable, timeout, session))

    def record_llm_call(
        self,
        model: str,
        prompt_tokens: int,
        completion_tokens: int,
        *,
        cost: float | None = None,
        agent_id: str | None = None,
    ) -> None:
        """Writes a model call into the current run, for agents that report their own usage.

        Args:
            model: The model's name as the provider spells it.
            prompt_tokens: Tokens of the prompt.
            completion_tokens: Tokens of the answer.
            cost: US dollars, where the price table does not know the model.
            agent_id: The agent that called, where several take part.
        """
        run = self._toolbox.active_run()
        if run is None:
            raise NoActiveRunError(
                "record_llm_call() was called while no agent runs", remedy="call it from within the agent"
            )
        for name, tokens in (("prompt_tokens", prompt_tokens), ("completion_tokens", completion_tokens)):
            if not isinstance(tokens, int) or not 0 <= tokens < 2**63:
                raise InvalidArgumentError(f"{name} must be a whole number of at least 0, not {shown(tokens)}")
        run.note(ModelCall(model, prompt_tokens, completion_tokens, cost, agent_id))

    def _prepare(
        self,
        agent: Any,
        input: Any,
        adapter: str | BaseAdapter | None,
        model_override: str | None,
        timeout: float | None,
    ) -> tuple[Session, Callable[[], Any]]:
        if timeout is PATIENCE:
            limit: float | None = usual_timeout()
        else:
            check_timeout(timeout)
            limit = timeout
        chosen = choose(agent, adapter)
        mocked = self._toolbox.names()
        check_known(agent, chosen, [name for name in mocked if name not in self._optional])
        session = self._open(input, model_override)
        try:
            if mocked:
                session._run.routes(routed(agent, chosen))
            bound = chosen.inject_mocks(agent, session)
            session.may_be_reported = not isinstance(chosen, GenericAdapter)
        except BaseException:
            self._close(session, Ending())
            raise
        return session, lambda: chosen.execute(bound, input, limit)

    def _open(self, input: Any, model: str | None) -> Session:
        if model is not None and (not isinstance(model, str) or not model):
            raise InvalidArgumentError(f"model_override must be the name of a model, not {shown(model)}")
        # First, for both may refuse: a framework whose tools cannot be mocked is not run.
        load_offered()
        open_door()
        try:
            run = self._toolbox.open_run(input, self._policy, model, standing())
        except BaseException:
            close_door()
            raise
        if self._patched:
            from unitai.mock.patching import apply

            try:
                apply(self._patched, run.run_id)
            except BaseException:
                self._toolbox.close_run(run, [])
                close_door()
                raise
        if self._traffic.block_network:
            guard_sockets()
        if self._patched:
            run.replaces([target.tool for target in self._patched])
        tools = Tools(self._toolbox, self._awaited, self._awaitable, run)
        return Session(run, tools, has_patches=bool(self._patched))

    def _close(self, session: Session, ending: Ending) -> None:
        self._toolbox.close_run(session._run, ending.left_behind)
        if self._traffic.block_network:
            unguard_sockets()
        if self._patched:
            from unitai.mock.patching import take_back

            take_back(session.run_id, ending.left_behind)
        if ending.left_behind:
            # What could not be stopped must still be refused when it asks a model.
            pin_door(ending.left_behind)
        close_door()

    def _conclude(self, session: Session, ending: Ending) -> AgentRunResult:
        run = session._run
        if ending.error is None and ending.interrupt is None and run.doomed_by is None:
            self._check_unreached(session)
        doom = run.doomed_by
        error = doom if doom is not None else ending.error
        report = ending.output if session.may_be_reported and isinstance(ending.output, Trajectory) else None
        if error is None and report is not None:
            error = report.error
        try:
            result = run.finish(ending.output if report is None else None, error, report if doom is None else None)
        finally:
            self._close(session, ending)
        self._last_result = result
        attempt = current.get() or self._attempt
        if attempt is not None:
            attempt.results.append(result)
        # Nothing that the agent did is to blame for these, so no test may go on as if it were.
        if isinstance(doom, (MisuseError, DamagedRecordingError)):
            doom.result = result
            raise doom
        if ending.interrupt is not None:
            raise ending.interrupt
        if error is not None:
            self._raised.append(result)
        return result

    def _check_unreached(self, session: Session) -> None:
        """Fails a strict run whose model called a tool that no call reached; warns in others."""
        error = session._run.unreached(self._are_tools_taken or session.are_tools_taken)
        if error is not None and session.is_strict:
            session.fail(error)
        elif error is not None:
            warn(str(error), UnmockedToolWarning, stacklevel=3)

    def unseen_errors(self) -> list[str]:
        """What agents raised, a line each, where nobody has asked how the run ended: neither `succeeded` nor `failed`,
        `error` or `error_is`. Such a test may pass whatever the agent does.

        >>> toolkit = MockToolkit()
        >>> result = toolkit.run(lambda message, tools: 1 / 0, "hello")
        >>> [line.partition(" (at ")[0] for line in toolkit.unseen_errors()]
        ['ZeroDivisionError: division by zero']
        >>> bool(result.succeeded), toolkit.unseen_errors()
        (False, [])
        """
        lines = (unseen_error(result.trajectory) for result in self._raised)
        return [line for line in lines if line is not None]

    def __getstate__(self) -> dict[str, Any]:
        tools = []
        for name in self._toolbox.names():
            strategy = self.get_tool(name).strategy
            tools.append((name, strategy, self._parameters[name], name in self._awaited))
        attributes = {name: value for name, value in vars(self).items() if name not in _OWN}
        return {
            "options": {**self._options, **self._traffic._asdict(), "faults": self._faults},
            "tools": tools,
            "allowed": self._toolbox.allowed(),
            "refusable": self._toolbox.refusable(),
            "optional": self._optional,
            "patched": self._patched,
            "attributes": attributes,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        # A copy has the mocks and where they stand, but nothing that was recorded.
        MockToolkit.__init__(self, **state["options"])
        self.__dict__.update(state["attributes"])
        for name, strategy, parameters, awaitable in state["tools"]:
            self._add(name, strategy, parameters, awaitable)
        for name, tool in state["allowed"].items():
            self.allow(name, tool)
        self._toolbox.allow_refusal(list(state["refusable"]))
        self._optional, self._patched = set(state["optional"]), list(state["patched"])

    def __repr__(self) -> str:
        return f"<MockToolkit {', '.join(self._toolbox.names()) or 'without tools'}>"


#: The attributes that a toolkit makes itself; others were set by a subclass or a test.
_OWN = {
    "_are_tools_taken",
    "_attempt",
    "_awaitable",
    "_awaited",
    "_faults",
    "_handed_over",
    "_last_result",
    "_optional",
    "_options",
    "_parameters",
    "_patched",
    "_policy",
    "_raised",
    "_toolbox",
    "_traffic",
}


def _fresh(strategy: ResponseStrategy) -> ResponseStrategy:
    """The strategy as it was before anybody called it."""
    if type(strategy) in STATELESS:
        return strategy
    from copy import deepcopy

    twin = deepcopy(strategy)
    if isinstance(twin, ResponseStrategy):
        twin.reset()
    return twin
