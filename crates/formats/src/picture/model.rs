//! The types that describe a picture, in the file and as it is sent.

use std::sync::Arc;

/// The maximum size of a picture that is sent, in bytes. In base64 that is 5 MiB, the smallest documented limit.
pub const MAX_SENT_BYTES: usize = 3_840 << 10;

/// The largest file that is decoded, in bytes.
pub const MAX_FILE_BYTES: u64 = 64 << 20;

/// The formats of pictures that are decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PictureFormat {
    /// PNG.
    Png,
    /// JPEG.
    Jpeg,
    /// GIF.
    Gif,
    /// WebP.
    WebP,
    /// BMP.
    Bmp,
    /// TIFF.
    Tiff,
}

impl PictureFormat {
    /// Returns the format of a file that begins with these bytes. Sixteen are enough.
    #[must_use]
    pub fn detect(head: &[u8]) -> Option<Self> {
        let starts = |mark: &[u8]| head.starts_with(mark);
        if starts(b"\x89PNG\r\n\x1A\n") {
            Some(Self::Png)
        } else if starts(b"\xFF\xD8\xFF") {
            Some(Self::Jpeg)
        } else if starts(b"GIF87a") || starts(b"GIF89a") {
            Some(Self::Gif)
        } else if starts(b"RIFF") && head.get(8..12) == Some(b"WEBP") {
            Some(Self::WebP)
        } else if starts(b"II*\0") || starts(b"MM\0*") {
            Some(Self::Tiff)
        } else if starts(b"BM") {
            Some(Self::Bmp)
        } else {
            None
        }
    }

    /// Returns the common name of the format.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Png => "PNG",
            Self::Jpeg => "JPEG",
            Self::Gif => "GIF",
            Self::WebP => "WebP",
            Self::Bmp => "BMP",
            Self::Tiff => "TIFF",
        }
    }
}

/// A width and a height in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureSize {
    /// The width.
    pub width: u32,
    /// The height.
    pub height: u32,
}

impl PictureSize {
    /// Returns the longer of the two sides.
    #[must_use]
    pub fn longer_side(self) -> u32 {
        self.width.max(self.height)
    }
}

/// The formats in which pictures are sent. Every API with vision accepts both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SentFormat {
    /// PNG, for screenshots and drawings.
    Png,
    /// JPEG, for photographs.
    Jpeg,
}

impl SentFormat {
    /// Returns the media type, such as `image/png`.
    #[must_use]
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
        }
    }
}

/// A picture that can be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// The format of the file.
    pub original_format: PictureFormat,
    /// The size of the picture in the file, upright.
    pub original: PictureSize,
    /// The number of frames of the file; only the first is sent.
    pub frames: u32,
    /// The format in which it is sent.
    pub format: SentFormat,
    /// The size in which it is sent.
    pub sent: PictureSize,
    /// The bytes to send.
    pub bytes: Arc<Vec<u8>>,
}

impl Picture {
    /// Returns the factor that converts a coordinate in the sent picture to one in the original.
    #[must_use]
    pub fn scale_factor(&self) -> f64 {
        f64::from(self.original.longer_side()) / f64::from(self.sent.longer_side().max(1))
    }
}

/// Why a picture cannot be sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PictureError {
    /// The bytes are not a whole picture.
    #[error("it cannot be decoded: {0}")]
    Damaged(String),
    /// Decoding it would take too much memory.
    #[error("it has {}x{} px, which is more than is decoded", .0.width, .0.height)]
    TooManyPixels(PictureSize),
}
