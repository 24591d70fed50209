//! The list of operations, newest first, with its filters. The next page starts below the number of the last
//! operation of this one, so that new operations do not shift it.

use std::path::PathBuf;
use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use chrono::{NaiveDate, NaiveTime};
use http::StatusCode;
use lancet::history::{History, LogQuery, Operation};

use super::summary::{Summary, prompts_of_operations};
use crate::page::WebPage;
use crate::page::fields::Fields;
use crate::page::frame::{Frame, Section};
use crate::page::visitor::Visitor;
use crate::page::{links, view};

/// The number of operations on one page.
const OPERATIONS_PER_PAGE: usize = 50;
/// A day in milliseconds.
const DAY: i64 = 24 * 60 * 60 * 1_000;

#[derive(Template)]
#[template(path = "history/list.html")]
struct ListView {
    frame: Frame,
    filter: HistoryFilter,
    entries: Vec<ListEntry>,
    older: Option<String>,
    is_first_page: bool,
}

/// An operation, with the prompt that led to it if that differs from the prompt of the operation above.
struct ListEntry {
    prompt: Option<String>,
    operation: Summary,
}

/// The user's filter, as it was typed.
#[derive(Clone, Default)]
struct HistoryFilter {
    words: String,
    session: String,
    path: String,
    since: String,
    until: String,
}

impl HistoryFilter {
    fn from_fields(fields: &Fields) -> Self {
        let field = |name| fields.first_value(name).unwrap_or_default().to_owned();
        Self {
            words: field("q"),
            session: field("session"),
            path: field("path"),
            since: field("since"),
            until: field("until"),
        }
    }

    fn is_empty(&self) -> bool {
        [
            &self.words,
            &self.session,
            &self.path,
            &self.since,
            &self.until,
        ]
        .iter()
        .all(|field| field.is_empty())
    }

    fn address(&self, before: Option<i64>) -> String {
        let before = before.map(|before| before.to_string()).unwrap_or_default();
        links::address_with_query(
            "/history",
            &[
                ("q", &self.words),
                ("session", &self.session),
                ("path", &self.path),
                ("since", &self.since),
                ("until", &self.until),
                ("before", &before),
            ],
        )
    }
}

/// Lists operations.
pub(super) async fn list_operations(
    State(page): State<Arc<WebPage>>,
    visitor: Visitor,
    fields: Fields,
) -> Response {
    page.answer_on_blocking_thread(move |page| {
        let frame = Frame::new(page, &visitor, Section::History, "History");
        let Some(history) = page.lancet.history() else {
            return view::internal_error_response();
        };
        let filter = HistoryFilter::from_fields(&fields);
        let before = fields.number("before");
        let path = typed_file(page, &filter.path);
        let one_of = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let query = LogQuery {
            words: one_of(&filter.words),
            session: one_of(&filter.session),
            path: path.clone().flatten(),
            since: parse_day(&filter.since),
            until: parse_day(&filter.until).map(|begin| begin + DAY - 1),
            before_sequence: before,
            limit: Some(OPERATIONS_PER_PAGE + 1),
            ..LogQuery::default()
        };
        let found = match path {
            // A file outside the roots has no operations here.
            Some(None) => Ok(Vec::new()),
            _ => history.log(&query),
        };
        let Ok(mut found) = found else {
            return view::internal_error_response();
        };
        let is_more = found.len() > OPERATIONS_PER_PAGE;
        found.truncate(OPERATIONS_PER_PAGE);
        let last = found.last().map(|operation| operation.sequence);
        let view = ListView {
            frame,
            older: last
                .filter(|_| is_more)
                .map(|last| filter.address(Some(last))),
            entries: list_entries(&found, &history),
            filter,
            is_first_page: before.is_none(),
        };
        view::html_response(StatusCode::OK, &view)
    })
    .await
}

/// Returns the file that was typed, if it is below a root; none if none was typed.
fn typed_file(page: &WebPage, typed: &str) -> Option<Option<PathBuf>> {
    (!typed.is_empty()).then(|| links::path_from_query(&page.lancet, typed))
}

/// Returns the beginning of a day in UTC, in milliseconds since 1970; none if the text is not a date such as
/// `2026-11-17`.
fn parse_day(text: &str) -> Option<i64> {
    let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?;
    Some(date.and_time(NaiveTime::MIN).and_utc().timestamp_millis())
}

fn list_entries(found: &[Operation], history: &History) -> Vec<ListEntry> {
    let mut shown: Option<(&str, String)> = None;
    let with_prompts = found.iter().zip(prompts_of_operations(history, found));
    with_prompts
        .map(|(operation, prompt)| {
            let key = prompt.map(|prompt| (operation.session.as_str(), prompt));
            let is_new = key.is_some() && key != shown;
            let entry = ListEntry {
                prompt: key
                    .as_ref()
                    .filter(|_| is_new)
                    .map(|(_, prompt)| prompt.clone()),
                operation: Summary::from_operation(operation, history),
            };
            shown = key;
            entry
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_only_valid_calendar_days() {
        for (text, begin) in [
            ("1970-01-01", Some(0)),
            ("2000-02-29", Some(951_782_400_000)),
            ("2026-11-17", Some(1_794_873_600_000)),
            ("2100-03-01", Some(4_107_542_400_000)),
            ("", None),
            ("2026-11", None),
            ("2026-13-01", None),
            ("2026-02-31", None),
            ("2026-11-17-1", None),
            ("99999999999-1-1", None),
            ("yesterday", None),
        ] {
            assert_eq!(parse_day(text), begin, "{text}");
        }
    }
}
