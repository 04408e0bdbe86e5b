//! Names of tools that services take, and the tools that they mean: tests know `shop.lookup`, services know no dots.

use std::collections::BTreeMap;

use unitai_spec::run::Tool;

/// The longest name that every service takes.
const LONGEST: usize = 64;

/// The tools of a test under the names that a service takes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Naming {
    /// What the service says, and what is meant.
    meant: BTreeMap<String, String>,
    /// In the order of the tools.
    said: Vec<String>,
}

impl Naming {
    pub(crate) fn of(tools: &[Tool]) -> Naming {
        let mut naming = Naming::default();
        for tool in tools {
            let base: String = tool.name.chars().map(allowed).take(LONGEST).collect();
            let base = if base.is_empty() { "tool".to_owned() } else { base };
            let mut said = base.clone();
            let mut number = 2;
            while naming.meant.contains_key(&said) {
                let end = format!("_{number}");
                said = format!("{}{end}", &base[..base.len().min(LONGEST - end.len())]);
                number += 1;
            }
            naming.meant.insert(said.clone(), tool.name.clone());
            naming.said.push(said);
        }
        naming
    }

    /// What the service calls each tool, in their order.
    pub(crate) fn said(&self) -> &[String] {
        &self.said
    }

    /// The tool that the service means; `None` when there is none.
    pub(crate) fn meant(&self, said: &str) -> Option<&str> {
        self.meant.get(said).map(String::as_str)
    }
}

fn allowed(c: char) -> char {
    if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_name_is_taken_and_leads_back() {
        let long = "x".repeat(80);
        let other = format!("{}y", "x".repeat(79));
        let names = ["http_get", "shop.lookup", "shop_lookup", "größe", "", &long, &other];
        let tools: Vec<Tool> = names
            .iter()
            .map(|name| Tool {
                name: (*name).to_owned(),
                description: String::new(),
                input_schema: json!({}),
            })
            .collect();
        let naming = Naming::of(&tools);
        assert_eq!(
            naming.said()[..5],
            ["http_get", "shop_lookup", "shop_lookup_2", "gr__e", "tool"].map(str::to_owned)
        );
        for (said, tool) in naming.said().iter().zip(&tools) {
            assert!(said.len() <= LONGEST && said.chars().all(|c| allowed(c) == c), "{said}");
            assert_eq!(naming.meant(said), Some(tool.name.as_str()));
        }
        assert_eq!(naming.meant("shop.lookup"), None);
    }
}
