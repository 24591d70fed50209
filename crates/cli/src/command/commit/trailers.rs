//! The trailers of a commit: the agents that wrote the committed lines.

use std::collections::BTreeSet;

use lancet::history::Operation;
use lancet::settings::CommitTrailer;

/// The client that the history records for commands of the shell.
const COMMAND_LINE: &str = "lancet";
/// The addresses under which agents are known as authors.
const ADDRESSES: [(&str, &str); 2] = [
    ("claude-code", "Claude <noreply@anthropic.com>"),
    ("codex", "Codex <noreply@openai.com>"),
];

/// Returns the trailers, one for each agent that made one of the operations.
pub(super) fn list_trailers<'o>(
    operations: impl Iterator<Item = &'o Operation>,
    kind: CommitTrailer,
) -> Vec<String> {
    let agents: BTreeSet<String> = operations
        .filter(|operation| operation.has_known_caller())
        .filter_map(|operation| operation.client.as_deref())
        .filter(|client| *client != COMMAND_LINE)
        .map(plain_name)
        .filter(|name| !name.is_empty())
        .collect();
    let trailer = |name: &String| match kind {
        CommitTrailer::AssistedBy => Some(format!("Assisted-by: {name}")),
        CommitTrailer::CoAuthoredBy => Some(format!("Co-authored-by: {}", author(name))),
        _ => None,
    };
    agents.iter().filter_map(trailer).collect()
}

/// Returns a client's name without what could end the line or begin an address.
fn plain_name(client: &str) -> String {
    let is_plain = |letter: &char| !letter.is_control() && !matches!(letter, '<' | '>');
    let name: String = client.chars().filter(is_plain).collect();
    name.trim().to_owned()
}

/// Returns an agent as an author. One without a known address has an address that cannot exist.
fn author(name: &str) -> String {
    let known = ADDRESSES.iter().find(|(client, _)| *client == name);
    known.map_or_else(
        || {
            let part: String = name
                .chars()
                .filter(|letter| letter.is_ascii_alphanumeric() || *letter == '-')
                .collect();
            format!("{name} <{part}@agent.invalid>")
        },
        |(_, author)| (*author).to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_forge_trailers() {
        assert_eq!(plain_name("a\nSigned-off-by: b <c>"), "aSigned-off-by: b c");
        assert_eq!(author("my agent"), "my agent <myagent@agent.invalid>");
        assert_eq!(author("codex"), "Codex <noreply@openai.com>");
    }
}
