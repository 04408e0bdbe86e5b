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
        "description": {"type": "string", "description": "What it is about."},
        "tags": {"type": "array", "items": {"type": "string"}, "description": "Its markers."},
        "timeout": {"type": "integer", "minimum": 0, "description": "Seconds for setup and steps; 120 if not given."},
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
        "overwrite": {"type": "boolean", "description": "Whether a file that is there is replaced."},
    });
    let about = "Writes a YAML test below tests/llm of the project. It is validated first; nothing is written if it has \
                 errors. Gives its file, its tests and warnings.";
    tool("create_test", about, properties, &["name", "steps", "verdict"])
}

fn validate() -> Tool {
    let properties = json!({
        "path": {"type": "string", "description": "The file, from the project's root."},
        "text": {"type": "string", "description": "The text of a test, instead of a file."},
    });
    let about =
        "Says whether a YAML test can be used, and what is wrong with it: line, column, message and hint.";
    tool("validate_test", about, properties, &[])
}

fn list_tests() -> Tool {
    tool("list_tests", "Lists the project's YAML tests: name, file, tags and cases.", json!({}), &[])
}

fn list_plugins() -> Tool {
    let about = "Lists the project's plugins: their files, the tools that they give to tests, and what is wrong with them.";
    tool("list_plugins", about, json!({}), &[])
}

fn run() -> Tool {
    let properties = json!({
        "path": {"type": "string", "description": "The file, from the project's root."},
        "name": {"type": "string", "description": "One test of it, or one case as `name[case]`; all if not given."},
        "timeout": {"type": "integer", "minimum": 0, "description": "Seconds for setup and steps of each test."},
    });
    let about = "Runs the tests of a file. Gives the worst verdict (PASS, UNCLEAR, FAIL, STOPPED, ERROR), and for each \
                 test its verdict, reason, steps and issues.";
    tool("run_test", about, properties, &["path"])
}
