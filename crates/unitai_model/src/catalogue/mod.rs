//! Every error that UnitAI raises, once. The reference pages are made from this list, the Python
//! classes are held to it by a test, and a code never changes its meaning.

mod entries;

pub use entries::CATALOGUE;

/// What kind of trouble an error is. Each branch is a Python base class of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Branch {
    /// The agent did not do what the test expects. Also an `AssertionError`.
    ExpectationError,
    /// The test or its set-up is wrong.
    MisuseError,
    /// Something around the test is not as needed.
    InfrastructureError,
}

impl Branch {
    /// The Python base class.
    pub fn class(self) -> &'static str {
        match self {
            Branch::ExpectationError => "ExpectationError",
            Branch::MisuseError => "MisuseError",
            Branch::InfrastructureError => "InfrastructureError",
        }
    }
}

/// One error.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The stable code: 1xx expectations, 2xx misuse, 3xx surroundings.
    pub code: &'static str,
    /// The Python class.
    pub class: &'static str,
    /// What kind of trouble it is.
    pub branch: Branch,
    /// What it says in one sentence.
    pub summary: &'static str,
    /// When it comes up and why it is an error.
    pub meaning: &'static str,
    /// What to do.
    pub remedy: &'static str,
    /// A Python program that ends by raising it; a test runs it.
    pub example: &'static str,
}

impl Entry {
    /// The reference page, in Markdown.
    pub fn page(&self) -> String {
        format!(
            "# {code}: `{class}`\n\n{summary}\n\n*Branch: `{branch}`.*\n\n## What it means\n\n{meaning}\n\n\
             ## What to do\n\n{remedy}\n\n## Example\n\nThis program ends with `{class}`:\n\n```python\n{example}\n```\n",
            code = self.code,
            class = self.class,
            summary = self.summary,
            branch = self.branch.class(),
            meaning = self.meaning,
            remedy = self.remedy,
            example = self.example.trim(),
        )
    }
}

/// The table of contents of the error pages, in Markdown.
pub fn index() -> String {
    let mut out = String::from(
        "# Errors\n\nEvery error has a stable code, one class and one page. All classes come from `UnitAIError`.\n\n\
         | code | class | what it says |\n|---|---|---|\n",
    );
    for entry in CATALOGUE {
        out.push_str(&format!("| [{0}]({0}.md) | `{1}` | {2} |\n", entry.code, entry.class, entry.summary));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_agree_with_their_branch() {
        for (n, entry) in CATALOGUE.iter().enumerate() {
            let digit = match entry.branch {
                Branch::ExpectationError => '1',
                Branch::MisuseError => '2',
                Branch::InfrastructureError => '3',
            };
            assert!(
                entry.code.starts_with("UA") && entry.code.chars().nth(2) == Some(digit),
                "{}",
                entry.code
            );
            assert!(
                CATALOGUE[n + 1..].iter().all(|other| other.code != entry.code && other.class != entry.class)
            );
        }
    }

    #[test]
    fn no_entry_lacks_a_part() {
        for entry in CATALOGUE {
            for part in [entry.summary, entry.meaning, entry.remedy, entry.example] {
                assert!(part.trim().len() > 10, "{} lacks a part", entry.code);
            }
        }
    }
}
