//! `.editorconfig`: sections by pattern. Later sections override earlier ones and nearer files farther ones; a file
//! with `root = true` ends the search upwards.

use std::path::Path;

use lancet_text::LineEnd;

use super::pattern::{Dialect, LinePattern};
use super::{RuleFile, limit_rule_text, path_below_folder};

pub(super) fn line_end(relative: &Path, files: &[RuleFile<'_>]) -> Option<LineEnd> {
    let first = files
        .iter()
        .rposition(|file| is_root(file.text))
        .unwrap_or(0);
    let mut named = None;
    for file in files.get(first..).unwrap_or_default() {
        let Some(path) = path_below_folder(relative, file.folder) else {
            continue;
        };
        read_sections(file.text, &path, &mut named);
    }
    named
}

fn is_root(text: &str) -> bool {
    let preamble = uncommented_lines(text).take_while(|line| !line.starts_with('['));
    let mut pairs = preamble.filter_map(split_key_and_value);
    pairs.any(|(key, value)| key == "root" && value == "true")
}

fn read_sections(text: &str, path: &str, named: &mut Option<LineEnd>) {
    let mut applies = false;
    for line in uncommented_lines(text) {
        if let Some(header) = line.strip_prefix('[') {
            let glob = header.rfind(']').map(|end| &header[..end]);
            applies = glob.is_some_and(|glob| {
                LinePattern::compile(glob, Dialect::EditorConfig).matches(path)
            });
        } else if applies
            && let Some((key, value)) = split_key_and_value(line)
            && key == "end_of_line"
        {
            match value.as_str() {
                "lf" => *named = Some(LineEnd::Lf),
                "crlf" => *named = Some(LineEnd::Crlf),
                "cr" => *named = Some(LineEnd::Cr),
                "unset" => *named = None,
                _ => {}
            }
        }
    }
}

fn uncommented_lines(text: &str) -> impl Iterator<Item = &str> {
    limit_rule_text(text)
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with(['#', ';']))
}

/// Splits a line into key and value in lower case, without a comment that follows a blank.
fn split_key_and_value(line: &str) -> Option<(String, String)> {
    let (key, value) = line.split_once('=')?;
    let comment = [" #", " ;", "\t#", "\t;"]
        .iter()
        .filter_map(|mark| value.find(mark))
        .min();
    let value = comment.map_or(value, |at| &value[..at]);
    Some((
        key.trim().to_ascii_lowercase(),
        value.trim().to_ascii_lowercase(),
    ))
}
