//! What came of asking: every answer beside what people say, and whether it is good enough.

use unitai_spec::document::CaseQuestion;
use unitai_spec::run::{Answer, Judged, Reply};

use super::Table;

/// Everything that a judge was asked, and what it said.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Score {
    /// Every question, in the order of the files.
    pub heard: Vec<Heard>,
    /// Who answered and what it took, summed up.
    pub judged: Judged,
}

/// A question, what people say, and what the judge said.
#[derive(Debug, Clone, PartialEq)]
pub struct Heard {
    /// The name of the case.
    pub case: String,
    /// The question, with what people say and where that stands.
    pub question: CaseQuestion,
    /// What the judge said.
    pub reply: Reply,
}

impl Heard {
    /// Whether the judge says what people say.
    pub fn agrees(&self) -> bool {
        let label = if self.question.is_yes { Answer::Yes } else { Answer::No };
        self.reply.answer == label
    }
}

impl Score {
    /// The counts, from which all figures come.
    pub fn table(&self) -> Table {
        let mut table = Table::default();
        for heard in &self.heard {
            table.add(heard.question.is_yes, heard.reply.answer);
        }
        table
    }

    /// Where judge and people do not say the same.
    pub fn disagreements(&self) -> impl Iterator<Item = &Heard> {
        self.heard.iter().filter(|it| !it.agrees())
    }
}

/// What a judge must reach. Its figures are compared as they are, not the ends of their intervals.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Minima {
    /// How often it must say yes where people do.
    pub tpr: Option<f64>,
    /// How often it must say no where people do.
    pub tnr: Option<f64>,
    /// How far it must agree with people beyond chance.
    pub kappa: Option<f64>,
}

/// A figure that is less than it must be.
#[derive(Debug, Clone, PartialEq)]
pub struct Missed {
    /// Its name: `TPR`, `TNR` or `kappa`.
    pub figure: &'static str,
    /// What it must be.
    pub least: f64,
    /// What it is; none where the questions do not say.
    pub found: Option<f64>,
}

impl Minima {
    /// The figures that are too small. One that cannot be known is: nothing shows that it is large enough.
    pub fn missed(&self, table: &Table) -> Vec<Missed> {
        let figures = [
            ("TPR", self.tpr, table.tpr().value()),
            ("TNR", self.tnr, table.tnr().value()),
            ("kappa", self.kappa, table.kappa().map(|it| it.value)),
        ];
        let missed = figures.into_iter().filter_map(|(figure, least, found)| {
            let least = least?;
            // What is the same number to people may differ in its last digit.
            let is_reached = found.is_some_and(|found| found >= least - 1e-9);
            (!is_reached).then_some(Missed { figure, least, found })
        });
        missed.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calibration::Row;

    #[test]
    fn a_minimum_is_reached_by_the_same_number() {
        let table = Table { yes: Row { yes: 9, no: 1, unknown: 0 }, no: Row { yes: 1, no: 9, unknown: 0 } };
        let all = |least| Minima { tpr: Some(least), tnr: Some(least), kappa: None };
        assert_eq!(all(0.9).missed(&table), []);
        let missed = all(0.91).missed(&table);
        assert_eq!(missed.iter().map(|it| it.figure).collect::<Vec<_>>(), ["TPR", "TNR"]);
        let kappa = Minima { kappa: Some(0.8), ..Minima::default() };
        assert_eq!(kappa.missed(&table), []);
    }

    #[test]
    fn what_cannot_be_known_is_not_reached() {
        let table = Table { yes: Row { yes: 9, ..Row::default() }, no: Row::default() };
        let minima = Minima { tpr: Some(0.5), tnr: Some(0.5), kappa: Some(0.1) };
        let missed = minima.missed(&table);
        assert_eq!(
            missed.iter().map(|it| (it.figure, it.found)).collect::<Vec<_>>(),
            [("TNR", None), ("kappa", None)]
        );
        assert_eq!(Minima::default().missed(&table), []);
    }
}
