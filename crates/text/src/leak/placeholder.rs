//! Detects a comment such as `// ... rest of the file unchanged ...` in new content, where a part of the old file is
//! left out. The wording alone may be content, so the deciding factor is how much of the file is missing at that place.
//!
//! The word lists and limits are heuristics: a line counts as a placeholder where all of its words are about leaving
//! text out. It is reported where at least [`MIN_MISSING_LINES`] lines are missing, and [`MIN_MISSING_PER_SENT`] times as many as were
//! sent instead.

mod in_edit;

use std::borrow::Cow;
use std::collections::HashSet;
use std::time::Duration;

pub(super) use in_edit::find_placeholder_in_edit;

use super::{Leak, LeakKind, quote_line_start, text_lines};
use crate::diff::difference;

/// The number of lines that are not blank that must be missing at the placeholder.
const MIN_MISSING_LINES: usize = 5;

/// The number of lines that must be missing for each line that was sent in their place.
const MIN_MISSING_PER_SENT: usize = 3;

/// A longer line is not a placeholder.
const MAX_LINE_LENGTH: usize = 160;

/// The number of placeholders that are checked.
const MAX_CHECKED_PLACEHOLDERS: usize = 100;

/// The time that the comparison of old and new text may take; beyond it the difference is coarse.
const COMPARISON_BUDGET: Duration = Duration::from_millis(200);

/// Finds a placeholder line in `content` that represents a much larger part of `old_file`. A line that the old file
/// also has is content.
pub fn find_placeholder(content: &str, old_file: &str) -> Option<Leak> {
    let mut found: Vec<(usize, &str)> = text_lines(content)
        .enumerate()
        .filter(|(_, line)| is_placeholder_line(line))
        .take(MAX_CHECKED_PLACEHOLDERS)
        .collect();
    if found.is_empty() {
        return None;
    }
    let mut unknown: HashSet<&str> = found.iter().map(|(_, line)| line.trim()).collect();
    for line in text_lines(old_file) {
        unknown.remove(line.trim());
    }
    found.retain(|(_, line)| unknown.contains(line.trim()));
    if found.is_empty() {
        return None;
    }
    let old_lines: Vec<&str> = text_lines(old_file).collect();
    let new_lines: Vec<&str> = text_lines(content).collect();
    let filled = |lines: &[&str]| lines.iter().filter(|line| !line.trim().is_empty()).count();
    for (old, new) in difference(old_file, content, 0, COMPARISON_BUDGET).blocks {
        let Some((line, text)) = found.iter().find(|(line, _)| new.contains(line)) else {
            continue;
        };
        let missing = filled(old_lines.get(old.clone())?);
        let placeholders = found.iter().filter(|(line, _)| new.contains(line)).count();
        let sent = filled(new_lines.get(new.clone())?).saturating_sub(placeholders);
        if missing >= MIN_MISSING_LINES && missing >= MIN_MISSING_PER_SENT * sent {
            return Some(Leak {
                kind: LeakKind::Placeholder,
                line: *line,
                reason: format!(
                    "Line {} ({}) replaces lines {}-{} of the file, which would be lost.",
                    line + 1,
                    quote_line_start(text),
                    old.start + 1,
                    old.end,
                )
                .into(),
                mended: None,
            });
        }
    }
    None
}

/// The strings that open a comment, longest first.
const COMMENT_OPENERS: [&str; 16] = [
    "{{!--", "<!--", "{/*", "///", "//", "/*", "(*", "{-", "--", "##", "#", ";;", ";", "%", "*",
    "'",
];

/// The strings that close a comment, longest first.
const COMMENT_CLOSERS: [&str; 6] = ["--}}", "-->", "*/}", "*/", "*)", "-}"];

/// Words for the text that is not shown.
const REST_WORDS: [&str; 10] = [
    "rest",
    "remainder",
    "remaining",
    "everything",
    "other",
    "others",
    "existing",
    "previous",
    "original",
    "all",
];

/// Words for what happens to that text.
const KEPT_WORDS: [&str; 15] = [
    "unchanged",
    "unmodified",
    "untouched",
    "omitted",
    "same",
    "before",
    "remains",
    "remain",
    "stays",
    "stay",
    "truncated",
    "snip",
    "snipped",
    "elided",
    "here",
];

/// Words for the part of a file that it is.
const PART_WORDS: [&str; 14] = [
    "file",
    "code",
    "content",
    "contents",
    "implementation",
    "methods",
    "functions",
    "function",
    "lines",
    "class",
    "body",
    "logic",
    "imports",
    "sections",
];

/// Words that connect the others.
const JOINING_WORDS: [&str; 18] = [
    "the", "of", "is", "are", "as", "it", "this", "that", "and", "in", "below", "above", "no",
    "change", "changes", "keep", "for", "brevity",
];

/// A longer comment that contains one of the [`FOREIGN_PHRASES`] has further content.
const MAX_PHRASE_LENGTH: usize = 24;

/// The usual phrases in the other languages that models use.
const FOREIGN_PHRASES: [&str; 7] = [
    "其余",
    "不变",
    "省略",
    "变更なし",
    "unverändert",
    "sin cambios",
    "без изменений",
];

/// Returns whether a line reads as a placeholder for text that was left out.
pub(crate) fn is_placeholder_line(line: &str) -> bool {
    let line = line.trim();
    if line.is_empty() || line.len() > MAX_LINE_LENGTH {
        return false;
    }
    let opener = COMMENT_OPENERS
        .iter()
        .find(|opener| line.starts_with(**opener));
    let mut body = opener.map_or(line, |opener| &line[opener.len()..]).trim();
    if let Some(closer) = COMMENT_CLOSERS
        .iter()
        .find(|closer| body.ends_with(**closer))
    {
        body = body[..body.len() - closer.len()].trim();
    }
    // Without a comment the line must at least begin with a bracket or dots.
    if opener.is_none() && !body.starts_with(['[', '(', '<', '…']) && !body.starts_with("...") {
        return false;
    }
    let dotted = body.contains("...") || body.contains('…');
    let words: Vec<Cow<'_, str>> = body
        .split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(in_lower_case)
        .collect();
    if words.is_empty() {
        return dotted && opener.is_some();
    }
    let says = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_ref()));
    let (rest, kept) = (says(&REST_WORDS), says(&KEPT_WORDS));
    let no_change = says(&["no"]) && says(&["change", "changes"]);
    let set_apart = body.starts_with("...") || body.starts_with('…');
    if set_apart && (rest || kept || no_change) {
        return true;
    }
    let is_ascii = body.is_ascii();
    let mut phrases = FOREIGN_PHRASES.iter();
    if phrases.any(|phrase| (!is_ascii || phrase.is_ascii()) && body.contains(phrase)) {
        return dotted || body.chars().count() <= MAX_PHRASE_LENGTH;
    }
    if !rest && !kept && !no_change {
        return false;
    }
    // A comment with any other word is about something else.
    let is_known = |word: &Cow<'_, str>| {
        let lists: [&[&str]; 4] = [&REST_WORDS, &KEPT_WORDS, &PART_WORDS, &JOINING_WORDS];
        lists.iter().any(|list| list.contains(&word.as_ref()))
    };
    words.iter().all(is_known)
        && ((rest && kept)
            || (dotted && (rest || kept || no_change))
            || (says(&REST_WORDS[..3]) && says(&PART_WORDS))
            || (says(&KEPT_WORDS[..4]) && says(&PART_WORDS)))
}

/// Returns the word in lower case; most words already are.
fn in_lower_case(word: &str) -> Cow<'_, str> {
    let is_lower = |byte: u8| byte.is_ascii() && !byte.is_ascii_uppercase();
    match word.bytes().all(is_lower) {
        true => Cow::Borrowed(word),
        false => Cow::Owned(word.to_lowercase()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_placeholder_lines() {
        for line in [
            "// ... rest of the file unchanged ...",
            "# ... existing code ...",
            "<!-- rest unchanged -->",
            "    // ... existing code",
            "/* ... */",
            "// ...",
            "# …",
            "-- remaining functions stay the same",
            "{/* ... other components remain unchanged ... */}",
            "... (rest of file unchanged)",
            "[rest of the code remains the same]",
            "// (rest of the file)",
            "; no changes below ...",
            "# 其余代码不变",
            "// rest of implementation",
        ] {
            assert!(is_placeholder_line(line), "{line}");
        }
    }

    #[test]
    fn accepts_ordinary_lines() {
        for line in [
            "...",
            "",
            "let rest = remaining(file);",
            "// the parser keeps its position",
            "# Settings for the server",
            "rest of the file unchanged",
            "def body(self): ...",
            "// TODO: loading...",
            "* a list item",
            "return [...rest];",
            "# Load existing users...",
            "// parse the remaining lines",
            "# this function must stay the same on all hosts",
        ] {
            assert!(!is_placeholder_line(line), "{line}");
        }
    }

    fn numbered_fields(count: usize) -> String {
        (1..=count)
            .map(|line| format!("int field_{line} = {line};\n"))
            .collect()
    }

    #[test]
    fn detects_placeholder_for_most_of_file() {
        let old = numbered_fields(300);
        let content =
            "int field_1 = 100;\nint field_2 = 2;\n// ... rest of the file unchanged ...\n";
        let leak = find_placeholder(content, &old).expect("a placeholder");
        assert_eq!((leak.kind, leak.line), (LeakKind::Placeholder, 2));
        assert!(leak.reason.to_string().contains("3-300"), "{}", leak.reason);
    }

    #[test]
    fn detects_placeholder_in_middle() {
        let old = format!("fn a() {{\n{}}}\nfn b() {{}}\n", numbered_fields(40));
        let content = "fn a() {\n    // ... existing code ...\n}\nfn c() {}\n";
        assert!(find_placeholder(content, &old).is_some());
        let long = format!("{old}{}", numbered_fields(400).replace("field", "other"));
        let content = long.replace(&numbered_fields(40), "// ... existing code ...\n");
        assert!(
            find_placeholder(&content, &long).is_some(),
            "though most of the file was sent"
        );
    }

    #[test]
    fn accepts_placeholder_words_when_nothing_is_missing() {
        let old = numbered_fields(300);
        assert_eq!(
            find_placeholder(&format!("{old}// rest of the file unchanged\n"), &old),
            None
        );
        let old = "a = 1\n# rest of the file unchanged since 2019\nb = 2\nc = 3\n";
        assert_eq!(
            find_placeholder("a = 9\n# rest of the file unchanged since 2019\n", old),
            None
        );
        let rewritten: String = (0..60).map(|line| format!("other {line}\n")).collect();
        let content = format!("{rewritten}// ... existing code ...\n");
        assert_eq!(
            find_placeholder(&content, &numbered_fields(70)),
            None,
            "a rewrite of the same size"
        );
    }

    #[test]
    fn accepts_placeholder_in_new_file() {
        assert_eq!(find_placeholder("# ... existing code ...\n", ""), None);
    }
}
