//! Runs the formatter of a file on its new text, once for each text of a call.

use lancet_history::QuestionState;
use lancet_text::Document;

use crate::approval::encoding::decode_question;
use crate::programs::{Formatter, MAX_FORMATTED_SIZE, ProgramOutput};
use crate::stages::context::CallContext;
use crate::stages::locate::Target;
use crate::stages::open::is_notebook_name;
use crate::stages::program_results::{FormattedText, Formatting};
use crate::wording::{format_size, on_one_line, truncate};

/// The most characters of a formatter's own output in an answer.
const MAX_OUTPUT_LENGTH: usize = 300;
/// The most characters of a command in an answer.
const MAX_COMMAND_LENGTH: usize = 100;

/// Whether all bytes of a file were decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DecodingLoss {
    Whole,
    /// Some bytes are not text, and are represented in the decoded text by replacement characters.
    InPart,
}

impl DecodingLoss {
    pub(super) fn from_document(document: &Document<'_>) -> Self {
        match document.damaged_ranges().is_empty() {
            true => Self::Whole,
            false => Self::InPart,
        }
    }
}

/// The result of running a formatter on a text.
pub(super) enum FormatResult {
    /// The text is unchanged, and nothing needs to be reported.
    Unchanged,
    /// The text is unchanged, for this reason.
    Failed(String),
    /// Another text, and the name of the formatter.
    Text { text: String, by: String },
}

/// Runs the formatter that the settings name for a file. `old` is the present text of the file.
pub(super) fn run(
    context: &CallContext<'_>,
    target: &Target,
    old: &str,
    (text, bytes): (&str, DecodingLoss),
) -> FormatResult {
    let Some(formatter) = find_formatter(context, target).filter(|_| !text.is_empty()) else {
        return FormatResult::Unchanged;
    };
    let by = command_name(formatter);
    let answer = match approved_text(context, target, old) {
        Some(text) => Ok(text),
        None if bytes == DecodingLoss::InPart => {
            Err("the file has bytes that are no text, which it could not give back".to_owned())
        }
        None => format_with_cache(context, formatter, target, text),
    };
    match answer {
        Ok(given) if given == text => FormatResult::Unchanged,
        Ok(given) => FormatResult::Text { text: given, by },
        Err(why) => FormatResult::Failed(not_formatted_sentence(&by, &why)),
    }
}

/// Returns the formatter that runs on the new text of a file.
pub(super) fn find_formatter<'c>(
    context: &'c CallContext<'_>,
    target: &Target,
) -> Option<&'c Formatter> {
    let engine = context.engine();
    let relative = engine.relative_to_root(target.path());
    let formatter = engine.settings.formatter_for(relative)?;
    let is_left_out = context.formatting.get() == Formatting::Off
        || target.is_withheld()
        || is_notebook_name(target);
    (!is_left_out).then_some(formatter)
}

/// Returns the sentence about a file that is not formatted.
pub(super) fn not_formatted_sentence(by: &str, why: &str) -> String {
    format!("not formatted: {by} is named for this file, but {why}; the text is as it was sent")
}

/// Returns the program of an entry as answers name it.
pub(super) fn command_name(formatter: &Formatter) -> String {
    let words = on_one_line(&formatter.command.join(" "));
    format!("`{}`", truncate(&words, MAX_COMMAND_LENGTH))
}

/// Returns the new text of a file from the question that this call recorded earlier, if the file is still as it was
/// then: what a person has approved is written, and the formatter does not run again.
fn approved_text(context: &CallContext<'_>, target: &Target, old: &str) -> Option<String> {
    let call = context.recorded.as_ref()?;
    let store = context.engine().history()?;
    let key = call.key(context.session, &context.caller);
    let found = store.find_question_of_call(&key).ok()??;
    if !matches!(found.state, QuestionState::Open | QuestionState::Approved) {
        return None;
    }
    let question = decode_question(&found.shown)?;
    let mut files = question.files.into_iter();
    let file = files.find(|file| file.path == target.path())?;
    file.text.filter(|_| file.old_text.as_deref() == Some(old))
}

/// Returns the result for the same text from an earlier attempt of this call, or a new one.
fn format_with_cache(
    context: &CallContext<'_>,
    formatter: &Formatter,
    target: &Target,
    text: &str,
) -> Result<String, String> {
    let (id, hash) = (formatter.id(), blake3::hash(text.as_bytes()));
    let known = {
        let kept = context.formatted.borrow();
        let mut kept = kept.iter();
        let known = kept
            .find(|kept| kept.formatter == id && kept.path == target.path() && kept.text == hash);
        known.map(|known| known.answer.clone())
    };
    known.unwrap_or_else(|| {
        let answer = run_and_check_formatter(context, formatter, target, text);
        context.formatted.borrow_mut().push(FormattedText {
            formatter: id,
            path: target.path().to_path_buf(),
            text: hash,
            answer: answer.clone(),
        });
        answer
    })
}

/// Runs the formatter and checks its output.
fn run_and_check_formatter(
    context: &CallContext<'_>,
    formatter: &Formatter,
    target: &Target,
    text: &str,
) -> Result<String, String> {
    if text.len() > MAX_FORMATTED_SIZE {
        return Err(format!(
            "the file is larger than {}",
            format_size(MAX_FORMATTED_SIZE as u64)
        ));
    }
    let runner = context.engine().program_runner();
    let runner = runner.ok_or("this host of lancet starts no programs")?;
    let is_stopped = || context.cancel.stopped().is_some();
    let given = runner
        .format(formatter, target.path(), text, &is_stopped)
        .map_err(|error| truncate(&on_one_line(&error.to_string()), MAX_OUTPUT_LENGTH))?;
    if given.code != Some(0) {
        return Err(describe_failure(&given));
    }
    let given = String::from_utf8(given.output).map_err(|_| "what it gave is not UTF-8")?;
    let given = given.strip_prefix('\u{FEFF}').unwrap_or(&given);
    let given = given.replace("\r\n", "\n");
    if given.contains('\0') {
        return Err("what it gave is not text".to_owned());
    }
    if given.trim().is_empty() && !text.trim().is_empty() {
        return Err("it gave no text".to_owned());
    }
    Ok(given)
}

/// Describes how a program failed, with the beginning of its own output.
fn describe_failure(given: &ProgramOutput) -> String {
    let words = String::from_utf8_lossy(&given.error);
    let words = truncate(&on_one_line(words.trim()), MAX_OUTPUT_LENGTH);
    let colon = if words.is_empty() { "" } else { ": " };
    format!("it ended with {}{colon}{words}", given.describe_ending())
}
