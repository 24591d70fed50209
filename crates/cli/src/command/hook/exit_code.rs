//! The exit code of a shell command in the event of its end. Agents without a field for it have it in a text.

use serde_json::Value;

/// Returns the exit code of a command; none where the event does not name it.
pub(super) fn exit_code(sent: &Value, answer: &Value) -> Option<i32> {
    let fields = [
        answer.get("exit_code"),
        answer.get("exitCode"),
        // opencode.
        answer.pointer("/metadata/exit"),
    ];
    if let Some(code) = fields.into_iter().flatten().find_map(Value::as_i64) {
        return i32::try_from(code).ok();
    }
    let text = |value: Option<&Value>| Some(value?.as_str()?.to_owned());
    // Claude Code: the error of a call that failed.
    let failed = text(sent.get("error"));
    let failed = failed.and_then(|error| leading_number(error.strip_prefix("Exit code ")?));
    // Gemini CLI and Qwen Code: one of the last lines, after the output of the command.
    let lines = text(answer.get("llmContent"));
    let in_lines = lines.and_then(|text| {
        let mut lines = text.lines().rev();
        lines.find_map(|line| line.strip_prefix("Exit Code: ")?.parse().ok())
    });
    // Copilot CLI: the end of the last line.
    let ended = text(answer.get("textResultForLlm"));
    let ended = ended.and_then(|text| {
        let (_, code) = text.trim_end().rsplit_once(" completed with exit code ")?;
        code.strip_suffix('>')?.parse().ok()
    });
    failed.or(in_lines).or(ended)
}

fn leading_number(text: &str) -> Option<i32> {
    let end = text.find(|sign: char| !sign.is_ascii_digit());
    text.get(..end.unwrap_or(text.len()))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn exit_codes_are_found_in_the_form_of_each_agent() {
        for (sent, answer, wanted) in [
            (json!({}), json!({ "exit_code": 2 }), Some(2)),
            (json!({}), json!({ "metadata": { "exit": 3 } }), Some(3)),
            (json!({}), json!({ "metadata": { "exit": null } }), None),
            (
                json!({ "error": "Exit code 143\nCommand timed out after 1s" }),
                Value::Null,
                Some(143),
            ),
            (json!({ "error": "it was refused" }), Value::Null, None),
            (
                json!({}),
                json!({ "llmContent": "<untrusted_context>\nOutput: Exit Code: 1\nExit Code: 3\nProcess Group PGID: 7\n</untrusted_context>" }),
                Some(3),
            ),
            (
                json!({}),
                json!({ "llmContent": "Command: x\nDirectory: (root)\nOutput: (empty)\nError: (none)\nExit Code: 0\nSignal: 0\nProcess Group PGID: 7" }),
                Some(0),
            ),
            (
                json!({}),
                json!({ "llmContent": "Exit Code: (none)" }),
                None,
            ),
            (
                json!({}),
                json!({ "textResultForLlm": "a.txt\n<shellId: 1 completed with exit code 3>" }),
                Some(3),
            ),
            (json!({}), json!({ "exitCode": i64::MAX }), None),
            (json!({}), json!("2"), None),
        ] {
            assert_eq!(exit_code(&sent, &answer), wanted, "{sent} {answer}");
        }
    }
}
