//! The labelled set that comes with the program: small cases that everybody answers alike.

use std::path::Path;

use unitai_spec::document::{JudgeCase, read_judge_cases};

const FILES: &[(&str, &str)] = &[
    ("absence.yaml", include_str!("../../data/judge-cases/absence.yaml")),
    ("deceit.yaml", include_str!("../../data/judge-cases/deceit.yaml")),
    ("dialogues.yaml", include_str!("../../data/judge-cases/dialogues.yaml")),
    ("errors.yaml", include_str!("../../data/judge-cases/errors.yaml")),
    ("http.yaml", include_str!("../../data/judge-cases/http.yaml")),
    ("numbers.yaml", include_str!("../../data/judge-cases/numbers.yaml")),
];

/// The cases that come with the program. They show whether a judge can judge at all; whether it judges what your tests ask,
/// only your own cases show.
///
/// ```
/// let cases = unitai_judge::calibration::bundled();
/// assert!(cases.len() >= 15);
/// ```
pub fn bundled() -> Vec<JudgeCase> {
    let each =
        FILES.iter().flat_map(|(name, text)| read_judge_cases(text, &Path::new("bundled").join(name)).cases);
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_can_be_read_and_none_is_forgotten() {
        for (name, text) in FILES {
            assert_eq!(read_judge_cases(text, Path::new(name)).troubles, [], "{name}");
        }
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/judge-cases");
        let mut there: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|it| it.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        there.sort();
        assert_eq!(there, FILES.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    }
}
