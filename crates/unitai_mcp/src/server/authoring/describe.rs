//! The tools of [`super::Authoring`], as clients see them.

use serde_json::{Value, json};
use unitai_spec::run::Tool;

pub(super) fn tools() -> Vec<Tool> {
    vec![create(), validate(), list_tests(), list_plugins(), run()]
}

fn tool(name: &str, description: &str, properties: Value, required: &[&str]) -> Tool {
    Tool {
        name: name.to_owned(),
        description: description.to_owned(),
        input_schema: json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        }),
    }
}

fn create() -> Tool {
    let steps = |about: &str| json!({"type": "array", "items": {"type": "object"}, "description": about});
    let step = "A step has `name`, `tool`, `args`, `check` (expressions such as `status_code == 200`), `expect` (a text for \
                a judge), `save_as`, `repeat`, `retry`, `when`, `steps`.";
    let object = |about: &str| json!({"type": "object", "description": about});
    let properties = json!({
        "name": {"type": "string", "description": "The name of the test."},
        "description": {
            "type": "string",
            "description": "What it is about; without `name`, `steps` and `verdict`, a model writes the test from it.",
        },
        "tags": {"type": "array", "items": {"type": "string"}, "description": "Its markers."},
        "timeout": {
            "type": "integer",
            "minimum": 0,
            "description": "Seconds for setup and steps, or for the model that writes the test; 120 if not given.",
        },
        "include": {"type": "array", "items": {"type": "string"}, "description": "Files whose parts are used here."},
        "servers": object("MCP servers by name: `{command, env, cwd}` or `{url, headers}`."),
        "vars": object("Values for `${vars.name}`."),
        "cases": {"type": "array", "items": {"type": "object"}, "description": "One test for each, over `vars`."},
        "setup": steps("What is called first."),
        "steps": steps(step),
        "teardown": steps("What is called last, whatever happened."),
        "verdict": {
            "type": ["object", "string"],
            "description": "`pass_if` and `fail_if` (texts for a judge), `check` (a list), or the word `checks`: checks \
                            alone decide.",
        },
        "path": {"type": "string", "description": "The file, below tests/llm; named after the test if not given."},
        "filename": {"type": "string", "description": "The same as `path`."},
        "extend_plugin": {
            "type": "string",
            "description": "The plugin to which a model may add tools, in a file of its own.",
        },
        "overwrite": {"type": "boolean", "description": "Whether a file that is there is replaced."},
    });
    let about = "Writes a YAML test below tests/llm of the project, of its `name`, `steps` and `verdict`; or has a model \
                 write it from its `description` alone, with a plugin where one is needed. It is validated first; nothing is \
                 written if it has errors. Gives `success`, `test_path`, `test_content`, `plugin_path`, \
                 `plugin_content`, its tests and warnings.";
    tool("create_test", about, properties, &[])
}

fn validate() -> Tool {
    let properties = json!({
        "path": {"type": "string", "description": "The file, from the project's root."},
        "test_path": {"type": "string", "description": "The same; that it cannot be read is an answer, no error."},
        "text": {"type": "string", "description": "The text of a test, instead of a file."},
    });
    let about = "Says whether a YAML test can be used (`valid`), and what is wrong with it: `errors`, and `troubles` with line, \
         column, message and hint. Also `test_name`, `step_count` and `tools_used`.";
    tool("validate_test", about, properties, &[])
}

fn list_tests() -> Tool {
    tool("list_tests", "Lists the project's YAML tests: name, file, tags and cases.", json!({}), &[])
}

fn list_plugins() -> Tool {
    let about = "Lists the project's plugins with the tools that they give to tests, the built-in tools, the files, and what \
                 is wrong with them.";
    tool("list_plugins", about, json!({}), &[])
}

fn run() -> Tool {
    let properties = json!({
        "path": {"type": "string", "description": "The file, from the project's root."},
        "test_path": {"type": "string", "description": "The same; that it cannot be run is an answer, no error."},
        "name": {"type": "string", "description": "One test of it, or one case as `name[case]`; all if not given."},
        "timeout": {"type": "integer", "minimum": 0, "description": "Seconds for setup and steps of each test."},
    });
    let about = "Runs the tests of a file. Gives the worst verdict (PASS, UNCLEAR, FAIL, STOPPED, ERROR) with its reason, \
                 whether there is one (`success`), `duration_seconds`, and for each test its verdict, reason, steps and \
                 issues.";
    tool("run_test", about, properties, &[])
}
