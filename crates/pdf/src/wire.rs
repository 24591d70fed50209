//! The messages between lancet and its worker. Both are the same build, so the format has no version; still no length
//! is trusted, because the worker reads untrusted files.

use std::io::{self, Read, Write};
use std::sync::Arc;

use lancet_formats::pdf::{MAX_PDF_BYTES, PageForm, PdfError, PdfPage, PdfRequest};
use lancet_formats::picture::{
    MAX_SENT_BYTES, Picture, PictureFormat, PictureSize, SentFormat, VisionBudget, size,
};

/// The maximum size of a page's text that the worker writes, in bytes; half a million glyphs take less, and longer text
/// is cut. The reader limits only the whole message.
const MAX_TEXT_BYTES: usize = 8 << 20;

/// The size reserved for the other fields of a page.
const PAGE_HEAD_SIZE: usize = 64;

/// A message from the worker to lancet.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum WorkerMessage {
    /// The number of pages; the first message of a document that can be read.
    Total(u32),
    /// A page.
    Page(PdfPage),
    /// The document cannot be read.
    Failed(PdfError),
    /// All requested pages have been sent.
    End,
}

fn malformed_error() -> io::Error {
    io::ErrorKind::InvalidData.into()
}

/// Writes a request; the document follows.
pub(crate) fn write_request(to: &mut impl Write, request: &PdfRequest) -> io::Result<()> {
    let form = match request.form {
        PageForm::Auto => 0,
        PageForm::Text => 1,
        PageForm::Picture => 2,
        PageForm::Both => 3,
    };
    let VisionBudget {
        longest,
        patch,
        patches,
    } = request.budget;
    for number in [request.first, request.count, form, longest, patch, patches] {
        to.write_all(&number.to_le_bytes())?;
    }
    Ok(())
}

/// Reads a request and the document after it.
pub(crate) fn read_request(from: &mut impl Read) -> io::Result<(PdfRequest, Vec<u8>)> {
    let mut numbers = [0; 6];
    for number in &mut numbers {
        *number = read_number(from)?;
    }
    let [first, count, form, longest, patch, patches] = numbers;
    let form = match form {
        0 => PageForm::Auto,
        1 => PageForm::Text,
        2 => PageForm::Picture,
        3 => PageForm::Both,
        _ => return Err(malformed_error()),
    };
    if patch == 0 {
        return Err(malformed_error());
    }
    let mut pdf = Vec::new();
    from.take(MAX_PDF_BYTES + 1).read_to_end(&mut pdf)?;
    if pdf.len() as u64 > MAX_PDF_BYTES {
        return Err(malformed_error());
    }
    let budget = VisionBudget {
        longest,
        patch,
        patches,
    };
    let request = PdfRequest {
        first,
        count,
        form,
        budget,
    };
    Ok((request, pdf))
}

fn read_number(from: &mut impl Read) -> io::Result<u32> {
    let mut bytes = [0; 4];
    from.read_exact(&mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

/// Writes a message: its kind, its length, and its content.
pub(crate) fn write_message(to: &mut impl Write, message: &WorkerMessage) -> io::Result<()> {
    let mut said = Vec::new();
    let kind = match message {
        WorkerMessage::Total(total) => {
            said.extend(total.to_le_bytes());
            0
        }
        WorkerMessage::Page(page) => {
            push_page(&mut said, page);
            1
        }
        WorkerMessage::Failed(error) => {
            said.push(match error {
                PdfError::Password => 0,
                PdfError::Encryption => 1,
                PdfError::NoPages => 2,
                _ => 3,
            });
            2
        }
        WorkerMessage::End => 3,
    };
    let length = u32::try_from(said.len()).map_err(|_| malformed_error())?;
    to.write_all(&[kind])?;
    to.write_all(&length.to_le_bytes())?;
    to.write_all(&said)?;
    to.flush()
}

fn push_page(said: &mut Vec<u8>, page: &PdfPage) {
    said.extend(page.number.to_le_bytes());
    said.push(u8::from(page.text.is_some()));
    let text = page.text.as_deref().unwrap_or_default();
    let end = text.floor_char_boundary(MAX_TEXT_BYTES);
    said.extend(u32::try_from(end).unwrap_or(0).to_le_bytes());
    said.extend(&text.as_bytes()[..end]);
    if let Some(picture) = &page.picture {
        said.push(u8::from(picture.format == SentFormat::Jpeg));
        said.extend(&*picture.bytes);
    }
}

/// Removes the next message from the beginning of the received bytes; returns none if it is not complete yet.
pub(crate) fn pop_message(received: &mut Vec<u8>) -> io::Result<Option<WorkerMessage>> {
    let Some((&[kind, a, b, c, d], rest)) = received.split_first_chunk() else {
        return Ok(None);
    };
    let length = u32::from_le_bytes([a, b, c, d]) as usize;
    if length > MAX_TEXT_BYTES + MAX_SENT_BYTES + PAGE_HEAD_SIZE {
        return Err(malformed_error());
    }
    let Some(said) = rest.get(..length) else {
        return Ok(None);
    };
    let message = read_message(kind, said).ok_or_else(malformed_error)?;
    received.drain(..5 + length);
    Ok(Some(message))
}

fn read_message(kind: u8, mut said: &[u8]) -> Option<WorkerMessage> {
    let from = &mut said;
    Some(match kind {
        0 => WorkerMessage::Total(read_number(from).ok()?),
        1 => WorkerMessage::Page(read_page(from)?),
        2 => WorkerMessage::Failed(match from.first()? {
            0 => PdfError::Password,
            1 => PdfError::Encryption,
            2 => PdfError::NoPages,
            _ => PdfError::Damaged,
        }),
        3 => WorkerMessage::End,
        _ => return None,
    })
}

fn read_page(from: &mut &[u8]) -> Option<PdfPage> {
    let number = read_number(from).ok()?;
    let (has_text, rest) = from.split_first()?;
    *from = rest;
    let length = read_number(from).ok()? as usize;
    let (text, picture) = from.split_at_checked(length)?;
    let text = std::str::from_utf8(text).ok()?;
    Some(PdfPage {
        number,
        text: (*has_text == 1).then(|| text.to_owned()),
        picture: match picture.split_first() {
            None => None,
            Some((format, bytes)) => Some(read_picture(*format, bytes)?),
        },
    })
}

/// Reads the picture of a page. None means that the whole message is malformed: the bytes are too many or not a
/// picture, or a side is longer than any that is sent.
fn read_picture(format: u8, bytes: &[u8]) -> Option<Picture> {
    let (format, original_format) = match format {
        0 => (SentFormat::Png, PictureFormat::Png),
        _ => (SentFormat::Jpeg, PictureFormat::Jpeg),
    };
    let stated: PictureSize = size(bytes, original_format).ok()?;
    (bytes.len() <= MAX_SENT_BYTES && stated.longer_side() < 2_000).then(|| Picture {
        original_format,
        original: stated,
        frames: 1,
        format,
        sent: stated,
        bytes: Arc::new(bytes.to_vec()),
    })
}

#[cfg(test)]
mod tests {
    use lancet_formats::picture::encode_pixels;

    use super::*;

    fn assert_round_trip(message: WorkerMessage) {
        let mut bytes = Vec::new();
        write_message(&mut bytes, &message).expect("written");
        write_message(&mut bytes, &WorkerMessage::End).expect("written");
        for end in 0..bytes.len() - 5 {
            let mut part = bytes[..end].to_vec();
            assert_eq!(pop_message(&mut part).expect("no fault"), None);
        }
        assert_eq!(pop_message(&mut bytes).expect("whole"), Some(message));
        assert_eq!(
            pop_message(&mut bytes).expect("whole"),
            Some(WorkerMessage::End)
        );
        assert!(bytes.is_empty());
    }

    #[test]
    fn messages_round_trip() {
        let size = PictureSize {
            width: 3,
            height: 2,
        };
        let picture = encode_pixels(size, vec![7; 18], VisionBudget::DEFAULT).expect("a picture");
        assert_round_trip(WorkerMessage::Total(70_000));
        assert_round_trip(WorkerMessage::Failed(PdfError::Password));
        for (text, picture) in [
            (Some("é\nb".to_owned()), Some(picture.clone())),
            (Some(String::new()), None),
            (None, Some(picture)),
            (None, None),
        ] {
            assert_round_trip(WorkerMessage::Page(PdfPage {
                number: 3,
                text,
                picture,
            }));
        }
    }

    #[test]
    fn request_round_trips() {
        for form in [
            PageForm::Auto,
            PageForm::Text,
            PageForm::Picture,
            PageForm::Both,
        ] {
            let request = PdfRequest {
                first: 4,
                count: 5,
                form,
                budget: VisionBudget::GEMINI,
            };
            let mut bytes = Vec::new();
            write_request(&mut bytes, &request).expect("written");
            bytes.extend(b"%PDF-");
            let read = read_request(&mut bytes.as_slice()).expect("whole");
            assert_eq!(read, (request, b"%PDF-".to_vec()));
        }
    }

    #[test]
    fn rejects_invalid_lengths() {
        for wrong in [
            &[1, 255, 255, 255, 255][..],
            &[9, 0, 0, 0, 0],
            &[0, 1, 0, 0, 0, 1],
            &[1, 9, 0, 0, 0, 1, 0, 0, 0, 1, 255, 0, 0, 0],
            &[1, 11, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1],
        ] {
            assert!(pop_message(&mut wrong.to_vec()).is_err(), "{wrong:?}");
        }
    }
}
