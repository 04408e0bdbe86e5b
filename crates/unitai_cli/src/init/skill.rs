//! `unitai init --skill`: how tests are written here, for coding agents.

use std::path::Path;

use super::lay::Laid;

/// Where coding agents look for skills.
pub(super) const PLACE: &str = ".claude/skills/unitai-testing/SKILL.md";

const TEXT: &str = include_str!("../../templates/SKILL.md");

/// Lays the skill.
pub(super) fn lay(here: &Path, file: &Path, is_dry: bool) -> Laid {
    Laid::new_file(here, file, TEXT, "how tests are written, for coding agents".to_owned(), is_dry)
}

#[cfg(test)]
mod tests {
    use unitai_model::Layer;

    use super::*;

    #[test]
    fn the_skill_has_a_head_and_names_every_layer() {
        assert!(TEXT.starts_with("---\nname: unitai-testing\ndescription: "));
        for layer in Layer::ALL {
            assert!(TEXT.contains(&format!("`tests/{}/`", layer.word())), "{}", layer.word());
        }
    }
}
