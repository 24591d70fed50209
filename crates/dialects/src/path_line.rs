//! Path lines: the line above a block or a fence that names its file, plain or with Markdown around it.

/// Files that are recognised by a bare word.
const BARE_NAMES: [&str; 16] = [
    "BUILD",
    "CHANGELOG",
    "CODEOWNERS",
    "CONTRIBUTING",
    "Dockerfile",
    "Gemfile",
    "Jenkinsfile",
    "Justfile",
    "justfile",
    "LICENSE",
    "Makefile",
    "makefile",
    "Procfile",
    "Rakefile",
    "README",
    "Vagrantfile",
];

/// The longest path, in bytes.
const MAX_PATH_LENGTH: usize = 4_096;

/// Returns the path that a line names. A line with other words next to the path is prose; a path with blanks in it
/// counts only if such a file exists, so that a sentence never becomes the name of a new file.
pub(crate) fn path_in_line<'t>(
    line: &'t str,
    is_known: impl Fn(&'t str) -> bool,
) -> Option<&'t str> {
    // A fence is not a path. A response may have millions of them, and the checks below take long for each.
    if line.bytes().all(|byte| byte == b'`') {
        return None;
    }
    let path = strip_markdown(line);
    let path = path.strip_prefix("./").unwrap_or(path);
    if path.is_empty() || path.len() > MAX_PATH_LENGTH || path.chars().any(char::is_control) {
        return None;
    }
    if is_known(path) {
        return Some(path);
    }
    let odd = |letter: char| letter.is_whitespace() || "<>|\"*?`()[]{},;!$^".contains(letter);
    let begins = path
        .chars()
        .next()
        .is_some_and(|letter| "-=+@~&%".contains(letter));
    if path.contains(odd) || (begins && !path.starts_with("~/")) || path.contains("://") {
        return None;
    }
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    if name.is_empty() || name.ends_with('.') {
        return None;
    }
    let has_folder = name.len() < path.len();
    let has_extension = name.rsplit_once('.').is_some_and(|(_, extension)| {
        (1..=12).contains(&extension.len())
            && extension
                .chars()
                .all(|letter| letter.is_alphanumeric() || "_-~".contains(letter))
    });
    (has_folder || has_extension || BARE_NAMES.contains(&name)).then_some(path)
}

/// Removes Markdown around the name: heading marks, stars, back quotes and a final colon.
fn strip_markdown(line: &str) -> &str {
    let mut text = line.trim();
    if let Some(rest) = text.strip_prefix('#') {
        text = rest.trim_start_matches('#').trim_start();
    }
    loop {
        let before = text;
        text = text.strip_suffix(':').unwrap_or(text).trim();
        text = text.trim_start_matches('*').trim();
        text = text.trim_end_matches('*').trim();
        for mark in ["`", "\u{201c}", "\u{201d}"] {
            if let Some(inner) = text
                .strip_prefix(mark)
                .and_then(|rest| rest.strip_suffix(mark))
            {
                text = inner.trim();
            }
        }
        if text == before {
            return text;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::path_in_line;

    fn path_without_known_files(line: &str) -> Option<&str> {
        path_in_line(line, |_| false)
    }

    #[test]
    fn strips_markdown_around_path() {
        for line in [
            "a/b.txt",
            "`a/b.txt`",
            "**a/b.txt**",
            "### a/b.txt",
            "**`a/b.txt`**",
            "a/b.txt:",
            "`a/b.txt`:",
            "./a/b.txt",
            "# a/b.txt",
            "* a/b.txt",
            "**a/b.txt:**",
        ] {
            assert_eq!(path_without_known_files(line), Some("a/b.txt"), "{line}");
        }
        assert_eq!(path_without_known_files("__init__.py"), Some("__init__.py"));
        assert_eq!(path_without_known_files(".env"), Some(".env"));
        assert_eq!(path_without_known_files("Makefile"), Some("Makefile"));
        assert_eq!(
            path_without_known_files("src\\app\\main.py"),
            Some("src\\app\\main.py")
        );
    }

    #[test]
    fn does_not_take_prose_for_path() {
        for line in [
            "",
            "Here is the script:",
            "Done.",
            "and",
            "Create src/new.py:",
            "e.g.",
            "see https://example.org/a.txt",
            "- a.txt",
            "my notes/to do.txt",
            "...",
            "(a.txt)",
            "--- a/x.txt",
            "=======",
            "Output:",
        ] {
            assert_eq!(path_without_known_files(line), None, "{line}");
        }
        assert_eq!(
            path_in_line("my notes/to do.txt", |path| path == "my notes/to do.txt"),
            Some("my notes/to do.txt")
        );
        assert_eq!(
            path_in_line("hostname", |path| path == "hostname"),
            Some("hostname")
        );
    }
}
