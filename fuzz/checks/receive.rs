//! Properties of any arguments: they are cleaned or refused with a bounded text, and cleaned arguments need no further
//! cleaning. The first byte chooses the tool's name; the rest is JSON or else plain text.

use lancet::doors::{normalize, receive};
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

/// The longest refusal, whatever was sent.
const LONGEST: usize = 4_000;

pub(crate) fn check(data: &[u8]) {
    let Some((tool, rest)) = data.split_first() else {
        return;
    };
    let tool = TOOLS[usize::from(*tool) % TOOLS.len()];
    let sent = serde_json::from_slice(rest)
        .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(rest).into_owned()));
    match receive(tool, sent.clone()) {
        Ok(received) => {
            let (name, normal) = normalize(tool, sent).expect("it was received");
            assert_eq!(name, received.tool());
            let again = receive(name, normal).expect("normal arguments are received");
            assert!(again.is_same_request(&received), "{again:?}, {received:?}");
            assert!(
                again.repairs().is_empty(),
                "normal arguments need no repair: {again:?}"
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
