//! Reads a picture: fitted to what the model's API accepts, or a sentence where pictures are disabled.

use lancet_formats::picture::{self, MAX_FILE_BYTES, Picture, PictureError, PictureFormat};
use lancet_history::SeenRanges;
use lancet_text::Endings;
use lancet_workspace::Snapshot;

use super::layout::LaidOutPage;
use super::page::{AnswerKind, PageContent};
use crate::limit::Pictures;
use crate::message::{Say, message, verbatim};
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::context::CallContext;
use crate::stages::locate::Target;
use crate::stages::open::unreadable_refusal;
use crate::wording::{format_size, quote_path};

/// A picture and its position in the text of an answer.
pub(crate) struct PlacedPicture {
    /// The length of the text before it.
    pub(crate) at: usize,
    pub(crate) picture: Picture,
}

/// Returns whether a large file is a picture that is small enough to be decoded; an error where it is a larger one.
pub(super) fn is_decodable(target: &Target, file_size: u64) -> Result<bool, Refusal> {
    let (head, _) = target
        .located
        .read_at(0, 16)
        .map_err(|error| unreadable_refusal(target, &error))?;
    let Some(format) = PictureFormat::detect(&head) else {
        return Ok(false);
    };
    // Text may begin with these two letters (`BM`), and a large picture is seldom a BMP.
    if format == PictureFormat::Bmp || file_size <= MAX_FILE_BYTES {
        return Ok(file_size <= MAX_FILE_BYTES && format != PictureFormat::Bmp);
    }
    let text = message!(
        "{} is a {} picture of {}; pictures of up to {} are shown. Make a smaller copy with another program.",
        &target.given,
        verbatim(format.name()),
        verbatim(format_size(file_size)),
        verbatim(format_size(MAX_FILE_BYTES))
    );
    Err(refusal(target, RefusalKind::TooLarge, text))
}

/// Returns the picture that the file contains, for the answer; none where the file is not a picture.
pub(super) fn read_picture(
    context: &CallContext<'_>,
    target: &Target,
    base: &Snapshot,
) -> Option<Result<PageContent, Refusal>> {
    let format = PictureFormat::detect(&base.bytes)?;
    Some(picture_content(context, target, base, format))
}

fn picture_content(
    context: &CallContext<'_>,
    target: &Target,
    base: &Snapshot,
    format: PictureFormat,
) -> Result<PageContent, Refusal> {
    let (words, pictures) = match context.vision_budget() {
        Some(budget) => {
            let picture = picture::read(&base.bytes, format, budget)
                .map_err(|error| not_shown_refusal(target, format, &error))?;
            (
                describe_picture(&picture),
                vec![PlacedPicture { at: 0, picture }],
            )
        }
        None => {
            let stated = picture::size(&base.bytes, format)
                .map_err(|error| not_shown_refusal(target, format, &error))?;
            let why = match context.caller.handed_on.pictures {
                Pictures::Seen => "read.images is \"off\"",
                _ => "this client does not hand pictures on to its model",
            };
            let words = format!(
                "{} picture, {}x{} px, {}; not shown, because {why}",
                format.name(),
                stated.width,
                stated.height,
                format_size(base.bytes.len() as u64)
            );
            (words, Vec::new())
        }
    };
    Ok(PageContent {
        shape: AnswerKind::Picture,
        notice: None,
        words: Some(words),
        pictures,
        symbols: Vec::new(),
        layout: LaidOutPage {
            seen: SeenRanges::all_seen(base.bytes.len() as u64),
            ..LaidOutPage::default()
        },
        total: 0,
        encoding: "binary",
        endings: Endings::None,
        revision: base.revision,
        stamp: base.stamp,
        content: None,
    })
}

/// Describes a picture that is sent, for the answer.
pub(super) fn describe_picture(picture: &Picture) -> String {
    let mut words = format!(
        "{} picture, {}x{} px",
        picture.original_format.name(),
        picture.original.width,
        picture.original.height
    );
    if picture.frames > 1 {
        words.push_str(&format!(", the first of {} frames", picture.frames));
    }
    if picture.sent != picture.original {
        words.push_str(&format!(
            ", sent as {}x{} px: multiply coordinates in it by {:.3}",
            picture.sent.width,
            picture.sent.height,
            picture.scale_factor()
        ));
    }
    words
}

/// Returns the refusal for a picture that cannot be shown.
fn not_shown_refusal(target: &Target, format: PictureFormat, error: &PictureError) -> Refusal {
    let (kind, next) = match error {
        PictureError::TooManyPixels(_) => (
            RefusalKind::TooLarge,
            "Make a smaller copy with another program.",
        ),
        _ => (
            RefusalKind::Damaged,
            "Get a whole copy of it; no other tool of lancet can read it either.",
        ),
    };
    let text = message!(
        "{} is a {} picture, but {}. {}",
        &target.given,
        verbatim(format.name()),
        verbatim(error),
        next
    );
    refusal(target, kind, text)
}

fn refusal(target: &Target, kind: RefusalKind, text: impl Say) -> Refusal {
    Refusal::from_message(kind, text).with_field("file_path", quote_path(target.path()))
}
