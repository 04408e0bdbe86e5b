//! The settings of the layers of tests.

use std::path::PathBuf;

use unitai_model::Layer;

use crate::{Name, Settings};

/// What tests of each layer need, and are given.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerSettings {
    integration_keys: Vec<String>,
    behavioral_keys: Vec<String>,
    /// The file of variables that every test is given.
    pub env_file: PathBuf,
    /// Seconds that a unit test may take before a warning tells it.
    pub unit_seconds: f64,
}

impl LayerSettings {
    /// The keys that tests of a layer need: each the variables of which one is enough.
    ///
    /// ```
    /// use std::path::Path;
    /// use unitai_config::Settings;
    /// use unitai_model::Layer;
    ///
    /// let usual = Settings::usual(Path::new("")).layers();
    /// assert_eq!(usual.keys(Layer::Integration).count(), 0);
    /// ```
    pub fn keys(&self, layer: Layer) -> impl Iterator<Item = Vec<&str>> {
        let keys: &[String] = match layer {
            Layer::Integration => &self.integration_keys,
            Layer::Behavioral => &self.behavioral_keys,
            Layer::Unit | Layer::Contract | Layer::Regression => &[],
        };
        keys.iter().map(|names| names.split('|').collect())
    }
}

impl Settings {
    /// What tests of each layer need, and are given.
    pub fn layers(&self) -> LayerSettings {
        let value = |name| &self.get(name).value;
        let keys = |name| match value(name) {
            crate::Value::Texts(own) => own.clone(),
            _ => value(Name::LayersKeys).texts().to_vec(),
        };
        LayerSettings {
            integration_keys: keys(Name::LayersIntegrationKeys),
            behavioral_keys: keys(Name::LayersBehavioralKeys),
            env_file: value(Name::LayersEnvFile).path().map(PathBuf::from).unwrap_or_default(),
            unit_seconds: value(Name::LayersUnitSeconds).number().unwrap_or(1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Project, Spoken};

    fn keys(file: &str, layer: Layer) -> Vec<Vec<String>> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("unitai.toml"), file).unwrap();
        let project = Project::of(folder.path()).unwrap();
        let settings = Settings::resolve(&project, folder.path(), &Spoken::default()).unwrap().layers();
        settings.keys(layer).map(|names| names.into_iter().map(str::to_owned).collect()).collect()
    }

    #[test]
    fn what_is_said_of_one_layer_comes_before_what_is_said_of_both() {
        let both = "[layers]\nkeys = ['A_KEY', 'B_KEY|C_KEY']\n";
        let of_both = vec![vec!["A_KEY".to_owned()], vec!["B_KEY".to_owned(), "C_KEY".to_owned()]];
        assert_eq!(keys(both, Layer::Integration), of_both);
        assert_eq!(keys(both, Layer::Behavioral), of_both);
        let none = format!("{both}integration_keys = []\n");
        assert!(keys(&none, Layer::Integration).is_empty());
        assert_eq!(keys(&none, Layer::Behavioral), of_both);
    }

    #[test]
    fn other_layers_need_no_key() {
        for layer in [Layer::Unit, Layer::Contract, Layer::Regression] {
            assert!(keys("layers_keys = ['A_KEY']", layer).is_empty());
        }
    }
}
