//! Detects parts of an edit's new text that do not belong in the file: display text (line numbers, diff marks and
//! notices that a model copied from a result), a placeholder for lines that would be lost, a code fence around the
//! text. A form that the old text or the file already has is content.

use super::fence::{has_fence, unfenced};
use super::placeholder::placeholder_in_edit;
use super::{Leak, LeakKind, MENDED_MOST, display_text};

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
    pub markup: Markup,
    /// Whether a line of dots is code in this file.
    pub dots: BareDots,
}

/// The meaning of a line that is only `...` in a file's language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BareDots {
    /// A statement: Python.
    Code,
    /// No code, so that it may represent lines that were left out.
    Placeholder,
}

impl BareDots {
    /// Returns the meaning in a file with this extension and text.
    pub fn of_file(extension: &str, file: &str) -> BareDots {
        const PYTHON: [&str; 5] = ["py", "pyi", "pyw", "pyx", "pxd"];
        let first = file.lines().next().unwrap_or_default();
        let is_script = first.starts_with("#!") && first.contains("python");
        match is_script || PYTHON.contains(&extension.to_ascii_lowercase().as_str()) {
            true => BareDots::Code,
            false => BareDots::Placeholder,
        }
    }
}

/// Whether code fences are part of a file's language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Markup {
    /// Markdown and related formats.
    Fences,
    /// Any other file.
    None,
}

impl Markup {
    /// Returns the markup of files with this extension.
    pub fn of_extension(extension: &str) -> Markup {
        const FENCED: [&str; 8] = [
            "md", "markdown", "mdx", "mdc", "mkd", "qmd", "rmd", "livemd",
        ];
        match FENCED.contains(&extension.to_ascii_lowercase().as_str()) {
            true => Markup::Fences,
            false => Markup::None,
        }
    }
}

/// Finds display text, a code fence or a placeholder in the new text of an edit.
pub fn leaked_edit(edit: &EditContext<'_>, new: &str) -> Option<Leak> {
    display_text(&[edit.old, edit.file], edit.lines, new)
        .or_else(|| leaked_fence(edit, new))
        .or_else(|| placeholder_in_edit(edit.old, edit.file, new, edit.dots))
}

/// Finds a code fence around the new text, in a file that has no fences.
fn leaked_fence(edit: &EditContext<'_>, new: &str) -> Option<Leak> {
    if edit.markup == Markup::Fences {
        return None;
    }
    let inner = unfenced(new)?;
    let known = has_fence(edit.old) || has_fence(edit.file);
    (!known).then(|| Leak {
        kind: LeakKind::Fence,
        line: 0,
        reason: "A code fence surrounds the new text; it is not part of the file.".into(),
        mended: (inner.len() <= MENDED_MOST).then_some(inner),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(file: &str, old: &str, new: &str) -> Option<Leak> {
        let start = file.find(old).expect("it stands there");
        let edit = EditContext {
            old,
            file,
            lines: &[file[..start].matches('\n').count() + 1],
            markup: Markup::None,
            dots: BareDots::Placeholder,
        };
        let leak = leaked_edit(&edit, new)?;
        assert!(leak.reason.to_string().chars().count() <= 400);
        Some(leak)
    }

    fn kind(file: &str, old: &str, new: &str) -> Option<LeakKind> {
        found(file, old, new).map(|leak| leak.kind)
    }

    #[test]
    fn numbers_with_a_colon_or_a_bar_are_those_of_the_place() {
        for (new, mended) in [
            ("2:a\n3:c", "a\nc"),
            ("2 | a\n3 | c", "a\nc"),
            (" 2 | a\n 3 |\n 4 | c\n", "a\n\nc\n"),
        ] {
            let leak = found("x\na\nb\n", "a\nb", new).expect(new);
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
            assert_eq!(kind("x\na\nb\n", "a\nb", new), None, "{new:?}");
        }
        assert_eq!(
            kind("1: x\na\n", "a", "2: a\n3: c"),
            None,
            "the file has such lines"
        );
        assert_eq!(
            kind("x\n2→y\n", "x", "1→x\n2→z"),
            None,
            "the file has arrows"
        );
    }

    #[test]
    fn a_fence_around_the_new_text() {
        let leak = found("x = 1\n", "x = 1", "```python\nx = 2\n```").expect("a fence");
        assert_eq!(leak.kind, LeakKind::Fence);
        assert_eq!(leak.mended.as_deref(), Some("x = 2"));
        assert_eq!(
            kind("```\nold\n```\nmore\n", "more", "```\nmore\n```"),
            None
        );
        assert_eq!(
            kind("x = 1\n", "x = 1", "\"\"\"\n```\nx\n```\n\"\"\""),
            None
        );
        let markdown = EditContext {
            old: "x",
            file: "x\n",
            lines: &[1],
            markup: Markup::of_extension("MD"),
            dots: BareDots::Placeholder,
        };
        assert_eq!(leaked_edit(&markdown, "```\nx\n```"), None);
    }

    const PYTHON: &str = "def f(a):\n    b = a + 1\n    c = b * 2\n    log(c)\n    return a\n";

    #[test]
    fn a_comment_in_place_of_lines_that_would_be_lost() {
        let leak = found(
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
            kind(PYTHON, "    log(c)", "... existing code ..."),
            Some(LeakKind::Placeholder)
        );
        assert_eq!(
            kind(PYTHON, "    log(c)", "    # ..."),
            Some(LeakKind::Placeholder)
        );
    }

    #[test]
    fn what_is_no_placeholder() {
        let same = "    # ... existing code ...\n    log(c)";
        assert_eq!(kind(PYTHON, "    log(c)", same), None, "nothing is lost");
        assert_eq!(kind(PYTHON, "    log(c)", "    ..."), None);
        for comment in ["# Load existing users...", "# parse the remaining lines"] {
            let new = format!("    {comment}\n    load(c)");
            assert_eq!(kind(PYTHON, "    log(c)", &new), None, "{comment}");
        }
        let file = "Write:\n// ... existing code ...\nend\n";
        assert_eq!(kind(file, "end", "// ... existing code ...\nend!"), None);
    }

    #[test]
    fn dots_alone_in_place_of_lines_that_would_be_lost() {
        let file = "fn f() {\n    one();\n    two();\n    three();\n}\n";
        let old = file.trim_end();
        let leak = found(file, old, "fn f() {\n    ...\n    three();\n}").expect("dots");
        assert_eq!((leak.kind, leak.line), (LeakKind::Placeholder, 1));
        assert_eq!(leak.mended, None, "it would be the old text");
        let leak = found(file, old, "fn f() {\n    ...\n    three(3);\n}").expect("dots");
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
            assert_eq!(kind(file, old, new), None, "{why}");
        }
        let python = EditContext {
            old: "a\nb\nc\nd",
            file: "a\nb\nc\nd\n",
            lines: &[1],
            markup: Markup::None,
            dots: BareDots::of_file("py", ""),
        };
        assert_eq!(leaked_edit(&python, "a\n...\nd"), None);
        assert_eq!(
            BareDots::of_file("", "#!/usr/bin/env python3\n"),
            BareDots::Code
        );
        assert_eq!(BareDots::of_file("rs", "a\n"), BareDots::Placeholder);
    }

    #[test]
    fn what_it_stands_for_is_filled_in_only_where_it_can_be_told() {
        let leak = found(
            PYTHON,
            PYTHON.trim_end(),
            "def f(a):\n    # ... existing code ...\n    with quite_other(words) as z:\n        pass",
        )
        .expect("a placeholder");
        assert_eq!(leak.mended, None);
    }
}
