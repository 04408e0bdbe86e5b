//! The list itself.

use super::Branch::{ExpectationError, InfrastructureError, MisuseError};
use super::Entry;

/// All errors, by code.
pub const CATALOGUE: &[Entry] = &[
    Entry {
        code: "UA101",
        class: "BrokenExpectationError",
        branch: ExpectationError,
        summary: "The agent did not do what the test expects.",
        meaning: "`assert_trajectory(...)` and the methods of `AgentTestCase` raise it when a check does not hold. \
                  Its text is the whole report; its `finding` is the same as data.",
        remedy: "Read the report: it shows what the agent did, with the steps that decided marked. Mend the agent, \
                 or the expectation.",
        example: r#"
from unitai import MockToolkit, assert_trajectory

toolkit = MockToolkit()
toolkit.mock("search", return_value=[])
result = toolkit.run(lambda input, tools: "done", "find restaurants")
assert_trajectory(result).called("search")"#,
    },
    Entry {
        code: "UA102",
        class: "AgentTimeoutError",
        branch: ExpectationError,
        summary: "The agent did not end within its time limit.",
        meaning: "The run was stopped at its deadline. `run()` does not raise this error: it is `result.error`, and \
                  the trajectory up to the deadline is there to look at. A thread that could not be stopped is \
                  named in the message; its tool calls are refused from then on. Also a `TimeoutError`.",
        remedy: "Give the run more time with `timeout=`, or find out from the last steps what the agent was waiting for.",
        example: r#"
import time
from unitai import MockToolkit

result = MockToolkit().run_generic(lambda: time.sleep(2), timeout=0.05)
raise result.error"#,
    },
    Entry {
        code: "UA103",
        class: "AgentLoopDetectedError",
        branch: ExpectationError,
        summary: "The agent called one tool more often than allowed.",
        meaning: "A tool was called more than `max_tool_calls` times in one run (50 unless you say otherwise), so the \
                  run was ended. `run()` does not raise this error: it is `result.error`.",
        remedy: "If the agent is right to call so often, raise the limit: `MockToolkit(max_tool_calls=500)`. Otherwise \
                 look at the last calls: an agent that repeats itself often misreads the tool's answer.",
        example: r#"
from unitai import MockToolkit

toolkit = MockToolkit(max_tool_calls=3)
toolkit.mock("poll", return_value="pending")

def impatient(input, tools):
    while tools["poll"]() == "pending":
        pass

raise toolkit.run(impatient, "wait").error"#,
    },
    Entry {
        code: "UA104",
        class: "UnexpectedModelCallError",
        branch: ExpectationError,
        summary: "A request came to the model that nothing in the test answers.",
        meaning: "All steps of the script had been played, and no condition held; or the request is none that a script \
                  can answer; or there is no script and no recording, and the setting `live_models` does not let this \
                  test call a model live. The request was not sent, the run was ended, and the error is raised whatever \
                  the agent made of it.",
        remedy: "Add the step that is missing, or find out why the agent asks once more: `found` shows what came. A test \
                 that is meant to ask a model is marked with `@pytest.mark.unitai_live`; `--live-models=allow` lets all.",
        example: r#"
import urllib3
from unitai import scripted_model

with scripted_model([]):
    urllib3.PoolManager().request("POST", "https://api.openai.com/v1/chat/completions", json={"model": "m", "messages": []})"#,
    },
    Entry {
        code: "UA105",
        class: "UnplayedScriptError",
        branch: ExpectationError,
        summary: "Steps of a script were not asked for.",
        meaning: "The agent made fewer requests than the script has steps, or a condition never held. What was left over \
                  is shown. A rule that need not be met is written `when(...).always(...)`.",
        remedy: "Take the step out, or find out why the agent stopped early.",
        example: r#"
from unitai import scripted_model
from unitai.script import say

with scripted_model([say("Hello!")]):
    pass"#,
    },
    Entry {
        code: "UA106",
        class: "PassRateError",
        branch: ExpectationError,
        summary: "Too few runs of a repeated test passed.",
        meaning: "A test with `@statistical` or the marker `unitai_statistical` was run several times, and fewer of the \
                  runs passed than its threshold asks for. The text is the whole report, with the ways in which runs \
                  failed; `stats` is the same as data.",
        remedy: "Look at the most common way of failing: one run of it is shown whole.",
        example: r#"
from unitai import statistical

@statistical(n=20, threshold=0.8)
def test_refund(mock_toolkit):
    result = mock_toolkit.run(lambda input, tools: "I cannot do that.", "refund order 123")
    assert result.output_contains("refunded")

test_refund()"#,
    },
    Entry {
        code: "UA107",
        class: "WrongArgumentsError",
        branch: ExpectationError,
        summary: "A tool was called with arguments that it does not take.",
        meaning: "The model called a mocked tool with arguments that do not fit the tool's schema: one is missing, unknown \
                  or of another type. The real tool would not have run, so the mock does not answer either. `run()` does \
                  not raise this error: the call is a step of the trajectory with it, and the framework tells the model \
                  as it would have told it of the real tool's refusal.",
        remedy: "Look at the step: a model that gets the arguments wrong often has a tool whose description does not say \
                 what it takes.",
        example: r#"
from unitai import WrongArgumentsError

raise WrongArgumentsError('refund was called with arguments that it does not take: amount: "ten" is not of type "number"')"#,
    },
    Entry {
        code: "UA108",
        class: "LLMTestFailed",
        branch: ExpectationError,
        summary: "A YAML test failed.",
        meaning: "A check of the test does not hold, a tool failed, time was up, or the judge's answers say that what the \
                  test expects did not happen. The text is the whole report: the reason, each step with its place in the \
                  file, and what is wrong. `error.verdict` is the same as an object.",
        remedy: "Look at the steps that failed, and at what their tools gave.",
        example: r#"
from unitai import LLMTestFailed
from unitai.llm import Verdict

raise LLMTestFailed(Verdict(verdict="FAIL", reason="the page answers 500"))"#,
    },
    Entry {
        code: "UA109",
        class: "SnapshotError",
        branch: ExpectationError,
        summary: "A value is not what its snapshot says, or there is none.",
        meaning: "`snapshot.assert_match(value, name)` compares a value with the file that was kept of it. The message \
                  shows the difference: lines with `-` are of the snapshot, lines with `+` of this run. A snapshot that is \
                  missing fails, too: nothing was compared.",
        remedy: "Read the difference. If it is meant, run the test with `--snapshot-update` and commit the file; if not, \
                 mend what has changed.",
        example: r#"
from pathlib import Path
from unitai.snapshot import Snapshot

snapshot = Snapshot(Path("test_prompts.py"), ["test_greeting"])
snapshot.assert_match("Hello!", "greeting.txt")"#,
    },
    Entry {
        code: "UA201",
        class: "MockStrategyError",
        branch: MisuseError,
        summary: "A mock needs exactly one way to answer.",
        meaning: "`mock()` was given none of `return_value`, `side_effect`, `sequence` and `conditional`, or more \
                  than one, or one that it cannot use.",
        remedy: "Give exactly one. For a tool that answers nothing, write `return_value=None`.",
        example: r#"
from unitai import MockToolkit

MockToolkit().mock("search")"#,
    },
    Entry {
        code: "UA202",
        class: "DuplicateMockError",
        branch: MisuseError,
        summary: "A tool of this name is mocked already.",
        meaning: "A second `mock()` of one name would silently change what the first promised.",
        remedy: "Remove one of the two, or say that you mean it: `mock(name, ..., replace=True)`.",
        example: r#"
from unitai import MockToolkit

toolkit = MockToolkit()
toolkit.mock("search", return_value=[])
toolkit.mock("search", return_value=["a"])"#,
    },
    Entry {
        code: "UA203",
        class: "UnknownToolError",
        branch: MisuseError,
        summary: "There is no tool of this name.",
        meaning: "`get_tool()` was asked for a tool that was never mocked, or a tool is mocked that the agent does not have: \
                  then the mock would never be called, and the real tool of the right name is not mocked. Also a `KeyError`.",
        remedy: "Check the spelling against the names in the message, or mock the tool first. A mock that not every agent \
                 has a tool for: `mock(..., optional=True)`.",
        example: r#"
from unitai import MockToolkit

MockToolkit().get_tool("serach")"#,
    },
    Entry {
        code: "UA204",
        class: "MockExhaustedError",
        branch: MisuseError,
        summary: "A mock's sequence has no answer left.",
        meaning: "The agent called the tool more often than its `sequence` has answers. `run()` raises this even if \
                  the agent swallowed it, with the partial result as `error.result`.",
        remedy: "Add answers to the sequence, or use `return_value` or `side_effect` for a tool that may be called any \
                 number of times.",
        example: r#"
from unitai import MockToolkit

toolkit = MockToolkit()
toolkit.mock("next_page", sequence=["page 1"])
next_page = toolkit.as_dict()["next_page"]
next_page()
next_page()"#,
    },
    Entry {
        code: "UA205",
        class: "NoMatchingConditionError",
        branch: MisuseError,
        summary: "No condition of a mock matched the arguments.",
        meaning: "A `conditional` mock was called with arguments that none of its conditions accepts, and it has no \
                  default. `run()` raises this even if the agent swallowed it, with the partial result as `error.result`.",
        remedy: "Add a condition for these arguments, or a default under the key `\"__default__\"`.",
        example: r#"
from unitai import MockToolkit

toolkit = MockToolkit()
toolkit.mock("lookup", conditional=[(lambda args: args["id"] == 1, "one")])
toolkit.as_dict()["lookup"](id=2)"#,
    },
    Entry {
        code: "UA206",
        class: "UnmockedToolError",
        branch: MisuseError,
        summary: "The agent called a tool that is not mocked.",
        meaning: "In strict mode, the default, a tool without a mock never runs. `run()` raises this even if the agent \
                  swallowed it, with the partial result as `error.result`.",
        remedy: "Mock the tool, let the real one through with `toolkit.allow(name)`, or use `MockToolkit(strict=False)`, \
                 where such a call warns and returns `None`.",
        example: r#"
from unitai import MockToolkit

MockToolkit().run(lambda input, tools: tools["delete_order"](id=1), "delete order 1")"#,
    },
    Entry {
        code: "UA207",
        class: "AdapterNotFoundError",
        branch: MisuseError,
        summary: "No adapter knows how to run this agent.",
        meaning: "`run()` found no adapter for the object, so it cannot put mocks in the place of its tools.",
        remedy: "Pass a function `agent(input, tools)`, wire the tools yourself with `toolkit.as_dict()` and use \
                 `run_generic(...)`, or register an adapter for your framework.",
        example: r#"
from unitai import MockToolkit

MockToolkit().run(object(), "hello")"#,
    },
    Entry {
        code: "UA208",
        class: "NoActiveRunError",
        branch: MisuseError,
        summary: "This is possible only while an agent runs.",
        meaning: "`record_llm_call()` was called when no run of this toolkit was under way, so the call belongs to no \
                  trajectory.",
        remedy: "Call it from within the agent, or from a tool.",
        example: r#"
from unitai import MockToolkit

MockToolkit().record_llm_call("gpt-4o", prompt_tokens=10, completion_tokens=5)"#,
    },
    Entry {
        code: "UA209",
        class: "AmbiguousRunError",
        branch: MisuseError,
        summary: "It cannot be told which run this call belongs to.",
        meaning: "Several runs of one toolkit are under way, and the call comes from a thread that carries no context. \
                  To guess would put it into the wrong trajectory.",
        remedy: "Use one toolkit per concurrent run, take the tools that the agent function is given, or start the \
                 thread with `contextvars.copy_context().run`.",
        example: r#"
import threading
from unitai import MockToolkit

toolkit = MockToolkit()
toolkit.mock("search", return_value=[])
search = toolkit.as_dict()["search"]
caught = []

def stray():
    try:
        search()
    except Exception as error:
        caught.append(error)

def start_a_stray_thread():
    thread = threading.Thread(target=stray)
    thread.start()
    thread.join()

toolkit.run_generic(lambda: toolkit.run_generic(start_a_stray_thread))
raise caught[0]"#,
    },
    Entry {
        code: "UA210",
        class: "RunOverError",
        branch: MisuseError,
        summary: "The run to which this call belongs has ended.",
        meaning: "A thread or task that outlived its run called a tool, or used a port that belongs to it. The call is \
                  refused, so that it cannot enter another run's trajectory.",
        remedy: "Let the agent wait for what it started before it returns.",
        example: r#"
from unitai import MockToolkit

toolkit = MockToolkit()
toolkit.mock("search", return_value=[])
kept = []
toolkit.run(lambda input, tools: kept.append(tools["search"]), "keep the tool")
kept[0]()"#,
    },
    Entry {
        code: "UA211",
        class: "InvalidArgumentError",
        branch: MisuseError,
        summary: "An argument is not what this function takes.",
        meaning: "A value has the wrong type, is out of range, or names nothing that exists. Also a `ValueError`.",
        remedy: "The message says what was expected and what was found.",
        example: r#"
from unitai import MockToolkit

MockToolkit(max_tool_calls=0)"#,
    },
    Entry {
        code: "UA212",
        class: "CallNotFoundError",
        branch: MisuseError,
        summary: "There is no such call in the trajectory.",
        meaning: "`get_call(name, n)` was asked for a call that did not happen. Also an `IndexError`.",
        remedy: "Check with `tool_call_count(name)` first, or look at `call_order()`.",
        example: r#"
from unitai import MockToolkit

result = MockToolkit().run(lambda input, tools: "done", "hello")
result.get_call("search", n=0)"#,
    },
    Entry {
        code: "UA213",
        class: "CacheMissError",
        branch: MisuseError,
        summary: "A request came to the model that was never recorded.",
        meaning: "The model is replayed, and no recording answers this request: it was never recorded, it was recorded \
                  less often than it is asked, or too long ago. `found` shows the nearest recording and what changed \
                  since. The request was not sent.",
        remedy: "If the change is meant, record again with `unitai test --record`. What differs each time and means \
                 nothing can be declared: `volatile=[\"time\"]`.",
        example: r#"
import tempfile, urllib3
from unitai import cassette

with cassette(mode="replay", directory=tempfile.mkdtemp()):
    urllib3.PoolManager().request("POST", "https://api.openai.com/v1/chat/completions", json={"model": "m", "messages": []})"#,
    },
    Entry {
        code: "UA214",
        class: "ConfigError",
        branch: MisuseError,
        summary: "A setting cannot be used.",
        meaning: "A key of `[tool.unitai]`, of `unitai.toml` or of the environment is unknown or has a wrong value. The \
                  message names the file with line and column, the variable, or the option.",
        remedy: "Write what is expected, or take the setting out. `unitai config` shows every setting and who has said it.",
        example: r#"
import os
from unitai import cassette

os.environ["UNITAI_CACHE_TTL_HOURS"] = "a week"
try:
    cassette()
finally:
    del os.environ["UNITAI_CACHE_TTL_HOURS"]"#,
    },
    Entry {
        code: "UA215",
        class: "ContractError",
        branch: MisuseError,
        summary: "A contract cannot be held against this.",
        meaning: "A class that inherits a contract of `unitai.contract` has a fixture `subject`, which gives what is to be \
                  tested: an instance of the class that the contract is for. This one has none, or it gives something else; or \
                  the contract names something that has no instances, or does not clean up as it is written.",
        remedy: "Write the fixture into the class that inherits: `@pytest.fixture`, `def subject(self): return MyStore()`. Otherwise \
                 do as the message says.",
        example: r#"
from unitai.contract import Contract

class Store:
    pass

class StoreContract(Contract[Store]):
    def test_a_new_store_is_empty(self, subject):
        assert subject.count() == 0

class TestMyStore(StoreContract):
    pass

TestMyStore.check_subject(7)"#,
    },
    Entry {
        code: "UA216",
        class: "UnreachableToolError",
        branch: MisuseError,
        summary: "Code that UnitAI cannot see answered a tool call.",
        meaning: "The model requested a call of a tool, and a later request brings a result for it, but the call reached neither a \
                  mock nor an allowed tool: the agent's own code ran the real function. Or a mock was never called although an \
                  answer of the model calls it, in code or in text, and nothing that UnitAI can redirect runs the agent's tools; an \
                  agent that is handed its tools may pass them by, too. On the wire, a guard of the agent's own that refuses a call \
                  looks the same. A test that goes on would prove nothing about the mock. With `strict=False` it is an `UnmockedToolWarning`, and \
                  the call is a step of the trajectory, marked as `unseen`.",
        remedy: "Replace the real function: `toolkit.patch(\"shop.refund\", return_value=...)`. If the function has another name than \
                 the tool that the model knows, give the tool's: `toolkit.patch(\"shop.pay_back\", return_value=..., \
                 name=\"refund\")`. Or hand the agent the tools of `toolkit.as_dict()`. Or write an adapter for the agent's \
                 framework. If the agent's own code has refused the call: `toolkit.allow_refusal(\"refund\")`. To let the real tool \
                 run, do not mock it: `toolkit.allow(\"refund\")`.",
        example: r#"
import json
import urllib3
from unitai import MockToolkit, scripted_model
from unitai.script import call, say

def refund():
    return "the real refund"

def ask(messages):
    url = "https://api.openai.com/v1/chat/completions"
    tools = [{"type": "function", "function": {"name": "refund", "parameters": {"type": "object"}}}]
    answer = urllib3.PoolManager().request("POST", url, json={"model": "gpt-4o", "messages": messages, "tools": tools})
    return answer.json()["choices"][0]["message"]

def agent():
    messages = [{"role": "user", "content": "Refund me."}]
    messages.append(ask(messages))
    wanted = messages[-1]["tool_calls"][0]
    messages.append({"role": "tool", "tool_call_id": wanted["id"], "content": refund()})
    return ask(messages)["content"]

toolkit = MockToolkit()
toolkit.mock("refund", return_value="mocked")
with scripted_model([call("refund"), say("Done.")]):
    toolkit.run_generic(agent)"#,
    },
    Entry {
        code: "UA217",
        class: "ScriptedCallError",
        branch: MisuseError,
        summary: "A script makes a call that no model could make.",
        meaning: "A scripted answer calls a tool that the request does not offer to the model, or with arguments that the schema of \
                  the tool refuses. A framework would refuse such a call, the tool would never be asked, and the test would prove \
                  nothing. The message says what is offered, or what the schema says.",
        remedy: "Correct the name or the arguments of the call. To test how the agent handles such a call, write \
                 `call(...).unchecked()`.",
        example: r#"
import urllib3
from unitai import scripted_model
from unitai.script import call

tools = [{"type": "function", "function": {"name": "refund", "parameters": {"type": "object"}}}]
with scripted_model([call("refnd")]):
    urllib3.PoolManager().request(
        "POST",
        "https://api.openai.com/v1/chat/completions",
        json={"model": "gpt-4o", "messages": [{"role": "user", "content": "hi"}], "tools": tools},
    )"#,
    },
    Entry {
        code: "UA218",
        class: "RunsRaisedError",
        branch: MisuseError,
        summary: "Too few runs of a repeated test passed, and the others raised.",
        meaning: "Fewer runs passed than the threshold asks for, and each run that failed raised something else than an \
                  assertion: a `KeyError`, a tool that is not mocked, a fixture that is not as the test thinks. The test is \
                  likely to be wrong, so the runs are not told as a pass rate of the agent, and the test is an error. Where \
                  one assertion failed as well, it is [UA106](UA106.md). The text is the whole report; `stats` is the same \
                  as data.",
        remedy: "Look at the first of the runs that raised, which is shown with its traceback. Where the agent is to blame, \
                 because it says what the test cannot read, say so by an assertion.",
        example: r#"
from unitai import statistical

@statistical(n=20, threshold=0.8)
def test_refund(mock_toolkit):
    result = mock_toolkit.run(lambda input, tools: {"order": "123"}, "refund order 123")
    assert result.output["refund"] == "R-456"

test_refund()"#,
    },
    Entry {
        code: "UA301",
        class: "TrajectoryFormatError",
        branch: InfrastructureError,
        summary: "This is not a trajectory.",
        meaning: "The text or dictionary does not have the form of a trajectory. Also a `ValueError`.",
        remedy: "Check that the file is whole and was written by `Trajectory.to_json()`. The form is published in \
                 `schemas/trajectory.schema.json`.",
        example: r#"
from unitai import Trajectory

Trajectory.from_json("{}")"#,
    },
    Entry {
        code: "UA302",
        class: "NewerFormatError",
        branch: InfrastructureError,
        summary: "The trajectory was written by a newer release.",
        meaning: "Its format version is higher than this release knows. It is refused rather than half understood, and \
                  the file is left as it is. Also a `TrajectoryFormatError`.",
        remedy: "Upgrade UnitAI.",
        example: r#"
from unitai import Trajectory

Trajectory.from_dict({"format": "unitai.trajectory", "version": 99})"#,
    },
    Entry {
        code: "UA303",
        class: "UnpricedModelError",
        branch: InfrastructureError,
        summary: "The cost is unknown, because a model has no price.",
        meaning: "A model call has no known price, so there is no total cost. Unknown is never taken for zero: a budget \
                  could not hold.",
        remedy: "Say what the model costs: `MockToolkit(prices={\"my-model\": {\"input\": 2.50, \"output\": 10.0}})`, in \
                 dollars for a million tokens, or `record_llm_call(..., cost=0.002)`. A local model costs 0. Where a \
                 budget asks for the price, you can also drop the budget.",
        example: r#"
from unitai import MockToolkit

toolkit = MockToolkit()
result = toolkit.run_generic(lambda: toolkit.record_llm_call("my-own-model", 100, 20))
result.total_cost"#,
    },
    Entry {
        code: "UA304",
        class: "MissingDependencyError",
        branch: InfrastructureError,
        summary: "A package that this needs is not installed.",
        meaning: "UnitAI itself needs no other package; this command or adapter does.",
        remedy: "Install the package that the message names.",
        example: r#"
from unitai.cli.main import require

require("a_package_that_is_not_installed")"#,
    },
    Entry {
        code: "UA305",
        class: "CostLimitExceeded",
        branch: InfrastructureError,
        summary: "The budget does not allow another model call.",
        meaning: "What the call can cost is reserved before it is sent: the prompt, and as much output as the request \
                  allows. It did not fit into what is left, so it was not sent, and the run was ended with its partial \
                  trajectory. Several budgets can be in force: that of the toolkit, of repeated runs, of the test, of \
                  the suite. The message says which of them it was.",
        remedy: "Raise that budget, give the request a limit of its output, or let the agent ask less.",
        example: r#"
import urllib3
from unitai import MockToolkit, scripted_model
from unitai.script import say

def agent():
    body = {"model": "gpt-4o", "messages": [], "max_tokens": 1000}
    urllib3.PoolManager().request("POST", "https://api.openai.com/v1/chat/completions", json=body)

with scripted_model([say("an answer that is too dear")]):
    raise MockToolkit(budget=0.001).run_generic(agent).error"#,
    },
    Entry {
        code: "UA306",
        class: "UnknownUsageError",
        branch: InfrastructureError,
        summary: "The tokens are unknown, because an answer did not say its usage.",
        meaning: "A model call ended without its token counts, so there is no total. Unknown is never taken for zero.",
        remedy: "Ask the provider for usage; for streams of OpenAI's chat completions UnitAI does so unless \
                 `ask_for_usage=False`. A model of your own has to report it as its framework has it.",
        example: r#"
from unitai import Trajectory

step = {"step_type": "llm_call", "timestamp": 0.0, "model": "my-own-model"}
Trajectory.from_dict({"format": "unitai.trajectory", "version": 1, "run_id": "r", "input": "", "started_at": 0.0,
                      "duration_seconds": 1.0, "steps": [step], "final_output": None}).total_tokens"#,
    },
    Entry {
        code: "UA307",
        class: "NetworkBlockedError",
        branch: InfrastructureError,
        summary: "A connection to the outside was refused.",
        meaning: "The test blocks the network, or its model is scripted and the connection goes to a model's host by a \
                  client that no script can answer. Also a `ConnectionError`.",
        remedy: "Mock what opens the connection; `found` names it.",
        example: r#"
import socket
from unitai import block_network

with block_network():
    socket.create_connection(("example.com", 443))"#,
    },
    Entry {
        code: "UA308",
        class: "UnsupportedClientError",
        branch: InfrastructureError,
        summary: "An HTTP client is of a version whose requests cannot be seen.",
        meaning: "UnitAI sees model traffic inside the HTTP client that an SDK uses. This client has changed where that \
                  is done. It is refused rather than let through unseen.",
        remedy: "Install the version of the client that the message names, or upgrade UnitAI.",
        example: r#"
from unitai import UnsupportedClientError

raise UnsupportedClientError("httpx 9.0 has no Client._transport_for_url")"#,
    },
    Entry {
        code: "UA309",
        class: "DamagedRecordingError",
        branch: InfrastructureError,
        summary: "A recording was changed after it was made.",
        meaning: "Each file of recordings is sealed by a checksum, and this one does not fit: the file was edited, cut, or \
                  its line ends were changed. In replay nothing else may answer, so the request is refused. With \
                  mode=\"auto\" the file is set aside, and the model is asked again.",
        remedy: "Take the file back from version control, or delete it and record again.",
        example: r#"
import pathlib, tempfile
from unitai import ReplayCache

cache = ReplayCache(tempfile.mkdtemp())
cache.put("greeting", {"text": "Hello"})
path = pathlib.Path(cache.directory) / "greeting.json"
path.write_text(path.read_text().replace("Hello", "Goodbye"))
cache.get("greeting")"#,
    },
    Entry {
        code: "UA310",
        class: "CacheDiskError",
        branch: InfrastructureError,
        summary: "A recording could not be read or written.",
        meaning: "The system refused: the disk is full, or the folder belongs to somebody else. What could not be written \
                  is not there; what was there before is untouched.",
        remedy: "See to the folder that the message names.",
        example: r#"
import pathlib, tempfile
from unitai import ReplayCache

folder = pathlib.Path(tempfile.mkdtemp())
(folder / "file").write_text("in the way")
ReplayCache(folder / "file" / "cache").put("greeting", {"text": "Hello"})"#,
    },
    Entry {
        code: "UA311",
        class: "BrokenLedgerError",
        branch: InfrastructureError,
        summary: "The ledger of a budget cannot be used.",
        meaning: "A budget that several processes share keeps what was spent in a file. The file is gone, was changed by \
                  somebody else, belongs to a budget with another limit, or the disk refused. It is never taken for a \
                  budget of which nothing was spent: the call is refused.",
        remedy: "See to the file that the message names. A new budget begins where there is no file.",
        example: r#"
import pathlib, tempfile
from unitai import Budget

path = pathlib.Path(tempfile.mkdtemp()) / "ledger"
budget = Budget.shared(path, 5.00)
path.write_text("nothing was spent, honestly")
budget.spent"#,
    },
    Entry {
        code: "UA312",
        class: "InconclusiveError",
        branch: InfrastructureError,
        summary: "A repeated test came to no verdict.",
        meaning: "Too many of its runs met a rate limit, a broken connection, a provider that was down or an answer that \
                  was cut; or a sequential test ended before pass or fail was settled. That is no failure of the agent, \
                  and no pass either.",
        remedy: "Run it again when the provider answers; for a sequential test give it more runs with `n=`, or a wider \
                 `indifference=`.",
        example: r#"
from unitai import statistical

@statistical(n=20, threshold=0.8, retries=0)
def test_refund(mock_toolkit):
    raise ConnectionError("the network is down")

test_refund()"#,
    },
    Entry {
        code: "UA313",
        class: "BaselineError",
        branch: InfrastructureError,
        summary: "A baseline cannot be used.",
        meaning: "A baseline is a file that says how repeated tests did, by `schemas/baseline.schema.json`. The file is \
                  not there, is damaged, was written by a newer release, or the disk refused. What cannot be read is \
                  never taken for a baseline without tests, and never written over.",
        remedy: "Save one with `unitai test --save-baseline NAME`. A file that cannot be read: take it back from where \
                 it came, or delete it and save again.",
        example: r#"
from unitai import Baseline

Baseline.load("never-saved")"#,
    },
    Entry {
        code: "UA314",
        class: "UnsupportedFrameworkError",
        branch: InfrastructureError,
        summary: "A framework is of a version whose tools cannot be mocked.",
        meaning: "Mocks get in where a framework calls its tools. In the installed version that place is not where it was. \
                  The run is refused, because real tools would run in it.",
        remedy: "Install a version of the framework that the message names, or upgrade UnitAI.",
        example: r#"
from unitai import UnsupportedFrameworkError

raise UnsupportedFrameworkError("langchain-core 9.0 has no BaseTool.run")"#,
    },
    Entry {
        code: "UA315",
        class: "LLMTestError",
        branch: InfrastructureError,
        summary: "A YAML test came to no verdict.",
        meaning: "Something around the test is not as needed: a server of tools did not start, or the judge broke. That says \
                  nothing about what is tested, so it is neither a pass nor a skip.",
        remedy: "See to what the message names, and run the test again.",
        example: r#"
from unitai import LLMTestError

raise LLMTestError("the server shop did not start: there is no program node")"#,
    },
    Entry {
        code: "UA316",
        class: "JudgeUndecidedError",
        branch: InfrastructureError,
        summary: "A judge came to no answer.",
        meaning: "A test asked a judge about a run, and there is none, it could not be reached, or it does not know: what it \
                  quoted does not stand in the record, or its answers were split. That is neither a pass nor a failure of \
                  the agent.",
        remedy: "See to what the message names. `unitai doctor` says which judges can be used here. Where a check can decide, \
                 use the check.",
        example: r#"
from unitai import MockToolkit

result = MockToolkit().run(lambda input, tools: "Your money is on its way.", "Where is my refund?")
result.judge("Was the customer answered politely?", provider="none")"#,
    },
];
