//! The outline of source code for Read: by itself, where the call requests it, and after the first page of a file that
//! is too large to be shown whole. Its lines are not the file's bytes, so none of them counts as seen.

use std::sync::Arc;

use lancet_formats::syntax::{Symbol, SyntaxReader};
use lancet_history::SeenRanges;
use lancet_text::Document;
use lancet_workspace::Snapshot;

use super::layout::LaidOutPage;
use super::notice::budget_for_lines;
use super::page::{AnswerKind, PageContent};
use super::wanted::WantedRange;
use crate::message::{Say, message, verbatim};
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::context::CallContext;
use crate::stages::locate::Target;
use crate::wording::{format_count, format_size, quote_path};

/// The share of an answer that an outline after the first page may take: one part in `PART`.
const OUTLINE_SHARE: usize = 4;
/// The length that is reserved for the text around an outline.
const SURROUNDING_TEXT_LENGTH: usize = 300;

/// Returns the outline of a file, for a call that requests it.
pub(super) fn read_outline(
    context: &CallContext<'_>,
    target: &Target,
    base: &Snapshot,
    document: &Document<'_>,
    wanted: WantedRange,
) -> Result<PageContent, Refusal> {
    let reader = find_reader(context, target)?;
    let text = document.view();
    let Some(outline) = reader.outline(target.path(), text) else {
        return Err(too_large_refusal(target, text.len() as u64));
    };
    let until = wanted.first.saturating_add(wanted.requested_line_count());
    let is_wanted =
        |symbol: &&Symbol| *symbol.lines.end() > wanted.first && *symbol.lines.start() <= until;
    let symbols: Vec<&Symbol> = outline.symbols.iter().filter(is_wanted).collect();
    let room = budget_for_lines(context, target).saturating_sub(SURROUNDING_TEXT_LENGTH);
    let listed = lay_out_symbols(context, &symbols, room);
    let left = symbols.len() - listed.number + outline.left_out;
    let next = match (symbols.get(listed.number), left) {
        (_, 0) => String::new(),
        (Some(symbol), _) => format!(
            "; {left} more: the same call with offset {} goes on",
            symbol.lines.start()
        ),
        (None, _) => format!("; {left} more are left out"),
    };
    let longest = symbols
        .iter()
        .max_by_key(|symbol| symbol.lines.end() - symbol.lines.start());
    let example = longest.map_or_else(String::new, |symbol| {
        let (first, last) = (*symbol.lines.start(), *symbol.lines.end());
        let call = context.read_call(target.path(), Some(first), Some(last - first + 1));
        format!(". It does not count as read; the text of lines: {call}")
    });
    Ok(PageContent {
        shape: AnswerKind::Outline,
        notice: None,
        words: Some(format!(
            "outline of {} in {}{next}{example}",
            format_count(listed.number, "symbol"),
            format_count(document.line_count(), "line")
        )),
        pictures: Vec::new(),
        layout: LaidOutPage {
            text: listed.text,
            truncated: left > 0,
            seen: SeenRanges::default(),
            ..LaidOutPage::default()
        },
        total: document.line_count(),
        encoding: document.encoding().name(),
        endings: document.endings(),
        revision: base.revision,
        stamp: base.stamp,
        content: Some(Arc::clone(&base.bytes)),
        symbols: symbols.into_iter().take(listed.number).cloned().collect(),
    })
}

/// Returns the outline that follows the first page of a file that does not fit into the answer, limited to a part of
/// the answer; empty where the language is not known.
pub(super) fn outline_after_page(
    context: &CallContext<'_>,
    target: &Target,
    document: &Document<'_>,
    page: &LaidOutPage,
) -> String {
    let path = target.path();
    let known = context.engine().syntax_reader();
    let outline = known
        .filter(|reader| reader.language(path).is_some())
        .and_then(|reader| reader.outline(path, document.view()));
    let Some(outline) = outline else {
        return String::new();
    };
    let is_beyond = |symbol: &&Symbol| *symbol.lines.end() > page.lines;
    let symbols: Vec<&Symbol> = outline.symbols.iter().filter(is_beyond).collect();
    if symbols.is_empty() {
        return String::new();
    }
    let room =
        (budget_for_lines(context, target) / OUTLINE_SHARE).saturating_sub(SURROUNDING_TEXT_LENGTH);
    let listed = lay_out_symbols(context, &symbols, room);
    let left = match symbols.len() - listed.number + outline.left_out {
        0 => String::new(),
        left => format!("; {left} more are left out"),
    };
    format!(
        "[lancet: outline of what follows, by lines; it does not count as read{left}]\n{}",
        listed.text
    )
}

/// Symbols as lines of an answer.
struct ListedSymbols {
    text: String,
    /// The number of symbols listed.
    number: usize,
}

/// Lays out as many symbols as fit.
fn lay_out_symbols(context: &CallContext<'_>, symbols: &[&Symbol], room: usize) -> ListedSymbols {
    let mut listed = ListedSymbols {
        text: String::new(),
        number: 0,
    };
    let mut used = 0;
    for symbol in symbols {
        let (first, last) = (symbol.lines.start(), symbol.lines.end());
        let lines = match first == last {
            true => first.to_string(),
            false => format!("{first}-{last}"),
        };
        let indent = "  ".repeat(symbol.depth);
        let line = format!("{lines}  {indent}{} {}\n", symbol.kind, symbol.name);
        used += context.length(&line);
        if used > room {
            break;
        }
        listed.text.push_str(&line);
        listed.number += 1;
    }
    listed
}

/// Returns the reader for a file, if the host provided one that knows the language.
pub(super) fn find_reader<'c>(
    context: &'c CallContext<'_>,
    target: &Target,
) -> Result<&'c dyn SyntaxReader, Refusal> {
    let reader = context.engine().syntax_reader();
    reader
        .filter(|reader| reader.language(target.path()).is_some())
        .ok_or_else(|| {
            let why = match reader {
                Some(_) => "its language is not one that outlines are made of",
                None => "this host of lancet has no parsers",
            };
            refusal(
                target,
                message!("{} has no outline: {}. Leave mode out; offset and limit choose the lines of a text.", &target.given, why),
            )
        })
}

/// Returns the refusal for a file that is too large for an outline, or takes too long.
pub(super) fn too_large_refusal(target: &Target, length: u64) -> Refusal {
    refusal(
        target,
        message!(
            "{} has no outline: it has {}, which is too much or takes too long to parse. Leave mode out and read it by offset and limit.",
            &target.given,
            verbatim(format_size(length))
        ),
    )
}

fn refusal(target: &Target, text: impl Say) -> Refusal {
    Refusal::from_message(RefusalKind::Invalid, text)
        .with_field("file_path", quote_path(target.path()))
}
