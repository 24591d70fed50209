//! Parses the parts of a picture file without decoding it: whether the file is complete, how many frames it has, and
//! whether it contains nothing but a plain picture, so that its own bytes may be sent.

use super::model::{PictureError, PictureFormat};

/// The result of parsing a file's parts.
pub(super) struct Container {
    pub(super) format: PictureFormat,
    pub(super) frames: u32,
    /// Whether there is one frame and no metadata.
    pub(super) is_plain: bool,
}

/// Parses the parts of a file.
pub(super) fn parse_container(
    bytes: &[u8],
    format: PictureFormat,
) -> Result<Container, PictureError> {
    let (frames, is_plain) = match format {
        PictureFormat::Png => inspect_png(bytes)?,
        PictureFormat::Jpeg => (1, inspect_jpeg(bytes)?),
        PictureFormat::Gif => (count_gif_frames(bytes), false),
        PictureFormat::WebP => (count_webp_frames(bytes), false),
        PictureFormat::Bmp | PictureFormat::Tiff => (1, false),
    };
    Ok(Container {
        format,
        frames: frames.max(1),
        is_plain: is_plain && frames <= 1,
    })
}

fn cut_off_error() -> PictureError {
    PictureError::Damaged("the file ends too early".to_owned())
}

fn read_u32(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_be_bytes(four.try_into().ok()?))
}

/// Returns the number of frames of a PNG, and whether it has only the chunks that make up the picture.
fn inspect_png(bytes: &[u8]) -> Result<(u32, bool), PictureError> {
    let (mut at, mut frames, mut is_plain) = (8_usize, 1, true);
    loop {
        let length = read_u32(bytes, at).ok_or_else(cut_off_error)?;
        let name = bytes.get(at + 4..at + 8).ok_or_else(cut_off_error)?;
        match name {
            b"acTL" => frames = read_u32(bytes, at + 8).unwrap_or(1),
            b"IHDR" | b"PLTE" | b"IDAT" | b"IEND" | b"tRNS" | b"sRGB" | b"gAMA" | b"pHYs" => {}
            _ => is_plain = false,
        }
        let next = usize::try_from(length)
            .ok()
            .and_then(|length| at.checked_add(length)?.checked_add(12))
            .filter(|next| *next <= bytes.len())
            .ok_or_else(cut_off_error)?;
        if name == b"IEND" {
            return Ok((frames, is_plain && next == bytes.len()));
        }
        at = next;
    }
}

/// Returns whether a JPEG has no metadata; an error if its end is missing. Decoders fill in what a truncated file
/// lacks.
fn inspect_jpeg(bytes: &[u8]) -> Result<bool, PictureError> {
    let (mut at, mut is_plain) = (2_usize, true);
    loop {
        // Between a marker and the next one are the bytes of a scan, in which 0xFF is followed by 0 or a restart
        // marker.
        while bytes.get(at) != Some(&0xFF) {
            if at >= bytes.len() {
                return Err(cut_off_error());
            }
            at += 1;
        }
        match bytes.get(at + 1) {
            None => return Err(cut_off_error()),
            Some(0xFF) => at += 1,
            Some(0x00 | 0x01 | 0xD0..=0xD8) => at += 2,
            Some(0xD9) => return Ok(is_plain && at + 2 == bytes.len()),
            Some(marker) => {
                let length = bytes.get(at + 2..at + 4).ok_or_else(cut_off_error)?;
                let length = usize::from(u16::from_be_bytes([length[0], length[1]]));
                // APP0 is the JFIF header; the other application segments and comments are metadata.
                is_plain &= !matches!(marker, 0xE1..=0xEF | 0xFE);
                // A frame header contains the number of colour components: one for grey, three for colour, four for
                // CMYK.
                if matches!(marker, 0xC0..=0xC3 | 0xC5..=0xC7 | 0xC9..=0xCB | 0xCD..=0xCF) {
                    is_plain &= matches!(bytes.get(at + 9), Some(1 | 3));
                }
                at += 2 + length.max(2);
            }
        }
    }
}

/// Returns the number of images in a GIF, as far as the file is complete.
fn count_gif_frames(bytes: &[u8]) -> u32 {
    let colours = |packed: u8| match packed & 0x80 {
        0 => 0,
        _ => 3 << ((packed & 7) + 1),
    };
    let mut at = 13 + bytes.get(10).map_or(0, |packed| colours(*packed));
    let mut frames = 0;
    loop {
        match bytes.get(at) {
            Some(0x21) => at += 2,
            Some(0x2C) => {
                frames += 1;
                at += 11 + bytes.get(at + 9).map_or(0, |packed| colours(*packed));
            }
            _ => return frames,
        }
        // Blocks of data, each with its length before it, up to one of length 0.
        loop {
            match bytes.get(at) {
                None => return frames,
                Some(0) => break at += 1,
                Some(length) => at += 1 + usize::from(*length),
            }
        }
    }
}

/// Returns the number of frames of a WebP.
fn count_webp_frames(bytes: &[u8]) -> u32 {
    let (mut at, mut frames) = (12_usize, 0);
    while let Some(head) = bytes.get(at..at + 8) {
        frames += u32::from(head.starts_with(b"ANMF"));
        let length = u32::from_le_bytes([head[4], head[5], head[6], head[7]]);
        let Some(next) = usize::try_from(length)
            .ok()
            .and_then(|length| at.checked_add(length)?.checked_add(8 + length % 2))
        else {
            break;
        };
        at = next;
    }
    frames
}
