//! Properties of any bytes as a picture: they are refused, or the picture sent for them is small enough and has the
//! reported size.

use lancet_formats::picture::{MAX_SENT_BYTES, PictureFormat, VisionBudget, read, size};

pub(crate) fn check(data: &[u8]) {
    let Some(format) = PictureFormat::detect(data) else {
        return;
    };
    let _ = size(data, format);
    let Ok(picture) = read(data, format, VisionBudget::DEFAULT) else {
        return;
    };
    assert!(picture.bytes.len() <= MAX_SENT_BYTES);
    assert!(picture.sent.longer_side() <= VisionBudget::DEFAULT.longest);
    let sent = PictureFormat::detect(&picture.bytes).expect("a picture");
    assert_eq!(size(&picture.bytes, sent), Ok(picture.sent));
}
