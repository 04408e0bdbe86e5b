//! The head of a request, read strictly. The parser is the field's; what it forgives and a guard must not
//! forgive is refused here: two lengths, line ends that are half ones, another version of HTTP.

use std::mem::MaybeUninit;

/// More than this is no head.
pub(crate) const MOST_HEAD: usize = 64 << 10;

/// The most headers of a request.
const MOST_HEADERS: usize = 100;

/// The head of a request, as it stands in the connection's buffer.
pub(crate) struct Head<'a> {
    pub(crate) method: &'a str,
    /// What is asked for, as it came.
    pub(crate) target: &'a str,
    pub(crate) headers: Vec<(&'a str, &'a [u8])>,
    /// Whom the client believes to speak with.
    pub(crate) host: Given<'a>,
    /// What kind of body it has.
    pub(crate) kind: Given<'a>,
    /// How the body is compressed.
    pub(crate) encoding: Given<'a>,
    /// Whether there is something that only browsers send.
    pub(crate) is_of_browser: bool,
    /// How many bytes the head has.
    pub(crate) length: usize,
    /// How long the body is.
    pub(crate) body: BodyLength,
    /// Whether the client may ask again on this connection.
    pub(crate) keeps_alive: bool,
    /// Whether the client waits for leave to send the body.
    pub(crate) expects: bool,
}

/// How often a header that belongs there once was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Given<'a> {
    #[default]
    Never,
    Once(&'a [u8]),
    Repeatedly,
}

impl<'a> Given<'a> {
    fn add(&mut self, value: &'a [u8]) {
        *self = if *self == Given::Never { Given::Once(value) } else { Given::Repeatedly };
    }

    /// The value of a header that is there once.
    pub(crate) fn only(self) -> Option<&'a [u8]> {
        match self {
            Given::Once(value) => Some(value),
            Given::Never | Given::Repeatedly => None,
        }
    }
}

/// How long a body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyLength {
    /// So many bytes.
    Known(usize),
    /// It comes in chunks, and says where it ends.
    Chunked,
}

/// The bytes are no request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Malformed(pub(crate) &'static str);

impl<'a> Head<'a> {
    /// Reads the head of a request; `None` while it has not come whole.
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Option<Head<'a>>, Malformed> {
        let mut headers = [const { MaybeUninit::uninit() }; MOST_HEADERS];
        let mut request = httparse::Request::new(&mut []);
        let length = match request.parse_with_uninit_headers(bytes, &mut headers) {
            Ok(httparse::Status::Complete(length)) => length,
            Ok(httparse::Status::Partial) if bytes.len() > MOST_HEAD => {
                return Err(Malformed("the head is too long"));
            }
            Ok(httparse::Status::Partial) => return Ok(None),
            Err(_) => return Err(Malformed("the head is malformed")),
        };
        if length > MOST_HEAD {
            return Err(Malformed("the head is too long"));
        }
        if has_half_line_ends(&bytes[..length]) {
            return Err(Malformed("a line of the head has half a line end"));
        }
        let (Some(method), Some(target), Some(1)) = (request.method, request.path, request.version) else {
            return Err(Malformed("the version is not HTTP/1.1"));
        };
        let mut head = Head {
            method,
            target,
            headers: Vec::with_capacity(request.headers.len()),
            host: Given::Never,
            kind: Given::Never,
            encoding: Given::Never,
            is_of_browser: false,
            length,
            body: BodyLength::Known(0),
            keeps_alive: true,
            expects: false,
        };
        let (mut body_length, mut coding) = (Given::Never, Given::Never);
        for header in &*request.headers {
            let (name, value) = (header.name, header.value);
            head.headers.push((name, value));
            match Meaning::of(name) {
                Meaning::Host => head.host.add(value),
                Meaning::Kind => head.kind.add(value),
                Meaning::Encoding => head.encoding.add(value),
                Meaning::OfBrowsers => head.is_of_browser = true,
                Meaning::Length => body_length.add(value),
                Meaning::Coding => coding.add(value),
                Meaning::Connection => head.keeps_alive &= !lists(value, "close"),
                Meaning::Expect => head.expects |= value.eq_ignore_ascii_case(b"100-continue"),
                Meaning::Other => {}
            }
        }
        head.body = framing(body_length, coding)?;
        Ok(Some(head))
    }

    /// The values of a header.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &'a [u8]> {
        self.headers
            .iter()
            .filter(move |(other, _)| other.eq_ignore_ascii_case(name))
            .map(|(_, value)| *value)
    }
}

/// What a header means to the gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Host,
    Kind,
    Encoding,
    OfBrowsers,
    Length,
    Coding,
    Connection,
    Expect,
    Other,
}

impl Meaning {
    const NAMES: [(&str, Meaning); 10] = [
        ("host", Meaning::Host),
        ("content-type", Meaning::Kind),
        ("content-encoding", Meaning::Encoding),
        ("origin", Meaning::OfBrowsers),
        ("sec-fetch-site", Meaning::OfBrowsers),
        ("access-control-request-method", Meaning::OfBrowsers),
        ("content-length", Meaning::Length),
        ("transfer-encoding", Meaning::Coding),
        ("connection", Meaning::Connection),
        ("expect", Meaning::Expect),
    ];

    fn of(name: &str) -> Meaning {
        let named = Meaning::NAMES.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
        named.map_or(Meaning::Other, |(_, meaning)| *meaning)
    }
}

/// How long the body is. What can be read in two ways is refused.
fn framing(length: Given<'_>, coding: Given<'_>) -> Result<BodyLength, Malformed> {
    match (length, coding) {
        (Given::Repeatedly, _) => Err(Malformed("there are two lengths")),
        (_, Given::Repeatedly) => Err(Malformed("there are two transfer encodings")),
        (Given::Once(_), Given::Once(_)) => Err(Malformed("there are both a length and a transfer encoding")),
        (Given::Never, Given::Never) => Ok(BodyLength::Known(0)),
        (Given::Once(length), Given::Never) => {
            count(length).map(BodyLength::Known).ok_or(Malformed("the length is no number"))
        }
        (Given::Never, Given::Once(coding)) if coding.eq_ignore_ascii_case(b"chunked") => {
            Ok(BodyLength::Chunked)
        }
        (Given::Never, Given::Once(_)) => Err(Malformed("the transfer encoding is not known")),
    }
}

/// Whether a list of words has this one.
pub(crate) fn lists(value: &[u8], word: &str) -> bool {
    value.split(|byte| *byte == b',').any(|item| item.trim_ascii().eq_ignore_ascii_case(word.as_bytes()))
}

/// A count of digits alone: no sign, no blank.
fn count(digits: &[u8]) -> Option<usize> {
    let is_count = !digits.is_empty() && digits.len() < 12 && digits.iter().all(u8::is_ascii_digit);
    is_count.then(|| digits.iter().fold(0, |sum, digit| sum * 10 + usize::from(digit - b'0')))
}

/// Whether one half of a line end stands without the other. Every byte is looked at in the same way, so that
/// many are looked at together.
fn has_half_line_ends(head: &[u8]) -> bool {
    let is_half = |(one, next): (&u8, &u8)| (*one == b'\r') != (*next == b'\n');
    let halves = head.iter().zip(head.iter().skip(1)).fold(false, |any, pair| any | is_half(pair));
    halves || head.first() == Some(&b'\n') || head.last() == Some(&b'\r')
}

/// A body in chunks, put together as it comes.
#[derive(Default)]
pub(crate) struct Chunks {
    pub(crate) body: Vec<u8>,
}

impl Chunks {
    /// Reads the next chunk. Gives how many bytes it took; `None` while it has not come whole. The last one,
    /// of no bytes, says so.
    pub(crate) fn read(&mut self, bytes: &[u8], most: usize) -> Result<Option<(usize, bool)>, Malformed> {
        let wrong = Malformed("a chunk is malformed");
        let (head, size) = match httparse::parse_chunk_size(bytes) {
            Ok(httparse::Status::Complete((head, size))) => (head, usize::try_from(size).map_err(|_| wrong)?),
            Ok(httparse::Status::Partial) if bytes.len() > 1 << 10 => return Err(wrong),
            Ok(httparse::Status::Partial) => return Ok(None),
            Err(_) => return Err(wrong),
        };
        if self.body.len().saturating_add(size) > most {
            return Err(Malformed("the body is too long"));
        }
        let end = head + size;
        let Some(after) = bytes.get(end..end + 2) else { return Ok(None) };
        // Trailers are nothing that anybody here could use: they are refused with what is malformed.
        if after != b"\r\n" {
            return Err(wrong);
        }
        self.body.extend_from_slice(&bytes[head..end]);
        Ok(Some((end + 2, size == 0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<BodyLength, &'static str> {
        match Head::read(text.as_bytes()) {
            Ok(Some(head)) => Ok(head.body),
            Ok(None) => Err("partial"),
            Err(Malformed(reason)) => Err(reason),
        }
    }

    #[test]
    fn framing_that_can_be_read_in_two_ways_is_refused() {
        let post = |headers: &str| read(&format!("POST / HTTP/1.1\r\nhost: a\r\n{headers}\r\n"));
        assert_eq!(post(""), Ok(BodyLength::Known(0)));
        assert_eq!(post("content-length: 12\r\n"), Ok(BodyLength::Known(12)));
        assert_eq!(post("Transfer-Encoding: chunked\r\n"), Ok(BodyLength::Chunked));
        for headers in [
            "content-length: 1\r\ntransfer-encoding: chunked\r\n",
            "transfer-encoding: chunked\r\ncontent-length: 1\r\n",
            "content-length: 1\r\ncontent-length: 1\r\n",
            "content-length: 1\r\ncontent-length: 2\r\n",
            "content-length: 1, 1\r\n",
            "content-length: +1\r\n",
            "content-length: 0x1\r\n",
            "content-length: -1\r\n",
            "content-length:\r\n",
            "content-length: 99999999999999999999\r\n",
            "transfer-encoding: gzip, chunked\r\n",
            "transfer-encoding: identity\r\n",
            "transfer-encoding: xchunked\r\n",
            "transfer-encoding: chunked\r\ntransfer-encoding: identity\r\n",
            "transfer-encoding : chunked\r\n",
            "x: a\r\n b\r\n",
            "x: a\nb: c\r\n",
            "x: a\rb: c\r\n",
            "content-length: 1\n",
        ] {
            assert!(post(headers).is_err_and(|reason| reason != "partial"), "{headers:?}");
        }
        assert!(read("POST / HTTP/1.0\r\nhost: a\r\n\r\n").is_err());
        assert!(read("POST / HTTP/1.1\nhost: a\n\n").is_err());
        assert!(read("POST / HTTP/2.0\r\n\r\n").is_err());
    }

    #[test]
    fn chunks_are_put_together() {
        let mut chunks = Chunks::default();
        let text = b"5\r\nhello\r\n1;x=y\r\n!\r\n0\r\n\r\nnext";
        let mut at = 0;
        loop {
            let (taken, is_last) = chunks.read(&text[at..], 100).unwrap().unwrap();
            at += taken;
            if is_last {
                break;
            }
        }
        assert_eq!((chunks.body.as_slice(), &text[at..]), (&b"hello!"[..], &b"next"[..]));
        assert_eq!(Chunks::default().read(b"5\r\nhel", 100), Ok(None));
        for wrong in [
            &b"5\r\nhelloxx"[..],
            b"g\r\n",
            b"-1\r\n",
            b"0\r\nx: y\r\n\r\n",
            b"ffffffffffffffffff\r\n",
            b"65\r\n",
        ] {
            assert!(Chunks::default().read(wrong, 100).is_err(), "{wrong:?}");
        }
    }
}
