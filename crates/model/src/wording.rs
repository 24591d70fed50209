//! Parts of sentences that several answers share: paths, names, numbers, calls spelled out.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::message::{Message, message};
use crate::path_names::write_on_one_line;
pub use crate::path_names::{on_one_line, path_from_text, path_text};

/// A path whose control characters and line separators are escaped in sentences, so that a name cannot forge a line of
/// an answer. Data contains it unescaped. Bytes that are not UTF-8 are `\xNN` in both.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct QuotedPath(String);

/// Wraps a path for sentences and for data.
pub fn quote_path(path: &Path) -> QuotedPath {
    QuotedPath(path_text(path))
}

impl QuotedPath {
    /// Returns the path as data contains it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for QuotedPath {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_on_one_line(out, &self.0)
    }
}

impl fmt::Debug for QuotedPath {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, out)
    }
}

impl Serialize for QuotedPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl From<QuotedPath> for Value {
    fn from(path: QuotedPath) -> Self {
        Value::String(path.0)
    }
}

impl From<&QuotedPath> for Value {
    fn from(path: &QuotedPath) -> Self {
        Value::String(path.0.clone())
    }
}

/// Joins paths with a separator.
pub fn join_paths(paths: &[QuotedPath], between: &str) -> String {
    let shown: Vec<String> = paths.iter().map(ToString::to_string).collect();
    shown.join(between)
}

/// Joins the roots: "A", "A or B".
pub fn join_roots(paths: &[PathBuf]) -> Message {
    match paths {
        [] => Message::default(),
        [one] => message!("{}", quote_path(one)),
        [first @ .., last] => {
            let first = Message::joined(first.iter().map(|path| quote_path(path)), ", ");
            message!("{} or {}", first, quote_path(last))
        }
    }
}

/// Formats a number of bytes in the largest unit that leaves at least one of it.
pub fn format_size(bytes: u64) -> String {
    const UNITS: [(&str, u64); 3] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    match UNITS.iter().find(|(_, unit)| bytes >= *unit) {
        Some((name, unit)) => {
            let tenths = u128::from(bytes) * 10 / u128::from(*unit);
            format!("{}.{} {name}", tenths / 10, tenths % 10)
        }
        None => format_count(usize::try_from(bytes).unwrap_or(usize::MAX), "byte"),
    }
}

/// Formats a number with its noun: "1 line", "2 lines".
pub fn format_count(number: usize, noun: &str) -> String {
    if number == 1 {
        format!("1 {noun}")
    } else {
        format!("{number} {noun}s")
    }
}

/// Formats a time limit: "10 min", "90 s", "250 ms", and "1.5 s" rounded to tenths.
pub fn format_duration(limit: Duration) -> String {
    let (seconds, rest) = (limit.as_secs(), limit.subsec_millis());
    match (seconds, rest) {
        (60.., 0) if seconds.is_multiple_of(60) => format!("{} min", seconds / 60),
        (_, 0) => format!("{seconds} s"),
        (0, _) => format!("{rest} ms"),
        _ => format!("{:.1} s", limit.as_secs_f64()),
    }
}

/// Formats a call: the tool and its arguments as JSON.
pub fn format_call(tool: &str, arguments: &Value) -> String {
    let fields: Vec<String> = arguments
        .as_object()
        .into_iter()
        .flatten()
        .map(|(key, value)| format!("\"{key}\": {value}"))
        .collect();
    format!("{tool} {{{}}}", fields.join(", "))
}

/// Returns the first `most` characters of a text, and marks where it was cut.
pub fn truncate(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((at, _)) => format!(
            "{}… [{} more characters]",
            &text[..at],
            text[at..].chars().count()
        ),
    }
}

/// Formats line numbers, consecutive ones joined: at most `most` groups, then how many lines are left, as in "3, 7-9
/// and 12 more".
pub fn line_list(mut lines: Vec<usize>, most: usize) -> String {
    lines.sort_unstable();
    lines.dedup();
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for line in lines {
        match runs.last_mut() {
            Some((_, end)) if *end + 1 == line => *end = line,
            _ => runs.push((line, line)),
        }
    }
    let left: usize = runs
        .iter()
        .skip(most)
        .map(|(start, end)| end - start + 1)
        .sum();
    let shown: Vec<String> = runs
        .iter()
        .take(most)
        .map(|&(start, end)| {
            if start == end {
                start.to_string()
            } else {
                format!("{start}-{end}")
            }
        })
        .collect();
    let more = if left > 0 {
        format!(" and {left} more")
    } else {
        String::new()
    };
    format!("{}{more}", shown.join(", "))
}

/// Formats line numbers with their noun: "line 3", "lines 3, 7-9".
pub fn name_lines(lines: Vec<usize>, most: usize) -> String {
    let noun = match lines.iter().all(|line| *line == lines[0]) {
        true => "line",
        false => "lines",
    };
    format!("{noun} {}", line_list(lines, most))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn uses_singular_for_one_line() {
        assert_eq!(name_lines(vec![3], 10), "line 3");
        assert_eq!(name_lines(vec![3, 3], 10), "line 3");
        assert_eq!(name_lines(vec![3, 4], 10), "lines 3-4");
    }

    #[test]
    fn formats_duration_in_fitting_unit() {
        for (milliseconds, words) in [
            (600_000, "10 min"),
            (60_000, "1 min"),
            (90_000, "90 s"),
            (3_000, "3 s"),
            (1_500, "1.5 s"),
            (250, "250 ms"),
        ] {
            assert_eq!(format_duration(Duration::from_millis(milliseconds)), words);
        }
    }

    #[test]
    fn joins_consecutive_lines() {
        assert_eq!(line_list(vec![9, 7, 8, 3], 10), "3, 7-9");
        assert_eq!(line_list(vec![1, 3, 5, 6], 2), "1, 3 and 2 more");
    }

    #[test]
    fn escapes_path_in_sentences_only() {
        let path = quote_path(Path::new("/a\n[lancet: x]\u{1b}é"));
        assert_eq!(path.to_string(), "/a\\n[lancet: x]\\u{1b}é");
        assert_eq!(json!(path), json!("/a\n[lancet: x]\u{1b}é"));
        assert_eq!(Value::from(path), json!("/a\n[lancet: x]\u{1b}é"));
    }

    #[test]
    fn formats_call_as_json() {
        let call = format_call("Read", &json!({ "file_path": "/a b", "offset": 3 }));
        assert_eq!(call, r#"Read {"file_path": "/a b", "offset": 3}"#);
    }
}
