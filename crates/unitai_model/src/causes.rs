//! Errors of libraries in words: the reason is often only in what caused them.

/// An error with its causes, the outermost first.
///
/// ```
/// let error = std::io::Error::other(std::io::Error::other("no route to host"));
/// assert_eq!(unitai_model::with_causes(&error), "no route to host");
/// ```
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
