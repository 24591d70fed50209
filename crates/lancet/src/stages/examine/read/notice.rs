//! The last notice of a page, and the length that the notices leave for its lines.

use lancet_text::Endings;

use super::page::{AnswerKind, Page};
use super::wanted::WantedRange;
use crate::page_range::PageRange;
use crate::stages::context::CallContext;
use crate::stages::locate::Target;
use crate::wording::quote_path;

/// The least length that is reserved for the notices after the lines.
const MIN_NOTICE_LENGTH: usize = 1_200;
/// The length of the last notice apart from the path and the call for the next page.
const LAST_NOTICE_LENGTH: usize = 300;
/// Returns the last notice: path, range, total, unusual properties, revision, and the call for the next page.
pub(super) fn last_notice(context: &CallContext<'_>, page: &Page, wanted: WantedRange) -> String {
    let path = match (name_for_notice(context, &page.target), &page.shape) {
        (None, _) => "this file".to_owned(),
        // A person reads this line below the cells.
        (Some(_), AnswerKind::Notebook) => {
            let path = quote_path(page.target.path());
            context.engine().audience().path_name(&path)
        }
        (Some(path), _) => path,
    };
    let mut words = if page.shape == AnswerKind::Unchanged && page.words.is_some() {
        format!("{path} unchanged since your last read; force: true shows it again")
    } else if let Some(words) = &page.words {
        format!("{path}, {words}")
    } else if page.shape == AnswerKind::Unchanged {
        format!(
            "{} of {path} unchanged since your last read; force: true shows the text again",
            describe_range(page)
        )
    } else if page.total == 0 {
        format!("{path} is empty: 0 {}s", page.unit)
    } else if page.lines == 0 {
        format!(
            "{path} has {}; there is nothing at offset {}",
            crate::wording::format_count(page.total, page.unit),
            wanted.first.saturating_add(1)
        )
    } else {
        format!("{path}, {} of {}", describe_range(page), page.total)
    };
    let is_text =
        page.words.is_none() && page.unit != "page" && page.shape != AnswerKind::Converted;
    if page.encoding != "utf-8" && is_text {
        words.push_str(&format!(", {}", page.encoding));
    }
    if !matches!(page.endings, Endings::Lf | Endings::None) {
        words.push_str(&format!(", {} line ends", page.endings.name()));
    }
    words.push_str(&format!(", revision {}", page.revision));
    let next = page.start + page.lines;
    if !matches!(page.shape, AnswerKind::Unchanged | AnswerKind::Outline)
        && page.truncated
        && wanted.column.is_none()
        && next <= page.total
    {
        let left = wanted.most.saturating_sub(page.lines);
        let limit = (wanted.asked.limit > 0 && left > 0).then_some(left);
        let call = match page.shape {
            AnswerKind::Pdf => next_pages_call(context, page, next),
            _ => next_page_call(context, &page.target, next, limit),
        };
        words.push_str(&format!(". Next: {call}"));
    }
    words
}

/// Returns the longest name that a notice repeats: a fraction of the answer, so that the other parts fit.
pub(super) fn max_name_length(context: &CallContext<'_>) -> usize {
    context.limit.most / 8
}

/// Returns the file's path for a notice; none where it is too long to be repeated.
fn name_for_notice(context: &CallContext<'_>, target: &Target) -> Option<String> {
    let path = quote_path(target.path());
    let path = context.engine().audience().path_name(&path);
    (context.length(&path) <= max_name_length(context)).then_some(path)
}

/// Returns the call for the next page.
fn next_page_call(
    context: &CallContext<'_>,
    target: &Target,
    offset: usize,
    limit: Option<usize>,
) -> String {
    if name_for_notice(context, target).is_some() {
        return context.read_call(target.path(), Some(offset), limit);
    }
    let limit = limit.map_or_else(String::new, |limit| format!(" and limit {limit}"));
    format!("the same call with offset {offset}{limit}")
}

/// Returns the call for the next pages of a PDF.
fn next_pages_call(context: &CallContext<'_>, page: &Page, next: usize) -> String {
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let last = next.saturating_add(page.lines.max(1) - 1).min(page.total);
    let range = PageRange {
        first: number(next),
        last: Some(number(last)),
    };
    match name_for_notice(context, &page.target) {
        Some(_) => context.read_pages_call(page.target.path(), range),
        None => format!("the same call with pages {range}"),
    }
}

/// Returns the length of the answer that the lines of a page may take: the rest after its notices.
pub(super) fn budget_for_lines(context: &CallContext<'_>, target: &Target) -> usize {
    let most = max_name_length(context);
    let notices = target
        .notices
        .iter()
        .map(|notice| notice.render(context.engine().audience()))
        .map(|notice| context.length(&context.limit.truncate(&notice, most)) + 12);
    let path = name_for_notice(context, target).map_or(0, |path| context.length(&path));
    let call = next_page_call(context, target, usize::MAX, Some(usize::MAX));
    let taken = notices.sum::<usize>() + path + context.length(&call) + LAST_NOTICE_LENGTH;
    context
        .limit
        .most
        .saturating_sub(taken.max(MIN_NOTICE_LENGTH))
        .max(500)
}

fn describe_range(page: &Page) -> String {
    if page.lines == 1 {
        format!("{} {}", page.unit, page.start)
    } else {
        format!(
            "{}s {}-{}",
            page.unit,
            page.start,
            page.start + page.lines.saturating_sub(1)
        )
    }
}
