//! Decodes a picture completely. Its header is checked before memory is allocated for its pixels.

use std::io::Cursor;

use image::{ColorType, DynamicImage, ImageDecoder as _, ImageFormat, ImageReader, Limits};

use super::model::{PictureError, PictureFormat, PictureSize};

/// The memory limit for the pixels of a picture: 89 million pixels of three bytes.
const MAX_PIXEL_BYTES: u64 = 256 << 20;

/// The memory limit for the rest of a decoder.
const MAX_DECODER_BYTES: u64 = 128 << 20;

/// A decoded picture, upright.
pub(super) struct DecodedPicture {
    pub(super) image: DynamicImage,
    /// Whether its pixels are 8-bit grey or colour and were upright in the file.
    pub(super) is_plain: bool,
}

impl DecodedPicture {
    pub(super) fn size(&self) -> PictureSize {
        PictureSize {
            width: self.image.width(),
            height: self.image.height(),
        }
    }
}

fn image_reader(bytes: &[u8], format: PictureFormat) -> ImageReader<Cursor<&[u8]>> {
    let format = match format {
        PictureFormat::Png => ImageFormat::Png,
        PictureFormat::Jpeg => ImageFormat::Jpeg,
        PictureFormat::Gif => ImageFormat::Gif,
        PictureFormat::WebP => ImageFormat::WebP,
        PictureFormat::Bmp => ImageFormat::Bmp,
        PictureFormat::Tiff => ImageFormat::Tiff,
    };
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = Limits::default();
    limits.max_alloc = Some(MAX_PIXEL_BYTES + MAX_DECODER_BYTES);
    reader.limits(limits);
    reader
}

/// Returns the size that the header states.
pub(super) fn read_header_size(
    bytes: &[u8],
    format: PictureFormat,
) -> Result<PictureSize, PictureError> {
    let (width, height) = image_reader(bytes, format)
        .into_dimensions()
        .map_err(damaged_error)?;
    Ok(PictureSize { width, height })
}

/// Decodes the whole picture.
pub(super) fn decode_picture(
    bytes: &[u8],
    format: PictureFormat,
) -> Result<DecodedPicture, PictureError> {
    let stated = read_header_size(bytes, format)?;
    let too_many = || PictureError::TooManyPixels(stated);
    // A pixel takes at least one byte, whatever the decoder reports.
    if u64::from(stated.width) * u64::from(stated.height) > MAX_PIXEL_BYTES {
        return Err(too_many());
    }
    let mut decoder = image_reader(bytes, format)
        .into_decoder()
        .map_err(damaged_error)?;
    if decoder.total_bytes() > MAX_PIXEL_BYTES {
        return Err(too_many());
    }
    let orientation = decoder.orientation().map_err(damaged_error)?;
    let is_eight_bits = matches!(
        decoder.color_type(),
        ColorType::L8 | ColorType::La8 | ColorType::Rgb8 | ColorType::Rgba8
    );
    let mut image = DynamicImage::from_decoder(decoder).map_err(damaged_error)?;
    image.apply_orientation(orientation);
    if image.width() == 0 || image.height() == 0 {
        return Err(PictureError::Damaged("it has no pixels".to_owned()));
    }
    Ok(DecodedPicture {
        image,
        is_plain: is_eight_bits && orientation == image::metadata::Orientation::NoTransforms,
    })
}

/// Converts a decoder's error, with its message.
pub(super) fn damaged_error(error: image::ImageError) -> PictureError {
    let words = match &error {
        image::ImageError::IoError(_) => "the file ends too early".to_owned(),
        other => other.to_string(),
    };
    PictureError::Damaged(words.chars().take(200).collect())
}
