//! Reads a notebook: the answer shows its cells instead of the lines of its JSON. A page counts cells where a page of
//! text counts lines.

use lancet_formats::Notebook;
use lancet_formats::notebook::{Base64, Cell, NotebookError, Output};
use lancet_formats::picture::{self, MAX_FILE_BYTES, Picture, PictureFormat, VisionBudget};
use lancet_history::SeenRanges;
use lancet_text::Document;

use super::picture::{PlacedPicture, describe_picture};
use super::wanted::WantedRange;
use crate::ledger::raw_range;
use crate::stages::context::CallContext;
use crate::wording::{format_count, format_size};

/// The longest text of one output that is shown, in characters.
const MAX_OUTPUT_LENGTH: usize = 2_000;

/// The most parts of a cell's outputs that are shown.
const MAX_OUTPUTS: usize = 50;

/// The most bytes of all pictures of an answer.
const MAX_PICTURE_BYTES: usize = 8 << 20;

/// The most pictures of an answer: some APIs refuse large pictures in a request with more than twenty.
const MAX_PICTURES: usize = 20;

/// The length that is reserved for the tags of a cell and the text about what was cut.
const TAGS_LENGTH: usize = 400;

/// The cells of a page.
pub(super) struct CellPage {
    pub(super) text: String,
    /// The pictures among the outputs.
    pub(super) pictures: Vec<PlacedPicture>,
    pub(super) cells: usize,
    pub(super) total: usize,
    pub(super) truncated: bool,
    /// The bytes of the cells whose source is shown whole.
    pub(super) seen: SeenRanges,
    /// Whether NotebookEdit can change the notebook.
    pub(super) is_editable: bool,
}

/// Lays out the cells that a call requests, as many as fit.
pub(super) fn lay_out_cells(
    context: &CallContext<'_>,
    document: &Document<'_>,
    wanted: WantedRange,
    budget: usize,
) -> Result<CellPage, NotebookError> {
    let notebook = Notebook::parse(document.view())?;
    let mut page = CellPage {
        text: String::new(),
        pictures: Vec::new(),
        cells: 0,
        total: notebook.cells().len(),
        truncated: false,
        seen: SeenRanges::default(),
        is_editable: notebook.is_editable(),
    };
    let mut left = budget;
    let mut pictures = PictureAllowance::new(context);
    let asked = notebook
        .cells()
        .iter()
        .enumerate()
        .skip(wanted.first)
        .take(wanted.most);
    for (number, cell) in asked {
        let mut charged = pictures;
        let mut laid = lay_out_cell(context, number, cell, None, &mut charged);
        if context.length(&laid.text) > left {
            page.truncated = true;
            if page.cells > 0 {
                break;
            }
            // The first cell of a page is cut until it fits, so that every call shows something.
            charged = pictures;
            let room = left.saturating_sub(TAGS_LENGTH);
            laid = lay_out_cell(context, number, cell, Some(room), &mut charged);
        }
        pictures = charged;
        left = left.saturating_sub(context.length(&laid.text));
        let before = page.text.len();
        page.text.push_str(&laid.text);
        page.pictures
            .extend(laid.pictures.into_iter().map(|placed| PlacedPicture {
                at: before + placed.at,
                ..placed
            }));
        page.cells += 1;
        if laid.is_whole {
            page.seen.add(raw_range(document, cell.range()));
        }
    }
    Ok(page)
}

/// A cell laid out for the answer.
struct LaidOutCell {
    text: String,
    pictures: Vec<PlacedPicture>,
    /// Whether the whole source is shown.
    is_whole: bool,
}

/// How many more pictures an answer may contain.
#[derive(Clone, Copy)]
struct PictureAllowance {
    /// The limits of one picture; none where no picture is sent.
    budget: Option<VisionBudget>,
    bytes: usize,
    count: usize,
}

impl PictureAllowance {
    fn new(context: &CallContext<'_>) -> Self {
        Self {
            budget: context.vision_budget(),
            bytes: MAX_PICTURE_BYTES,
            count: MAX_PICTURES,
        }
    }

    /// Decodes the picture of an output and charges it; none if it is damaged, or if it does not fit into the answer.
    fn take_picture(&mut self, base64: &Base64<'_>) -> Option<Picture> {
        let budget = self.budget?;
        if self.count == 0 || base64.length() as u64 > MAX_FILE_BYTES {
            return None;
        }
        let bytes = base64.bytes()?;
        let picture = picture::read(&bytes, PictureFormat::detect(&bytes)?, budget).ok()?;
        self.bytes = self.bytes.checked_sub(picture.bytes.len())?;
        self.count -= 1;
        Some(picture)
    }
}

/// Lays out a cell, cut to `room` if that is given. Where the source does not fit, outputs are left out.
fn lay_out_cell(
    context: &CallContext<'_>,
    number: usize,
    cell: &Cell<'_>,
    room: Option<usize>,
    allowance: &mut PictureAllowance,
) -> LaidOutCell {
    let mut pictures = Vec::new();
    let source = cell.source();
    let id = cell
        .id()
        .map_or_else(String::new, |id| format!(" id={id:?}"));
    let executed = cell
        .execution_count()
        .map_or_else(String::new, |times| format!(" execution_count=\"{times}\""));
    let kind = cell.cell_type().name();
    let mut text = format!("<cell number=\"{number}\"{id} type=\"{kind}\"{executed}>\n");
    let end = room.map_or(source.len(), |room| {
        context.limit.measure.prefix_length(&source, room)
    });
    push_line(&mut text, &source[..end]);
    let is_whole = end == source.len();
    if is_whole {
        let outputs = cell.outputs();
        let mut shown = 0;
        for output in outputs.iter().take(MAX_OUTPUTS) {
            let (length, mut charged) = (text.len(), *allowance);
            let picture = push_output(&mut text, output, &mut charged);
            if room.is_some_and(|room| context.length(&text) > room) {
                text.truncate(length);
                break;
            }
            *allowance = charged;
            pictures.extend(picture);
            shown += 1;
        }
        let left = outputs.len() - shown;
        if left > 0 {
            text.push_str(&format!(
                "[lancet: {} more not shown]\n",
                format_count(left, "output")
            ));
        }
    } else {
        let left = source[end..].chars().count();
        text.push_str(&format!(
            "[lancet: {} of this cell not shown]\n",
            format_count(left, "character")
        ));
    }
    text.push_str("</cell>\n");
    LaidOutCell {
        text,
        pictures,
        is_whole,
    }
}

/// Adds an output to the text of its cell, and returns its picture if it is one.
fn push_output(
    text: &mut String,
    output: &Output<'_>,
    allowance: &mut PictureAllowance,
) -> Option<PlacedPicture> {
    match output {
        Output::Text { name, text: shown } => {
            text.push_str(&format!("<output name={name:?}>\n"));
            let end = shown
                .char_indices()
                .nth(MAX_OUTPUT_LENGTH)
                .map_or(shown.len(), |(at, _)| at);
            push_line(text, &shown[..end]);
            if end < shown.len() {
                let left = shown[end..].chars().count();
                text.push_str(&format!(
                    "[lancet: {} not shown]\n",
                    format_count(left, "character")
                ));
            }
            text.push_str("</output>\n");
        }
        Output::Picture { media_type, base64 } => {
            if let Some(picture) = allowance.take_picture(base64) {
                text.push_str(&format!("[lancet: {}]\n", describe_picture(&picture)));
                let at = text.len();
                return Some(PlacedPicture { at, picture });
            }
            // Three bytes take four characters of base64.
            let size = format_size(base64.length() as u64 / 4 * 3);
            text.push_str(&format!(
                "[lancet: picture, {media_type}, about {size}, not shown]\n"
            ));
        }
        Output::Data { media_type, length } => {
            let size = format_size(*length as u64);
            text.push_str(&format!("[lancet: {media_type}, {size}, not shown]\n"));
        }
        _ => {}
    }
    None
}

/// Adds a text and ends its last line.
fn push_line(text: &mut String, added: &str) {
    text.push_str(added);
    if !added.is_empty() && !added.ends_with('\n') {
        text.push('\n');
    }
}
