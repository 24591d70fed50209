//! The lines of an answer about problems that language servers found.

use crate::audience::Audience;
use crate::outcome::{Diagnosis, FoundProblem};
use crate::visible::escape_for_terminal;
use crate::wording::{format_count, quote_path, truncate};

/// The longest message of one problem, in characters.
const MAX_MESSAGE_LENGTH: usize = 400;

/// Returns the lines of an answer about the problems found.
pub(super) fn format_problems(found: &Diagnosis, audience: &Audience) -> String {
    let mut text = String::new();
    let all = found.new.len() + found.more;
    if all > 0 {
        text.push_str(&format!(
            "[lancet: {} after this change:]\n",
            format_count(all, "new problem")
        ));
        for problem in &found.new {
            text.push_str(&format_problem(problem, audience));
            text.push('\n');
        }
        if found.more > 0 {
            text.push_str(&format!("[lancet: and {} more]\n", found.more));
        }
    }
    if !found.not_ready.is_empty() {
        text.push_str(&format!(
            "[lancet: diagnostics are not ready: {}; what is found later comes with the next answer]\n",
            found.not_ready.join(", ")
        ));
    }
    if !found.not_running.is_empty() {
        text.push_str(&format!(
            "[lancet: no diagnostics by {}, which does not run: it could not be started or ended unexpectedly]\n",
            found.not_running.join(", ")
        ));
    }
    text
}

/// One problem, on one line.
pub(in crate::stages) fn format_problem(problem: &FoundProblem, audience: &Audience) -> String {
    let path = audience.path_name(&quote_path(&problem.path));
    let code = problem.code.iter();
    let code: String = code.map(|code| format!(" {code}")).collect();
    // Some messages have several lines, and their indentation.
    let message: Vec<&str> = problem.message.split_whitespace().collect();
    let said = format!("{} ({}{code})", message.join(" "), problem.source);
    format!(
        "{}:{}:{}: {}: {}",
        escape_for_terminal(&path),
        problem.line,
        problem.column,
        problem.severity,
        truncate(&escape_for_terminal(&said), MAX_MESSAGE_LENGTH)
    )
}
