//! Cuts answers as agents do before their model reads them. The behaviour of each agent was observed in November 2026.

use serde_json::{Value, json};

/// An agent that cuts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Agent {
    Cline,
    Codex,
    Copilot,
    Qwen,
}

pub(crate) const AGENTS: [Agent; 4] = [Agent::Cline, Agent::Codex, Agent::Copilot, Agent::Qwen];

impl Agent {
    /// Returns the name that the agent gives itself.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Agent::Cline => "@cline/core",
            Agent::Codex => "codex-mcp-client",
            Agent::Copilot => "copilot-cli",
            Agent::Qwen => "qwen-cli-mcp-client-lancet",
        }
    }

    /// Returns what the model reads of an answer.
    pub(crate) fn hands_on(self, arguments: &Value, result: &Value) -> String {
        let text = result["content"][0]["text"].as_str().expect("text");
        let refused = result["isError"] == true;
        match self {
            Agent::Cline => {
                let whole = serde_json::to_string_pretty(result).expect("JSON");
                without_middle(&whole, whole.chars().count() > 8_000, 4_000)
            }
            Agent::Codex => {
                let whole = format!("Wall time: 0.0123 seconds\nOutput:\n{text}");
                without_middle(&whole, whole.len() > 10_000, 2_500)
            }
            Agent::Copilot => {
                let whole = text.to_owned();
                let most = if whole.len() > 20_000 {
                    500
                } else {
                    usize::MAX
                };
                whole.chars().take(most).collect()
            }
            Agent::Qwen if refused => {
                let told = json!({"arguments": arguments, "_meta": result["_meta"], "text": text});
                let whole = json!(told.to_string()).to_string();
                without_middle(&whole, whole.len() > 25_000, 6_000)
            }
            Agent::Qwen => without_middle(text, text.chars().count() > 25_000, 6_000),
        }
    }

    /// Reports whether a line of a file is whole in what the model reads.
    pub(crate) fn shows(self, answer: &str, refused: bool, line: &str) -> bool {
        let text_end = match self {
            Agent::Cline => "\"",
            Agent::Qwen if refused => "\\\"",
            _ => "",
        };
        let whole = self.spelled(&format!("{line}\n"), refused);
        // The last line of a text has no line end.
        let last = format!("{}{text_end}", self.spelled(line, refused));
        let ends_so = if text_end.is_empty() {
            answer.ends_with(&last)
        } else {
            answer.contains(&last)
        };
        answer.contains(&whole) || ends_so
    }

    fn spelled(self, line: &str, refused: bool) -> String {
        let inside = |text: &str| {
            let json = json!(text).to_string();
            json[1..json.len() - 1].to_owned()
        };
        match self {
            Agent::Cline => inside(line),
            Agent::Qwen if refused => inside(&inside(line)),
            _ => line.to_owned(),
        }
    }
}

/// Returns the beginning and the end of a text that is too long, `each` characters of both.
fn without_middle(text: &str, too_long: bool, each: usize) -> String {
    if !too_long {
        return text.to_owned();
    }
    let characters: Vec<char> = text.chars().collect();
    let head: String = characters.iter().take(each).collect();
    let tail: String = characters[characters.len().saturating_sub(each)..]
        .iter()
        .collect();
    format!("{head}\n… cut …\n{tail}")
}
