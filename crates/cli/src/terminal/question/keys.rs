//! The keys of a question at the terminal, each typed as a line.

/// The meaning of a typed line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Key {
    Yes,
    /// No, with a reason for the model.
    No(Option<String>),
    Always,
    /// Yes until the agent's session ends; only for questions of agents.
    Session,
    /// Leave the question open; only for recorded questions.
    Later,
    Edit,
    Pick,
    Diff,
    Help,
    /// Any other text, which is not an answer.
    Other(String),
}

/// Parses a typed line. Only a plain yes is a yes; an empty line is a no.
pub(super) fn parse_key(line: &str) -> Key {
    let (first, rest) = split_first_word(line);
    match (first.to_lowercase().as_str(), rest) {
        ("y" | "yes", "") => Key::Yes,
        ("a" | "always", "") => Key::Always,
        ("e" | "edit", "") => Key::Edit,
        ("p" | "pick", "") => Key::Pick,
        ("d" | "diff", "") => Key::Diff,
        ("?" | "h" | "help", "") => Key::Help,
        ("" | "n" | "no", "") => Key::No(None),
        ("n" | "no", words) => Key::No(Some(words.to_owned())),
        _ => Key::Other(line.trim().to_owned()),
    }
}

/// Parses a line typed at a recorded question: an empty line leaves it open.
pub(super) fn parse_recorded_key(line: &str) -> Key {
    let (first, rest) = split_first_word(line);
    match (first.to_lowercase().as_str(), rest) {
        ("" | "q" | "quit", "") => Key::Later,
        ("s" | "session", "") => Key::Session,
        _ => parse_key(line),
    }
}

/// The meaning of a line while files and hunks are picked.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PartKey {
    Yes,
    /// Leave the part out, with a reason for the model.
    No(Option<String>),
    /// Prompt for the hunks of the file one by one.
    Hunks,
    Diff,
    /// Return to the question.
    Back,
    Help,
    /// Any other text, which is not an answer.
    Other(String),
}

/// Parses a line while files and hunks are picked. An empty line returns to the question.
pub(super) fn parse_part_key(line: &str) -> PartKey {
    let (first, rest) = split_first_word(line);
    match (first.to_lowercase().as_str(), rest) {
        ("y" | "yes", "") => PartKey::Yes,
        ("n" | "no", "") => PartKey::No(None),
        ("n" | "no", words) => PartKey::No(Some(words.to_owned())),
        ("h" | "hunks", "") => PartKey::Hunks,
        ("d" | "diff", "") => PartKey::Diff,
        ("" | "q" | "quit", "") => PartKey::Back,
        ("?", "") => PartKey::Help,
        _ => PartKey::Other(line.trim().to_owned()),
    }
}

/// Splits a line into its first word and the rest.
fn split_first_word(line: &str) -> (&str, &str) {
    let line = line.trim();
    let ends = |c: char| c.is_whitespace() || ",:;.".contains(c);
    let (first, rest) = line.split_once(ends).unwrap_or((line, ""));
    (first, rest.trim())
}
