//! A time on the page. The server writes it in UTC; the script writes it as the browser's person reads times.

use askama::Template;

/// A time in milliseconds since 1970; in a template it is written as `{{ moment }}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Template)]
#[template(
    source = "<time datetime=\"{{ self.exact() }}\">{{ self.words() }}</time>",
    ext = "html"
)]
pub(super) struct Moment(pub(super) i64);

impl askama::filters::HtmlSafe for Moment {}

impl Moment {
    /// The time for programs: `2026-11-17T16:20:05Z`.
    pub(super) fn exact(self) -> String {
        let (year, month, day, seconds) = self.fields();
        let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }

    /// The time for a person without the script: `2026-11-17 16:20 UTC`.
    pub(super) fn words(self) -> String {
        let (year, month, day, seconds) = self.fields();
        let (hour, minute) = (seconds / 3600, seconds / 60 % 60);
        format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02} UTC")
    }

    /// Year, month, day, and the seconds of the day, in the Gregorian calendar.
    fn fields(self) -> (i64, i64, i64, i64) {
        let seconds = self.0.div_euclid(1000);
        let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
        // Years begin in March here, so that the leap day is the last of its year; eras have 400 years.
        let days = days + 719_468;
        let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        let year = year + era * 400 + i64::from(month <= 2);
        (year, month, day, rest)
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
