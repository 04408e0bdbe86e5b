"""Every error class, under one root and in three branches.

The engine holds the catalogue (codes, meanings, remedies, examples); `docs/reference/errors` is
made from it, and a test holds this file to it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from unitai._engine import AgentRunResult, Finding
    from unitai.llm.models import StepResult, Verdict
    from unitai.trials.result import StatisticalResult


class UnitAIError(Exception):
    """The root of all errors that UnitAI raises.

    >>> from unitai import MockToolkit, UnitAIError
    >>> try:
    ...     MockToolkit().get_tool("search")
    ... except UnitAIError as error:
    ...     print(error.code)
    UA203
    """

    code: str = ""
    #: The partial result, where the error ended a run.
    result: AgentRunResult | None = None

    def __init__(
        self,
        message: str = "",
        *,
        expected: str | None = None,
        found: str | None = None,
        remedy: str | None = None,
    ) -> None:
        message = _clean(message)
        super().__init__(message)
        self.message = message
        self.expected = expected and _clean(expected)
        self.found = found and _clean(found)
        self.remedy = remedy and _clean(remedy)
        if self.code:
            # A note stands at the end of a traceback, and not in the text: texts become parts of others, and of what
            # models are told.
            self.__notes__ = [f"  more:     unitai explain {self.code}"]

    def __str__(self) -> str:
        lines = [f"{self.message} [{self.code}]" if self.code else self.message]
        remedy = self.remedy or _usual_remedy(self.code)
        for label, text in (("expected", self.expected), ("found", self.found), ("to do", remedy)):
            if text is not None:
                lines.append(f"  {label + ':':<9} {text}")
        return "\n".join(lines)


def explained(error: UnitAIError) -> str:
    """The text of an error with its notes, as a traceback ends: for where none is shown."""
    return "\n".join([str(error), *getattr(error, "__notes__", [])])


def _clean(text: str) -> str:
    """The text without secrets: wherever an error is shown, none is in it."""
    if not isinstance(text, str):
        return text
    try:
        from unitai._engine import clean
    except ImportError:
        # An engine that cannot be loaded is told by errors, too.
        return text
    return clean(text)


def _usual_remedy(code: str) -> str | None:
    """What the catalogue says to do, where the place that raised knew nothing better."""
    from unitai._engine import catalogue

    return next((entry[5].replace("`", "") for entry in catalogue() if entry[0] == code), None)


def shown(value: object) -> str:
    """The value in a message: its repr, cut, even if that raises."""
    try:
        text = repr(value)
    except Exception:
        text = f"<{type(value).__name__} whose repr() raised>"
    text = _clean(text)
    return text if len(text) <= 200 else text[:199] + "…"


class ExpectationError(UnitAIError, AssertionError):
    """The agent did not do what the test expects."""


class MisuseError(UnitAIError):
    """The test or its set-up is wrong."""


class InfrastructureError(UnitAIError):
    """Something around the test is not as needed."""


class BrokenExpectationError(ExpectationError):
    """A check does not hold. Its text is the whole report."""

    code = "UA101"

    def __init__(self, message: str = "", *, finding: Finding | None = None) -> None:
        super().__init__(message)
        self.finding = finding

    def __str__(self) -> str:
        return self.message


class AgentTimeoutError(ExpectationError, TimeoutError):
    """The agent did not end within its time limit."""

    code = "UA102"


class AgentLoopDetectedError(ExpectationError):
    """The agent called one tool more often than allowed."""

    code = "UA103"


class UnexpectedModelCallError(ExpectationError):
    """A request came to the model that the script has no answer to."""

    code = "UA104"


class UnplayedScriptError(ExpectationError):
    """Steps of a script were not asked for."""

    code = "UA105"


class PassRateError(ExpectationError):
    """Too few runs of a repeated test passed. Its text is the whole report."""

    code = "UA106"

    def __init__(self, message: str = "", *, stats: StatisticalResult | None = None) -> None:
        super().__init__(message)
        self.stats = stats

    def __str__(self) -> str:
        return self.message


class WrongArgumentsError(ExpectationError):
    """A tool was called with arguments that it does not take."""

    code = "UA107"


class LLMTestFailed(ExpectationError):  # noqa: N818
    """A YAML test failed. Its text is the whole report."""

    code = "UA108"

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(str(verdict))
        #: What came of the test.
        self.verdict = verdict

    def __str__(self) -> str:
        return self.message


class SnapshotError(ExpectationError):
    """A value is not what its snapshot says, or there is none. `found` is the difference, in lines."""

    code = "UA109"

    def __str__(self) -> str:
        if self.found is None or "\n" not in self.found:
            return super().__str__()
        return f"{self.message} [{self.code}]\n\n{self.found}\n\n  to do:    {self.remedy or _usual_remedy(self.code)}"


class MockStrategyError(MisuseError, TypeError):
    """A mock needs exactly one way to answer."""

    code = "UA201"


class DuplicateMockError(MisuseError):
    """A tool of this name is mocked already."""

    code = "UA202"


class UnknownToolError(MisuseError, KeyError):
    """There is no tool of this name."""

    code = "UA203"


class MockExhaustedError(MisuseError):
    """A mock's sequence has no answer left."""

    code = "UA204"


class NoMatchingConditionError(MisuseError):
    """No condition of a mock matched the arguments."""

    code = "UA205"


class UnmockedToolError(MisuseError):
    """The agent called a tool that is not mocked."""

    code = "UA206"


class AdapterNotFoundError(MisuseError, TypeError):
    """No adapter knows how to run this agent."""

    code = "UA207"


class NoActiveRunError(MisuseError):
    """This is possible only while an agent runs."""

    code = "UA208"


class AmbiguousRunError(MisuseError):
    """It cannot be told which run this call belongs to."""

    code = "UA209"


class RunOverError(MisuseError):
    """The run to which this call belongs has ended."""

    code = "UA210"


class InvalidArgumentError(MisuseError, ValueError):
    """An argument is not what this function takes."""

    code = "UA211"


class CallNotFoundError(MisuseError, IndexError):
    """There is no such call in the trajectory."""

    code = "UA212"


class CacheMissError(MisuseError):
    """A request came to the model that was never recorded."""

    code = "UA213"


class ConfigError(MisuseError, ValueError):
    """A setting cannot be used."""

    code = "UA214"


class ContractError(MisuseError):
    """A contract cannot be held against this: there is no subject, or not of the right class, or it cannot clean up."""

    code = "UA215"


class UnreachableToolError(MisuseError):
    """Code that UnitAI cannot see answered a tool call, which reached neither a mock nor an allowed tool."""

    code = "UA216"


class ScriptedCallError(MisuseError):
    """A script makes a call that no model could make: the request does not offer the tool, or its schema refuses the
    arguments.
    """

    code = "UA217"


class RunsRaisedError(MisuseError):
    """Too few runs of a repeated test passed, and the others raised. Its text is the whole report."""

    code = "UA218"

    def __init__(self, message: str = "", *, stats: StatisticalResult | None = None) -> None:
        super().__init__(message)
        self.stats = stats

    def __str__(self) -> str:
        return self.message


class TrajectoryFormatError(InfrastructureError, ValueError):
    """This is not a trajectory."""

    code = "UA301"


class NewerFormatError(TrajectoryFormatError):
    """The trajectory was written by a newer release."""

    code = "UA302"


class UnpricedModelError(InfrastructureError):
    """The cost is unknown, because a model has no price."""

    code = "UA303"


class MissingDependencyError(InfrastructureError, ImportError):
    """A package that this needs is not installed."""

    code = "UA304"


class CostLimitExceeded(InfrastructureError):  # noqa: N818
    """The budget does not allow another model call."""

    code = "UA305"
    #: Whose budget it is, where somebody said so when it was made.
    whose: str | None = None
    #: The runs so far, where a repeated test was ended.
    stats: StatisticalResult | None = None


class UnknownUsageError(InfrastructureError):
    """The tokens are unknown, because an answer did not say its usage."""

    code = "UA306"


class NetworkBlockedError(InfrastructureError, ConnectionError):
    """A connection to the outside was refused."""

    code = "UA307"


class UnsupportedClientError(InfrastructureError):
    """An HTTP client is of a version whose requests cannot be seen."""

    code = "UA308"


class DamagedRecordingError(InfrastructureError):
    """A recording was changed after it was made."""

    code = "UA309"


class CacheDiskError(InfrastructureError, OSError):
    """A recording could not be read or written."""

    code = "UA310"


class BrokenLedgerError(InfrastructureError):
    """The ledger of a budget cannot be used."""

    code = "UA311"


class InconclusiveError(InfrastructureError):
    """A repeated test came to no verdict. Its text is the whole report."""

    code = "UA312"

    def __init__(self, message: str = "", *, stats: StatisticalResult | None = None) -> None:
        super().__init__(message)
        self.stats = stats

    def __str__(self) -> str:
        return self.message


class BaselineError(InfrastructureError):
    """A baseline cannot be used: it is not there, is damaged, or of a newer release."""

    code = "UA313"


class UnsupportedFrameworkError(InfrastructureError):
    """A framework is of a version whose tools cannot be mocked."""

    code = "UA314"


class LLMTestError(InfrastructureError):
    """A YAML test came to no verdict, because something around it is not as needed."""

    code = "UA315"
    #: What had run.
    steps: list[StepResult] = []


class JudgeUndecidedError(InconclusiveError):
    """A judge came to no answer: it is not there, or it does not know."""

    code = "UA316"

    def __init__(
        self,
        message: str = "",
        *,
        expected: str | None = None,
        found: str | None = None,
        remedy: str | None = None,
    ) -> None:
        UnitAIError.__init__(self, message, expected=expected, found=found, remedy=remedy)
        self.stats = None

    def __str__(self) -> str:
        return UnitAIError.__str__(self)


class LayerWarning(UserWarning):
    """A test is not what its layer promises, though it passed: a unit test that takes long, for one."""


class UnseenErrorWarning(UserWarning):
    """An agent raised in a test that passed, and no check looked at how the run ended."""

    @classmethod
    def about(cls, error: str, runs: str = "") -> UnseenErrorWarning:
        """A warning of this error; `runs` says in which, where there were several."""
        return cls(
            f"the agent raised {error}{runs}, and no check of this test asked how the run ended: assert "
            "result.succeeded, or result.failed if it is meant to"
        )


class StatisticsWarning(UserWarning):
    """A repeated test cannot show what it is meant to."""


class RecordingWarning(UserWarning):
    """An answer could not be recorded, or a recording was set aside."""


class UnmockedToolWarning(UserWarning):
    """A tool without a mock was called with `strict=False` and answered with `None`."""


class UnknownToolWarning(UserWarning):
    """A check that a tool was not called names a tool that the run does not have, and that is probably misspelled."""


class LLMTestWarning(UserWarning):
    """Something about a YAML test should be looked at, though it decided nothing."""


class RecordedError(Exception):
    """Stands for an exception of which only the record is left: a trajectory read from a file."""

    def __init__(self, type_name: str, message: str) -> None:
        super().__init__(type_name, message)
        self.type_name = type_name
        self.message = message

    def __str__(self) -> str:
        return _clean(f"{self.type_name}: {self.message}" if self.message else self.type_name)
