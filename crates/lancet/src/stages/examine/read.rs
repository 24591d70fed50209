//! The *examine* stage for Read: the page of a text that fits into the answer, the bytes that it shows, and the call
//! for the next page.

mod convert;
mod layout;
mod notebook;
mod notice;
mod outline;
mod page;
mod pdf;
pub(crate) mod picture;
mod plain;
pub(super) mod source;
mod wanted;

use std::sync::Arc;

use lancet_history::SeenRanges;
use lancet_text::{Document, NotText};
use lancet_workspace::{ReadError, Snapshot};

use self::layout::{LaidOutPage, lay_out_lines};
use self::notebook::CellPage;
use self::notice::{budget_for_lines, last_notice, max_name_length};
use self::page::PageContent;
pub(crate) use self::page::{AnswerKind, Page};
pub use self::plain::PlainLines;
use self::source::PageSource as _;
use self::wanted::WantedRange;
use super::large::{self, LargeFile};
use crate::arguments::{ReadArguments, ReadMode};
use crate::page_range::PageRange;
use crate::refusal::Refusal;
use crate::stages::context::CallContext;
use crate::stages::locate::{Intent, Target, locate};
use crate::stages::open::{
    MAX_EDITED_SIZE, MAX_IN_MEMORY_SIZE, configured_encoding, is_notebook_name, require_file,
    snapshot, unreadable_refusal,
};

/// Notebooks up to this size are loaded into memory, since their cells are found only in the whole JSON.
const MAX_NOTEBOOK_SIZE: u64 = 256 << 20;

/// Reads the page that a call requests.
pub(crate) fn examine(
    context: &CallContext<'_>,
    arguments: &ReadArguments,
) -> Result<Page, Refusal> {
    let target = locate(context.engine(), &arguments.file_path, Intent::Show)?;
    require_file(context.engine(), &target)?;
    let wanted = match arguments.pages.as_deref().and_then(PageRange::parse) {
        Some(range) => WantedRange {
            column: WantedRange::new(context, arguments).column,
            ..pdf::wanted_pages(range)
        },
        None => WantedRange::new(context, arguments),
    };
    let known = context
        .session
        .ledger()
        .get_without_use(target.path())
        .map(|entry| entry.revision);
    let shown = match read_streamed(context, &target, wanted, arguments.mode)? {
        Some(shown) => shown,
        None => read_in_memory(context, &target, arguments, wanted)?,
    };
    let hidden = shown.layout.hidden.notice();
    let page = Page {
        unit: match shown.shape {
            AnswerKind::Notebook => "cell",
            AnswerKind::Pdf => "page",
            _ => "line",
        },
        target,
        notices: shown.notice.into_iter().chain(hidden).collect(),
        text: shown.layout.text,
        pictures: shown.pictures,
        words: shown.words,
        shape: shown.shape,
        symbols: shown.symbols,
        start: wanted.first.saturating_add(1),
        lines: shown.layout.lines,
        total: shown.total,
        truncated: shown.layout.truncated,
        encoding: shown.encoding,
        endings: shown.endings,
        revision: shown.revision.short_hex(),
        version: crate::ledger::version(&shown.revision, &shown.stamp),
        content: shown.content,
        seen: shown.layout.seen,
        asked: wanted.asked,
        known,
    };
    Ok(finish_page(context, page, wanted, arguments.force))
}

/// Lays out the lines of a file in memory.
fn read_in_memory(
    context: &CallContext<'_>,
    target: &Target,
    arguments: &ReadArguments,
    wanted: WantedRange,
) -> Result<PageContent, Refusal> {
    let base = snapshot(context.session, target)?;
    let decoded = Document::decode(&base.bytes, configured_encoding(context.engine(), target));
    if pdf::is_pdf(target, &base.bytes, decoded.is_ok()) {
        return pdf::read_pdf(context, target, &base, arguments, wanted);
    }
    if arguments.pages.is_some() {
        return Err(pdf::no_pages_refusal(target));
    }
    let document = match decoded {
        Ok(document) => document,
        Err(NotText::Binary { kind }) => {
            return picture::read_picture(context, target, &base)
                .unwrap_or_else(|| convert::read_converted(context, target, &base, wanted, kind));
        }
    };
    if arguments.mode == ReadMode::Outline {
        return outline::read_outline(context, target, &base, &document, wanted);
    }
    let mut notice = None;
    if is_notebook_name(target) {
        match notebook::lay_out_cells(
            context,
            &document,
            wanted,
            budget_for_lines(context, target),
        ) {
            Ok(page) => return Ok(cell_content(page, &document, &base)),
            Err(error) => notice = Some(format!("{error}; the file is shown as text")),
        }
    }
    let mut layout = lay_out_lines(
        context,
        &document,
        wanted,
        budget_for_lines(context, target),
    )?;
    if layout.truncated && wanted.is_whole_file() {
        let outline = outline::outline_after_page(context, target, &document, &layout);
        if !outline.is_empty() {
            let room = budget_for_lines(context, target).saturating_sub(context.length(&outline));
            layout = lay_out_lines(context, &document, wanted, room)?;
            layout.text.push_str(&outline);
        }
    }
    if document.line_count() == 0 {
        layout.seen = SeenRanges::all_seen(base.bytes.len() as u64);
    }
    Ok(PageContent {
        shape: AnswerKind::Text,
        notice,
        words: None,
        pictures: Vec::new(),
        symbols: Vec::new(),
        layout,
        total: document.line_count(),
        encoding: document.encoding().name(),
        endings: document.endings(),
        revision: base.revision,
        stamp: base.stamp,
        content: Some(Arc::clone(&base.bytes)),
    })
}

/// Returns the cells of a notebook as a page.
fn cell_content(page: CellPage, document: &Document<'_>, base: &Snapshot) -> PageContent {
    PageContent {
        shape: AnswerKind::Notebook,
        notice: (!page.is_editable)
            .then(|| "a notebook of version 3: it can be read, not edited".to_owned()),
        words: None,
        pictures: page.pictures,
        symbols: Vec::new(),
        total: page.total,
        layout: LaidOutPage {
            text: page.text,
            lines: page.cells,
            truncated: page.truncated,
            seen: page.seen,
            ..LaidOutPage::default()
        },
        encoding: document.encoding().name(),
        endings: document.endings(),
        revision: base.revision,
        stamp: base.stamp,
        content: Some(Arc::clone(&base.bytes)),
    }
}

/// Lays out the lines of a file that is too large for memory. None where the file is small, or can only be decoded in
/// memory: another encoding, or mixed line ends.
fn read_streamed(
    context: &CallContext<'_>,
    target: &Target,
    wanted: WantedRange,
    mode: ReadMode,
) -> Result<Option<PageContent>, Refusal> {
    let most = match is_notebook_name(target) {
        true => MAX_NOTEBOOK_SIZE,
        false => MAX_IN_MEMORY_SIZE,
    };
    let size = target.located.stat().map_or(0, |stamp| stamp.size);
    if mode == ReadMode::Outline && size > most {
        outline::find_reader(context, target)?;
        return Err(outline::too_large_refusal(target, size));
    }
    let is_held = size <= most
        || picture::is_decodable(target, size)?
        || pdf::is_readable(target, size)?
        || convert::is_convertible(context, target, size)?;
    if is_held {
        return Ok(None);
    }
    let survey = large::survey(context, target)?;
    let Some(encoding) = large::streamable_encoding(context, target, &survey)? else {
        let size = survey.facts.length();
        return match size > MAX_EDITED_SIZE {
            true => Err(unreadable_refusal(
                target,
                &ReadError::TooLarge {
                    size,
                    most: MAX_EDITED_SIZE,
                },
            )),
            false => Ok(None),
        };
    };
    let file = LargeFile::new(context, target, &survey);
    Ok(Some(PageContent {
        shape: AnswerKind::Text,
        notice: None,
        words: None,
        pictures: Vec::new(),
        symbols: Vec::new(),
        layout: lay_out_lines(context, &file, wanted, budget_for_lines(context, target))?,
        total: file.count_lines(),
        encoding: encoding.name(),
        endings: survey.facts.endings(),
        revision: survey.revision,
        stamp: survey.stamp,
        content: None,
    }))
}

/// Decides whether the text is shown again, and writes the notices.
fn finish_page(
    context: &CallContext<'_>,
    mut page: Page,
    wanted: WantedRange,
    force: bool,
) -> Page {
    let known = context
        .session
        .ledger()
        .get_without_use(page.target.path())
        .is_some_and(|entry| {
            entry.revision == page.version.revision
                && !entry.partial_view
                && entry.may_answer_unchanged(wanted.asked)
        });
    let force = force || context.session.is_for_host();
    if known && !force && context.engine().settings.read.dedupe && page.shows_something() {
        page.shape = AnswerKind::Unchanged;
        page.text.clear();
        page.pictures.clear();
        page.notices.clear();
    }
    let notices = std::mem::take(&mut page.target.notices);
    let most = max_name_length(context);
    page.notices.extend(notices.iter().map(|notice| {
        let notice = notice.render(context.engine().audience());
        context.limit.truncate(&notice, most)
    }));
    let last = last_notice(context, &page, wanted);
    page.notices.push(last);
    page
}
