//! The answer to a Read: numbered lines, notices around them, and the page's place in the file for programs.

use crate::outcome::{Outcome, PictureOutcome, ReadKind, ReadOutcome};
use crate::reply::{Block, Reply};
use crate::stages::examine::read::picture::PlacedPicture;
use crate::stages::examine::read::{AnswerKind, Page};
use crate::wording::{format_count, quote_path};
use lancet_model::non_exhaustive::NonExhaustive;

/// Returns the text with its pictures at their positions.
fn text_with_pictures(mut text: String, pictures: Vec<PlacedPicture>) -> Vec<Block> {
    let mut blocks = Vec::new();
    // In reverse, so that the positions of earlier pictures remain valid.
    for PlacedPicture { at, picture } in pictures.into_iter().rev() {
        let after = text.split_off(at.min(text.len()));
        blocks.extend((!after.trim().is_empty()).then_some(Block::Text(after)));
        blocks.push(Block::Picture {
            media_type: picture.format.media_type(),
            bytes: picture.bytes,
        });
    }
    blocks.extend((!text.trim().is_empty() || blocks.is_empty()).then_some(Block::Text(text)));
    blocks.reverse();
    blocks
}

/// Returns the answer to a Read.
pub(crate) fn page_reply(page: Page) -> Reply {
    let mut text = page.text;
    for notice in &page.notices {
        text.push_str(&format!("[lancet: {notice}]\n"));
    }
    text.truncate(text.trim_end_matches('\n').len());
    let relative = quote_path(page.target.located.relative());
    let person = match page.lines {
        0 if page.shape == AnswerKind::Picture => format!("read {relative}: a picture"),
        0 if page.shape == AnswerKind::Outline => format!("read {relative}: its outline"),
        0 => format!("read {relative}: nothing to show"),
        lines => format!(
            "read {relative}: {} of {}",
            format_count(lines, page.unit),
            page.total
        ),
    };
    let outcome = ReadOutcome {
        kind: match page.shape {
            AnswerKind::Text => ReadKind::Text,
            AnswerKind::Notebook => ReadKind::Notebook,
            AnswerKind::Picture => ReadKind::Image,
            AnswerKind::Pdf => ReadKind::Pdf,
            AnswerKind::Converted => ReadKind::Converted,
            AnswerKind::Outline => ReadKind::Outline,
            AnswerKind::Unchanged => ReadKind::Unchanged,
        },
        path: page.target.path().to_path_buf(),
        start_line: page.start,
        num_lines: page.lines,
        total_lines: page.total,
        encoding: page.encoding,
        line_endings: page.endings,
        truncated: page.truncated,
        revision: page.revision,
        symbols: page.symbols,
        picture: page
            .pictures
            .first()
            .filter(|_| page.shape == AnswerKind::Picture)
            .map(|placed| PictureOutcome {
                format: placed.picture.original_format.name(),
                width: placed.picture.original.width,
                height: placed.picture.original.height,
                non_exhaustive: NonExhaustive,
            }),
        non_exhaustive: NonExhaustive,
    };
    let blocks = text_with_pictures(text, page.pictures);
    Reply::from_blocks(blocks, Outcome::Read(outcome), person)
}
