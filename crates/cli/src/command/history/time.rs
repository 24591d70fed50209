//! Times as people type and read them: local for people, in UTC for programs.

use std::time::{SystemTime, UNIX_EPOCH};

use chrono::{DateTime, Local, NaiveDateTime};

use crate::failure::Failure;

const DAY: i64 = 24 * 60 * 60;

/// Formats milliseconds since 1970 as `2026-01-31 16:20:05`, in UTC.
pub(super) fn format_utc(milliseconds: i64) -> String {
    let seconds = milliseconds.div_euclid(1000);
    let (year, month, day) = date_from_days(seconds.div_euclid(DAY));
    let rest = seconds.rem_euclid(DAY);
    format!(
        "{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02}",
        rest / 3600,
        rest / 60 % 60,
        rest % 60
    )
}

/// Formats milliseconds since 1970 as `2026-01-31 16:20:05`, in the local time zone.
pub(in crate::command) fn format_local(milliseconds: i64) -> String {
    format_in_local_zone(milliseconds, "%Y-%m-%d %H:%M:%S")
}

/// Formats milliseconds since 1970 as `16:20:05`, in the local time zone.
pub(in crate::command) fn format_clock(milliseconds: i64) -> String {
    format_in_local_zone(milliseconds, "%H:%M:%S")
}

/// Formats milliseconds since 1970 with the difference to UTC. A time that chrono cannot represent is in UTC, without a
/// difference.
pub(in crate::command) fn format_local_with_zone(milliseconds: i64) -> String {
    format_in_local_zone(milliseconds, "%Y-%m-%d %H:%M:%S %:z")
}

fn format_in_local_zone(milliseconds: i64, format: &str) -> String {
    match DateTime::from_timestamp_millis(milliseconds) {
        Some(time) => time.with_timezone(&Local).format(format).to_string(),
        None => format_utc(milliseconds),
    }
}

/// Formats milliseconds since 1970 as `2026-01-31T16:20:05Z` (RFC 3339).
pub(in crate::command) fn format_rfc3339(milliseconds: i64) -> String {
    format!("{}Z", format_utc(milliseconds).replace(' ', "T"))
}

/// Returns the current time in milliseconds since 1970.
pub(in crate::command) fn now_in_milliseconds() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_millis() as i64)
}

/// Formats how long ago a time is: `12s`, `3m`, `2h`, `4d`.
pub(in crate::command) fn format_age(milliseconds: i64) -> String {
    let seconds = (now_in_milliseconds() - milliseconds).max(0) / 1000;
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m", seconds / 60),
        3600..DAY => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / DAY),
    }
}

/// Formats milliseconds since 1970 as `Sat, 31 Jan 2026 16:20:05 +0000`, for mail.
pub(super) fn format_mail_date(milliseconds: i64) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let days = milliseconds.div_euclid(1000).div_euclid(DAY);
    let (year, month, day) = date_from_days(days);
    let name = DAYS[days.rem_euclid(7) as usize];
    let month = MONTHS[(month - 1).clamp(0, 11) as usize];
    let clock = format_utc(milliseconds);
    let clock = clock.split(' ').nth(1).unwrap_or_default();
    format!("{name}, {day} {month} {year} {clock} +0000")
}

/// Returns the time that `--since` means, in milliseconds since 1970.
pub(in crate::command) fn parse_since(typed: &str) -> Result<i64, Failure> {
    let now = now_in_milliseconds();
    let ago = typed.chars().last().and_then(|unit| {
        let seconds = match unit {
            's' => 1,
            'm' => 60,
            'h' => 3600,
            'd' => DAY,
            'w' => 7 * DAY,
            _ => return None,
        };
        let number: i64 = typed[..typed.len() - 1].parse().ok().filter(|n| *n >= 0)?;
        number.checked_mul(seconds)?.checked_mul(1000)
    });
    if let Some(ago) = ago {
        return Ok(now.saturating_sub(ago));
    }
    let day = match typed {
        "today" => Some(0),
        "yesterday" => Some(1),
        _ => None,
    };
    let named = day.map(|days| {
        let date = Local::now().date_naive() - chrono::Days::new(days);
        date.format("%Y-%m-%d").to_string()
    });
    parse_date(named.as_deref().unwrap_or(typed)).ok_or_else(|| {
        Failure::usage(format!(
            "--since {typed}: give a time ago (30m, 2h, 3d), today, yesterday, or a date (2026-01-31, 2026-01-31T16:20, with Z in UTC)"
        ))
    })
}

/// Parses a date as a point in time: in the local time zone, or in UTC where it ends in `Z`.
fn parse_date(typed: &str) -> Option<i64> {
    if let Some(utc) = typed.strip_suffix('Z') {
        return parse_utc_date(utc);
    }
    let time = parse_utc_date(typed)?;
    let wall: NaiveDateTime = DateTime::from_timestamp_millis(time)?.naive_utc();
    // If a change of the clock repeats an hour, the first one is meant; an hour that it leaves out is taken as UTC.
    let local = wall.and_local_timezone(Local).earliest();
    Some(local.map_or(time, |local| local.timestamp_millis()))
}

fn parse_utc_date(typed: &str) -> Option<i64> {
    let (calendar, clock) = typed.split_once(['T', ' ']).unwrap_or((typed, "00:00"));
    let numbers = |text: &str, mark: char| -> Option<Vec<i64>> {
        text.split(mark)
            .map(|part| part.parse().ok().filter(|number: &i64| *number >= 0))
            .collect()
    };
    let (calendar, clock) = (numbers(calendar, '-')?, numbers(clock, ':')?);
    let [year, month @ 1..=12, day @ 1..=31] = calendar[..] else {
        return None;
    };
    let (hours, minutes, seconds) = match clock[..] {
        [hours @ 0..=23, minutes @ 0..=59] => (hours, minutes, 0),
        [hours @ 0..=23, minutes @ 0..=59, seconds @ 0..=60] => (hours, minutes, seconds),
        _ => return None,
    };
    let day_number = days_from_date(year, month, day);
    // Without this check, 31 February would count as a day in March.
    if !(1970..=9999).contains(&year) || date_from_days(day_number) != (year, month, day) {
        return None;
    }
    Some((day_number * DAY + hours * 3600 + minutes * 60 + seconds) * 1000)
}

/// Converts days since 1970 to year, month and day. The calculation counts years from March, so that the leap day is
/// the last one of a year.
fn date_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let in_month = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, in_month)
}

/// Converts a date to days since 1970.
fn days_from_date(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let month = if month > 2 { month - 3 } else { month + 9 };
    let of_year = (153 * month + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_round_trip() {
        assert_eq!(format_utc(0), "1970-01-01 00:00:00");
        assert_eq!(format_utc(1_709_210_096_789), "2024-02-29 12:34:56");
        assert_eq!(
            format_mail_date(1_709_210_096_789),
            "Thu, 29 Feb 2024 12:34:56 +0000"
        );
        for day in (0..200_000).step_by(97) {
            let (year, month, of_month) = date_from_days(day);
            assert_eq!(days_from_date(year, month, of_month), day);
        }
        assert_eq!(parse_since("2024-02-29T12:34:56Z"), Ok(1_709_210_096_000));
        assert_eq!(parse_since("2024-02-29Z"), Ok(1_709_164_800_000));
    }

    #[test]
    fn age_has_one_unit() {
        for (seconds, shown) in [
            (0, "0s"),
            (59, "59s"),
            (61, "1m"),
            (7_300, "2h"),
            (200_000, "2d"),
        ] {
            assert_eq!(format_age(now_in_milliseconds() - seconds * 1000), shown);
        }
    }

    #[test]
    fn parses_relative_times_and_refuses_invalid_ones() {
        assert!(parse_since("2h").is_ok_and(|time| time < parse_since("1h").unwrap_or(0)));
        // A day is 23 to 25 hours long where the clock changes to or from summer time.
        let (today, yesterday) = (parse_since("today"), parse_since("yesterday"));
        let between = today.clone().unwrap_or(0) - yesterday.unwrap_or(0);
        assert!((23..=25).contains(&(between / 3_600_000)), "{between}");
        assert!(today.is_ok_and(|time| time <= now_in_milliseconds()));
        for wrong in [
            "",
            "h",
            "-1h",
            "tomorrow",
            "2026-02-31",
            "2026-13-01",
            "2026-01-31T25:00",
            "é",
        ] {
            assert!(parse_since(wrong).is_err(), "{wrong}");
        }
    }
}
