//! The Python face of the engine. Each class has one file; nothing is decided here that a crate
//! below could decide.

mod agents;
mod asserting;
mod attribute;
mod cli;
mod context;
mod errors;
mod faults;
mod frames;
mod gate;
mod gateway;
mod judging;
mod keys;
mod layers;
mod mock;
mod reporting;
mod run;
mod schemas;
mod secrets;
mod settings;
mod snapshots;
mod spec;
mod traffic;
mod trials;
mod values;

use pyo3::prelude::*;

/// UnitAI's engine.
#[pymodule]
mod _engine {
    #[pymodule_export]
    use crate::agents::{enter_agent, leave_agent};
    #[pymodule_export]
    use crate::asserting::{AgentRunResult, Finding, last_broken, watch_findings};
    #[pymodule_export]
    use crate::cli::run_command;
    #[pymodule_export]
    use crate::errors::{catalogue, interrupt_thread};
    #[pymodule_export]
    use crate::faults::{FaultPlan, InjectedFault, close_faults, open_faults};
    #[pymodule_export]
    use crate::frames::whose_code;
    #[pymodule_export]
    use crate::gateway::GatewayServer;
    #[pymodule_export]
    use crate::keys::{is_key, key_variables};
    #[pymodule_export]
    use crate::layers::{env_file_variables, layer_lines, layer_of, layer_settings, layers};
    #[pymodule_export]
    use crate::mock::{MockTool, MockToolCall, Ticket, ToolHandle, Toolbox};
    #[pymodule_export]
    use crate::reporting::{EventLog, junit_properties, rate_line, shown_dollars};
    #[pymodule_export]
    use crate::run::{
        FrameworkCall, Run, RunWatch, Trajectory, TrajectoryStep, restore_trajectory, unseen_error,
    };
    #[pymodule_export]
    use crate::schemas::example_of;
    #[pymodule_export]
    use crate::secrets::{clean, log_lines};
    #[pymodule_export]
    use crate::settings::{
        adopt_settings, default_settings, forget_settings, load_settings, project_folder, project_root,
        renew_settings, standing_settings, usual_adapter, usual_timeout,
    };
    #[pymodule_export]
    use crate::snapshots::{Snapshots, holds_snapshots, snapshots_without_file, stray_snapshots};
    #[pymodule_export]
    use crate::spec::{
        YamlRun, YamlTest, close_yaml_servers, load_yaml_text, looks_like_yaml_test, plan_yaml_test,
        read_yaml_tests, run_yaml_test, yaml_report_names,
    };
    #[pymodule_export]
    use crate::traffic::{
        Budget, Cassette, Lease, ModelRequest, Passage, Policy, Purse, ReplayCache, Reply, Script, Tally,
        block_network, budget_settings, cache_settings, claims, close_traffic, count_calls_outside_runs,
        count_elsewhere, decide, forget_parent, forget_tests, keeps_models_in, leave_calls_outside_runs,
        limits_live_models, note_fork, open_traffic, permit_live_models, redacted_note, refuse_connection,
        refuse_grpc_call, refused_live_call, revoke_live_models, run_here, standing_budgets, surroundings,
        unblock_network,
    };
    #[pymodule_export]
    use crate::trials::{
        BaselineFile, Series, compare_counts, lost_answer, normalised_message, parting, pass_at_k,
        pass_hat_k, statistics_settings, status_trouble, wilson,
    };
    #[pymodule_export]
    use crate::values::{StoredRepr, copy_value};

    use super::*;

    #[pymodule_init]
    fn init(m: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::traffic::remember_process();
        crate::settings::remember_folder();
        m.add("__version__", env!("CARGO_PKG_VERSION"))?;
        m.add("PRICES_AS_OF", unitai_wire::meter::prices_as_of())
    }
}
