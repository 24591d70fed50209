//! Detects parts of an edit's new text that do not belong in the file: display text (line numbers, diff marks and
//! notices that a model copied from a result), a placeholder for lines that would be lost, a code fence around the
//! text. A form that the old text or the file already has is content.

use super::fence::{has_fence, strip_fence};
use super::placeholder::find_placeholder_in_edit;
use super::{Leak, LeakKind, MAX_MENDED_BYTES, find_display_text};

/// The known facts about the place where a new text will be.
#[derive(Debug, Clone, Copy)]
pub struct EditContext<'a> {
    /// The text that it replaces, as it was sent.
    pub old: &'a str,
    /// The whole file. A form of display text that the file already has is content.
    pub file: &'a str,
    /// The numbers of the lines, from 1, where the text is replaced: one for each place.
    pub lines: &'a [usize],
    /// Whether code fences are content in this file.
    pub markup: FenceSupport,
    /// Whether a line of dots is code in this file.
    pub dots: BareDotsMeaning,
}

/// The meaning of a line that is only `...` in a file's language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BareDotsMeaning {
    /// A statement: Python.
    Code,
    /// No code, so that it may represent lines that were left out.
    Placeholder,
}

impl BareDotsMeaning {
    /// Returns the meaning in a file with this extension and text.
    pub fn for_file(extension: &str, file: &str) -> BareDotsMeaning {
        const PYTHON: [&str; 5] = ["py", "pyi", "pyw", "pyx", "pxd"];
        let first = file.lines().next().unwrap_or_default();
        let is_script = first.starts_with("#!") && first.contains("python");
        match is_script || PYTHON.contains(&extension.to_ascii_lowercase().as_str()) {
            true => BareDotsMeaning::Code,
            false => BareDotsMeaning::Placeholder,
        }
    }
}

/// Whether code fences are part of a file's language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FenceSupport {
    /// Markdown and related formats.
    Fences,
    /// Any other file.
    None,
}

impl FenceSupport {
    /// Returns the markup of files with this extension.
    pub fn for_extension(extension: &str) -> FenceSupport {
        const EXTENSIONS_WITH_FENCES: [&str; 8] = [
            "md", "markdown", "mdx", "mdc", "mkd", "qmd", "rmd", "livemd",
        ];
        match EXTENSIONS_WITH_FENCES.contains(&extension.to_ascii_lowercase().as_str()) {
            true => FenceSupport::Fences,
            false => FenceSupport::None,
        }
    }
}

/// Finds display text, a code fence or a placeholder in the new text of an edit.
pub fn find_leak_in_edit(edit: &EditContext<'_>, new: &str) -> Option<Leak> {
    find_display_text(&[edit.old, edit.file], edit.lines, new)
        .or_else(|| find_leaked_fence(edit, new))
        .or_else(|| find_placeholder_in_edit(edit.old, edit.file, new, edit.dots))
}

/// Finds a code fence around the new text, in a file that has no fences.
fn find_leaked_fence(edit: &EditContext<'_>, new: &str) -> Option<Leak> {
    if edit.markup == FenceSupport::Fences {
        return None;
    }
    let inner = strip_fence(new)?;
    let known = has_fence(edit.old) || has_fence(edit.file);
    (!known).then(|| Leak {
        kind: LeakKind::Fence,
        line: 0,
        reason: "A code fence surrounds the new text; it is not part of the file.".into(),
        mended: (inner.len() <= MAX_MENDED_BYTES).then_some(inner),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find_test_leak(file: &str, old: &str, new: &str) -> Option<Leak> {
        let start = file.find(old).expect("it stands there");
        let edit = EditContext {
            old,
            file,
            lines: &[file[..start].matches('\n').count() + 1],
            markup: FenceSupport::None,
            dots: BareDotsMeaning::Placeholder,
        };
        let leak = find_leak_in_edit(&edit, new)?;
        assert!(leak.reason.to_string().chars().count() <= 400);
        Some(leak)
    }

    fn leak_kind(file: &str, old: &str, new: &str) -> Option<LeakKind> {
        find_test_leak(file, old, new).map(|leak| leak.kind)
    }

    #[test]
    fn colon_and_bar_numbers_must_match_line_of_place() {
        for (new, mended) in [
            ("2:a\n3:c", "a\nc"),
            ("2 | a\n3 | c", "a\nc"),
            (" 2 | a\n 3 |\n 4 | c\n", "a\n\nc\n"),
        ] {
            let leak = find_test_leak("x\na\nb\n", "a\nb", new).expect(new);
            assert_eq!(leak.kind, LeakKind::Numbers);
            assert_eq!(leak.mended.as_deref(), Some(mended));
        }
        for new in [
            "1:a\n2:c",
            "80: a\n81: b",
            "2:a",
            "2 | a",
            "2:a\nc",
            "2:a\n4:c",
        ] {
            assert_eq!(leak_kind("x\na\nb\n", "a\nb", new), None, "{new:?}");
        }
        assert_eq!(
            leak_kind("1: x\na\n", "a", "2: a\n3: c"),
            None,
            "the file has such lines"
        );
        assert_eq!(
            leak_kind("x\n2→y\n", "x", "1→x\n2→z"),
            None,
            "the file has arrows"
        );
    }

    #[test]
    fn detects_fence_around_new_text() {
        let leak = find_test_leak("x = 1\n", "x = 1", "```python\nx = 2\n```").expect("a fence");
        assert_eq!(leak.kind, LeakKind::Fence);
        assert_eq!(leak.mended.as_deref(), Some("x = 2"));
        assert_eq!(
            leak_kind("```\nold\n```\nmore\n", "more", "```\nmore\n```"),
            None
        );
        assert_eq!(
            leak_kind("x = 1\n", "x = 1", "\"\"\"\n```\nx\n```\n\"\"\""),
            None
        );
        let markdown = EditContext {
            old: "x",
            file: "x\n",
            lines: &[1],
            markup: FenceSupport::for_extension("MD"),
            dots: BareDotsMeaning::Placeholder,
        };
        assert_eq!(find_leak_in_edit(&markdown, "```\nx\n```"), None);
    }

    const PYTHON: &str = "def f(a):\n    b = a + 1\n    c = b * 2\n    log(c)\n    return a\n";

    #[test]
    fn detects_comment_that_replaces_lines() {
        let leak = find_test_leak(
            PYTHON,
            PYTHON.trim_end(),
            "def f(a):\n    # ... existing code ...\n    return a + 1",
        )
        .expect("a placeholder");
        assert_eq!((leak.kind, leak.line), (LeakKind::Placeholder, 1));
        assert_eq!(
            leak.mended.as_deref(),
            Some("def f(a):\n    b = a + 1\n    c = b * 2\n    log(c)\n    return a + 1")
        );
        assert_eq!(
            leak_kind(PYTHON, "    log(c)", "... existing code ..."),
            Some(LeakKind::Placeholder)
        );
        assert_eq!(
            leak_kind(PYTHON, "    log(c)", "    # ..."),
            Some(LeakKind::Placeholder)
        );
    }

    #[test]
    fn accepts_comments_that_are_no_placeholders() {
        let same = "    # ... existing code ...\n    log(c)";
        assert_eq!(
            leak_kind(PYTHON, "    log(c)", same),
            None,
            "nothing is lost"
        );
        assert_eq!(leak_kind(PYTHON, "    log(c)", "    ..."), None);
        for comment in ["# Load existing users...", "# parse the remaining lines"] {
            let new = format!("    {comment}\n    load(c)");
            assert_eq!(leak_kind(PYTHON, "    log(c)", &new), None, "{comment}");
        }
        let file = "Write:\n// ... existing code ...\nend\n";
        assert_eq!(
            leak_kind(file, "end", "// ... existing code ...\nend!"),
            None
        );
    }

    #[test]
    fn detects_dots_that_replace_lines() {
        let file = "fn f() {\n    one();\n    two();\n    three();\n}\n";
        let old = file.trim_end();
        let leak = find_test_leak(file, old, "fn f() {\n    ...\n    three();\n}").expect("dots");
        assert_eq!((leak.kind, leak.line), (LeakKind::Placeholder, 1));
        assert_eq!(leak.mended, None, "it would be the old text");
        let leak = find_test_leak(file, old, "fn f() {\n    ...\n    three(3);\n}").expect("dots");
        let filled = "fn f() {\n    one();\n    two();\n    three(3);\n}";
        assert_eq!(leak.mended.as_deref(), Some(filled));
        for (why, file, old, new) in [
            (
                "one line between",
                file,
                old,
                "fn f() {\n    one();\n    ...\n    three();\n}",
            ),
            (
                "nothing shared behind",
                file,
                old,
                "fn f() {\n    ...\n    other();\n",
            ),
            ("nothing shared before", file, old, "fn g() {\n    ...\n}"),
            (
                "all lines come back",
                file,
                old,
                "fn f() {\n    ...\n}\n    one();\n    two();\n    three();",
            ),
            (
                "the file has such a line",
                "...\na\nb\nc\nd\n",
                "a\nb\nc\nd",
                "a\n...\nd",
            ),
        ] {
            assert_eq!(leak_kind(file, old, new), None, "{why}");
        }
        let python = EditContext {
            old: "a\nb\nc\nd",
            file: "a\nb\nc\nd\n",
            lines: &[1],
            markup: FenceSupport::None,
            dots: BareDotsMeaning::for_file("py", ""),
        };
        assert_eq!(find_leak_in_edit(&python, "a\n...\nd"), None);
        assert_eq!(
            BareDotsMeaning::for_file("", "#!/usr/bin/env python3\n"),
            BareDotsMeaning::Code
        );
        assert_eq!(
            BareDotsMeaning::for_file("rs", "a\n"),
            BareDotsMeaning::Placeholder
        );
    }

    #[test]
    fn fills_placeholder_only_where_certain() {
        let leak = find_test_leak(
            PYTHON,
            PYTHON.trim_end(),
            "def f(a):\n    # ... existing code ...\n    with quite_other(words) as z:\n        pass",
        )
        .expect("a placeholder");
        assert_eq!(leak.mended, None);
    }
}
