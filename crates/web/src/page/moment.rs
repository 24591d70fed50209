//! A time on the page. The server writes it in UTC; the script formats it for the user's locale and time zone.

use askama::Template;
use chrono::{DateTime, Utc};

/// A time in milliseconds since 1970; in a template it is written as `{{ moment }}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Template)]
#[template(
    source = "<time datetime=\"{{ self.to_rfc3339() }}\">{{ self.to_human_readable() }}</time>",
    ext = "html"
)]
pub(super) struct Timestamp(pub(super) i64);

impl askama::filters::HtmlSafe for Timestamp {}

impl Timestamp {
    /// Returns the time for programs: `2026-11-17T16:20:05Z`.
    pub(super) fn to_rfc3339(self) -> String {
        self.format_utc("%Y-%m-%dT%H:%M:%SZ")
    }

    /// Returns the time for people, shown without the script: `2026-11-17 16:20 UTC`.
    pub(super) fn to_human_readable(self) -> String {
        self.format_utc("%Y-%m-%d %H:%M UTC")
    }

    /// Returns the time in UTC; empty if the calendar does not have its year.
    fn format_utc(self, format: &str) -> String {
        let time = DateTime::from_timestamp_millis(self.0);
        time.map_or_else(String::new, |time| time.format(format).to_string())
    }
}

/// Returns the present time in milliseconds since 1970.
pub(super) fn now_in_milliseconds() -> i64 {
    Utc::now().timestamp_millis()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_calendar_times() {
        for (milliseconds, exact) in [
            (0, "1970-01-01T00:00:00Z"),
            (-1, "1969-12-31T23:59:59Z"),
            (951_782_400_000, "2000-02-29T00:00:00Z"),
            (1_794_932_405_123, "2026-11-17T16:20:05Z"),
            (4_107_542_399_000, "2100-02-28T23:59:59Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(Timestamp(milliseconds).to_rfc3339(), exact);
        }
        let shown = Timestamp(0).to_string();
        assert_eq!(
            shown,
            "<time datetime=\"1970-01-01T00:00:00Z\">1970-01-01 00:00 UTC</time>"
        );
    }
}
