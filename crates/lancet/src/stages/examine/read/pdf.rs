//! Reads a PDF: its pages as text, as pictures or as both, through the reader that the host provided. A page of the
//! answer counts PDF pages where a page of text counts lines.

use std::ffi::OsStr;

use lancet_formats::pdf::{
    MAX_PDF_BYTES, PageForm, PdfError, PdfPage, PdfPages, PdfRequest, has_end, has_header,
};
use lancet_formats::picture::VisionBudget;
use lancet_history::{ReadRange, SeenRanges};
use lancet_text::{Endings, hidden_runs};
use lancet_workspace::Snapshot;

use super::layout::LaidOutPage;
use super::notice::budget_for_lines;
use super::page::{AnswerKind, PageContent};
use super::picture::PlacedPicture;
use super::wanted::WantedRange;
use crate::arguments::ReadArguments;
use crate::message::{Say, message, verbatim};
use crate::page_range::PageRange;
use crate::refusal::{Refusal, RefusalKind};
use crate::settings::PdfForm;
use crate::stages::context::CallContext;
use crate::stages::locate::Target;
use crate::stages::open::unreadable_refusal;
use crate::wording::{format_count, format_size, quote_path};

/// The number of pages for a call that names none.
const DEFAULT_PAGE_COUNT: u32 = 10;

/// The most bytes of all pictures of an answer.
const MAX_PICTURE_BYTES: usize = 8 << 20;

/// How many bytes at the beginning of a file are searched for the header.
const HEAD_SIZE: usize = 1_100;

/// The length that is reserved for the tags of a page and the text about what was cut.
const TAGS_LENGTH: usize = 400;

/// Converts the pages that a call requests to a range, as a page of text has lines.
pub(super) fn wanted_pages(range: PageRange) -> WantedRange {
    let count = range.count();
    WantedRange {
        first: range.first as usize - 1,
        most: count as usize,
        column: None,
        asked: ReadRange {
            offset: u64::from(range.first),
            limit: u64::from(count),
            column: 0,
        },
    }
}

/// Returns whether a large file has the header of a PDF and may be read; an error where it is too large.
pub(super) fn is_readable(target: &Target, file_size: u64) -> Result<bool, Refusal> {
    let (head, _) = target
        .located
        .read_at(0, HEAD_SIZE)
        .map_err(|error| unreadable_refusal(target, &error))?;
    // Text may quote the header; a large file that begins with it is not text.
    if !head.starts_with(b"%PDF-") || file_size <= MAX_PDF_BYTES {
        return Ok(head.starts_with(b"%PDF-"));
    }
    let text = message!(
        "{} is a PDF of {}; PDFs of up to {} are shown. Split it with another program.",
        &target.given,
        verbatim(format_size(file_size)),
        verbatim(format_size(MAX_PDF_BYTES))
    );
    Err(refusal(target, RefusalKind::TooLarge, text))
}

/// Returns whether a file is a PDF: it has the header, and where it could be text as well, also the end or the file
/// name of a PDF. A PDF that was cut off may be valid text, and shown as such it would not be recognised as damaged.
pub(super) fn is_pdf(target: &Target, bytes: &[u8], is_text: bool) -> bool {
    let is_named = target
        .path()
        .extension()
        .and_then(OsStr::to_str)
        .is_some_and(|extension| extension.eq_ignore_ascii_case("pdf"));
    match is_text {
        true => bytes.starts_with(b"%PDF-") && (is_named || has_end(bytes)),
        false => has_header(bytes),
    }
}

/// Returns the refusal for a file that is not a PDF although its pages are requested.
pub(super) fn no_pages_refusal(target: &Target) -> Refusal {
    let text = message!(
        "{} is no PDF, and only PDFs have pages. Leave pages out; offset and limit choose the lines of a text.",
        &target.given
    );
    refusal(target, RefusalKind::Invalid, text)
}

/// Returns the pages of a document for the answer.
pub(super) fn read_pdf(
    context: &CallContext<'_>,
    target: &Target,
    base: &Snapshot,
    arguments: &ReadArguments,
    wanted: WantedRange,
) -> Result<PageContent, Refusal> {
    let Some(reader) = context.engine().pdf_reader() else {
        let text = message!(
            "{} is a PDF of {}, and this program has no reader of PDFs. Use a program made for PDFs, such as pdftotext.",
            &target.given,
            verbatim(format_size(base.bytes.len() as u64))
        );
        return Err(refusal(target, RefusalKind::Binary, text).with_field("kind", "PDF document"));
    };
    let is_unasked = arguments.pages.is_none() && arguments.limit.is_none();
    let request = build_request(context, wanted, is_unasked);
    let is_stopped = || context.cancel.stopped().is_some();
    let read = reader.read(&base.bytes, &request, &is_stopped);
    context.check_time()?;
    let pages = read.map_err(|error| not_shown_refusal(target, request.first, &error))?;
    if pages.pages.is_empty() {
        let text = message!(
            "{} has {}; there is no page {}. Ask for one of them.",
            &target.given,
            verbatim(format_count(pages.total as usize, "page")),
            request.first
        );
        return Err(refusal(target, RefusalKind::Invalid, text));
    }
    let laid = lay_out_pages(context, target, &pages, wanted);
    let further = requested_page_count(arguments) - 1;
    let asked = match requests_all_pages(arguments) {
        true => pages.total,
        false => pages.total.min(request.first.saturating_add(further)),
    };
    let last = request.first as usize + laid.pages - 1;
    Ok(PageContent {
        shape: AnswerKind::Pdf,
        notice: laid.notice,
        words: None,
        pictures: laid.pictures,
        symbols: Vec::new(),
        layout: LaidOutPage {
            text: laid.text,
            lines: laid.pages,
            truncated: last < asked as usize,
            // A page does not consist of the file's bytes, so none of them were seen.
            seen: SeenRanges::default(),
            ..LaidOutPage::default()
        },
        total: pages.total as usize,
        encoding: "binary",
        endings: Endings::None,
        revision: base.revision,
        stamp: base.stamp,
        content: None,
    })
}

/// Returns whether a call requests all pages from the first one on.
fn requests_all_pages(arguments: &ReadArguments) -> bool {
    match arguments.pages.as_deref().and_then(PageRange::parse) {
        Some(range) => range.last.is_none(),
        None => arguments.limit.is_none() && arguments.column.is_none(),
    }
}

/// Returns how many pages a call requests, which may be more than one call returns.
fn requested_page_count(arguments: &ReadArguments) -> u32 {
    let range = arguments.pages.as_deref().and_then(PageRange::parse);
    let pages = match range {
        Some(range) => range.last.map_or(1, |last| last - range.first + 1),
        None => u32::try_from(arguments.limit.unwrap_or(1)).unwrap_or(u32::MAX),
    };
    pages.max(1)
}

/// Builds the request to the reader.
#[warn(clippy::wildcard_enum_match_arm, reason = "names every known variant")]
fn build_request(context: &CallContext<'_>, wanted: WantedRange, is_unasked: bool) -> PdfRequest {
    let settings = &context.engine().settings.read;
    let images = context.vision_budget();
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let count = match (wanted.column, is_unasked) {
        (Some(_), _) => 1,
        (None, true) => DEFAULT_PAGE_COUNT,
        (None, false) => number(wanted.most),
    };
    let form = match settings.pdf {
        _ if images.is_none() || wanted.column.is_some() => PageForm::Text,
        PdfForm::Text => PageForm::Text,
        PdfForm::Pictures => PageForm::Picture,
        PdfForm::Auto if count == 1 => PageForm::Both,
        PdfForm::Auto => PageForm::Auto,
        _ => PageForm::Auto,
    };
    PdfRequest {
        first: number(wanted.first.saturating_add(1)),
        count,
        form,
        budget: images.unwrap_or(VisionBudget::DEFAULT),
    }
}

/// Pages laid out for the answer.
#[derive(Default)]
struct LaidOutPages {
    text: String,
    pictures: Vec<PlacedPicture>,
    pages: usize,
    notice: Option<String>,
}

/// Lays out pages, as many as fit.
fn lay_out_pages(
    context: &CallContext<'_>,
    target: &Target,
    read: &PdfPages,
    wanted: WantedRange,
) -> LaidOutPages {
    // The first line is written last, because it says which pages follow.
    let mut laid = LaidOutPages::default();
    let mut left = budget_for_lines(context, target).saturating_sub(TAGS_LENGTH);
    let mut picture_bytes = MAX_PICTURE_BYTES;
    let mut forms = [Vec::new(), Vec::new(), Vec::new()];
    for page in &read.pages {
        let mut text = lay_out_page(page, wanted.column.unwrap_or(0), usize::MAX);
        if context.length(&text) > left {
            if laid.pages > 0 {
                break;
            }
            // The first page of an answer is cut until it fits, so that every call shows something.
            let whole = page.text.as_deref().unwrap_or_default();
            let from = character_offset(whole, wanted.column.unwrap_or(0));
            let most = left.saturating_sub(TAGS_LENGTH);
            let fitting = context.limit.measure.prefix_length(&whole[from..], most);
            text = lay_out_page(page, wanted.column.unwrap_or(0), fitting);
        }
        if let Some(picture) = &page.picture {
            match picture_bytes.checked_sub(picture.bytes.len()) {
                Some(bytes) => picture_bytes = bytes,
                None => break,
            }
        }
        left = left.saturating_sub(context.length(&text));
        laid.text.push_str(&text);
        laid.pictures
            .extend(page.picture.iter().map(|picture| PlacedPicture {
                at: laid.text.len(),
                picture: picture.clone(),
            }));
        laid.pages += 1;
        forms[match (&page.text, &page.picture) {
            (Some(_), None) | (None, None) => 0,
            (None, Some(_)) => 1,
            (Some(_), Some(_)) => 2,
        }]
        .push(page.number);
    }
    let head = header_line(read.total, &forms);
    for placed in &mut laid.pictures {
        placed.at += head.len();
    }
    laid.text.insert_str(0, &head);
    let is_hidden = read.pages[..laid.pages].iter().find(|page| {
        hidden_runs(page.text.as_deref().unwrap_or_default())
            .next()
            .is_some()
    });
    laid.notice = match (&read.ended, is_hidden) {
        (Some(error), _) if laid.pages == read.pages.len() => {
            Some(format!("the pages after these were not read: {error}"))
        }
        (_, Some(page)) => Some(format!(
            "page {} has text that people do not see",
            page.number
        )),
        _ => None,
    };
    laid
}

/// Returns the first line of an answer: the number of pages, and in which form they follow.
fn header_line(total: u32, forms: &[Vec<u32>; 3]) -> String {
    let mut words = vec![format!("PDF, {}", format_count(total as usize, "page"))];
    let names = [
        ["as text", "as text"],
        ["as a picture", "as pictures"],
        ["as a picture with its text", "as pictures with their text"],
    ];
    for (numbers, [one, several]) in forms.iter().zip(names) {
        match numbers.len() {
            0 => {}
            1 => words.push(format!("{} {one}", format_page_ranges(numbers))),
            _ => words.push(format!("{} {several}", format_page_ranges(numbers))),
        }
    }
    format!("[lancet: {}]\n", words.join("; "))
}

/// Formats page numbers: `pages 1-3, 7`.
fn format_page_ranges(numbers: &[u32]) -> String {
    let mut parts: Vec<PageRange> = Vec::new();
    for &number in numbers {
        match parts.last_mut() {
            Some(part) if part.last == Some(number - 1) => part.last = Some(number),
            _ => parts.push(PageRange {
                first: number,
                last: Some(number),
            }),
        }
    }
    let parts: Vec<String> = parts.iter().map(PageRange::to_string).collect();
    let word = if numbers.len() == 1 { "page" } else { "pages" };
    format!("{word} {}", parts.join(", "))
}

/// Returns where a character of a text begins, counted from 0; its end where it has fewer.
fn character_offset(text: &str, column: usize) -> usize {
    text.char_indices()
        .nth(column)
        .map_or(text.len(), |(at, _)| at)
}

/// Lays out a page with at most that many bytes of its text, from a character on.
fn lay_out_page(page: &PdfPage, column: usize, most: usize) -> String {
    let number = page.number;
    let mut laid = format!("<page number=\"{number}\">\n");
    match (&page.text, &page.picture) {
        (None, None) => laid.push_str("[lancet: this page cannot be shown: it is damaged]\n"),
        (Some(text), picture) if text.is_empty() => {
            if picture.is_none() {
                laid.push_str("[lancet: this page has no text]\n");
            }
        }
        (Some(text), _) => {
            let from = character_offset(text, column);
            let end = from.saturating_add(most).min(text.len());
            laid.push_str(&text[from..end]);
            laid.push('\n');
            if end < text.len() {
                let left = format_count(text[end..].chars().count(), "character");
                let next = column + text[from..end].chars().count() + 1;
                laid.push_str(&format!(
                    "[lancet: {left} of this page not shown; pages {number} with column {next} shows them]\n"
                ));
            }
        }
        (None, Some(_)) => {}
    }
    laid.push_str("</page>\n");
    laid
}

/// Returns the refusal for a document that cannot be shown.
fn not_shown_refusal(target: &Target, first: u32, error: &PdfError) -> Refusal {
    let (kind, next) = match error {
        PdfError::Password | PdfError::Encryption => (
            RefusalKind::Damaged,
            "Make a copy without encryption with another program.".to_owned(),
        ),
        PdfError::TooLong | PdfError::Crashed => (
            RefusalKind::Damaged,
            format!(
                "Ask for other pages, such as pages \"{}\", or make another copy of it.",
                first.saturating_add(1)
            ),
        ),
        PdfError::Unavailable(_) => (
            RefusalKind::Io,
            "Send the call again, or use a program made for PDFs.".to_owned(),
        ),
        _ => (
            RefusalKind::Damaged,
            "Get a whole copy of it; no other tool of lancet can read it either.".to_owned(),
        ),
    };
    let page = match error {
        PdfError::TooLong | PdfError::Crashed => format!(" (page {first})"),
        _ => String::new(),
    };
    let text = message!(
        "{} is a PDF, but {}{}. {}",
        &target.given,
        verbatim(error),
        verbatim(page),
        verbatim(next)
    );
    refusal(target, kind, text)
}

fn refusal(target: &Target, kind: RefusalKind, text: impl Say) -> Refusal {
    Refusal::from_message(kind, text).with_field("file_path", quote_path(target.path()))
}
