//! What a run returns: its trajectory, and every check on it.

use pyo3::exceptions::PyAttributeError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use unitai_check::ports::{Arguments, DataArguments, ExpectedArguments, Pattern};
use unitai_check::reference::{Matches, Mode};
use unitai_check::{Check, Judgement, Names, checks};
use unitai_model::nearest::nearest;
use unitai_model::{Money, Trajectory as Model};
use unitai_report::{Style, failure_report};

use super::Finding;
use super::expected::Expected;
use super::patterns::{PythonErrorClass, PythonPattern};
use super::reference::expected_calls;
use super::words::raise_trouble;
use crate::attribute::Attribute;
use crate::errors::{Trouble, class, invalid};
use crate::faults::kind_of;
use crate::gate;
use crate::judging::{self, Wanted};
use crate::mock::MockToolCall;
use crate::run::Trajectory;
use crate::secrets;
use crate::values::{Reduced, Text};

/// The result of a run: what the agent did, and the checks on it. Every check returns a `Finding`,
/// which is true or false and knows why.
///
/// >>> from unitai import MockToolkit
/// >>> toolkit = MockToolkit()
/// >>> toolkit.mock("lookup", return_value={"status": "delivered"})
/// >>> result = toolkit.run(lambda input, tools: tools["lookup"](order_id=input)["status"], "123")
/// >>> assert result.tool_called_with("lookup", order_id="123")
/// >>> result.output
/// 'delivered'
#[pyclass(frozen, weakref, module = "unitai._engine")]
pub(crate) struct AgentRunResult {
    trajectory: Py<Trajectory>,
}

#[pymethods]
impl AgentRunResult {
    #[new]
    pub(crate) fn new(trajectory: Py<Trajectory>) -> AgentRunResult {
        AgentRunResult { trajectory }
    }

    /// Everything the agent did.
    #[getter]
    fn trajectory(&self, py: Python<'_>) -> Py<Trajectory> {
        self.trajectory.clone_ref(py)
    }

    /// The agent's final answer; `None` when it gave none.
    #[getter]
    fn output<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.trajectory.bind(py).attribute("final_output")
    }

    /// What all model calls cost, in US dollars. Raises `UnpricedModelError` when a price is unknown.
    #[getter]
    fn total_cost(&self, py: Python<'_>) -> PyResult<f64> {
        self.trajectory.get().total_cost(py)
    }

    /// All tokens of all model calls.
    #[getter]
    fn total_tokens(&self, py: Python<'_>) -> PyResult<u64> {
        self.trajectory.get().total_tokens(py)
    }

    /// How often a model was called.
    #[getter]
    fn llm_calls(&self) -> usize {
        self.trajectory.get().llm_calls()
    }

    /// How long the run took, in seconds.
    #[getter]
    fn duration(&self) -> f64 {
        self.trajectory.get().duration_seconds()
    }

    /// What the agent raised, or what stopped it; `None` when it ended well.
    #[getter]
    fn error<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.trajectory.get().error(py)
    }

    /// A call of the tool was attempted at least once, even if it was rejected before it reached the tool.
    /// Warns where the name is probably misspelled.
    fn tool_call_attempted(&self, py: Python<'_>, name: Text) -> PyResult<Finding> {
        self.warn_of_slip(py, "tool_call_attempted", &name)?;
        Ok(self.found(py, checks::ToolCallAttempted { tool: name.into_string() }))
    }

    /// The tool was called at least once. A call that was rejected before it reached the tool does not count.
    /// Warns where the name is probably misspelled.
    fn tool_was_called(&self, py: Python<'_>, name: Text) -> PyResult<Finding> {
        self.warn_of_slip(py, "tool_was_called", &name)?;
        Ok(self.found(py, checks::ToolWasCalled { tool: name.into_string() }))
    }

    /// The tool was never called, not even by a call that was rejected before it reached the tool.
    /// Warns where the name is probably misspelled.
    fn tool_not_called(&self, py: Python<'_>, name: Text) -> PyResult<Finding> {
        self.found_absent(py, checks::ToolNotCalled { tool: name.into_string() })
    }

    /// How often the tool was called. Warns where the name is probably misspelled.
    fn tool_call_count(&self, py: Python<'_>, name: Text) -> PyResult<usize> {
        self.warn_of_slip(py, "tool_call_count", &name)?;
        Ok(self.trajectory.get().model().calls().positions(&name).len())
    }

    /// The tool was called with exactly these arguments, at least once. Values are compared by
    /// Python's equality, so matchers work.
    #[pyo3(signature = (name, /, *args, **kwargs))]
    fn tool_called_with(
        &self,
        name: Text,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Finding> {
        let expected = Expected::of(&self.trajectory, &name, args, kwargs)?;
        let tool = name.into_string();
        self.compare(
            args.py(),
            expected,
            |args| checks::ToolCalledWith { tool, args },
            checks::ToolCalledWith::judge_by,
        )
    }

    /// The tool was called with these arguments, and perhaps others, at least once.
    #[pyo3(signature = (name, /, *args, **kwargs))]
    fn tool_called_with_partial(
        &self,
        name: Text,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Finding> {
        let expected = Expected::of(&self.trajectory, &name, args, kwargs)?;
        let tool = name.into_string();
        self.compare(
            args.py(),
            expected,
            |args| checks::ToolCalledWithPartial { tool, args },
            checks::ToolCalledWithPartial::judge_by,
        )
    }

    /// The first call of `first` came before the first call of `second`.
    fn tool_called_before(&self, py: Python<'_>, first: Text, second: Text) -> Finding {
        self.found(py, checks::ToolCalledBefore { first: first.into_string(), second: second.into_string() })
    }

    /// A call of the first tool was directly followed by a call of the second among tool calls; with `first=True`, the
    /// first call of each.
    #[pyo3(signature = (tool, second, *, first=false))]
    fn tool_called_immediately_before(
        &self,
        py: Python<'_>,
        tool: Text,
        second: Text,
        first: bool,
    ) -> Finding {
        let (tool, second) = (tool.into_string(), second.into_string());
        self.found(py, checks::ToolCalledImmediatelyBefore { first: tool, second, is_of_first_calls: first })
    }

    /// The step with this index came before the first call of `second`.
    fn step_called_before(&self, py: Python<'_>, step_index: usize, second: Text) -> Finding {
        self.found(py, checks::StepCalledBefore { step: step_index, second: second.into_string() })
    }

    /// The names of all tools called, in order.
    fn call_order(&self) -> Vec<String> {
        self.trajectory.get().model().tool_calls().map(|call| call.call.tool.to_string()).collect()
    }

    /// These tools were called in this order, others between them or not.
    fn call_order_contains(&self, tools: &Bound<'_, PyAny>) -> PyResult<Finding> {
        Ok(self.found(tools.py(), checks::CallOrderContains { tools: names(tools)? }))
    }

    /// The calls were exactly these, in this order: `call_order() == tools` as a finding.
    fn call_order_is(&self, tools: &Bound<'_, PyAny>) -> PyResult<Finding> {
        Ok(self.found(tools.py(), checks::CallOrder { tools: names(tools)? }))
    }

    /// The tool was called exactly so often: `tool_call_count(name) == count` as a finding.
    fn tool_call_count_is(&self, py: Python<'_>, name: Text, count: usize) -> PyResult<Finding> {
        self.found_absent(py, checks::ToolCallCount { tool: name.into_string(), count })
    }

    /// The final output contains the text.
    fn output_contains(&self, py: Python<'_>, text: Text) -> Finding {
        self.found(py, checks::OutputContains { text: text.into_string() })
    }

    /// The final output does not contain the text.
    fn output_not_contains(&self, py: Python<'_>, text: Text) -> Finding {
        self.found(py, checks::OutputNotContains { text: text.into_string() })
    }

    /// The pattern is found in the final output, by Python's `re.search`.
    fn output_matches(&self, pattern: &Bound<'_, PyAny>) -> PyResult<Finding> {
        let pattern_port = Box::new(PythonPattern::new(pattern)?);
        let finding =
            Finding::tell(&self.trajectory, pattern.py(), &checks::OutputMatches { pattern: pattern_port });
        raise_trouble().map(|()| finding)
    }

    /// A judge answers a question about the run with yes: what the agent was given, the tools it called and what it
    /// answered. Asked several times (`repeats`), all must say yes; with a `threshold`, this share of those who know.
    /// `provider` and `model` stand above the settings. Raises `JudgeUndecidedError` where nobody can say.
    #[pyo3(signature = (question, threshold=None, *, repeats=None, provider=None, model=None))]
    fn judge(
        &self,
        py: Python<'_>,
        question: &str,
        threshold: Option<f64>,
        repeats: Option<u32>,
        provider: Option<&str>,
        model: Option<&str>,
    ) -> PyResult<Finding> {
        let wanted = Wanted { provider, model, repeats };
        judging::ask_about(py, &self.trajectory, question, threshold, wanted)
    }

    /// The same as `judge`.
    #[pyo3(signature = (question, threshold=None, *, repeats=None, provider=None, model=None))]
    fn llm_judge(
        &self,
        py: Python<'_>,
        question: &str,
        threshold: Option<f64>,
        repeats: Option<u32>,
        provider: Option<&str>,
        model: Option<&str>,
    ) -> PyResult<Finding> {
        self.judge(py, question, threshold, repeats, provider, model)
    }

    /// The agent ended without raising.
    #[getter]
    fn succeeded(&self, py: Python<'_>) -> Finding {
        self.trajectory.get().see_ending();
        self.found(py, checks::Succeeded)
    }

    /// The agent raised, or was stopped.
    #[getter]
    fn failed(&self, py: Python<'_>) -> Finding {
        self.trajectory.get().see_ending();
        self.found(py, checks::Failed)
    }

    /// The agent raised an error of this class, or of one of several.
    fn error_is(&self, class_: &Bound<'_, PyAny>) -> PyResult<Finding> {
        self.trajectory.get().see_ending();
        let class_port = Box::new(PythonErrorClass::new(class_, self.trajectory.get())?);
        Ok(Finding::tell(&self.trajectory, class_.py(), &checks::ErrorIs { class: class_port }))
    }

    /// The run stayed within this limit. Give exactly one of `cost` (US dollars), `tokens`,
    /// `llm_calls` and `duration` (seconds).
    #[pyo3(signature = (*, cost=None, tokens=None, llm_calls=None, duration=None))]
    fn within(
        &self,
        py: Python<'_>,
        cost: Option<f64>,
        tokens: Option<u64>,
        llm_calls: Option<u64>,
        duration: Option<f64>,
    ) -> PyResult<Finding> {
        let limit = match (cost, tokens, llm_calls, duration) {
            (Some(cost), None, None, None) => match Money::from_dollars(cost) {
                Some(cost) => checks::Limit::Cost(cost),
                None => return Err(invalid(py, format!("a cost of {cost} dollars is impossible"))),
            },
            (None, Some(tokens), None, None) => checks::Limit::Tokens(tokens),
            (None, None, Some(calls), None) => checks::Limit::LlmCalls(calls),
            (None, None, None, Some(seconds)) => checks::Limit::Duration(seconds),
            _ => {
                return Err(invalid(
                    py,
                    "within() takes exactly one of cost, tokens, llm_calls and duration",
                ));
            }
        };
        Ok(self.found(py, checks::Within { limit }))
    }

    /// Calls went wrong, and the agent recovered: each was followed by one to the same tool, or to a model,
    /// that went well, and the agent ended without raising. `fault` is the kind of fault that counts, as the
    /// function of `unitai.faults` is called that makes it; any, unless given.
    #[pyo3(signature = (fault=None))]
    fn recovered_from(&self, py: Python<'_>, fault: Option<&str>) -> PyResult<Finding> {
        self.trajectory.get().see_ending();
        let kind = fault.map(|word| kind_of(py, word)).transpose()?;
        Ok(self.found(py, checks::RecoveredFrom { kind }))
    }

    /// No call that went wrong was made again more than `n` times in a row: the same request to a model, or
    /// the same tool with the same arguments. With `tool`, only its calls count.
    #[pyo3(signature = (n, tool=None))]
    fn retried_at_most(&self, py: Python<'_>, n: usize, tool: Option<Text>) -> Finding {
        self.found(py, checks::RetriedAtMost { limit: n, tool: tool.map(Text::into_string) })
    }

    /// Every value in the final output was given to the agent: by its input, by what a tool returned or
    /// raised, or by `known`. A value is a word with two digits or more, an e-mail address or a URL; or what
    /// `pattern` finds.
    #[pyo3(signature = (pattern=None, *, known=Vec::new()))]
    fn did_not_invent(
        &self,
        py: Python<'_>,
        pattern: Option<&Bound<'_, PyAny>>,
        known: Vec<Text>,
    ) -> PyResult<Finding> {
        let known = known.into_iter().map(Text::into_string).collect();
        let pattern = match pattern {
            Some(pattern) => Some(Box::new(PythonPattern::new(pattern)?) as Box<dyn Pattern>),
            None => None,
        };
        let finding = Finding::tell(&self.trajectory, py, &checks::DidNotInvent { pattern, known });
        raise_trouble().map(|()| finding)
    }

    /// The tool calls agree with a reference: another result or trajectory, or a list of calls, each
    /// a name (any arguments), a pair of name and arguments, or a tool_call step. The mode is
    /// `strict`, `unordered`, `subset`, `superset` or `in_order`.
    ///
    /// >>> from unitai import MockToolkit
    /// >>> toolkit = MockToolkit()
    /// >>> toolkit.mock("search", return_value=[])
    /// >>> result = toolkit.run(lambda input, tools: str(tools["search"](q=input)), "cafes")
    /// >>> bool(result.matches([("search", {"q": "cafes"})]))
    /// True
    #[pyo3(signature = (reference, mode="strict"))]
    fn matches(&self, reference: &Bound<'_, PyAny>, mode: &str) -> PyResult<Finding> {
        let py = reference.py();
        let mode: Mode = mode.parse().map_err(|()| {
            let modes = Mode::ALL.map(Mode::name).join(", ");
            invalid(py, format!("mode must be one of {modes}, not {mode:?}"))
        })?;
        let expected = expected_calls(reference, &self.trajectory)?;
        let finding = Finding::tell(&self.trajectory, py, &Matches { expected, mode });
        raise_trouble().map(|()| finding)
    }

    /// All calls of a tool, in order.
    fn get_calls(&self, py: Python<'_>, name: Text) -> Vec<MockToolCall> {
        self.trajectory.get().mock_calls(py, &name).into_iter().map(|(_, call)| call).collect()
    }

    /// Call number `n` of a tool, from 0; negative numbers count from the end.
    #[pyo3(signature = (name, n=0))]
    fn get_call(&self, py: Python<'_>, name: Text, n: isize) -> PyResult<MockToolCall> {
        let mut calls = self.get_calls(py, name.clone());
        let at = if n < 0 { calls.len().checked_add_signed(n) } else { Some(n.unsigned_abs()) };
        match at.filter(|at| *at < calls.len()) {
            Some(at) => Ok(calls.swap_remove(at)),
            None => {
                let name = unitai_model::value::plain(&name);
                let count = calls.len();
                let tools = self.trajectory.get().model().calls().tools();
                let called = tools.iter().map(|tool| unitai_model::value::plain(tool.as_str()));
                let called = called.collect::<Vec<_>>().join(", ");
                Err(Trouble::new("CallNotFoundError", format!("there is no call {n} of {name}"))
                    .expected(format!("one of its {count} calls, counted from 0"))
                    .found(format!(
                        "{n} (tools called: {})",
                        if called.is_empty() { "none" } else { &called }
                    ))
                    .into_err(py))
            }
        }
    }

    /// The run as text: its steps, its output and what it cost.
    #[pyo3(signature = (*, colour=false))]
    fn report(&self, py: Python<'_>, colour: bool) -> String {
        self.trajectory.get().see_ending();
        let style = if colour { Style::colour() } else { Style::plain() };
        secrets::shown(py, failure_report(self.trajectory.get().model(), None, style))
    }

    fn __repr__(&self) -> String {
        let model = self.trajectory.get().model();
        let ending = match model.error() {
            Some(error) => format!("raised {}", unitai_model::value::plain(error.short_name())),
            None => "succeeded".to_owned(),
        };
        format!("<AgentRunResult {ending}, {} steps>", model.steps().len())
    }

    fn __str__(&self, py: Python<'_>) -> String {
        self.report(py, false)
    }

    /// What is not there is asked for by a slip: pytest does not show what Python would suggest.
    fn __getattr__(slf: &Bound<'_, Self>, name: &str) -> PyResult<Py<PyAny>> {
        let mut message = format!("an AgentRunResult has no `{}`", unitai_model::value::plain(name));
        if !name.starts_with('_') {
            let mut known: Vec<String> = slf.get_type().dir()?.extract()?;
            // `tool_called` is as near to `tool_not_called` as to `tool_was_called`, which says the same.
            known.sort_by_key(|it| it.contains("_not_"));
            if let Some(meant) =
                nearest(name, known.iter().map(String::as_str).filter(|it| !it.starts_with('_')))
            {
                message.push_str(&format!(": did you mean `{meant}`?"));
            }
        }
        Err(PyAttributeError::new_err(message))
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, AgentRunResult>) -> PyResult<bool> {
        self.trajectory.bind(py).eq(other.get().trajectory.bind(py))
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, (Py<Trajectory>,)> {
        Ok((slf.get_type().into_any(), (slf.get().trajectory.clone_ref(slf.py()),)))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.trajectory)
    }
}

/// Warns of a name that no tool of the run has, and one nearly has.
fn warn_of_name(py: Python<'_>, says: &str, tool: &str, meant: &str) -> PyResult<()> {
    let warning = format!(
        "{says}, and this run has no tool {}: did you mean {}?",
        unitai_model::value::plain(tool),
        unitai_model::value::plain(meant)
    );
    // Where the user's code is, and not where ours calls the engine, is a question for Python.
    let warn = py.import("unitai.core.warning")?.attribute("warn_user")?;
    gate::call(&warn, (secrets::shown(py, warning), class(py, "UnknownToolWarning")?), None)?;
    Ok(())
}

impl AgentRunResult {
    pub(super) fn trajectory_ref(&self) -> &Py<Trajectory> {
        &self.trajectory
    }

    /// Judges by a check that holds where a tool is absent. A misspelled name would make it hold whatever the agent does,
    /// so a name that is nearly that of a tool of the run is warned of.
    fn found_absent(&self, py: Python<'_>, check: impl Check + 'static) -> PyResult<Finding> {
        let meant =
            check.absent_tool().and_then(|tool| Some((tool, self.trajectory.get().meant_tool(tool)?)));
        if let Some((tool, meant)) = meant {
            let says = format!("{} holds for any name that no tool has", check.assertion());
            warn_of_name(py, &says, tool, meant)?;
        }
        Ok(self.found(py, check))
    }

    /// What a test says of no call, as by `not result.tool_was_called(name)`, holds for any name that no tool has, too.
    fn warn_of_slip(&self, py: Python<'_>, method: &str, tool: &str) -> PyResult<()> {
        match self.trajectory.get().meant_tool(tool) {
            Some(meant) => {
                let name = unitai_model::value::quoted(tool);
                warn_of_name(
                    py,
                    &format!("{method}({name}) finds no call of a name that no tool has"),
                    tool,
                    meant,
                )
            }
            None => Ok(()),
        }
    }

    fn found(&self, py: Python<'_>, check: impl unitai_check::Check + 'static) -> Finding {
        Finding::judge(&self.trajectory, py, check)
    }

    /// Judges by arguments that only Python can compare. Where they are nothing but data, the words
    /// can wait, and need no Python.
    fn compare<C: Check + 'static>(
        &self,
        py: Python<'_>,
        expected: Expected,
        make: impl FnOnce(ExpectedArguments) -> C,
        judge_by: fn(&C, &dyn Arguments, &Model) -> Judgement,
    ) -> PyResult<Finding> {
        let finding = match expected.port().as_data() {
            Some(data) => {
                let words = make(ExpectedArguments::Data(DataArguments::new(data.clone())));
                let judgement = judge_by(&words, expected.port(), self.trajectory.get().model());
                Finding::judged(&self.trajectory, py, words, judgement)
            }
            None => Finding::tell(&self.trajectory, py, &make(ExpectedArguments::Ask(expected.boxed()))),
        };
        raise_trouble().map(|()| finding)
    }
}

/// The names of a list. The list is read by place, which is several times faster than the general
/// protocol; any other sequence of strings works, too.
fn names(tools: &Bound<'_, PyAny>) -> PyResult<Names> {
    let mut names = Names::default();
    match tools.cast_exact::<PyList>() {
        Ok(list) => {
            for name in list.iter() {
                // A name that is no valid text is left to the general way, which says so.
                match name.cast::<PyString>().map(|name| name.to_str()) {
                    Ok(Ok(name)) => names.push(name),
                    _ => names.push(&name.extract::<Text>()?),
                }
            }
        }
        Err(_) => tools.extract::<Vec<Text>>()?.iter().for_each(|name| names.push(name)),
    }
    Ok(names)
}
