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
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, ClassVar, Generic, TypeVar, get_args, get_origin

import pytest

from unitai.errors import ContractError, shown

__all__ = ["Contract"]

T = TypeVar("T")

#: How the properties of a report begin that say which contract a test is a part of.
PROPERTY = "unitai.contract"


class Contract(Generic[T]):
    """The base of contracts. `Contract[Base]` also sees to it that each subject is an instance of `Base`.

    A class that inherits `Contract` itself is a contract, and pytest never collects it. A class that inherits a
    contract is collected if it has a fixture `subject` of its own, or a name that begins with `Test`; one that has
    neither is a larger contract.
    """

    #: The class that a contract is for, where it names one.
    base: ClassVar[Any] = None
    #: The class of the contract.
    contract: ClassVar[type[Contract[Any]] | None] = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for origin in getattr(cls, "__orig_bases__", ()):
            if get_origin(origin) is Contract and not isinstance(get_args(origin)[0], TypeVar):
                cls.base = get_args(origin)[0]
        is_contract = Contract in cls.__bases__
        is_run = not is_contract and (cls._has_subject() or cls.__name__.startswith("Test"))
        if not is_run:
            cls.contract = cls
        if inspect.iscoroutinefunction(cls.cleanup):
            setattr(cls, _ANYIO, pytest.fixture(_cleaner()))
            plugin: Any = sys.modules.get("pytest_asyncio")
            if plugin is not None:
                setattr(cls, _ASYNCIO, plugin.fixture(_cleaner()))
        # pytest collects what says so, whatever its name is.
        cls.__test__ = is_run  # type: ignore[attr-defined]

    @classmethod
    def _has_subject(cls) -> bool:
        """Whether an inheritor, not the contract, says what is tested."""
        for owner in cls.__mro__:
            if "subject" in owner.__dict__:
                return owner is not Contract and Contract not in owner.__bases__
        return False

    @pytest.fixture
    def subject(self) -> T:
        """What is tested. Each implementation's class has this fixture."""
        __tracebackhide__ = True
        name = type(self).__name__
        raise ContractError(
            f"{name} does not say what is tested",
            expected=f"a fixture `subject` in {name}{self._of_base()}",
            remedy=f"write into {name}: @pytest.fixture, then def subject(self): return ... ; if {name} is a contract "
            "itself, give it a name that does not begin with Test",
        )

    def cleanup(self, subject: T) -> Any:
        """Runs after each test, also after one that failed; may be `async`."""

    @classmethod
    def check_subject(cls, subject: object) -> None:
        """Raises `ContractError` for a subject that is not of the class that the contract is for."""
        __tracebackhide__ = True
        base = cls.base
        if not isinstance(base, type) or (
            getattr(base, "_is_protocol", False) and not getattr(base, "_is_runtime_protocol", False)
        ):
            return
        if not isinstance(subject, base):
            raise ContractError(
                f"the subject of {cls.__name__} is no {base.__name__}",
                expected=f"an instance of {base.__name__}, which the contract is for",
                found=f"{shown(subject)}, of the class {type(subject).__name__}",
                remedy=f"let the fixture `subject` of {cls.__name__} give an instance of the implementation",
            )

    @classmethod
    def _of_base(cls) -> str:
        return f" that gives an instance of {cls.base.__name__}" if isinstance(cls.base, type) else ""

    @pytest.fixture(autouse=True)
    def _unitai_contract(self, request: pytest.FixtureRequest, subject: T) -> Iterator[None]:
        """Checks the subject, notes whose it is, and cleans up after each test."""
        __tracebackhide__ = True
        self.check_subject(subject)
        for name, value in self._covered(subject):
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
            self.cleanup(subject)

    def _covered(self, subject: T) -> Iterator[tuple[str, str]]:
        contract = type(self).contract
        yield PROPERTY, contract.__name__ if contract is not None else type(self).__name__
        if self.base is not None:
            yield f"{PROPERTY}_base", getattr(self.base, "__name__", str(self.base))
        yield "unitai.implementation", type(subject).__name__


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
    return _ASYNCIO if request.config.pluginmanager.has_plugin("asyncio") else None


_ANYIO, _ASYNCIO = "_unitai_cleanup_anyio", "_unitai_cleanup_asyncio"
