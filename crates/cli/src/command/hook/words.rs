//! Adds the user's review comments that wait for a session to the prompt that the user has just sent, as context.

use lancet::Lancet;
use serde_json::{Value, json};

/// The most characters that are added to a prompt; what does not fit comes with the next answer or prompt. Claude Code
/// accepts ten thousand.
const MAX_CHARACTERS: usize = 8_000;

/// Returns the answer to the event of a prompt; none where no comment waits, or the agent does not accept context from
/// this hook. It is made last, because its comments then count as delivered.
pub(super) fn comments_for_prompt(lancet: &Lancet, agent: &str, session: &str) -> Option<Value> {
    let event = match agent {
        "claude" | "codex" | "qwen" => "UserPromptSubmit",
        "gemini" => "BeforeAgent",
        _ => return None,
    };
    let waiting = lancet
        .review()?
        .deliver_with_prompt(session, MAX_CHARACTERS)
        .ok()?;
    if waiting.is_empty() {
        return None;
    }
    Some(json!({ "hookSpecificOutput": {
        "hookEventName": event,
        "additionalContext": waiting.join("\n"),
    } }))
}

#[cfg(test)]
mod tests {
    use lancet::review::NewComment;
    use lancet_testing::TestFolder;

    use super::*;

    #[test]
    fn delivers_pending_comments_with_one_prompt() {
        let folder = TestFolder::new();
        let root = folder.path().join("root");
        std::fs::create_dir(&root).expect("made");
        let lancet = Lancet::builder()
            .root(&root)
            .state_dir(folder.path().join("state"))
            .open()
            .expect("opens");
        let path = lancet.roots()[0].join("a.txt");
        let comment = NewComment::new("claude:1", path, "why").on_lines((3, 3), None);
        let review = lancet.review().expect("a state folder");
        review.add_comment(&comment).expect("kept");
        assert_eq!(comments_for_prompt(&lancet, "copilot", "claude:1"), None);
        assert_eq!(comments_for_prompt(&lancet, "claude", "claude:2"), None);
        let answer = comments_for_prompt(&lancet, "claude", "claude:1").expect("an answer");
        let output = &answer["hookSpecificOutput"];
        assert_eq!(output["hookEventName"], "UserPromptSubmit");
        let context = output["additionalContext"].as_str().expect("text");
        assert!(
            context.starts_with("[lancet: a person's comment on "),
            "{context}"
        );
        assert!(context.ends_with("a.txt line 3: \"why\"]"), "{context}");
        assert_eq!(comments_for_prompt(&lancet, "claude", "claude:1"), None);
    }
}
