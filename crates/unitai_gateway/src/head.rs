//! The head of a request, read strictly. The parser is the field's; what it forgives and a guard must not
//! forgive is refused here: two lengths, line ends that are half ones, another version of HTTP.

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
    /// How many bytes the head has.
    pub(crate) length: usize,
    /// How long the body is.
    pub(crate) body: BodyLength,
    /// Whether the client may ask again on this connection.
    pub(crate) keeps_alive: bool,
    /// Whether the client waits for leave to send the body.
    pub(crate) expects: bool,
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
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
        let mut request = httparse::Request::new(&mut headers);
        let length = match request.parse(bytes) {
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
            headers: request.headers.iter().map(|header| (header.name, header.value)).collect(),
            length,
            body: BodyLength::Known(0),
            keeps_alive: true,
            expects: false,
        };
        head.read_framing()?;
        Ok(Some(head))
    }

    /// The values of a header.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &'a [u8]> {
        self.headers
            .iter()
            .filter(move |(other, _)| other.eq_ignore_ascii_case(name))
            .map(|(_, value)| *value)
    }

    /// The value of a header that is there once.
    pub(crate) fn only(&self, name: &str) -> Option<&'a [u8]> {
        let mut all = self.all(name);
        all.next().filter(|_| all.next().is_none())
    }

    fn read_framing(&mut self) -> Result<(), Malformed> {
        let length = match self.all("content-length").count() {
            0 => None,
            1 => self.only("content-length"),
            _ => return Err(Malformed("there are two lengths")),
        };
        let coding = match self.all("transfer-encoding").count() {
            0 => None,
            1 => self.only("transfer-encoding"),
            _ => return Err(Malformed("there are two transfer encodings")),
        };
        self.body = match (length, coding) {
            (None, None) => BodyLength::Known(0),
            (Some(length), None) => {
                BodyLength::Known(count(length).ok_or(Malformed("the length is no number"))?)
            }
            (None, Some(coding)) if coding.eq_ignore_ascii_case(b"chunked") => BodyLength::Chunked,
            (None, Some(_)) => return Err(Malformed("the transfer encoding is not known")),
            (Some(_), Some(_)) => return Err(Malformed("there are both a length and a transfer encoding")),
        };
        let closes = self.all("connection").any(|value| lists(value, "close"));
        let expects = self.all("expect").any(|value| value.eq_ignore_ascii_case(b"100-continue"));
        (self.keeps_alive, self.expects) = (!closes, expects);
        Ok(())
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

fn has_half_line_ends(head: &[u8]) -> bool {
    let ends = |at: usize| match head[at] {
        b'\n' => at > 0 && head[at - 1] == b'\r',
        _ => head.get(at + 1) == Some(&b'\n'),
    };
    memchr::memchr2_iter(b'\n', b'\r', head).any(|at| !ends(at))
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
