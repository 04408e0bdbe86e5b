//! Writing the trajectory, without secrets.

use std::borrow::Cow;
use std::path::Path;

use unitai_model::Trajectory;
use unitai_wire::gate;
use unitai_wire::redact::Secrets;

/// Where a trajectory is written unless somebody says: in a folder that is kept out of version control, because
/// it holds what was asked and answered.
pub(super) const DEFAULT: &str = ".unitai/runs/trajectory.json";

/// Writes a trajectory: the whole file, or none.
pub(super) fn write(path: &Path, trajectory: &Trajectory, secrets: &Secrets) -> Result<(), String> {
    let text = cleaned(trajectory.to_json(), secrets);
    if path == Path::new(DEFAULT) {
        let ignored = path.with_file_name(".gitignore");
        // Best effort: that it is ignored is a service, not a promise of the file.
        let _ = gate::write_private(&ignored, b"*\n", secrets);
    }
    gate::write_private(path, text.as_bytes(), secrets)
        .map_err(|error| format!("the trajectory cannot be written to {}: {error}", path.display()))
}

/// Secrets are taken out value by value: taken out of the text, a number among them would leave no JSON.
fn cleaned(text: String, secrets: &Secrets) -> String {
    if matches!(secrets.clean(&text), Cow::Borrowed(_)) {
        return text;
    }
    match serde_json::from_str::<serde_json::Value>(&text) {
        Ok(mut document) => {
            secrets.clean_json(&mut document);
            document.to_string()
        }
        Err(_) => secrets.clean(&text).into_owned(),
    }
}
