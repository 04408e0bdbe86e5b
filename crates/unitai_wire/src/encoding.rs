//! Bodies that were compressed on their way.

use std::io::Write;

/// More than this is not kept of one body. Its usage is then unknown.
pub const MOST_BYTES: usize = 64 << 20;

/// Undoes one content encoding, piece by piece.
pub struct Decoder(Kind);

enum Kind {
    Gzip(flate2::write::MultiGzDecoder<Vec<u8>>),
    Deflate(flate2::write::ZlibDecoder<Vec<u8>>),
    Brotli(Box<brotli_decompressor::DecompressorWriter<Vec<u8>>>),
    Zstd(zstd::stream::write::Decoder<'static, Vec<u8>>),
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
            "gzip" | "x-gzip" => Kind::Gzip(flate2::write::MultiGzDecoder::new(Vec::new())),
            "deflate" => Kind::Deflate(flate2::write::ZlibDecoder::new(Vec::new())),
            "br" => Kind::Brotli(Box::new(brotli_decompressor::DecompressorWriter::new(Vec::new(), 4096))),
            "zstd" => match zstd::stream::write::Decoder::new(Vec::new()) {
                Ok(decoder) => Kind::Zstd(decoder),
                Err(_) => return Err(EncodingError::Broken("zstd")),
            },
            other => return Err(EncodingError::Unknown(other.to_owned())),
        };
        Ok(Some(Decoder(kind)))
    }

    /// Decodes the next bytes. Large pieces are taken in small ones, so that a bomb is seen before
    /// it has filled the memory.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<Vec<u8>, EncodingError> {
        let mut decoded = Vec::new();
        for piece in bytes.chunks(4096) {
            decoded.append(&mut self.step(piece)?);
            if decoded.len() > MOST_BYTES {
                return Err(EncodingError::TooLarge);
            }
        }
        Ok(decoded)
    }

    fn step(&mut self, piece: &[u8]) -> Result<Vec<u8>, EncodingError> {
        fn through(writer: &mut impl Write, piece: &[u8], name: &'static str) -> Result<(), EncodingError> {
            writer.write_all(piece).and_then(|()| writer.flush()).map_err(|_| EncodingError::Broken(name))
        }
        match &mut self.0 {
            Kind::Gzip(decoder) => {
                through(decoder, piece, "gzip")?;
                Ok(std::mem::take(decoder.get_mut()))
            }
            Kind::Deflate(decoder) => {
                through(decoder, piece, "deflate")?;
                Ok(std::mem::take(decoder.get_mut()))
            }
            Kind::Brotli(decoder) => {
                through(decoder, piece, "br")?;
                Ok(std::mem::take(decoder.get_mut()))
            }
            Kind::Zstd(decoder) => {
                through(decoder, piece, "zstd")?;
                Ok(std::mem::take(decoder.get_mut()))
            }
        }
    }
}

/// Decodes a whole body.
pub fn decode(encoding: &str, bytes: &[u8]) -> Result<Vec<u8>, EncodingError> {
    match Decoder::of(encoding)? {
        Some(mut decoder) => decoder.feed(bytes),
        None => Ok(bytes.to_vec()),
    }
}
