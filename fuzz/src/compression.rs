//! Compressing, as servers do.

use std::io::{Result, Write};
use std::mem::take;

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};

/// The bytes in a content encoding; `None` where we have no writer of it.
pub fn compressed(encoding: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    flushed(encoding, &[bytes]).map(|pieces| pieces.concat())
}

/// The same, flushed after each part: a piece for each part, and one for the end.
pub fn flushed(encoding: &str, parts: &[&[u8]]) -> Option<Vec<Vec<u8>>> {
    let level = Compression::fast();
    let pieces = match encoding {
        "gzip" => {
            let writer = GzEncoder::new(Vec::new(), level);
            pieces(writer, parts, |writer| take(writer.get_mut()), GzEncoder::finish)
        }
        "deflate" => {
            let writer = ZlibEncoder::new(Vec::new(), level);
            pieces(writer, parts, |writer| take(writer.get_mut()), ZlibEncoder::finish)
        }
        "br" => {
            let writer = brotli::CompressorWriter::new(Vec::new(), 4096, 1, 16);
            pieces(writer, parts, |writer| take(writer.get_mut()), |writer| Ok(writer.into_inner()))
        }
        "zstd" => {
            let writer = zstd::Encoder::new(Vec::new(), 1).ok()?;
            pieces(writer, parts, |writer| take(writer.get_mut()), zstd::Encoder::finish)
        }
        _ => return None,
    };
    pieces.ok()
}

fn pieces<W: Write>(
    mut writer: W,
    parts: &[&[u8]],
    written: impl Fn(&mut W) -> Vec<u8>,
    finish: impl FnOnce(W) -> Result<Vec<u8>>,
) -> Result<Vec<Vec<u8>>> {
    let mut pieces = Vec::new();
    for part in parts {
        writer.write_all(part)?;
        writer.flush()?;
        pieces.push(written(&mut writer));
    }
    pieces.push(finish(writer)?);
    Ok(pieces)
}
