//! Pictures in the form that a model's API accepts: decoded completely, turned upright, scaled to a vision budget,
//! without metadata. A picture that cannot be converted is an error and never sent, because one refused picture ends a
//! whole conversation.

mod budget;
mod container;
mod decode;
mod encode;
mod jpeg_scan;
mod model;
mod resize;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use budget::VisionBudget;
use jpeg_scan::ScanCheck;
pub use model::{
    MAX_FILE_BYTES, MAX_SENT_BYTES, Picture, PictureError, PictureFormat, PictureSize, SentFormat,
};

/// Reads a picture and scales it to a budget.
pub fn read(
    bytes: &[u8],
    format: PictureFormat,
    budget: VisionBudget,
) -> Result<Picture, PictureError> {
    let container = container::parse_container(bytes, format)?;
    let scans = check_scans(bytes, format)?;
    // A panic of a decoder on unexpected bytes must not end the program.
    let decoded = std::panic::catch_unwind(|| decode::decode_picture(bytes, format))
        .unwrap_or_else(|_| Err(PictureError::Damaged("the decoder failed".to_owned())))?;
    let original = decoded.size();
    let fitted = budget.fit_size(original);
    let plain = match format {
        PictureFormat::Png => Some(SentFormat::Png),
        PictureFormat::Jpeg => Some(SentFormat::Jpeg),
        _ => None,
    };
    let picture = |format: SentFormat, sent: PictureSize, bytes: Vec<u8>| Picture {
        original_format: container.format,
        original,
        frames: container.frames,
        format,
        sent,
        bytes: Arc::new(bytes),
    };
    if let Some(sent) = plain
        && container.is_plain
        && decoded.is_plain
        && scans == ScanCheck::Whole
        && fitted == original
        && bytes.len() <= MAX_SENT_BYTES
    {
        return Ok(picture(sent, original, bytes.to_vec()));
    }
    let (format, sent, bytes) = encode::encode_within_limit(decoded.image, fitted, format)?;
    Ok(picture(format, sent, bytes))
}

/// Returns whether the pixels of a file are complete; an error if they are known to be cut off.
fn check_scans(bytes: &[u8], format: PictureFormat) -> Result<ScanCheck, PictureError> {
    match format {
        PictureFormat::Jpeg => match jpeg_scan::check_scans(bytes) {
            ScanCheck::CutOff => Err(PictureError::Damaged("its scan ends too early".to_owned())),
            known => Ok(known),
        },
        // The decoders of the other formats refuse truncated pixels.
        _ => Ok(ScanCheck::Whole),
    }
}

/// Converts a picture to PNG; one that is PNG already keeps its bytes.
///
/// # Errors
/// The bytes are not a complete picture.
pub fn as_png(bytes: &[u8]) -> Result<std::borrow::Cow<'_, [u8]>, PictureError> {
    match PictureFormat::detect(bytes) {
        Some(PictureFormat::Png) => Ok(bytes.into()),
        Some(format) => std::panic::catch_unwind(|| {
            // The decoder accepts a truncated picture.
            container::parse_container(bytes, format)?;
            check_scans(bytes, format)?;
            let decoded = decode::decode_picture(bytes, format)?;
            encode::encode_whole_png(decoded.image).map(Into::into)
        })
        .unwrap_or_else(|_| Err(PictureError::Damaged("the decoder failed".to_owned()))),
        None => Err(PictureError::Damaged("it is no picture".to_owned())),
    }
}

/// Creates a picture from the pixels that a program drew: three bytes each (red, green, blue), line by line.
pub fn encode_pixels(
    size: PictureSize,
    pixels: Vec<u8>,
    budget: VisionBudget,
) -> Result<Picture, PictureError> {
    let image = image::RgbImage::from_raw(size.width, size.height, pixels)
        .filter(|image| image.width() > 0 && image.height() > 0)
        .ok_or_else(|| PictureError::Damaged("its pixels are missing".to_owned()))?;
    let (format, sent, bytes) =
        encode::encode_within_limit(image.into(), budget.fit_size(size), PictureFormat::Png)?;
    Ok(Picture {
        original_format: PictureFormat::Png,
        original: size,
        frames: 1,
        format,
        sent,
        bytes: Arc::new(bytes),
    })
}

/// Returns the size of a picture from its header, without decoding it.
pub fn size(bytes: &[u8], format: PictureFormat) -> Result<PictureSize, PictureError> {
    std::panic::catch_unwind(|| decode::read_header_size(bytes, format))
        .unwrap_or_else(|_| Err(PictureError::Damaged("the decoder failed".to_owned())))
}
