//! An exception as recorded: enough to name it, show it and recognise its class again.

/// What was raised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Qualified names of its class and of that class's bases, most specific first; never empty.
    types: Vec<String>,
    /// Its message.
    pub message: String,
    /// Where it was raised, as far as that is known: `shop.py:12 in refund`.
    pub place: Option<String>,
}

impl Failure {
    /// A failure of the class `type_name`, whose bases are `bases`.
    ///
    /// ```
    /// use unitai_model::Failure;
    /// let failure = Failure::new("builtins.TimeoutError", ["builtins.OSError"], "too slow");
    /// assert_eq!(failure.short_name(), "TimeoutError");
    /// assert!(failure.is_a("builtins.OSError"));
    /// ```
    pub fn new<S: Into<String>>(
        type_name: impl Into<String>,
        bases: impl IntoIterator<Item = S>,
        message: impl Into<String>,
    ) -> Failure {
        let mut types = vec![type_name.into()];
        types.extend(bases.into_iter().map(Into::into));
        Failure { types, message: message.into(), place: None }
    }

    /// The same, raised at a known place.
    pub fn at(mut self, place: Option<String>) -> Failure {
        self.place = place;
        self
    }

    /// The qualified name of its class.
    pub fn type_name(&self) -> &str {
        &self.types[0]
    }

    /// The bases of its class, most specific first.
    pub fn bases(&self) -> &[String] {
        &self.types[1..]
    }

    /// The name of its class without the module.
    pub fn short_name(&self) -> &str {
        self.type_name().rsplit('.').next().unwrap_or_default()
    }

    /// Whether it is of the class with this qualified name, or of one derived from it.
    pub fn is_a(&self, type_name: &str) -> bool {
        self.types.iter().any(|name| name == type_name)
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.message.is_empty() {
            f.write_str(self.short_name())
        } else {
            write!(f, "{}: {}", self.short_name(), self.message)
        }
    }
}
