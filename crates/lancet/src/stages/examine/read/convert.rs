//! Reads a file that is not text, a picture or a PDF: a program from the settings converts it to text, started through
//! the interface that the host provides. The text is laid out like a file's, but its lines are not the file's bytes, so
//! none of them counts as seen.

use std::ffi::OsStr;

use lancet_formats::convert::{ConvertError, Converter, MAX_CONVERTED_BYTES};
use lancet_history::SeenRanges;
use lancet_text::{Document, Endings, rule_out_text};
use lancet_workspace::Snapshot;

use super::layout::lay_out_lines;
use super::notice::budget_for_lines;
use super::page::{AnswerKind, PageContent};
use super::wanted::WantedRange;
use crate::message::{Say, message, verbatim};
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::context::CallContext;
use crate::stages::locate::Target;
use crate::stages::open::unreadable_refusal;
use crate::wording::{format_size, on_one_line, quote_path};

/// How many bytes at the beginning of a large file are examined.
const HEAD_SIZE: usize = 64 << 10;

/// The most characters of a program's own output in an answer.
const MAX_OUTPUT_LENGTH: usize = 300;

/// Returns whether a large file is converted; an error where it would be but is too large.
pub(super) fn is_convertible(
    context: &CallContext<'_>,
    target: &Target,
    file_size: u64,
) -> Result<bool, Refusal> {
    if find_converter(context, target).is_none() {
        return Ok(false);
    }
    let (head, _) = target
        .located
        .read_at(0, HEAD_SIZE)
        .map_err(|error| unreadable_refusal(target, &error))?;
    if rule_out_text(&head, None).is_none() || file_size <= MAX_CONVERTED_BYTES {
        return Ok(rule_out_text(&head, None).is_some());
    }
    let text = message!(
        "{} has {}; files of up to {} are converted. Convert it with another program.",
        &target.given,
        verbatim(format_size(file_size)),
        verbatim(format_size(MAX_CONVERTED_BYTES))
    );
    Err(refusal(target, RefusalKind::TooLarge, text))
}

/// Returns the entry of the settings for a file.
fn find_converter<'c>(context: &'c CallContext<'_>, target: &Target) -> Option<&'c Converter> {
    let engine = context.engine();
    engine
        .settings
        .converter_for(engine.relative_to_root(target.path()))
}

/// Returns the text of a file that is not text itself, for the answer. `kind` is the type that its bytes suggest.
pub(super) fn read_converted(
    context: &CallContext<'_>,
    target: &Target,
    base: &Snapshot,
    wanted: WantedRange,
    kind: &str,
) -> Result<PageContent, Refusal> {
    let Some(converter) = find_converter(context, target) else {
        return Err(without_converter_refusal(target, base, kind));
    };
    let not_shown = |error: &ConvertError| not_shown_refusal(target, converter, error);
    let Some(host) = context.engine().file_converter() else {
        let words = "this host of lancet starts no programs".to_owned();
        return Err(not_shown(&ConvertError::Unavailable(words)));
    };
    let name = target.path().file_name().unwrap_or(OsStr::new("file"));
    let is_stopped = || context.cancel.stopped().is_some();
    let given = host.convert(converter, name, &base.bytes, &is_stopped);
    context.check_time()?;
    let given = given.map_err(|error| not_shown(&error))?;
    let Ok(document) = Document::decode(&given, None) else {
        let text = message!(
            "{} is converted by {}, but what that gave is not text. Correct its entry in read.converters.",
            &target.given,
            verbatim(program_name(converter))
        );
        return Err(refusal(target, RefusalKind::Binary, text));
    };
    let mut layout = lay_out_lines(
        context,
        &document,
        wanted,
        budget_for_lines(context, target),
    )?;
    layout.seen = SeenRanges::default();
    Ok(PageContent {
        shape: AnswerKind::Converted,
        notice: Some(format!(
            "converted to text by {}; the file itself is no text, and these lines cannot be edited",
            program_name(converter)
        )),
        words: None,
        pictures: Vec::new(),
        symbols: Vec::new(),
        layout,
        total: document.line_count(),
        encoding: "binary",
        endings: Endings::None,
        revision: base.revision,
        stamp: base.stamp,
        content: None,
    })
}

/// Returns the program of an entry as answers name it.
fn program_name(converter: &Converter) -> String {
    let words = converter.command.join(" ");
    format!(
        "`{}`",
        truncate(&on_one_line(&words), MAX_OUTPUT_LENGTH / 3)
    )
}

fn truncate(words: &str, most: usize) -> String {
    match words.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &words[..at]),
        None => words.to_owned(),
    }
}

/// Returns the refusal for a file for which no program is named: its kind and size, and the setting that would help.
fn without_converter_refusal(target: &Target, base: &Snapshot, kind: &str) -> Refusal {
    let extension = target.path().extension().and_then(OsStr::to_str);
    let extension = extension.filter(|name| name.chars().all(char::is_alphanumeric));
    let setting = match extension {
        Some(extension) => format!("\"*.{extension}\" = [\"PROGRAM\", \"-\"]"),
        None => "\"PATTERN\" = [\"PROGRAM\", \"-\"]".to_owned(),
    };
    let text = message!(
        "{} is not text: {}, {}. Use a program made for this kind of file; where the user names one that gives its text, Read shows that: [read.converters] {}.",
        &target.given,
        verbatim(kind),
        verbatim(format_size(base.bytes.len() as u64)),
        verbatim(setting)
    );
    refusal(target, RefusalKind::Binary, text).with_field("kind", kind)
}

/// Returns the refusal for a file that a program did not convert.
fn not_shown_refusal(target: &Target, converter: &Converter, error: &ConvertError) -> Refusal {
    let (kind, next) = match error {
        ConvertError::AddedLater => (RefusalKind::Io, "Ask the user to start lancet again."),
        ConvertError::Unavailable(_) => (
            RefusalKind::Io,
            "Ask the user to correct the entry or to install the program.",
        ),
        ConvertError::TooMuch => (
            RefusalKind::TooLarge,
            "Use a program made for this kind of file.",
        ),
        _ => (
            RefusalKind::Damaged,
            "The file may be damaged, or the entry wrong; use another program made for this kind of file.",
        ),
    };
    let why = truncate(&on_one_line(&error.to_string()), MAX_OUTPUT_LENGTH);
    let text = message!(
        "{} is converted by {}, but {}. {}",
        &target.given,
        verbatim(program_name(converter)),
        verbatim(why),
        next
    );
    refusal(target, kind, text).with_field("converter", converter.pattern.clone())
}

fn refusal(target: &Target, kind: RefusalKind, text: impl Say) -> Refusal {
    Refusal::from_message(kind, text).with_field("file_path", quote_path(target.path()))
}
