//! HTML that is being written. Markup is text of this program; whatever else comes in, comes in escaped.

use unitai_model::value::plain_lines;

use crate::words::thousands;

/// A piece of HTML. Foreign text cannot become markup: only what the compiler has seen is taken as it stands.
#[derive(Debug, Clone, Default)]
pub(super) struct Html(String);

impl Html {
    /// Markup.
    pub(super) fn raw(&mut self, markup: &'static str) -> &mut Html {
        self.0.push_str(markup);
        self
    }

    /// Foreign text, between tags or within the double quotes of an attribute. Characters that are not seen, or that
    /// move others about, are spelled out; line breaks and tabulators stay.
    pub(super) fn text(&mut self, foreign: &str) -> &mut Html {
        for (n, part) in foreign.split('\t').enumerate() {
            if n > 0 {
                self.0.push('\t');
            }
            // A carriage return before a line break is a line break.
            let part = part.replace("\r\n", "\n");
            for c in plain_lines(&part).chars() {
                match c {
                    '&' => self.0.push_str("&amp;"),
                    '<' => self.0.push_str("&lt;"),
                    '>' => self.0.push_str("&gt;"),
                    '"' => self.0.push_str("&quot;"),
                    '\'' => self.0.push_str("&#39;"),
                    c => self.0.push(c),
                }
            }
        }
        self
    }

    /// A whole number as it is: for names of places in the page.
    pub(super) fn index(&mut self, number: usize) -> &mut Html {
        self.0.push_str(&number.to_string());
        self
    }

    /// A whole number for people: `12,345`.
    pub(super) fn count(&mut self, number: u64) -> &mut Html {
        self.0.push_str(&thousands(number));
        self
    }

    /// A number for a drawing or for sorting; what is none is 0.
    pub(super) fn number(&mut self, number: f64) -> &mut Html {
        let number = if number.is_finite() { number } else { 0.0 };
        let text = format!("{number:.6}");
        self.0.push_str(text.trim_end_matches('0').trim_end_matches('.'));
        self
    }

    /// A piece that was written before.
    pub(super) fn html(&mut self, piece: &Html) -> &mut Html {
        self.0.push_str(&piece.0);
        self
    }

    /// An element of a class around foreign text.
    pub(super) fn span(&mut self, class: &'static str, foreign: &str) -> &mut Html {
        self.raw("<span class=\"").raw(class).raw("\">").text(foreign).raw("</span>")
    }

    /// A name and what it stands for, in a list of such.
    pub(super) fn fact(&mut self, name: &'static str, foreign: &str) -> &mut Html {
        self.raw("<div><dt>").raw(name).raw("</dt><dd>").text(foreign).raw("</dd></div>")
    }

    /// Whether nothing was written.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How long it is, in bytes.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The text.
    pub(super) fn done(self) -> String {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(foreign: &str) -> String {
        let mut html = Html::default();
        html.text(foreign);
        html.done()
    }

    #[test]
    fn nothing_in_a_text_is_markup() {
        assert_eq!(text("</script><b a='\"'>&amp;"), "&lt;/script&gt;&lt;b a=&#39;&quot;&#39;&gt;&amp;amp;");
    }

    #[test]
    fn what_is_not_seen_is_spelled_out_and_lines_stay() {
        assert_eq!(text("a\tb\nc\r\nd\0\u{1b}[1m\u{202e}\u{2028}"), "a\tb\nc\nd\\x00\\x1b[1m\\u202e\\u2028");
    }

    #[test]
    fn a_number_is_finite() {
        let mut html = Html::default();
        html.number(12.5).raw(" ").number(f64::NAN).raw(" ").number(1.0 / 3.0).raw(" ").number(100.0);
        assert_eq!(html.done(), "12.5 0 0.333333 100");
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_escaped(foreign in "\\PC*|[<>&\"'a-z/!\\-\\x00-\\x1f]*") {
            let escaped = text(&foreign);
            proptest::prop_assert!(!escaped.contains(['<', '>', '"', '\'']));
            let back = escaped.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"")
                .replace("&#39;", "'").replace("&amp;", "&");
            let spelled = foreign.split('\t').map(|part| plain_lines(&part.replace("\r\n", "\n")))
                .collect::<Vec<_>>().join("\t");
            proptest::prop_assert_eq!(back, spelled);
        }
    }
}
