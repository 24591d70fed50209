//! Properties of any reply: no panic, the same parts in one piece and in many, and parts that are rendered in a format
//! are parsed back from it.

use lancet_dialects::{
    Dialect, LineRole, ParseOptions, PartAction, ResponsePart, ResponseStream, parse,
};
use lancet_testing::laws::config;
use proptest::prelude::*;

/// Generates lines that mean something in one of the formats, and some that do not.
fn line() -> impl Strategy<Value = String> {
    let fixed = prop::sample::select(vec![
        "<<<<<<< SEARCH",
        "=======",
        ">>>>>>> REPLACE",
        "<<<<< SEARCH",
        "=====",
        ">>>>> REPLACE",
        "------- SEARCH",
        "+++++++ REPLACE",
        "   <<<<<<< SEARCH",
        "<<<< SEARCH",
        "\\=======",
        ":start_line:3",
        "-------",
        "...",
        "```",
        "```diff",
        "````",
        "~~~",
        "*** Begin Patch",
        "*** End Patch",
        "*** Update File: a.txt",
        "*** Add File: b.txt",
        "*** Delete File: c.txt",
        "*** Move to: d.txt",
        "*** End of File",
        "@@",
        "@@ def f():",
        "@@ -1,2 +1,2 @@",
        "@@ -0,0 +1 @@",
        "--- a/a.txt",
        "+++ b/a.txt",
        "--- /dev/null",
        "+++ /dev/null",
        "diff --git a/a.txt b/a.txt",
        "rename from a.txt",
        "rename to b.txt",
        "new file mode 100755",
        "old mode 100644",
        "new mode 100755",
        "\\ No newline at end of file",
        "<think>",
        "</think>",
        "<source>",
        "</source>",
        "a.txt",
        "**src/b.py**",
        "",
        " ",
        " x",
        "-x",
        "+y",
        "-- ",
        "2.47.0",
        "words and more",
        "x\r",
    ]);
    prop_oneof![9 => fixed.prop_map(str::to_owned), 1 => "[ -~äé→]{0,12}"]
}

fn reply() -> impl Strategy<Value = String> {
    (prop::collection::vec(line(), 0..40), any::<bool>()).prop_map(|(lines, ends)| {
        let mut text = lines.join("\n");
        if ends {
            text.push('\n');
        }
        text
    })
}

fn fed(
    reply: &str,
    step: usize,
    options: &ParseOptions<'_>,
) -> Result<Vec<ResponsePart>, lancet_dialects::ParseError> {
    let mut stream = ResponseStream::new(options);
    let mut rest = reply;
    let mut handed_out = 0;
    while !rest.is_empty() {
        let mut end = step.min(rest.len());
        while !rest.is_char_boundary(end) {
            end += 1;
        }
        handed_out += stream.feed(&rest[..end])?.len();
        rest = &rest[end..];
    }
    let parts = stream.finish()?;
    assert!(handed_out <= parts.len());
    Ok(parts)
}

/// Generates a line that means nothing in any format.
fn plain_line() -> impl Strategy<Value = String> {
    "[a-z(){};=]{1,3}( [a-z0-9.]{1,6}){0,3}".prop_filter("no marker", |line| line.trim() != "...")
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_reply_means_the_same_in_one_piece_and_in_many(reply in reply(), step in 1_usize..9) {
        let options = ParseOptions::default();
        let whole = parse(&reply, &options);
        prop_assert_eq!(fed(&reply, step, &options), whole.clone());
        for dialect in Dialect::ALL {
            let options = ParseOptions { format: Some(dialect), ..options };
            let parts = parse(&reply, &options);
            prop_assert!(parts.iter().flatten().all(|part| part.dialect == dialect));
        }
        if let Err(error) = whole {
            prop_assert!(error.line >= 1 && error.line <= reply.lines().count().max(1));
        }
    }

    #[test]
    fn no_marker_of_a_block_is_ever_content(reply in reply()) {
        let options = ParseOptions { format: Some(Dialect::SearchReplace), ..ParseOptions::default() };
        for part in parse(&reply, &options).into_iter().flatten() {
            if let PartAction::Edit(hunk) = &part.action {
                let lines: Vec<&str> = reply.lines().collect();
                let length = lines[part.line - 1].trim().split(' ').next().map_or(0, str::len);
                for line in &hunk.lines {
                    let escaped = lines.contains(&format!("\\{}", line.text).as_str());
                    let divider = line.text.len() == length && line.text.bytes().all(|byte| byte == b'=');
                    prop_assert!(!divider || escaped, "{:?}", line);
                }
            }
        }
    }

    #[test]
    fn what_is_rendered_is_read_back(
        old in prop::collection::vec(plain_line(), 1..5),
        new in prop::collection::vec(plain_line(), 0..5),
        context in plain_line(),
    ) {
        let join = |sign: &str, lines: &[String]| lines.iter().map(|line| format!("{sign}{line}\n")).collect::<String>();
        let block = format!("Words.\n\na/b.rs\n```rust\n<<<<<<< SEARCH\n{context}\n{}=======\n{context}\n{}>>>>>>> REPLACE\n```\n", join("", &old), join("", &new));
        let patch = format!("*** Begin Patch\n*** Update File: a/b.rs\n@@\n {context}\n{}{}*** End Patch\n", join("-", &old), join("+", &new));
        let (olds, news) = (old.len() + 1, new.len() + 1);
        let diff = format!("--- a/a/b.rs\n+++ b/a/b.rs\n@@ -1,{olds} +1,{news} @@\n {context}\n{}{}", join("-", &old), join("+", &new));
        for (dialect, reply) in [(Dialect::SearchReplace, block), (Dialect::V4a, patch), (Dialect::Unified, diff)] {
            let parts = parse(&reply, &ParseOptions::default());
            let parts = parts.map_err(|error| TestCaseError::fail(format!("{error}\n{reply}")))?;
            prop_assert_eq!(parts.len(), 1);
            prop_assert_eq!(parts[0].dialect, dialect);
            prop_assert_eq!(&parts[0].path, "a/b.rs");
            let PartAction::Edit(hunk) = &parts[0].action else {
                return Err(TestCaseError::fail("no edit"));
            };
            let wanted: Vec<&str> = std::iter::once(&context).chain(&old).map(String::as_str).collect();
            prop_assert_eq!(hunk.old_lines().collect::<Vec<_>>(), wanted);
            let wanted: Vec<&str> = std::iter::once(&context).chain(&new).map(String::as_str).collect();
            prop_assert_eq!(hunk.new_lines().collect::<Vec<_>>(), wanted);
            let roles: Vec<LineRole> = hunk.lines.iter().map(|line| line.role).collect();
            prop_assert!(dialect == Dialect::SearchReplace || roles[0] == LineRole::Context);
        }
    }
}
