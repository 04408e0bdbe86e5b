//! Bodies that were compressed on their way.

use std::io::Write;

/// More than this is not kept of one body. Its usage is then unknown.
pub const MOST_BYTES: usize = 64 << 20;

/// Undoes one content encoding, piece by piece.
pub struct Decoder(Kind);

enum Kind {
    Gzip(flate2::write::MultiGzDecoder<Bounded>),
    Deflate(flate2::write::ZlibDecoder<Bounded>),
    Brotli(Box<brotli_decompressor::DecompressorWriter<Bounded>>),
    Zstd(zstd::stream::write::Decoder<'static, Bounded>),
}

/// What was decoded. It refuses to grow beyond all measure: a few bytes can stand for gigabytes.
#[derive(Default)]
struct Bounded {
    bytes: Vec<u8>,
    is_full: bool,
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.bytes.len() + bytes.len() > MOST_BYTES {
            self.is_full = true;
            return Err(std::io::ErrorKind::StorageFull.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A body cannot be decoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EncodingError {
    /// An encoding that is not known here, or several on top of each other.
    #[error("the content encoding `{0}` is not known")]
    Unknown(String),
    /// The bytes are not what the encoding says.
    #[error("the body is no {0}")]
    Broken(&'static str),
    /// The body grows beyond all measure.
    #[error("the body is larger than {MOST_BYTES} bytes")]
    TooLarge,
}

impl Decoder {
    /// A decoder for a `content-encoding`; none is needed for `identity`.
    pub fn of(encoding: &str) -> Result<Option<Decoder>, EncodingError> {
        let kind = match encoding.trim().to_ascii_lowercase().as_str() {
            "" | "identity" => return Ok(None),
            "gzip" | "x-gzip" => Kind::Gzip(flate2::write::MultiGzDecoder::new(Bounded::default())),
            "deflate" => Kind::Deflate(flate2::write::ZlibDecoder::new(Bounded::default())),
            "br" => {
                Kind::Brotli(Box::new(brotli_decompressor::DecompressorWriter::new(Bounded::default(), 4096)))
            }
            "zstd" => match zstd::stream::write::Decoder::new(Bounded::default()) {
                Ok(decoder) => Kind::Zstd(decoder),
                Err(_) => return Err(EncodingError::Broken("zstd")),
            },
            other => return Err(EncodingError::Unknown(other.to_owned())),
        };
        Ok(Some(Decoder(kind)))
    }

    /// What was decoded before [`Decoder::feed`] failed.
    pub fn rest(&mut self) -> Vec<u8> {
        let out = match &mut self.0 {
            Kind::Gzip(decoder) => decoder.get_mut(),
            Kind::Deflate(decoder) => decoder.get_mut(),
            Kind::Brotli(decoder) => decoder.get_mut(),
            Kind::Zstd(decoder) => decoder.get_mut(),
        };
        std::mem::take(&mut out.bytes)
    }

    /// Decodes the next bytes.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<Vec<u8>, EncodingError> {
        match &mut self.0 {
            Kind::Gzip(decoder) => {
                let written = decoder.write_all(bytes).and_then(|()| decoder.flush());
                taken(written, decoder.get_mut(), "gzip")
            }
            Kind::Deflate(decoder) => {
                let written = decoder.write_all(bytes).and_then(|()| decoder.flush());
                taken(written, decoder.get_mut(), "deflate")
            }
            Kind::Brotli(decoder) => {
                let mut written = decoder.write_all(bytes);
                // It gives only as much as its buffer holds, and more when it is asked again.
                while written.is_ok() {
                    let before = decoder.get_mut().bytes.len();
                    written = decoder.write(&[]).map(|_| ());
                    if decoder.get_mut().bytes.len() == before {
                        break;
                    }
                }
                taken(written, decoder.get_mut(), "br")
            }
            Kind::Zstd(decoder) => {
                let written = decoder.write_all(bytes).and_then(|()| decoder.flush());
                taken(written, decoder.get_mut(), "zstd")
            }
        }
    }
}

fn taken(
    written: std::io::Result<()>,
    out: &mut Bounded,
    name: &'static str,
) -> Result<Vec<u8>, EncodingError> {
    match written {
        Ok(()) => Ok(std::mem::take(&mut out.bytes)),
        Err(_) if out.is_full => Err(EncodingError::TooLarge),
        Err(_) => Err(EncodingError::Broken(name)),
    }
}

/// Decodes a whole body.
pub fn decode(encoding: &str, bytes: &[u8]) -> Result<Vec<u8>, EncodingError> {
    match Decoder::of(encoding)? {
        Some(mut decoder) => decoder.feed(bytes),
        None => Ok(bytes.to_vec()),
    }
}
