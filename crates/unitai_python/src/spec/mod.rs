//! YAML tests as Python sees them.

mod callbacks;
mod running;
mod test;

pub(crate) use running::{YamlRun, close_yaml_servers, plan_yaml_test, run_yaml_test};
pub(crate) use test::{YamlTest, load_yaml_text, looks_like_yaml_test, read_yaml_tests, yaml_report_names};
