//! Reads Markdown pages as far as links need it: the lines outside code fences, the targets of links, the anchors of
//! headings.

use std::collections::BTreeMap;

/// Returns the lines of a page outside code fences, with their numbers from 1.
pub(crate) fn outside_fences(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fence: Option<usize> = None;
    text.lines().enumerate().filter_map(move |(at, line)| {
        let line_marks = line.trim_start();
        let ticks = line_marks.len() - line_marks.trim_start_matches('`').len();
        match fence {
            Some(open) if ticks >= open && line_marks.trim_end().len() == ticks => fence = None,
            None if ticks >= 3 => fence = Some(ticks),
            None => return Some((at + 1, line)),
            Some(_) => {}
        }
        None
    })
}

/// Returns the targets of the links and pictures on a line: the text in `](…)`, and the values of `href`, `src` and
/// `srcset`. Code between back quotes has none.
pub(crate) fn targets(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for prose in outside_code(line) {
        for (opening, closing) in [
            ("](", ')'),
            ("href=\"", '"'),
            ("src=\"", '"'),
            ("srcset=\"", '"'),
        ] {
            for rest in prose.split(opening).skip(1) {
                let target = rest.split(closing).next().unwrap_or(rest);
                // A title may follow the target after a blank.
                found.extend(target.split_whitespace().next());
            }
        }
    }
    found
}

/// Returns the parts of a line outside back quotes. A run of back quotes is closed by a run of the same length; one
/// that is not closed is text.
fn outside_code(line: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut rest, mut from) = (line, 0);
    while let Some(at) = rest[from..].find('`').map(|at| from + at) {
        let after = rest[at..].trim_start_matches('`');
        let ticks = rest.len() - at - after.len();
        match closing(after, ticks) {
            Some(end) => {
                parts.push(&rest[..at]);
                rest = &after[end..];
                from = 0;
            }
            None => from = at + ticks,
        }
    }
    parts.push(rest);
    parts
}

/// Returns the end of the run of exactly this many back quotes that closes a piece of code.
fn closing(text: &str, ticks: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(start) = text[at..].find('`').map(|found| at + found) {
        let run = text[start..].len() - text[start..].trim_start_matches('`').len();
        at = start + run;
        if run == ticks {
            return Some(at);
        }
    }
    None
}

/// Splits a target: returns the path from the top of the repository, and the anchor. None for a link to elsewhere.
pub(crate) fn resolved<'t>(page: &str, target: &'t str) -> Option<(String, Option<&'t str>)> {
    let (path, anchor) = match target.split_once('#') {
        Some((path, anchor)) => (path, Some(anchor)),
        None => (target, None),
    };
    if path.contains("://") || path.starts_with("mailto:") {
        return None;
    }
    if path.is_empty() {
        return Some((page.to_owned(), anchor));
    }
    let folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    Some((parts.join("/"), anchor))
}

/// Returns the anchors of a page's headings, as GitHub and mdBook generate them: lower case, blanks as hyphens, other
/// punctuation removed, and a number after repeated ones.
pub(crate) fn anchors(text: &str) -> Vec<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut anchors = Vec::new();
    for (_, line) in outside_fences(text) {
        let words = line.trim_start_matches('#');
        if !(1..=6).contains(&(line.len() - words.len())) || !words.starts_with(' ') {
            continue;
        }
        let name = anchor(words.trim());
        let count = seen.entry(name.clone()).or_default();
        anchors.push(match *count {
            0 => name,
            more => format!("{name}-{more}"),
        });
        *count += 1;
    }
    anchors
}

fn anchor(heading: &str) -> String {
    heading
        .chars()
        .filter_map(|mark| match mark {
            ' ' => Some('-'),
            '-' | '_' => Some(mark),
            mark if mark.is_alphanumeric() => Some(mark),
            _ => None,
        })
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_pictures_have_targets_and_code_has_none() {
        let line =
            "[a](x.md \"title\") `[b](y.md)` <img src=\"p.svg\"> ``c ` [d](z.md)`` and ` [e](#f)";
        assert_eq!(targets(line), ["x.md", "p.svg", "#f"]);
    }

    #[test]
    fn a_fence_is_closed_by_its_own_length() {
        let page = "one\n````md\n```\ntwo\n```\n````\nthree\n  ```\nfour\n  ```\nfive\n";
        let lines: Vec<_> = outside_fences(page).collect();
        assert_eq!(lines, [(1, "one"), (7, "three"), (11, "five")]);
    }

    #[test]
    fn a_target_is_a_path_from_the_top_and_an_anchor() {
        let found = |target| resolved("docs/session/a.md", target);
        assert_eq!(
            found("../b.md#c"),
            Some(("docs/b.md".to_owned(), Some("c")))
        );
        assert_eq!(
            found("#d"),
            Some(("docs/session/a.md".to_owned(), Some("d")))
        );
        assert_eq!(
            found("../../README.md"),
            Some(("README.md".to_owned(), None))
        );
        assert_eq!(found("https://example.org/#x"), None);
    }

    #[test]
    fn anchors_are_those_of_the_web_pages() {
        let page = "# Who may `read`, and what?\n\n## At the_shell\n```sh\n# no heading\n```\n## Über-all\n## At the_shell\n#not one\n";
        let expected = [
            "who-may-read-and-what",
            "at-the_shell",
            "über-all",
            "at-the_shell-1",
        ];
        assert_eq!(anchors(page), expected);
    }
}
