//! A list of names in one piece of memory.

/// Names in order. A list of six costs two allocations instead of seven, which is most of what a short
/// check costs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    text: String,
    ends: Vec<u32>,
}

impl Names {
    /// Adds a name.
    pub fn push(&mut self, name: &str) {
        self.text.push_str(name);
        self.ends.push(self.text.len() as u32);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The names, in order.
    ///
    /// ```
    /// let names: unitai_check::Names = ["a", "", "bc"].into_iter().collect();
    /// assert_eq!(names.iter().collect::<Vec<_>>(), ["a", "", "bc"]);
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.text[start as usize..*end as usize])
    }
}

impl<'a> FromIterator<&'a str> for Names {
    fn from_iter<I: IntoIterator<Item = &'a str>>(names: I) -> Names {
        let mut out = Names::default();
        names.into_iter().for_each(|name| out.push(name));
        out
    }
}
