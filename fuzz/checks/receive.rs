//! What must hold of any arguments: they are cleaned or refused with bounded words, and what was cleaned once needs no
//! cleaning a second time. The first byte chooses the tool's name, the rest is JSON or, failing that, plain text.

use lancet::doors::{Arguments, receive};
use serde_json::Value;

const TOOLS: [&str; 10] = [
    "Read",
    "Edit",
    "MultiEdit",
    "Write",
    "str_replace",
    "View",
    "write_file",
    "Reed",
    "Glob",
    "Grep",
];

/// No refusal is longer, whatever was sent.
const LONGEST: usize = 4_000;

pub(crate) fn check(data: &[u8]) {
    let Some((tool, rest)) = data.split_first() else {
        return;
    };
    let tool = TOOLS[usize::from(*tool) % TOOLS.len()];
    let sent = serde_json::from_slice(rest)
        .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(rest).into_owned()));
    match receive(tool, sent) {
        Ok((arguments, _)) => {
            let (name, clean) = match &arguments {
                Arguments::Read(read) => ("Read", serde_json::to_value(read)),
                Arguments::Edit(edit) => ("Edit", serde_json::to_value(edit)),
                Arguments::MultiEdit(edits) => ("MultiEdit", serde_json::to_value(edits)),
                Arguments::Write(write) => ("Write", serde_json::to_value(write)),
                Arguments::Glob(glob) => ("Glob", serde_json::to_value(glob)),
                Arguments::Grep(grep) => ("Grep", serde_json::to_value(grep)),
                Arguments::Undo(undo) => ("Undo", serde_json::to_value(undo)),
            };
            let clean = clean.expect("typed arguments are JSON");
            let (again, repairs) = receive(name, clean).expect("clean arguments are received");
            assert_eq!(again, arguments);
            assert!(
                repairs.is_empty(),
                "clean arguments need no repair: {repairs:?}"
            );
        }
        Err(refusal) => {
            assert!(!refusal.message.is_empty());
            assert!(
                refusal.message.chars().count() <= LONGEST,
                "{}",
                refusal.message.len()
            );
        }
    }
}
