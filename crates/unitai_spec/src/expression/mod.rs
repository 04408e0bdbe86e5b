//! What checks say: expressions, patterns and references.
