//! A time on the page. The server writes it in UTC; the script formats it for the user's locale and time zone.

use askama::Template;
use chrono::DateTime;

/// A time in milliseconds since 1970; in a template it is written as `{{ moment }}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Template)]
#[template(
    source = "<time datetime=\"{{ self.exact() }}\">{{ self.human_readable() }}</time>",
    ext = "html"
)]
pub(super) struct Moment(pub(super) i64);

impl askama::filters::HtmlSafe for Moment {}

impl Moment {
    /// Returns the time for programs: `2026-11-17T16:20:05Z`.
    pub(super) fn exact(self) -> String {
        self.formatted("%Y-%m-%dT%H:%M:%SZ")
    }

    /// Returns the time for people, shown without the script: `2026-11-17 16:20 UTC`.
    pub(super) fn human_readable(self) -> String {
        self.formatted("%Y-%m-%d %H:%M UTC")
    }

    /// Returns the time in UTC; empty if the calendar does not have its year.
    fn formatted(self, format: &str) -> String {
        let time = DateTime::from_timestamp_millis(self.0);
        time.map_or_else(String::new, |time| time.format(format).to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        for (milliseconds, exact) in [
            (0, "1970-01-01T00:00:00Z"),
            (-1, "1969-12-31T23:59:59Z"),
            (951_782_400_000, "2000-02-29T00:00:00Z"),
            (1_794_932_405_123, "2026-11-17T16:20:05Z"),
            (4_107_542_399_000, "2100-02-28T23:59:59Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(Moment(milliseconds).exact(), exact);
        }
        let shown = Moment(0).to_string();
        assert_eq!(
            shown,
            "<time datetime=\"1970-01-01T00:00:00Z\">1970-01-01 00:00 UTC</time>"
        );
    }
}
