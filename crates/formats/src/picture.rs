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
use jpeg_scan::Scans;
pub use model::{LARGEST_FILE, MOST_BYTES, Picture, PictureError, PictureFormat, SentFormat, Size};

/// Reads a picture and scales it to a budget.
pub fn read(
    bytes: &[u8],
    format: PictureFormat,
    budget: VisionBudget,
) -> Result<Picture, PictureError> {
    let container = container::examine(bytes, format)?;
    let scans = scans(bytes, format)?;
    // A panic of a decoder on unexpected bytes must not end the program.
    let decoded = std::panic::catch_unwind(|| decode::whole(bytes, format))
        .unwrap_or_else(|_| Err(PictureError::Damaged("the decoder failed".to_owned())))?;
    let original = decoded.size();
    let fitted = budget.fit(original);
    let plain = match format {
        PictureFormat::Png => Some(SentFormat::Png),
        PictureFormat::Jpeg => Some(SentFormat::Jpeg),
        _ => None,
    };
    let picture = |format: SentFormat, sent: Size, bytes: Vec<u8>| Picture {
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
        && scans == Scans::Whole
        && fitted == original
        && bytes.len() <= MOST_BYTES
    {
        return Ok(picture(sent, original, bytes.to_vec()));
    }
    let (format, sent, bytes) = encode::within(decoded.image, fitted, format)?;
    Ok(picture(format, sent, bytes))
}

/// Returns whether the pixels of a file are complete; an error if they are known to be cut off.
fn scans(bytes: &[u8], format: PictureFormat) -> Result<Scans, PictureError> {
    match format {
        PictureFormat::Jpeg => match jpeg_scan::examine(bytes) {
            Scans::CutOff => Err(PictureError::Damaged("its scan ends too early".to_owned())),
            known => Ok(known),
        },
        // The decoders of the other formats refuse truncated pixels.
        _ => Ok(Scans::Whole),
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
            container::examine(bytes, format)?;
            scans(bytes, format)?;
            let decoded = decode::whole(bytes, format)?;
            encode::whole_png(decoded.image).map(Into::into)
        })
        .unwrap_or_else(|_| Err(PictureError::Damaged("the decoder failed".to_owned()))),
        None => Err(PictureError::Damaged("it is no picture".to_owned())),
    }
}

/// Creates a picture from the pixels that a program drew: three bytes each (red, green, blue), line by line.
pub fn of_pixels(
    size: Size,
    pixels: Vec<u8>,
    budget: VisionBudget,
) -> Result<Picture, PictureError> {
    let image = image::RgbImage::from_raw(size.width, size.height, pixels)
        .filter(|image| image.width() > 0 && image.height() > 0)
        .ok_or_else(|| PictureError::Damaged("its pixels are missing".to_owned()))?;
    let (format, sent, bytes) = encode::within(image.into(), budget.fit(size), PictureFormat::Png)?;
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
pub fn size(bytes: &[u8], format: PictureFormat) -> Result<Size, PictureError> {
    std::panic::catch_unwind(|| decode::header(bytes, format))
        .unwrap_or_else(|_| Err(PictureError::Damaged("the decoder failed".to_owned())))
}
