//! Reads a file that is not text, a picture or a PDF: a program from the settings converts it to text, started through
//! the interface that the host provides. The text is laid out like a file's, but its lines are not the file's bytes, so
//! none of them counts as seen.

use std::ffi::OsStr;

use lancet_formats::convert::{ConvertError, Converter, LARGEST_CONVERTED};
use lancet_history::Seen;
use lancet_text::{Document, Endings, never_text};
use lancet_workspace::Snapshot;

use super::layout::lay_out;
use super::notice::budget;
use super::page::{PageContent, Shape};
use super::wanted::Wanted;
use crate::message::{Say, message, verbatim};
use crate::refusal::{Refusal, RefusalKind};
use crate::stages::context::CallContext;
use crate::stages::locate::Target;
use crate::stages::open::unreadable;
use crate::wording::{on_one_line, quote_path, size};

/// How many bytes at the beginning of a large file are examined.
const HEAD: usize = 64 << 10;

/// The most characters of a program's own output in an answer.
const MOST_WORDS: usize = 300;

/// Returns whether a large file is converted; an error where it would be but is too large.
pub(super) fn is_convertible(
    context: &CallContext<'_>,
    target: &Target,
    file_size: u64,
) -> Result<bool, Refusal> {
    if converter(context, target).is_none() {
        return Ok(false);
    }
    let (head, _) = target
        .located
        .read_at(0, HEAD)
        .map_err(|error| unreadable(target, &error))?;
    if never_text(&head, None).is_none() || file_size <= LARGEST_CONVERTED {
        return Ok(never_text(&head, None).is_some());
    }
    let text = message!(
        "{} has {}; files of up to {} are converted. Convert it with another program.",
        &target.given,
        verbatim(size(file_size)),
        verbatim(size(LARGEST_CONVERTED))
    );
    Err(refusal(target, RefusalKind::TooLarge, text))
}

/// Returns the entry of the settings for a file.
fn converter<'c>(context: &'c CallContext<'_>, target: &Target) -> Option<&'c Converter> {
    let engine = context.engine();
    engine
        .settings
        .converter_for(engine.below_root(target.path()))
}

/// Returns the text of a file that is not text itself, for the answer. `kind` is the type that its bytes suggest.
pub(super) fn read_converted(
    context: &CallContext<'_>,
    target: &Target,
    base: &Snapshot,
    wanted: Wanted,
    kind: &str,
) -> Result<PageContent, Refusal> {
    let Some(converter) = converter(context, target) else {
        return Err(without_converter(target, base, kind));
    };
    let not_shown = |error: &ConvertError| not_shown(target, converter, error);
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
            verbatim(command(converter))
        );
        return Err(refusal(target, RefusalKind::Binary, text));
    };
    let mut layout = lay_out(context, &document, wanted, budget(context, target))?;
    layout.seen = Seen::default();
    Ok(PageContent {
        shape: Shape::Converted,
        notice: Some(format!(
            "converted to text by {}; the file itself is no text, and these lines cannot be edited",
            command(converter)
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
fn command(converter: &Converter) -> String {
    let words = converter.command.join(" ");
    format!("`{}`", cut(&on_one_line(&words), MOST_WORDS / 3))
}

fn cut(words: &str, most: usize) -> String {
    match words.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &words[..at]),
        None => words.to_owned(),
    }
}

/// Returns the refusal for a file for which no program is named: its kind and size, and the setting that would help.
fn without_converter(target: &Target, base: &Snapshot, kind: &str) -> Refusal {
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
        verbatim(size(base.bytes.len() as u64)),
        verbatim(setting)
    );
    refusal(target, RefusalKind::Binary, text).with("kind", kind)
}

/// Returns the refusal for a file that a program did not convert.
fn not_shown(target: &Target, converter: &Converter, error: &ConvertError) -> Refusal {
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
    let why = cut(&on_one_line(&error.to_string()), MOST_WORDS);
    let text = message!(
        "{} is converted by {}, but {}. {}",
        &target.given,
        verbatim(command(converter)),
        verbatim(why),
        next
    );
    refusal(target, kind, text).with("converter", converter.pattern.clone())
}

fn refusal(target: &Target, kind: RefusalKind, text: impl Say) -> Refusal {
    Refusal::stating(kind, text).with("file_path", quote_path(target.path()))
}
