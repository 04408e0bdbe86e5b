//! Compressing, as servers do.

use std::io::{Result, Write};

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};

/// The bytes in a content encoding; `None` where we have no writer of it.
pub fn compressed(encoding: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    match encoding {
        "gzip" => gzip(bytes).ok(),
        "deflate" => deflate(bytes).ok(),
        "zstd" => zstd::encode_all(bytes, 1).ok(),
        _ => None,
    }
}

fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut writer = GzEncoder::new(Vec::new(), Compression::fast());
    writer.write_all(bytes)?;
    writer.finish()
}

fn deflate(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut writer = ZlibEncoder::new(Vec::new(), Compression::fast());
    writer.write_all(bytes)?;
    writer.finish()
}
