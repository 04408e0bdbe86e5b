"""Contracts: one suite of tests that every implementation of an interface passes.

A contract is a class of tests; each implementation has a class that inherits it and says what is tested:

    class StoreContract(Contract[BaseStore]):
        def cleanup(self, subject):
            subject.clear()

        def test_what_is_stored_is_found(self, subject):
            subject.put("a", 1)
            assert subject.get("a") == 1

    class TestMemoryStore(StoreContract):
        @pytest.fixture
        def subject(self):
            return MemoryStore()
"""

from __future__ import annotations

import asyncio
import inspect
import sys
import types
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Annotated, Any, ClassVar, Generic, Protocol, TypeVar, Union, get_args, get_origin, runtime_checkable

import pytest

from unitai.errors import ContractError, shown

__all__ = ["Contract"]

T = TypeVar("T")

#: How the properties of a report begin that say which contract a test is a part of.
PROPERTY = "unitai.contract"


class Contract(Generic[T]):
    """The base of contracts. `Contract[Base]` also sees to it that each subject is an instance of `Base`.

    A class that inherits `Contract` itself is a contract, and pytest does not collect it, unless it has both a fixture
    `subject` and a name that begins with `Test`: then it is contract and implementation in one. A class that inherits a
    contract is collected if it has a fixture `subject` of its own, or a name that begins with `Test`; one that has
    neither is a larger contract.
    """

    # Under a name of ours, since whoever inherits may have a fixture `base`.
    _unitai_bases: ClassVar[tuple[_Base, ...]] = ()
    __test__: ClassVar[bool] = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "__test__" not in cls.__dict__:
            # pytest collects what says so, whatever its name is.
            cls.__test__ = _is_run(cls)
        said: list[Any] = []
        # By two ways to one contract, its class is named twice.
        said += (one for one in _bases(cls, {}) if one not in said)
        cls._unitai_bases = tuple(_Base(cls, one) for one in said)
        _refuse_two_cleanups(cls)
        if inspect.iscoroutinefunction(cls.cleanup):
            for name, fixture in _cleaners():
                setattr(cls, name, fixture)

    @pytest.fixture
    def subject(self) -> T:
        """What is tested. Each implementation's class has this fixture."""
        __tracebackhide__ = True
        name, bases = type(self).__name__, " and ".join(base.name for base in self._unitai_bases)
        raise ContractError(
            f"{name} does not say what is tested",
            expected=f"a fixture `subject` in {name}" + (f" that gives an instance of {bases}" if bases else ""),
            remedy=f"write into {name}: @pytest.fixture, then def subject(self): return ... ; if {name} is a contract "
            "itself, give it a name that does not begin with Test",
        )

    def cleanup(self, subject: T) -> Any:
        """Runs after each test, also after one that failed; may be `async`."""

    @classmethod
    def check_subject(cls, subject: object) -> None:
        """Raises `ContractError` for a subject that is not of every class that the contract is for."""
        __tracebackhide__ = True
        for base in cls._unitai_bases:
            if not isinstance(subject, base.kind):
                raise ContractError(
                    f"the subject of {cls.__name__} is no {base.name}",
                    expected=f"an instance of {base.name}, which the contract is for",
                    found=f"{shown(subject)}, of the class {type(subject).__name__}",
                    remedy=f"let the fixture `subject` of {cls.__name__} give an instance of the implementation",
                )

    @pytest.fixture(autouse=True)
    def _unitai_contract(self, request: pytest.FixtureRequest, subject: T) -> Iterator[None]:
        """Checks the subject, notes whose it is, and cleans up after each test."""
        __tracebackhide__ = True
        self.check_subject(subject)
        for name, value in _covered(type(self), request, subject):
            request.node.user_properties.append((name, value))
        if inspect.iscoroutinefunction(self.cleanup):
            # On the loop of the test, which is gone once the fixtures of its plugin are.
            way = _way(request)
            if way is not None:
                request.getfixturevalue(way)
                yield
            else:
                yield
                asyncio.run(self.cleanup(subject))
        else:
            yield
            _refuse_unfinished(type(self), self.cleanup(subject))


#: The origins of `A | B`, by whichever way it is written.
_UNIONS = (Union, types.UnionType)


class _Base:
    """A class that a contract is for."""

    def __init__(self, contract: type[Contract[Any]], said: Any) -> None:
        self.name = _name(said)
        try:
            #: What `isinstance` takes for it.
            self.kind = _kind(said)
        except TypeError as error:
            raise ContractError(
                f"{contract.__name__} cannot tell whether a subject is of {said!r}",
                expected="a class, such as an abstract one or a Protocol",
                found=str(error),
                remedy="write the class itself into the brackets of Contract; Contract without brackets takes anything",
            ) from None


def _name(said: Any) -> str:
    if get_origin(said) in _UNIONS:
        return " or ".join(_name(one) for one in get_args(said))
    return str(getattr(said, "__name__", said))


def _kind(said: Any) -> Any:
    if said is Any:
        return object
    if get_origin(said) is Annotated:
        return _kind(get_args(said)[0])
    if get_origin(said) in _UNIONS:
        return tuple(_kind(one) for one in get_args(said))
    # What `Store[int]` holds cannot be seen in an instance, that it is a `Store` can.
    kind = _origin(said)
    try:
        isinstance(None, kind)
    except TypeError:
        if not getattr(kind, "_is_protocol", False):
            raise
        # A Protocol that is not runtime_checkable: one of the same members that is. Theirs stays as it is.
        kind = runtime_checkable(types.new_class(kind.__name__, (kind, Protocol)))
    return kind


def _origin(form: Any) -> Any:
    """`Store` of `Store[int]`, and of `Store`."""
    return get_origin(form) or form


def _bases(cls: type, given: dict[Any, Any]) -> Iterator[Any]:
    """Every class that `Contract[...]` names for `cls`, there or further up. `given` holds type variables."""
    forms: Any = cls.__dict__.get("__orig_bases__", cls.__bases__)
    # What it names itself counts before what it inherits.
    for form in sorted(forms, key=lambda form: _origin(form) is not Contract):
        origin = _origin(form)
        said = [given.get(one, one) if isinstance(one, TypeVar) else one for one in get_args(form)]
        if origin is Contract:
            yield from (one for one in said if not isinstance(one, TypeVar))
        elif isinstance(origin, type) and issubclass(origin, Contract):
            yield from _bases(origin, dict(zip(getattr(origin, "__parameters__", ()), said, strict=False)))


def _is_run(cls: type[Contract[Any]]) -> bool:
    """Whether pytest collects a class that does not say so itself. The linter counts by the same rule."""
    owner = next(owner for owner in cls.__mro__ if "subject" in owner.__dict__)
    is_named = cls.__name__.startswith("Test")
    if Contract in cls.__bases__:
        return is_named and owner is not Contract
    # What a contract has for all of its inheritors does not say what this one is.
    is_said = owner is cls or (owner is not Contract and getattr(owner, "__test__", True))
    return is_named or is_said


def _refuse_two_cleanups(cls: type[Contract[Any]]) -> None:
    """Raises `ContractError` where one contract would clean up and another, which is inherited beside it, not."""
    owners = [owner for owner in cls.__mro__ if "cleanup" in owner.__dict__]
    first = owners[0]
    for other in owners:
        if issubclass(first, Contract) and issubclass(other, Contract) and not issubclass(first, other):
            raise ContractError(
                f"{cls.__name__} inherits two contracts, and only one of them would clean up",
                expected=f"a `cleanup` in {cls.__name__}",
                found=f"{first.__name__}.cleanup, which hides {other.__name__}.cleanup",
                remedy=f"write into {cls.__name__}: def cleanup(self, subject): "
                f"{first.__name__}.cleanup(self, subject); {other.__name__}.cleanup(self, subject)",
            )


def _refuse_unfinished(cls: type[Contract[Any]], result: object) -> None:
    """Raises `ContractError` for a cleanup that has only begun: nobody awaits what it gives, or takes steps of it."""
    __tracebackhide__ = True
    if not (inspect.isawaitable(result) or inspect.isgenerator(result) or inspect.isasyncgen(result)):
        return
    if inspect.iscoroutine(result):
        result.close()
    raise ContractError(
        f"the cleanup of {cls.__name__} was not done",
        expected="a function that cleans up, or an async one: async def cleanup(self, subject)",
        found=f"a function that gives a {type(result).__name__}, which nobody runs",
        remedy="write `async def cleanup` and await there what has to be awaited; it needs no `yield`",
    )


def _covered(cls: type[Contract[Any]], request: pytest.FixtureRequest, subject: object) -> Iterator[tuple[str, str]]:
    contract = _contract_of(cls, getattr(request.node, "originalname", request.node.name))
    yield PROPERTY, contract.__name__
    if contract._unitai_bases:
        yield f"{PROPERTY}_base", contract._unitai_bases[0].name
    yield "unitai.implementation", type(subject).__name__


def _contract_of(cls: type[Contract[Any]], test: str) -> type[Contract[Any]]:
    """The contract that a test is a part of: the largest that has it, else the first that its class inherits."""
    family = [it for it in cls.__mro__ if it is not Contract and issubclass(it, Contract)]
    # One that is contract and implementation in one stands alone, or on top.
    contracts = [it for it in family if not it.__test__] or family[-1:]
    return next((it for it in contracts if hasattr(it, test)), contracts[0])


def _cleaners() -> Iterator[tuple[str, Any]]:
    """The fixtures that clean up on the loop of a test, one for each loop that it may have."""
    yield _ANYIO, pytest.fixture(_cleaner())
    plugin: Any = sys.modules.get("pytest_asyncio")
    if plugin is None:
        return
    if "loop_scope" not in inspect.signature(plugin.fixture).parameters:
        # Before 0.24 fixtures cannot choose.
        yield _ASYNCIO + "function", plugin.fixture(_cleaner())
        return
    for scope in _LOOP_SCOPES:
        yield _ASYNCIO + scope, plugin.fixture(_cleaner(), loop_scope=scope)


def _cleaner() -> Callable[..., AsyncIterator[None]]:
    """What a plugin for async tests makes a fixture of."""

    async def clean(self: Contract[T], subject: T) -> AsyncIterator[None]:
        yield
        await self.cleanup(subject)

    return clean


def _way(request: pytest.FixtureRequest) -> str | None:
    """The fixture that cleans up on the loop of the test; `None` where the test has no loop."""
    if request.node.get_closest_marker("anyio") is not None:
        return _ANYIO
    if not request.config.pluginmanager.has_plugin("asyncio"):
        return None
    way = _ASYNCIO + _loop_scope(request)
    return way if hasattr(request.cls, way) else _ASYNCIO + "function"


def _loop_scope(request: pytest.FixtureRequest) -> str:
    """Whose loop pytest-asyncio runs a test on, as it reads it itself; `scope` is its older word."""
    marker = request.node.get_closest_marker("asyncio")
    said = marker.kwargs if marker is not None else {}
    try:
        usual = request.config.getini("asyncio_default_test_loop_scope")
    except ValueError:  # A setting that came with 0.26.
        usual = "function"
    return str(said.get("loop_scope") or said.get("scope") or usual)


_ANYIO, _ASYNCIO = "_unitai_cleanup_anyio", "_unitai_cleanup_asyncio_"
#: Whose loops pytest-asyncio has.
_LOOP_SCOPES = ("function", "class", "module", "package", "session")
