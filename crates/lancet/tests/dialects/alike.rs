//! An Edit and a SEARCH/REPLACE block with the same texts leave the same bytes. One of the two is refused alone only
//! where the text also occurs in part of a line, or once with its newline and once at the end of the file without it.
//! Which refusals these are is the law of the same name next to the search for hunks.

use std::fs;

use lancet::RawCall;
use lancet::dialects::{AppliedBy, ResponseOptions};
use lancet::request::Insist;
use lancet_testing::TestProject;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::json;

use crate::laws::config;

const LINES: [&str; 12] = [
    "",
    "a",
    "  a",
    "\ta",
    "a ",
    "say \"hi\"",
    "    say \"hi\"",
    "say \u{201c}hi\u{201d}",
    "if x:",
    "    y = 1",
    "        y = 1",
    "}",
];

/// Returns the bytes that an Edit and a block leave; none where they are refused.
fn results(text: &str, old: &str, new: &str) -> [Option<Vec<u8>>; 2] {
    thread_local! {
        static PROJECT: TestProject = TestProject::new();
    }
    PROJECT.with(|project| {
        let path = project.root.join("a.py");
        let left = |is_error: bool| (!is_error).then(|| fs::read(&path).expect("the file"));
        fs::write(&path, text).expect("a file");
        let session = &project.session;
        session.call(RawCall::new(
            "Read",
            json!({ "file_path": path, "force": true }),
        ));
        let edit =
            json!({ "file_path": path, "old_string": old, "new_string": new, "insist": true });
        let edit = left(session.call(RawCall::new("Edit", edit)).is_error());
        fs::write(&path, text).expect("a file");
        let mut options = ResponseOptions::default();
        options.insist = Insist::Yes;
        options.applied_by = AppliedBy::Person;
        let reply = format!("a.py\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n");
        let block = left(session.apply_response(&reply, options).is_error());
        [edit, block]
    })
}

#[test]
fn a_block_that_an_edit_would_place_elsewhere_is_refused() {
    let text = "    say \"hi\"\nother\nsay \"hi\"";
    let [edit, block] = results(text, "say \"hi\"\n", "say \"bye\"\n");
    let wanted = "    say \"bye\"\nother\nsay \"hi\"";
    assert_eq!(edit.as_deref(), Some(wanted.as_bytes()));
    assert_eq!(block, None);
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn an_edit_and_a_block_leave_the_same_bytes(
        lines in prop::collection::vec(select(LINES.to_vec()), 1..9),
        (is_ended, is_crlf, kept) in any::<(bool, bool, bool)>(),
        (from, length) in (any::<Index>(), 1_usize..5),
        new in prop::collection::vec(select(LINES.to_vec()), 0..4),
        slip in 0..6_usize,
    ) {
        let end = if is_crlf { "\r\n" } else { "\n" };
        let mut text = lines.join(end);
        if is_ended {
            text.push_str(end);
        }
        let from = from.index(lines.len());
        let old_lines = lines[from..(from + length).min(lines.len())].to_vec();
        let new_lines = if kept { [old_lines.clone(), new].concat() } else { new };
        let sent = |lines: &[&str]| -> String {
            let lines = lines.iter().map(|line| match slip {
                0 => format!("  {line}\n"),
                1 => format!("{}\n", line.strip_prefix("    ").unwrap_or(line)),
                2 => format!("{}\n", line.trim_end()),
                _ => format!("{line}\n"),
            });
            let text: String = lines.collect();
            match slip {
                3 if !text.is_empty() => format!("\n{text}"),
                4 if !text.is_empty() => format!("{text}\n"),
                _ => text,
            }
        };
        let (old, new) = (sent(&old_lines), sent(&new_lines));
        let [edit, block] = results(&text, &old, &new);
        prop_assert!(edit == block || edit.is_none() || block.is_none(), "{text:?}: {old:?} -> {new:?}\nedit  {edit:?}\nblock {block:?}");
    }
}
