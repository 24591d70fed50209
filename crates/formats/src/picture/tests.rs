//! Pictures of every format, damaged ones, and the pictures that are sent for them.

use std::io::Cursor;

use image::{DynamicImage, ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};
use lancet_testing::laws;
use proptest::prelude::*;

use super::*;

/// Returns a picture with edges and areas, like a screenshot.
fn drawn_picture(width: u32, height: u32) -> DynamicImage {
    RgbImage::from_fn(width, height, |x, y| match (x / 7 + y / 5) % 3 {
        0 => Rgb([250, 250, 250]),
        1 => Rgb([20, 30, 40]),
        _ => Rgb([200, 10, 10]),
    })
    .into()
}

/// Returns a picture in which no two neighbours are equal, like a photograph.
fn noise_picture(width: u32, height: u32) -> DynamicImage {
    RgbImage::from_fn(width, height, |x, y| {
        let noise = x
            .wrapping_mul(2_654_435_761)
            .wrapping_add(y.wrapping_mul(40_503))
            >> 24;
        Rgb([(noise & 0xFF) as u8, (x % 251) as u8, (y % 241) as u8])
    })
    .into()
}

fn encode_image(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    image.write_to(&mut bytes, format).expect("encoded");
    bytes.into_inner()
}

fn read_picture(bytes: &[u8]) -> Picture {
    let format = PictureFormat::detect(bytes).expect("a picture");
    read(bytes, format, VisionBudget::DEFAULT).expect("a whole picture")
}

/// Asserts what holds for every picture that is sent, whatever the file was.
fn assert_is_safe(picture: &Picture) {
    assert!(picture.bytes.len() <= MAX_SENT_BYTES);
    assert!(picture.sent.longer_side() < 2_000);
    let format = match picture.format {
        SentFormat::Png => ImageFormat::Png,
        SentFormat::Jpeg => ImageFormat::Jpeg,
    };
    let again = image::load_from_memory_with_format(&picture.bytes, format).expect("it decodes");
    assert_eq!(
        (again.width(), again.height()),
        (picture.sent.width, picture.sent.height)
    );
}

#[test]
fn sends_every_format_with_its_size() {
    for format in [
        ImageFormat::Png,
        ImageFormat::Jpeg,
        ImageFormat::Gif,
        ImageFormat::WebP,
        ImageFormat::Bmp,
        ImageFormat::Tiff,
    ] {
        let picture = read_picture(&encode_image(&drawn_picture(40, 30), format));
        assert_is_safe(&picture);
        let size = PictureSize {
            width: 40,
            height: 30,
        };
        assert_eq!((picture.original, picture.sent), (size, size), "{format:?}");
        assert_eq!(picture.frames, 1, "{format:?}");
    }
}

#[test]
fn keeps_bytes_of_plain_picture_and_strips_metadata() {
    let plain = encode_image(&drawn_picture(40, 30), ImageFormat::Png);
    assert_eq!(*read_picture(&plain).bytes, plain);
    // A comment between the header and the data, with the right length; its checksum is not checked before that.
    let mut commented = plain[..33].to_vec();
    let text = b"tEXtPlace\0Secret Road";
    commented.extend(u32::try_from(text.len() - 4).expect("short").to_be_bytes());
    commented.extend(text);
    commented.extend(png_checksum(text).to_be_bytes());
    commented.extend(&plain[33..]);
    let picture = read_picture(&commented);
    assert!(!picture.bytes.windows(6).any(|part| part == b"Secret"));
    assert_is_safe(&picture);
}

/// Returns the checksum of a PNG's chunk.
fn png_checksum(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| match crc & 1 {
            0 => crc >> 1,
            _ => (crc >> 1) ^ 0xEDB8_8320,
        })
    })
}

#[test]
fn fits_large_picture_and_reports_scale_factor() {
    let picture = read_picture(&encode_image(&drawn_picture(3_136, 784), ImageFormat::Png));
    assert_is_safe(&picture);
    assert_eq!(picture.sent.width, 1_568);
    assert!(
        (picture.scale_factor() - 2.0).abs() < 0.01,
        "{}",
        picture.scale_factor()
    );
    let wide = read_picture(&encode_image(&drawn_picture(9_000, 4), ImageFormat::Png));
    assert_eq!((wide.sent.width, wide.sent.height), (1_568, 1));
}

#[test]
fn budgets_limit_pictures_of_any_proportions() {
    for budget in [
        VisionBudget::DEFAULT,
        VisionBudget::CLAUDE_LARGE,
        VisionBudget::OPENAI,
        VisionBudget::GEMINI,
    ] {
        for (width, height) in [
            (1, 1),
            (4_000, 3_000),
            (3_000, 4_000),
            (60_000, 2),
            (1_568, 1_568),
        ] {
            let fitted = budget.fit_size(PictureSize { width, height });
            let patches =
                fitted.width.div_ceil(budget.patch) * fitted.height.div_ceil(budget.patch);
            assert!(patches <= budget.patches, "{width}x{height}: {fitted:?}");
            assert!(fitted.longer_side() <= budget.longest.min(1_999));
        }
    }
}

#[test]
fn sends_photographs_as_jpeg_and_drawings_as_png() {
    let photograph = encode_image(&noise_picture(300, 200), ImageFormat::Bmp);
    assert_eq!(read_picture(&photograph).format, SentFormat::Jpeg);
    let drawing = encode_image(&drawn_picture(300, 200), ImageFormat::Bmp);
    assert_eq!(read_picture(&drawing).format, SentFormat::Png);
}

/// The EXIF data requires a rotation by 90°; the sent picture is rotated and has no EXIF data.
#[test]
fn applies_orientation_and_drops_exif() {
    let upright = encode_image(&noise_picture(60, 20), ImageFormat::Jpeg);
    let exif = b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
    let mut turned = upright[..2].to_vec();
    turned.extend([0xFF, 0xE1]);
    turned.extend(u16::try_from(exif.len() + 2).expect("short").to_be_bytes());
    turned.extend(exif);
    turned.extend(&upright[2..]);
    let picture = read_picture(&turned);
    assert_eq!((picture.original.width, picture.original.height), (20, 60));
    assert!(!picture.bytes.windows(4).any(|part| part == b"Exif"));
    assert_is_safe(&picture);
}

#[test]
fn transparent_pictures_stay_transparent() {
    let image: DynamicImage = RgbaImage::from_pixel(90, 90, Rgba([1, 2, 3, 0])).into();
    let picture = read_picture(&encode_image(&image, ImageFormat::WebP));
    let again = image::load_from_memory(&picture.bytes).expect("it decodes");
    assert!(again.color().has_alpha());
}

#[test]
fn refuses_huge_picture_by_header_alone() {
    let mut bytes = encode_image(&drawn_picture(20, 20), ImageFormat::Png);
    bytes[16..20].copy_from_slice(&60_000_u32.to_be_bytes());
    bytes[20..24].copy_from_slice(&60_000_u32.to_be_bytes());
    let checksum = png_checksum(&bytes[12..29]);
    bytes[29..33].copy_from_slice(&checksum.to_be_bytes());
    let error = read(&bytes, PictureFormat::Png, VisionBudget::DEFAULT).expect_err("too large");
    let size = PictureSize {
        width: 60_000,
        height: 60_000,
    };
    assert_eq!(error, PictureError::TooManyPixels(size));
}

#[test]
fn rejects_file_truncated_anywhere() {
    for format in [ImageFormat::Png, ImageFormat::Jpeg] {
        let bytes = encode_image(&drawn_picture(48, 32), format);
        for end in 8..bytes.len() {
            let cut = &bytes[..end];
            let format = PictureFormat::detect(cut).expect("a picture");
            assert!(
                read(cut, format, VisionBudget::DEFAULT).is_err(),
                "{format:?} cut at {end}"
            );
        }
    }
}

/// Returns the bytes of a JPEG's only scan, without the header of the scan and the marker after it.
fn jpeg_scan_range(bytes: &[u8]) -> std::ops::Range<usize> {
    let header = bytes.windows(2).position(|part| part == [0xFF, 0xDA]);
    let header = header.expect("a scan");
    let length = u16::from_be_bytes([bytes[header + 2], bytes[header + 3]]);
    header + 2 + usize::from(length)..bytes.len() - 2
}

#[test]
fn never_sends_jpeg_with_truncated_scan_unchanged() {
    let bytes = encode_image(&noise_picture(120, 90), ImageFormat::Jpeg);
    assert_eq!(read_picture(&bytes).bytes.as_slice(), bytes);
    let scan = jpeg_scan_range(&bytes);
    for end in scan.clone() {
        let cut = [&bytes[..end], &[0xFF, 0xD9]].concat();
        let read = read(&cut, PictureFormat::Jpeg, VisionBudget::DEFAULT);
        // The last byte may be only padding.
        let is_filling = end + 1 == scan.end;
        assert!(read.is_err() || is_filling, "the scan ends at {end}");
    }
}

#[test]
fn reencodes_jpeg_with_broken_scan() {
    let bytes = encode_image(&noise_picture(120, 90), ImageFormat::Jpeg);
    let scan = jpeg_scan_range(&bytes);
    let middle = scan.start + scan.len() / 2;
    let mut taken_out = bytes.clone();
    taken_out.drain(middle..middle + 40);
    let more = [&bytes[..middle], &bytes[middle - 200..]].concat();
    let mut zeros = bytes.clone();
    zeros[middle..middle + 60].fill(0);
    for broken in [taken_out, more, zeros] {
        match read(&broken, PictureFormat::Jpeg, VisionBudget::DEFAULT) {
            Ok(picture) => {
                assert!(*picture.bytes != broken);
                assert_is_safe(&picture);
            }
            Err(error) => assert!(matches!(error, PictureError::Damaged(_)), "{error}"),
        }
    }
}

#[test]
fn reads_scans_of_grey_pictures_and_odd_sizes_completely() {
    for (width, height) in [(1, 1), (7, 9), (8, 8), (17, 16), (65, 33)] {
        let photograph = noise_picture(width, height);
        let grey = DynamicImage::ImageLuma8(photograph.to_luma8());
        for image in [photograph, grey] {
            let bytes = encode_image(&image, ImageFormat::Jpeg);
            assert_eq!(
                jpeg_scan::check_scans(&bytes),
                ScanCheck::Whole,
                "{width}x{height}"
            );
        }
    }
}

#[test]
fn counts_frames() {
    let mut bytes = Vec::new();
    {
        let mut encoder = image::codecs::gif::GifEncoder::new(&mut bytes);
        for _ in 0..3 {
            let frame = image::Frame::new(drawn_picture(10, 10).to_rgba8());
            encoder.encode_frame(frame).expect("a frame");
        }
    }
    assert_eq!(read_picture(&bytes).frames, 3);
}

proptest! {
    #![proptest_config(laws::costly())]

    /// However a file was damaged, what is sent for it is a picture within the limits.
    #[test]
    fn never_sends_damaged_picture(
        format in 0_usize..6,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12),
        end in any::<prop::sample::Index>(),
        cut in prop::bool::weighted(0.2),
    ) {
        let format = [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::WebP, ImageFormat::Bmp, ImageFormat::Tiff][format];
        let mut bytes = encode_image(&drawn_picture(12, 9), format);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if cut {
            bytes.truncate(end.index(bytes.len()));
        }
        if let Some(format) = PictureFormat::detect(&bytes)
            && let Ok(picture) = read(&bytes, format, VisionBudget::DEFAULT)
        {
            assert_is_safe(&picture);
        }
    }
}

/// A decoder converts CMYK to RGB without reporting it; the file's own bytes would still be CMYK.
#[test]
fn cmyk_jpeg_is_not_plain() {
    let mut bytes = encode_image(&noise_picture(16, 16), ImageFormat::Jpeg);
    assert!(
        container::parse_container(&bytes, PictureFormat::Jpeg)
            .expect("whole")
            .is_plain
    );
    let frame = bytes
        .windows(2)
        .position(|part| part == [0xFF, 0xC0])
        .expect("a frame");
    bytes[frame + 9] = 4;
    assert!(
        !container::parse_container(&bytes, PictureFormat::Jpeg)
            .expect("whole")
            .is_plain
    );
}

#[test]
fn converts_jpeg_to_png_of_same_size() {
    let jpeg = encode_image(&noise_picture(80, 60), ImageFormat::Jpeg);
    let png = as_png(&jpeg).expect("it is whole");
    assert_eq!(PictureFormat::detect(&png), Some(PictureFormat::Png));
    let (width, height) = (80, 60);
    assert_eq!(
        size(&png, PictureFormat::Png),
        Ok(PictureSize { width, height })
    );
    assert_eq!(as_png(&png).expect("it is whole"), png);
    assert!(as_png(&jpeg[..jpeg.len() / 2]).is_err() && as_png(b"text").is_err());
}
