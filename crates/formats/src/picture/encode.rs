//! Encodes a picture again: as PNG if neighbouring pixels are often equal, as in screenshots and drawings, else as
//! JPEG. A picture that is too large for an API is compressed harder, then shrunk.

use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::{CompressionType, FilterType as PngFilter, PngEncoder};
use image::{DynamicImage, GenericImageView as _, ImageEncoder as _, RgbImage};

use super::budget::scale_size;
use super::decode::damaged_error;
use super::model::{MAX_SENT_BYTES, PictureError, PictureFormat, PictureSize, SentFormat};
use super::resize::resize_picture;

/// The qualities that are tried, one after the other.
const JPEG_QUALITIES: [u8; 3] = [85, 70, 50];

/// How often a picture is shrunk before giving up. Each time a quarter of each side is removed.
const MAX_SHRINKS: usize = 12;

/// Returns the picture in a size, within the limit of bytes.
pub(super) fn encode_within_limit(
    image: DynamicImage,
    size: PictureSize,
    original: PictureFormat,
) -> Result<(SentFormat, PictureSize, Vec<u8>), PictureError> {
    let is_photograph = original == PictureFormat::Jpeg || is_photograph(&image);
    let mut image = to_eight_bits(resize_picture(image, size));
    for _ in 0..MAX_SHRINKS {
        let size = PictureSize {
            width: image.width(),
            height: image.height(),
        };
        if !is_photograph {
            let bytes = encode_png(&image)?;
            if bytes.len() <= MAX_SENT_BYTES {
                return Ok((SentFormat::Png, size, bytes));
            }
        }
        let opaque = flatten_onto_white(&image);
        for quality in JPEG_QUALITIES {
            let bytes = encode_jpeg(&opaque, quality)?;
            if bytes.len() <= MAX_SENT_BYTES {
                return Ok((SentFormat::Jpeg, size, bytes));
            }
        }
        image = resize_picture(image, scale_size(size, 0.75));
    }
    Err(PictureError::Damaged(
        "it cannot be made small enough to be sent".to_owned(),
    ))
}

/// Returns the picture as PNG, in its own size.
pub(super) fn encode_whole_png(image: DynamicImage) -> Result<Vec<u8>, PictureError> {
    encode_png(&to_eight_bits(image))
}

fn to_eight_bits(image: DynamicImage) -> DynamicImage {
    match image {
        DynamicImage::ImageLuma8(_)
        | DynamicImage::ImageLumaA8(_)
        | DynamicImage::ImageRgb8(_)
        | DynamicImage::ImageRgba8(_) => image,
        other if other.color().has_alpha() => other.into_rgba8().into(),
        other => other.into_rgb8().into(),
    }
}

/// Returns whether a picture is a photograph: few neighbouring pixels are equal.
fn is_photograph(image: &DynamicImage) -> bool {
    let (width, height) = image.dimensions();
    if image.color().has_alpha() || width < 64 || height < 64 {
        return false;
    }
    // About four thousand pairs, evenly spread.
    let (across, down) = ((width / 64).max(1), (height / 64).max(1));
    let (mut pairs, mut equal) = (0_u32, 0_u32);
    for y in (0..height).step_by(down as usize) {
        for x in (0..width - 1).step_by(across as usize) {
            pairs += 1;
            equal += u32::from(image.get_pixel(x, y) == image.get_pixel(x + 1, y));
        }
    }
    equal * 4 < pairs
}

/// Returns the picture on white, if it is transparent.
fn flatten_onto_white(image: &DynamicImage) -> RgbImage {
    if !image.color().has_alpha() {
        return image.to_rgb8();
    }
    let rgba = image.to_rgba8();
    RgbImage::from_fn(rgba.width(), rgba.height(), |x, y| {
        let [red, green, blue, alpha] = rgba.get_pixel(x, y).0;
        let alpha = u32::from(alpha);
        let blend = |colour: u8| {
            u8::try_from((u32::from(colour) * alpha + 255 * (255 - alpha)) / 255).unwrap_or(255)
        };
        image::Rgb([blend(red), blend(green), blend(blue)])
    })
}

fn encode_png(image: &DynamicImage) -> Result<Vec<u8>, PictureError> {
    let mut bytes = Vec::new();
    PngEncoder::new_with_quality(&mut bytes, CompressionType::Default, PngFilter::Adaptive)
        .write_image(
            image.as_bytes(),
            image.width(),
            image.height(),
            image.color().into(),
        )
        .map_err(damaged_error)?;
    Ok(bytes)
}

fn encode_jpeg(image: &RgbImage, quality: u8) -> Result<Vec<u8>, PictureError> {
    let mut bytes = Vec::new();
    JpegEncoder::new_with_quality(&mut bytes, quality)
        .encode_image(image)
        .map_err(damaged_error)?;
    Ok(bytes)
}
